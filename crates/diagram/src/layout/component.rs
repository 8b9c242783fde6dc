//! Elements that are connected with each other, laid out together.

use super::cell::Cell;
use super::graph::{Graph, Link};
use super::layer::{self, Layers};
use super::line;
use super::order;
use super::passage::{self, Grid};
use super::plan::Plan;
use super::route::{Columns, Router, Way};
use super::row::{self, Heights};
use super::size;
use crate::draw::outside_size;
use crate::geometry::Point;
use crate::model::Symbol;

const LOOP_REACH: f64 = 10.0;

pub(super) struct Component<'a> {
    graph: &'a Graph,
    symbols: Vec<Symbol>,
    /// With the ends counted within the component.
    pub(super) links: Vec<Link>,
    pub(super) layers: Layers,
    pub(super) grid: Grid,
    pub(super) heights: Heights,
    neighbours: Vec<(Option<usize>, Option<usize>)>,
}

/// Lays out a component with its upper left corner at a point; returns its size and the edges of its lanes.
pub(super) fn lay_out(
    plan: &mut Plan<'_>,
    graph: &Graph,
    cells: &[usize],
    links: Vec<Link>,
    lanes: usize,
    at: Point,
) -> (f64, f64, Vec<(f64, f64)>) {
    let component = Component::new(plan, graph, cells, links, lanes);
    let mut router = Router::new(&component);
    let ways: Vec<Way> = (0..component.links.len()).map(|link| router.way(link)).collect();
    component.make_room_for_labels(plan, &mut router);
    router.channels.iter_mut().for_each(super::channel::Channel::assign_tracks);
    let columns = component.columns(&router);
    for (item, cell) in cells.iter().enumerate() {
        let x = at.x + columns.middles[component.layers.of[item]];
        graph.cells[*cell].put(plan, x, at.y + component.heights.of[item]);
    }
    for (index, way) in ways.iter().enumerate() {
        let points = router.points(index, way, &columns).into_iter();
        let points: Vec<Point> = points.map(|point| Point::new(point.x + at.x, point.y + at.y)).collect();
        let edge = component.links[index].edge;
        set_route(plan, edge, points);
    }
    (columns.width, router.bottom(), component.heights.lanes)
}

pub(super) fn set_route(plan: &mut Plan<'_>, edge: usize, points: Vec<Point>) {
    let name = &plan.model.edges[edge].name;
    if !name.trim().is_empty() {
        plan.flow_labels[edge] = line::label(&points, outside_size(name));
    }
    plan.routes[edge] = Some(points);
}

/// A flow from an element to itself: out on the right, over it, and in from above. From a boundary event: below it, and
/// in from the left.
pub(super) fn loop_route(plan: &Plan<'_>, cell: &Cell, edge: usize) -> Option<Vec<Point>> {
    let place = plan.places[cell.node]?;
    let middle = place.center();
    let source = plan.model.node(plan.model.edges[edge].source);
    let event = cell.events.iter().position(|(event, _)| Some(*event) == source);
    let corners = match event {
        None => {
            let (right, top) = (place.right() + LOOP_REACH, place.y - LOOP_REACH);
            let over = [(right, middle.y), (right, top), (middle.x, top)];
            [(place.right(), middle.y), over[0], over[1], over[2], (middle.x, place.y)]
        }
        Some(event) => {
            let (left, exit) = (place.x - LOOP_REACH, (middle.y + cell.exit_below(event)).round());
            let x = place.right() - cell.events[event].1;
            let start = (x, place.bottom() + size::EVENT / 2.0);
            [start, (x, exit), (left, exit), (left, middle.y), (place.x, middle.y)]
        }
    };
    Some(corners.into_iter().map(|(x, y)| Point::new(x, y)).collect())
}

impl<'a> Component<'a> {
    fn new(
        plan: &Plan<'_>,
        graph: &'a Graph,
        cells: &[usize],
        links: Vec<Link>,
        lanes: usize,
    ) -> Component<'a> {
        let layers = layer::layers(cells.len(), &links);
        let mut grid = passage::grid(graph, cells, &links, &layers);
        order::sort(&mut grid);
        let heights = row::heights(graph, &grid, &links, lanes);
        let mut neighbours = vec![(None, None); grid.items.len()];
        for pair in grid.layers.iter().flat_map(|layer| layer.windows(2)) {
            (neighbours[pair[0]].1, neighbours[pair[1]].0) = (Some(pair[1]), Some(pair[0]));
        }
        let symbols = cells.iter().map(|cell| plan.symbol(graph.cells[*cell].node)).collect();
        Component { graph, symbols, links, layers, grid, heights, neighbours }
    }

    /// The cell of an item that is no passage.
    pub(super) fn cell(&self, item: usize) -> &'a Cell {
        let cell = self.grid.items[item].cell.expect("links lead from cell to cell");
        &self.graph.cells[cell]
    }

    pub(super) fn plan_symbol(&self, item: usize) -> Symbol {
        self.symbols[item]
    }

    /// The item right below or right above another in its layer.
    pub(super) fn beside(&self, item: usize, is_below: bool) -> Option<usize> {
        if is_below { self.neighbours[item].1 } else { self.neighbours[item].0 }
    }

    /// Names of flows stand where the flows begin.
    fn make_room_for_labels(&self, plan: &Plan<'_>, router: &mut Router<'_, '_>) {
        for (link, is_back) in self.links.iter().zip(&self.layers.is_back) {
            let name = &plan.model.edges[link.edge].name;
            if !is_back && !name.trim().is_empty() {
                let channel = self.layers.of[link.source] + 1;
                router.channels[channel].make_room_for_label(outside_size(name).0);
            }
        }
    }

    fn columns(&self, router: &Router<'_, '_>) -> Columns {
        let (mut columns, mut x) =
            (Columns { middles: Vec::new(), channels: Vec::new(), widths: Vec::new(), width: 0.0 }, 0.0);
        for (n, channel) in router.channels.iter().enumerate() {
            let width = channel.width(n == 0 || n == self.layers.count);
            columns.channels.push(x);
            columns.widths.push(width);
            x += width;
            if let Some(layer) = self.grid.layers.get(n) {
                let cells = layer.iter().filter_map(|item| self.grid.items[*item].cell);
                let half = cells.map(|cell| self.graph.cells[cell].half_width).fold(0.0, f64::max);
                columns.middles.push(x + half);
                x += 2.0 * half;
            }
        }
        columns.width = x;
        columns
    }
}
