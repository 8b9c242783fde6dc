//! Groups around their members, and the lines of associations, which are straight.

use super::line;
use super::plan::Plan;
use crate::geometry::Rect;
use crate::model::{End, Symbol};
use rustc_hash::FxHashMap;

const GROUP_PADDING: f64 = 12.0;
/// Room for the name of a group.
const GROUP_ABOVE: f64 = 14.0;

pub(super) fn frame_groups(plan: &mut Plan<'_>) {
    let mut frames: FxHashMap<&str, Rect> = FxHashMap::default();
    let nodes = plan.model.nodes.iter().zip(&plan.places).filter(|(node, _)| node.symbol != Symbol::Group);
    for (node, place) in nodes {
        if let (Some(category), Some(place)) = (node.category.as_deref(), *place) {
            frames.entry(category).and_modify(|frame| *frame = frame.union(place)).or_insert(place);
        }
    }
    for node in 0..plan.count() {
        let found = &plan.model.nodes[node];
        let frame = found.category.as_deref().and_then(|category| frames.get(category));
        if let (Symbol::Group, Some(frame)) = (found.symbol, frame) {
            let above = if found.name.is_empty() { 0.0 } else { GROUP_ABOVE };
            let frame = Rect::new(frame.x, frame.y - above, frame.width, frame.height + above);
            plan.places[node] = Some(frame.grown(GROUP_PADDING));
        }
    }
}

/// Everything that has no way yet goes straight from end to end.
pub(super) fn associate(plan: &mut Plan<'_>) {
    for edge in 0..plan.routes.len() {
        if plan.routes[edge].is_some() {
            continue;
        }
        let found = &plan.model.edges[edge];
        let (Some(from), Some(to)) = (place(plan, found.source), place(plan, found.target)) else { continue };
        plan.routes[edge] = Some(line::straight(from, to));
    }
}

/// The place of an end; for a flow, its middle.
fn place(plan: &Plan<'_>, end: Option<End>) -> Option<Rect> {
    match end? {
        End::DiagramNode(node) => *plan.places.get(node)?,
        End::Edge(edge) => {
            let middle = line::middle(plan.routes[edge].as_ref()?);
            Some(Rect::new(middle.x, middle.y, 0.0, 0.0))
        }
    }
}
