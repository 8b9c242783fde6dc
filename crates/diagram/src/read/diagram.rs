//! Diagram interchange: shapes and edges of the first diagram of the file that has any.

use super::connect::find;
use super::tag::{any_attribute, child, flag, name};
use super::{Notes, number};
use crate::color::Color;
use crate::geometry::Rect;
use crate::limits::WAYPOINTS_MAX;
use crate::model::{DiagramNode, Edge, EdgeIndex, EdgeKind, End, Model, NodeIndex, Symbol};
use crate::scene::{Colors, Connection, Scene, Shape};
use roxmltree::{Document, Node as Xml};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

pub(super) fn scene<'a>(document: &'a Document<'a>, model: &mut Model, notes: &mut Notes<'_>) -> Scene {
    let root = document.root_element();
    let others = Others { document, by_id: OnceCell::new() };
    let diagrams = root.children().filter(|child| child.is_element() && name(child) == "BPMNDiagram");
    let mut planes = diagrams.filter_map(|diagram| child(&diagram, "BPMNPlane"));
    while let Some(plane) = planes.next() {
        let mut scene = Scene::default();
        for xml in plane.children().filter(Xml::is_element) {
            match name(&xml) {
                "BPMNShape" => scene.shapes.extend(shape(xml, model, &others, notes)),
                "BPMNEdge" => scene.connections.extend(connection(xml, model, &others, notes)),
                _ => {}
            }
        }
        if scene.shapes.is_empty() {
            continue;
        }
        if let Some(next) = planes.next() {
            notes.add(
                next,
                "Expected one diagram, but the file has more: only the first is drawn".to_string(),
            );
        }
        return scene;
    }
    Scene::default()
}

fn shape(xml: Xml<'_, '_>, model: &mut Model, others: &Others<'_>, notes: &mut Notes<'_>) -> Option<Shape> {
    let Some(place) = child(&xml, "Bounds") else {
        notes.add(xml, "Expected a shape to have bounds, but it has none".to_string());
        return None;
    };
    let bounds = number::bounds(&place, notes)?;
    let node = node_of(&xml, model, others)?;
    let is_sub_process =
        matches!(model.nodes[node].symbol, Symbol::Activity(activity) if activity.is_sub_process());
    let label = child(&xml, "BPMNLabel");
    Some(Shape {
        node,
        bounds,
        label: label_bounds(label, notes),
        is_expanded: flag(&xml, "isExpanded").unwrap_or(!is_sub_process),
        is_horizontal: flag(&xml, "isHorizontal").unwrap_or(true),
        has_marker: flag(&xml, "isMarkerVisible").unwrap_or(false),
        colors: colors(&xml, label),
    })
}

fn connection(
    xml: Xml<'_, '_>,
    model: &mut Model,
    others: &Others<'_>,
    notes: &mut Notes<'_>,
) -> Option<Connection> {
    let waypoints = xml.children().filter(|child| child.is_element() && name(child) == "waypoint");
    let points: Option<Vec<_>> =
        waypoints.take(WAYPOINTS_MAX).map(|waypoint| number::point(&waypoint, notes)).collect();
    let points = points?;
    if points.len() < 2 {
        notes.add(xml, format!("Expected a flow to have two waypoints or more, but it has {}", points.len()));
        return None;
    }
    let label = child(&xml, "BPMNLabel");
    let label_bounds = label_bounds(label, notes);
    Some(Connection {
        edge: edge_of(&xml, model, others)?,
        points,
        label: label_bounds,
        colors: colors(&xml, label),
    })
}

/// The element that a shape stands for. One that is not in the model is drawn as unknown, under the id of the reference.
fn node_of(xml: &Xml<'_, '_>, model: &mut Model, others: &Others<'_>) -> Option<NodeIndex> {
    let reference = xml.attribute("bpmnElement").unwrap_or_default();
    match find(model, reference) {
        Some(End::DiagramNode(node)) => (model.nodes[node].symbol != Symbol::Process).then_some(node),
        Some(End::Edge(_)) => None,
        None => {
            let (tag, label) = others.describe(reference);
            let index = model.nodes.len();
            model.by_id.insert(reference.to_string(), End::DiagramNode(index));
            model.nodes.push(DiagramNode {
                id: reference.to_string(),
                tag,
                name: label,
                symbol: Symbol::Unknown,
                parent: None,
                host: None,
                lane: None,
                process: None,
                category: None,
            });
            Some(index)
        }
    }
}

fn edge_of(xml: &Xml<'_, '_>, model: &mut Model, others: &Others<'_>) -> Option<EdgeIndex> {
    let reference = xml.attribute("bpmnElement").unwrap_or_default();
    match find(model, reference) {
        Some(End::Edge(edge)) => Some(edge),
        Some(End::DiagramNode(_)) => None,
        None => {
            let (tag, name) = others.describe(reference);
            let (id, kind) = (reference.to_string(), EdgeKind::Plain);
            model.edges.push(Edge { id, tag, name, kind, source: None, target: None });
            Some(model.edges.len() - 1)
        }
    }
}

/// Tags and names of elements that are no symbols of BPMN. Few files have any, so they are collected when asked for.
struct Others<'a> {
    document: &'a Document<'a>,
    by_id: OnceCell<FxHashMap<&'a str, Xml<'a, 'a>>>,
}

impl Others<'_> {
    fn describe(&self, id: &str) -> (String, String) {
        let by_id = self.by_id.get_or_init(|| {
            let elements = self.document.root_element().descendants();
            elements.filter_map(|element| Some((element.attribute("id")?, element))).collect()
        });
        match by_id.get(id) {
            Some(found) => (name(found).to_string(), found.attribute("name").unwrap_or_default().to_string()),
            None => ("unknown".to_string(), String::new()),
        }
    }
}

fn label_bounds(label: Option<Xml<'_, '_>>, notes: &mut Notes<'_>) -> Option<Rect> {
    let place = child(&label?, "Bounds")?;
    number::bounds(&place, notes).filter(|bounds| bounds.width > 0.0)
}

/// Two ways to tell colours are in use: that of bpmn.io and that of the working group for interchange.
fn colors(xml: &Xml<'_, '_>, label: Option<Xml<'_, '_>>) -> Colors {
    let read = |xml: &Xml<'_, '_>, names: [&str; 2]| {
        names.into_iter().find_map(|name| any_attribute(xml, name).and_then(Color::parse))
    };
    Colors {
        fill: read(xml, ["background-color", "fill"]),
        stroke: read(xml, ["border-color", "stroke"]),
        label: label.and_then(|label| read(&label, ["color", "stroke"])),
    }
}
