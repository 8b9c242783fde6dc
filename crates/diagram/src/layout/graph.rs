//! The cells of one scope and the flows between them.

use super::cell::Cell;
use super::plan::Plan;
use crate::model::{EdgeIndex, EdgeKind, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Graph {
    pub(super) cells: Vec<Cell>,
    pub(super) links: Vec<Link>,
    /// Flows from a cell to itself; some leave a boundary event of it.
    pub(super) loops: Vec<(usize, EdgeIndex)>,
}

#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) edge: EdgeIndex,
    pub(super) source: usize,
    pub(super) target: usize,
    /// The boundary event that it leaves, counted from the right.
    pub(super) event: Option<usize>,
}

impl Graph {
    pub(super) fn new(plan: &Plan<'_>, scope: NodeIndex) -> Graph {
        let mut parts = Parts::new(plan, scope);
        parts.attach_artifacts(plan, scope);
        let loops: Vec<(NodeIndex, EdgeIndex)> =
            plan.edges[scope].iter().filter_map(|edge| parts.own_loop(plan, *edge)).collect();
        let looping: FxHashSet<NodeIndex> = loops.iter().map(|(node, _)| *node).collect();
        let mut cell_of = FxHashMap::default();
        let mut cells = Vec::new();
        for node in &parts.owners {
            cell_of.insert(*node, cells.len());
            let events = parts.events.remove(node).unwrap_or_default();
            let artifacts = parts.artifacts.remove(node).unwrap_or_default();
            let has_loop = looping.contains(node);
            cells.push(Cell::new(plan, *node, &events, artifacts, has_loop));
        }
        let links = plan.edges[scope].iter().filter_map(|edge| link(plan, &cells, &cell_of, *edge)).collect();
        let loops = loops.into_iter().filter_map(|(node, edge)| Some((*cell_of.get(&node)?, edge))).collect();
        Graph { cells, links, loops }
    }
}

/// `owners` are the elements with a cell of their own in the grid. The other lists hold the elements that share the cell
/// of an owner: its boundary events, and the artifacts beside it.
struct Parts {
    owners: Vec<NodeIndex>,
    events: FxHashMap<NodeIndex, Vec<NodeIndex>>,
    artifacts: FxHashMap<NodeIndex, Vec<NodeIndex>>,
}

impl Parts {
    fn new(plan: &Plan<'_>, scope: NodeIndex) -> Parts {
        let mut parts =
            Parts { owners: Vec::new(), events: FxHashMap::default(), artifacts: FxHashMap::default() };
        for node in &plan.members[scope] {
            match plan.host(*node) {
                Some(host) => parts.events.entry(host).or_default().push(*node),
                None if plan.is_frame(*node) => {}
                None => parts.owners.push(*node),
            }
        }
        parts
    }

    /// Data and notes go to the first element that they are associated with.
    fn attach_artifacts(&mut self, plan: &Plan<'_>, scope: NodeIndex) {
        let mut attached = FxHashMap::default();
        for edge in &plan.edges[scope] {
            let found = &plan.model.edges[*edge];
            let ends = (plan.model.node(found.source), plan.model.node(found.target));
            let (Some(source), Some(target)) = ends else { continue };
            let (artifact, other) =
                if plan.symbol(source).is_artifact() { (source, target) } else { (target, source) };
            if !plan.symbol(artifact).is_artifact() || !plan.symbol(other).is_flow_node() {
                continue;
            }
            let owner = plan.host(other).unwrap_or(other);
            let is_here = |node: NodeIndex| plan.model.nodes[node].parent == Some(scope);
            if is_here(artifact) && is_here(owner) && attached.insert(artifact, owner).is_none() {
                self.artifacts.entry(owner).or_default().push(artifact);
            }
        }
        self.owners.retain(|node| !attached.contains_key(node));
    }

    /// The element that a flow leads back to at once, from itself or from one of its boundary events.
    fn own_loop(&self, plan: &Plan<'_>, edge: EdgeIndex) -> Option<(NodeIndex, EdgeIndex)> {
        let found = &plan.model.edges[edge];
        let (source, target) = (plan.model.node(found.source)?, plan.model.node(found.target)?);
        let owner = plan.host(source).unwrap_or(source);
        (owner == target && plan.symbol(target).is_flow_node()).then_some((target, edge))
    }
}

/// Sequence flows, and associations between flow nodes such as that of a compensation handler. Associations
/// that lead elsewhere are drawn straight later.
fn link(
    plan: &Plan<'_>,
    cells: &[Cell],
    cell_of: &FxHashMap<NodeIndex, usize>,
    edge: EdgeIndex,
) -> Option<Link> {
    let found = &plan.model.edges[edge];
    if matches!(found.kind, EdgeKind::Message | EdgeKind::Data) {
        return None;
    }
    let (source, target) = (plan.model.node(found.source)?, plan.model.node(found.target)?);
    if !plan.symbol(source).is_flow_node() || !plan.symbol(target).is_flow_node() {
        return None;
    }
    let owner = plan.host(source).unwrap_or(source);
    let (from, to) = (*cell_of.get(&owner)?, *cell_of.get(&target)?);
    if from == to {
        return None;
    }
    let event = (owner != source).then(|| cells[from].events.iter().position(|(event, _)| *event == source));
    Some(Link { edge, source: from, target: to, event: event.flatten() })
}
