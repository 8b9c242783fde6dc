//! One scope: its components one below the other, then what stands alone side by side.

use super::component;
use super::graph::{Graph, Link};
use super::plan::Plan;
use super::row::LANE_MIN;
use super::size::{SCOPE_ABOVE, SCOPE_SIDE};
use crate::geometry::Point;
use crate::model::{NodeIndex, Symbol};
use rustc_hash::FxHashMap;

const GAP: f64 = 40.0;
/// Elements without flows fill lines that are at least as wide as this.
const LINE_WIDTH: f64 = 900.0;

pub(super) fn lay_out(plan: &mut Plan<'_>, scope: NodeIndex) {
    let mut graph = Graph::new(plan, scope);
    let lanes = assign_lanes(plan, scope, &mut graph);
    let origin = match plan.symbol(scope) {
        Symbol::Activity(_) => Point::new(SCOPE_SIDE, SCOPE_ABOVE),
        _ => Point::default(),
    };
    let mut size = (0.0, 0.0);
    let (connected, alone) = components(&graph, lanes);
    if lanes > 0 && connected.is_empty() {
        // Nothing stands in them, but they are there.
        plan.lanes[scope] = (0..lanes).map(|n| (n as f64 * LANE_MIN, (n + 1) as f64 * LANE_MIN)).collect();
        size.1 = lanes as f64 * LANE_MIN;
    }
    for (cells, links) in connected {
        let at = Point::new(origin.x, origin.y + if size.1 > 0.0 { size.1 + GAP } else { 0.0 });
        let (width, height, edges) = component::lay_out(plan, &graph, &cells, links, lanes, at);
        size = (f64::max(size.0, width), at.y - origin.y + height);
        plan.lanes[scope] = if lanes > 0 { edges } else { Vec::new() };
    }
    let size = put_alone(plan, &graph, &alone, origin, size);
    for (cell, edge) in &graph.loops {
        if let Some(points) = component::loop_route(plan, &graph.cells[*cell], *edge) {
            component::set_route(plan, *edge, points);
        }
    }
    plan.sizes[scope] = (size.0.ceil(), size.1.ceil());
}

/// Numbers the innermost lanes from the top and tells each cell its own; returns how many there are. Elements
/// that are connected but in no lane get one more at the end.
fn assign_lanes(plan: &Plan<'_>, scope: NodeIndex, graph: &mut Graph) -> usize {
    let leaves = super::pool::innermost_lanes(plan, scope);
    if leaves.is_empty() {
        return 0;
    }
    let numbers: FxHashMap<NodeIndex, usize> =
        leaves.iter().enumerate().map(|(n, lane)| (*lane, n)).collect();
    for cell in &mut graph.cells {
        let lane = plan.model.nodes[cell.node].lane;
        cell.lane = lane.and_then(|lane| numbers.get(&lane).copied()).unwrap_or(leaves.len());
    }
    let mut ends = graph.links.iter().flat_map(|link| [link.source, link.target]);
    let has_rest = ends.any(|cell| graph.cells[cell].lane == leaves.len());
    leaves.len() + usize::from(has_rest)
}

type Connected = Vec<(Vec<usize>, Vec<Link>)>;

/// Cells that are connected, each with the links among them, and cells that stand alone. Lanes hold all together.
fn components(graph: &Graph, lanes: usize) -> (Connected, Vec<usize>) {
    let mut roots: Vec<usize> = (0..graph.cells.len()).collect();
    let mut join = |a, b| {
        let (a, b) = (root(&mut roots, a), root(&mut roots, b));
        roots[a.max(b)] = a.min(b);
    };
    graph.links.iter().for_each(|link| join(link.source, link.target));
    let in_lanes: Vec<usize> =
        (0..graph.cells.len()).filter(|cell| graph.cells[*cell].lane < lanes).collect();
    in_lanes.windows(2).for_each(|pair| join(pair[0], pair[1]));
    let mut numbers = FxHashMap::default();
    let mut found: Connected = Vec::new();
    let mut place = vec![(0, 0); graph.cells.len()];
    for (cell, place) in place.iter_mut().enumerate() {
        let number = *numbers.entry(root(&mut roots, cell)).or_insert_with(|| {
            found.push((Vec::new(), Vec::new()));
            found.len() - 1
        });
        *place = (number, found[number].0.len());
        found[number].0.push(cell);
    }
    for link in &graph.links {
        let (number, source) = place[link.source];
        found[number].1.push(Link { source, target: place[link.target].1, ..*link });
    }
    let is_connected = |cells: &[usize]| cells.len() > 1 || graph.cells[cells[0]].lane < lanes;
    let (connected, alone): (Connected, Connected) =
        found.into_iter().partition(|(cells, _)| is_connected(cells));
    (connected, alone.into_iter().flat_map(|(cells, _)| cells).collect())
}

fn root(roots: &mut [usize], mut cell: usize) -> usize {
    while roots[cell] != cell {
        roots[cell] = roots[roots[cell]];
        cell = roots[cell];
    }
    cell
}

fn put_alone(
    plan: &mut Plan<'_>,
    graph: &Graph,
    alone: &[usize],
    origin: Point,
    mut size: (f64, f64),
) -> (f64, f64) {
    let line_width = LINE_WIDTH.max(size.0);
    let (mut x, mut top) = (0.0, if size.1 > 0.0 && !alone.is_empty() { size.1 + GAP } else { 0.0 });
    // Event subprocesses come last, as modelers have them.
    let is_last = |cell: &usize| match plan.symbol(graph.cells[*cell].node) {
        Symbol::Activity(activity) => activity.is_event_sub_process(),
        _ => false,
    };
    let (last, first): (Vec<usize>, Vec<usize>) = alone.iter().partition(|cell| is_last(cell));
    for cell in first.into_iter().chain(last).map(|cell| &graph.cells[cell]) {
        if x > 0.0 && x + 2.0 * cell.half_width > line_width {
            (x, top) = (0.0, size.1 + GAP);
        }
        cell.put(plan, origin.x + x + cell.half_width, origin.y + top + cell.above);
        x += 2.0 * cell.half_width + GAP;
        size = (f64::max(size.0, x - GAP), f64::max(size.1, top + cell.above + cell.below));
    }
    size
}
