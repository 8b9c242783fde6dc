//! Follows the references between elements once all of them are known.

use super::element::Reading;
use super::tag::{is_bpmn, local, name};
use crate::model::{EdgeKind, End, Model, NodeIndex, Symbol};
use rustc_hash::FxHashMap;

pub(super) fn references(reading: &mut Reading<'_>) {
    let ends = std::mem::take(&mut reading.ends);
    for (edge, (source, target)) in ends.into_iter().enumerate() {
        let end = |reference: Option<&str>| find(&reading.model, reference?);
        let (source, target) = (end(source), end(target));
        let edge = &mut reading.model.edges[edge];
        (edge.source, edge.target) = (source, target);
    }
    let categories = categories(reading);
    for node in 0..reading.tags.len() {
        references_of(reading, node, &categories);
    }
    conditions(reading);
}

/// The element that a reference means; it may carry a prefix.
pub(super) fn find(model: &Model, reference: &str) -> Option<End> {
    let reference = reference.trim();
    model.by_id.get(reference).or_else(|| model.by_id.get(local(reference))).copied()
}

fn find_node(model: &Model, reference: Option<&str>) -> Option<NodeIndex> {
    model.node(find(model, reference?))
}

fn references_of(reading: &mut Reading<'_>, node: NodeIndex, categories: &FxHashMap<&str, &str>) {
    let (xml, model) = (reading.tags[node], &mut reading.model);
    match model.nodes[node].symbol {
        Symbol::Event(_) => {
            let host = find_node(model, xml.attribute("attachedToRef"));
            let is_activity = |host: &NodeIndex| matches!(model.nodes[*host].symbol, Symbol::Activity(_));
            model.nodes[node].host =
                host.filter(is_activity).filter(|_| model.nodes[node].symbol.is_boundary_event());
        }
        Symbol::Participant { .. } => {
            let process = find_node(model, xml.attribute("processRef"));
            model.nodes[node].process =
                process.filter(|process| model.nodes[*process].symbol == Symbol::Process);
        }
        Symbol::Lane => {
            let members = xml.children().filter(|child| is_bpmn(child) && name(child) == "flowNodeRef");
            for member in members {
                if let Some(member) = find_node(model, member.text()) {
                    // Lanes in lanes name the same elements; the innermost comes last.
                    model.nodes[member].lane = Some(node);
                }
            }
        }
        Symbol::Group => {
            let category = model.nodes[node].category.as_deref();
            let name = category.and_then(|category| categories.get(category));
            model.nodes[node].name = name.map(ToString::to_string).unwrap_or_default();
        }
        _ => {}
    }
}

/// The names that groups show, by id.
fn categories<'a>(reading: &Reading<'a>) -> FxHashMap<&'a str, &'a str> {
    let Some(first) = reading.tags.first() else { return FxHashMap::default() };
    let root = first.document().root_element();
    let categories = root.children().filter(|child| is_bpmn(child) && name(child) == "category");
    let values = categories.flat_map(|category| category.children().filter(is_bpmn));
    values.filter_map(|value| Some((value.attribute("id")?, value.attribute("value")?))).collect()
}

/// Marks default flows, and takes the diamond off conditional flows that leave a gateway: it is a diamond itself.
fn conditions(reading: &mut Reading<'_>) {
    for edge in 0..reading.model.edges.len() {
        let found = &reading.model.edges[edge];
        let EdgeKind::Sequence { is_conditional, .. } = found.kind else { continue };
        let Some(source) = reading.model.node(found.source) else { continue };
        let is_activity = matches!(reading.model.nodes[source].symbol, Symbol::Activity(_));
        let default = reading.tags[source].attribute("default");
        let is_default = default.is_some_and(|default| !found.id.is_empty() && default.trim() == found.id);
        let is_conditional = is_conditional && is_activity && !is_default;
        reading.model.edges[edge].kind = EdgeKind::Sequence { is_default, is_conditional };
    }
}
