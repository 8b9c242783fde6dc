//! Processes one below the other, in their pools and lanes, and the message flows between pools.

use super::component::set_route;
use super::line::simplified;
use super::plan::Plan;
use super::size;
use crate::geometry::{Point, Rect};
use crate::model::{EdgeKind, NodeIndex, Symbol};
use rustc_hash::FxHashSet;

/// The band with the name of a pool or a lane.
const BAND: f64 = 30.0;
const PADDING: f64 = 30.0;
const BLACK_BOX: (f64, f64) = (600.0, 60.0);
const GAP: f64 = 80.0;
const MESSAGE_STEP: f64 = 8.0;
/// Message flows that look for a way around elements; further ones go straight.
const DETOURS_MAX: usize = 500;

/// The lanes of a process that have no lanes inside, from the top.
pub(super) fn innermost_lanes(plan: &Plan<'_>, process: NodeIndex) -> Vec<NodeIndex> {
    let lanes = lanes(plan, process);
    let outer: FxHashSet<NodeIndex> =
        lanes.iter().filter_map(|lane| plan.model.nodes[*lane].parent).collect();
    lanes.iter().copied().filter(|lane| !outer.contains(lane)).collect()
}

fn lanes<'a>(plan: &'a Plan<'_>, process: NodeIndex) -> &'a [NodeIndex] {
    plan.lanes_of.get(&process).map_or(&[], Vec::as_slice)
}

/// Gives every process and pool its place in the picture.
pub(super) fn arrange(plan: &mut Plan<'_>) {
    let all = |wanted: fn(Symbol) -> bool| -> Vec<NodeIndex> {
        (0..plan.count()).filter(|node| wanted(plan.symbol(*node))).collect()
    };
    let pools = all(|symbol| matches!(symbol, Symbol::Participant { .. }));
    let processes = all(|symbol| symbol == Symbol::Process);
    let width = pools.iter().map(|pool| pool_width(plan, *pool)).fold(0.0, f64::max);
    let mut y = 0.0;
    for pool in &pools {
        let process = plan.model.nodes[*pool].process.filter(|process| *process < plan.count());
        let height =
            process.map_or(BLACK_BOX.1, |process| put_process(plan, process, (BAND, y), width - BAND));
        plan.places[*pool] = Some(Rect::new(0.0, y, width, height));
        y += height + GAP;
    }
    for process in
        processes.into_iter().filter(|process| !plan.pool_of.contains_key(process)).collect::<Vec<_>>()
    {
        let (width, height) = plan.sizes[process];
        if height > 0.0 {
            let depth = lane_depth(plan, process);
            y += if depth > 0 {
                put_process(plan, process, (0.0, y), width + 2.0 * PADDING + depth as f64 * BAND) + GAP
            } else {
                plan.origins[process] = Point::new(0.0, y);
                height + GAP
            };
        }
    }
    put_strays(plan, y);
}

fn pool_width(plan: &Plan<'_>, pool: NodeIndex) -> f64 {
    let process = plan.model.nodes[pool].process.filter(|process| *process < plan.count());
    process.map_or(BLACK_BOX.0, |process| {
        let bands = (1 + lane_depth(plan, process)) as f64 * BAND;
        (plan.sizes[process].0 + 2.0 * PADDING + bands).max(BLACK_BOX.0)
    })
}

fn lane_depth(plan: &Plan<'_>, process: NodeIndex) -> usize {
    let depth = |lane: &NodeIndex| depth_of(plan, *lane, process) + 1;
    lanes(plan, process).iter().map(depth).max().unwrap_or(0)
}

/// How many lanes a lane stands in.
fn depth_of(plan: &Plan<'_>, lane: NodeIndex, process: NodeIndex) -> usize {
    let parents = std::iter::successors(plan.model.nodes[lane].parent, |node| plan.model.nodes[*node].parent);
    parents.take_while(|parent| *parent != process).count()
}

/// Puts a process and its lanes into a box; returns the height of the box.
fn put_process(plan: &mut Plan<'_>, process: NodeIndex, (x, y): (f64, f64), width: f64) -> f64 {
    let bands = lane_depth(plan, process) as f64 * BAND;
    let edges = std::mem::take(&mut plan.lanes[process]);
    let padding = if edges.is_empty() { PADDING } else { 0.0 };
    plan.origins[process] = Point::new(x + bands + PADDING, y + padding);
    // Elements that are in no lane stand below the lanes.
    let has_rest = edges.last().is_some_and(|(_, bottom)| plan.sizes[process].1 > *bottom);
    let rest = if has_rest { PADDING } else { 0.0 };
    let height = (plan.sizes[process].1 + 2.0 * padding + rest).max(100.0);
    let innermost = innermost_lanes(plan, process);
    for (lane, (top, bottom)) in innermost.into_iter().zip(edges) {
        plan.places[lane] = Some(Rect::new(x, y + top, width, bottom - top));
    }
    // Inner lanes come later, so each outer one finds those in it placed.
    for lane in lanes(plan, process).to_vec().into_iter().rev() {
        let Some(place) = plan.places[lane] else { continue };
        let parent = plan.model.nodes[lane].parent.filter(|parent| *parent != process);
        if let Some(parent) = parent {
            plan.places[parent] = Some(plan.places[parent].map_or(place, |outer| outer.union(place)));
        }
        let left = depth_of(plan, lane, process) as f64 * BAND;
        plan.places[lane] = Some(Rect::new(x + left, place.y, width - left, place.height));
    }
    height
}

/// Notes that belong to no process stand below everything.
fn put_strays(plan: &mut Plan<'_>, y: f64) {
    let mut x = 0.0;
    for node in 0..plan.count() {
        let found = &plan.model.nodes[node];
        let is_stray = found.parent.is_none()
            && (found.symbol.is_artifact() || found.symbol == Symbol::Group)
            && !plan.is_frame(node);
        if is_stray {
            let (width, height) = size::of(plan, node);
            plan.places[node] = Some(Rect::new(x, y, width, height));
            x += width + PADDING;
        }
    }
}

pub(super) fn route_messages(plan: &mut Plan<'_>) {
    let mut count = 0;
    for edge in 0..plan.routes.len() {
        let found = &plan.model.edges[edge];
        if found.kind != EdgeKind::Message {
            continue;
        }
        let (Some(source), Some(target)) = (plan.model.node(found.source), plan.model.node(found.target))
        else {
            continue;
        };
        let place = |node: NodeIndex| plan.places.get(node).copied().flatten();
        let (Some(from), Some(to)) = (place(source), place(target)) else { continue };
        if from.y < to.bottom() && to.y < from.bottom() {
            continue;
        }
        count += 1;
        let points = message_route(plan, (source, from), (target, to), count);
        set_route(plan, edge, points);
    }
}

/// Upright out of the pool of the source, level between the pools, upright into the other.
fn message_route(
    plan: &Plan<'_>,
    (source, from): (NodeIndex, Rect),
    (target, to): (NodeIndex, Rect),
    number: usize,
) -> Vec<Point> {
    let is_down = from.y < to.y;
    let aside = (number % 6) as f64 * MESSAGE_STEP;
    let pool = pool_of(plan, source).and_then(|pool| plan.places[pool]).unwrap_or(from);
    let between = if is_down { pool.bottom() + GAP / 4.0 + aside } else { pool.y - GAP / 4.0 - aside };
    // A pool takes messages anywhere, so the way to or from it is upright.
    let is_pool = |node: NodeIndex| matches!(plan.symbol(node), Symbol::Participant { .. });
    let x_from = if is_pool(source) { to.center().x } else { from.center().x };
    let x_to = if is_pool(target) { x_from } else { to.center().x };
    let x_from = x_from.clamp(from.x, from.right());
    let x_to = x_to.clamp(to.x, to.right());
    let (start, end) = if is_down { (from.bottom(), to.y) } else { (from.y, to.bottom()) };
    let may_search = number <= DETOURS_MAX;
    let mut points = vec![Point::new(x_from, start)];
    points.extend(detour(plan, source, Point::new(x_from, start), between, may_search));
    let mut arrival = detour(plan, target, Point::new(x_to, end), between, may_search);
    arrival.reverse();
    points.extend(arrival);
    points.push(Point::new(x_to, end));
    simplified(points)
}

/// The corners of the way from a point at an element to the height between the pools, around other elements.
fn detour(plan: &Plan<'_>, node: NodeIndex, at: Point, between: f64, may_search: bool) -> Vec<Point> {
    const STEP: f64 = 10.0;
    let side = if between > at.y { 1.0 } else { -1.0 };
    let straight = vec![Point::new(at.x, between)];
    let Some(process) = process_of(plan, node).filter(|_| may_search) else { return straight };
    let inside = |other: &NodeIndex| {
        let symbol = plan.symbol(*other);
        plan.model.nodes[*other].parent == Some(process) && symbol != Symbol::Lane && *other != node
    };
    let obstacles: Vec<Rect> =
        (process..plan.count()).filter(inside).filter_map(|other| plan.places[other]).collect();
    let is_free = |x: f64, from: f64| {
        let (low, high) = (from.min(between), from.max(between));
        let line = Rect::new(x - 3.0, low, 6.0, high - low);
        !obstacles.iter().any(|obstacle| obstacle.overlaps(&line))
    };
    if is_free(at.x, at.y) {
        return straight;
    }
    let out = at.y + side * (STEP + 2.0);
    let offsets = (1..60).flat_map(|n| [f64::from(n) * STEP, f64::from(-n) * STEP]);
    match offsets.map(|offset| at.x + offset).find(|x| is_free(*x, out)) {
        Some(x) => vec![Point::new(at.x, out), Point::new(x, out), Point::new(x, between)],
        None => straight,
    }
}

fn process_of(plan: &Plan<'_>, node: NodeIndex) -> Option<NodeIndex> {
    let mut parents = std::iter::successors(Some(node), |node| plan.model.nodes[*node].parent);
    parents.find(|node| plan.symbol(*node) == Symbol::Process)
}

fn pool_of(plan: &Plan<'_>, node: NodeIndex) -> Option<NodeIndex> {
    if matches!(plan.symbol(node), Symbol::Participant { .. }) {
        return Some(node);
    }
    plan.pool_of.get(&process_of(plan, node)?).copied()
}
