//! The ways of flows through layers and channels, first as turns, then as points once the columns have their places.

use super::channel::{Bundle, Channel};
use super::component::Component;
use super::graph::Link;
use super::line::simplified;
use super::size::EVENT;
use crate::geometry::Point;
use crate::model::Symbol;

/// A flow that enters an element from above or below needs room for its arrowhead.
const TURN_ROOM: f64 = 14.0;
/// Between a flow and what it passes.
const CLEARANCE: f64 = 4.0;
/// Between flows that pass below everything.
const OUTSIDE_STEP: f64 = 10.0;

/// Where a flow changes its height, and to which.
pub(super) struct Turn {
    place: TurnAt,
    to: f64,
}

enum TurnAt {
    Channel(usize, Bundle),
    /// In the column of a layer, so far right of its middle.
    Column(usize, f64),
}

pub(super) struct Way {
    start: f64,
    turns: Vec<Turn>,
}

pub(super) struct Router<'a, 'b> {
    pub(super) component: &'a Component<'b>,
    pub(super) channels: Vec<Channel>,
    outside: f64,
}

impl<'a, 'b> Router<'a, 'b> {
    pub(super) fn new(component: &'a Component<'b>) -> Router<'a, 'b> {
        let channels = (0..=component.layers.count).map(|_| Channel::default()).collect();
        Router { component, channels, outside: component.heights.bottom }
    }

    /// The lowest height that anything uses.
    pub(super) fn bottom(&self) -> f64 {
        self.outside
    }

    pub(super) fn way(&mut self, index: usize) -> Way {
        let link = self.component.links[index];
        if self.component.grid.is_outside[index] {
            self.outside_way(&link)
        } else if self.component.layers.is_back[index] {
            self.back_way(index, &link)
        } else {
            self.forward_way(index, &link)
        }
    }

    fn y(&self, item: usize) -> f64 {
        self.component.heights.of[item]
    }

    fn turn_in_channel(&mut self, way: &mut Way, channel: usize, bundle: Bundle, from: f64, to: f64) {
        if from != to {
            self.channels[channel].add(bundle, from, to);
            way.turns.push(Turn { place: TurnAt::Channel(channel, bundle), to });
        }
    }

    fn forward_way(&mut self, index: usize, link: &Link) -> Way {
        let component = self.component;
        let mut stops = component.grid.passages[index].clone();
        stops.push(link.target);
        let (mut way, mut y) = self.departure(link, stops[0]);
        for (hop, stop) in stops.iter().enumerate() {
            let (layer, to) = (component.grid.items[*stop].layer, self.y(*stop));
            let is_last = hop + 1 == stops.len();
            if is_last && y != to && self.may_turn_at(link.target, y, None) {
                way.turns.push(Turn { place: TurnAt::Column(layer, 0.0), to });
                return way;
            }
            let bundle = match (hop, is_last) {
                (0, _) if link.event.is_none() => Bundle::From(link.source),
                (_, true) => Bundle::To(link.target),
                _ => Bundle::Alone(index),
            };
            self.turn_in_channel(&mut way, layer, bundle, y, to);
            y = to;
        }
        way
    }

    /// How a flow leaves its source: to the right, or upright where the way to the height of the first stop is free.
    fn departure(&self, link: &Link, first: usize) -> (Way, f64) {
        let (component, from, to) = (self.component, self.y(link.source), self.y(first));
        let layer = component.layers.of[link.source];
        let cell = component.cell(link.source);
        if let Some(event) = link.event {
            let start = from + cell.height / 2.0 + EVENT / 2.0;
            let exit = from + cell.exit_below(event);
            let is_free = to >= exit && self.is_free(link.source, to, None);
            let x = cell.width / 2.0 - cell.events[event].1;
            let to = if is_free { to } else { exit.round() };
            return (Way { start, turns: vec![Turn { place: TurnAt::Column(layer, x), to }] }, to);
        }
        let may_turn = self.may_turn_at(link.source, to, None);
        if may_turn {
            let turn = Turn { place: TurnAt::Column(layer, 0.0), to };
            return (Way { start: from, turns: vec![turn] }, to);
        }
        (Way { start: from, turns: Vec::new() }, from)
    }

    fn back_way(&mut self, index: usize, link: &Link) -> Way {
        let component = self.component;
        let chain = &component.grid.passages[index];
        let (Some(first), Some(last)) = (chain.first().copied(), chain.last().copied()) else {
            return self.outside_way(link);
        };
        let (source_layer, target_layer) =
            (component.layers.of[link.source], component.layers.of[link.target]);
        let (mut way, mut y) = self.departure_back(link, last, source_layer);
        for passage in chain.iter().rev() {
            let (layer, to) = (component.grid.items[*passage].layer, self.y(*passage));
            self.turn_in_channel(&mut way, layer + 1, Bundle::Alone(index), y, to);
            y = to;
        }
        let to = self.y(link.target);
        if self.may_turn_at(link.target, y, Some(first)) {
            way.turns.push(Turn { place: TurnAt::Column(target_layer, 0.0), to });
        } else {
            self.turn_in_channel(&mut way, target_layer, Bundle::To(link.target), y, to);
        }
        way
    }

    fn departure_back(&mut self, link: &Link, passage: usize, layer: usize) -> (Way, f64) {
        let to = self.y(passage);
        if let Some(event) = link.event {
            let cell = self.component.cell(link.source);
            let from = self.y(link.source);
            let start = from + cell.height / 2.0 + EVENT / 2.0;
            let x = cell.width / 2.0 - cell.events[event].1;
            let is_free = to > start + TURN_ROOM && self.is_free(link.source, to, Some(passage));
            let turn_to = if is_free { to } else { (from + cell.exit_below(event)).round() };
            let turn = Turn { place: TurnAt::Column(layer, x), to: turn_to };
            return (Way { start, turns: vec![turn] }, turn_to);
        }
        let mut way = Way { start: self.y(link.source), turns: Vec::new() };
        if self.may_turn_at(link.source, to, Some(passage)) {
            way.turns.push(Turn { place: TurnAt::Column(layer, 0.0), to });
        } else {
            self.turn_in_channel(&mut way, layer + 1, Bundle::From(link.source), self.y(link.source), to);
        }
        (way, to)
    }

    fn outside_way(&mut self, link: &Link) -> Way {
        self.outside += OUTSIDE_STEP;
        let (source_layer, target_layer) =
            (self.component.layers.of[link.source], self.component.layers.of[link.target]);
        let mut way = Way { start: self.y(link.source), turns: Vec::new() };
        if let Some(event) = link.event {
            let cell = self.component.cell(link.source);
            way.start += cell.height / 2.0 + EVENT / 2.0;
            let x = cell.width / 2.0 - cell.events[event].1;
            let to = (self.y(link.source) + cell.exit_below(event)).round();
            way.turns.push(Turn { place: TurnAt::Column(source_layer, x), to });
        }
        let (from, outside) = (way.turns.last().map_or(way.start, |turn| turn.to), self.outside);
        self.turn_in_channel(&mut way, source_layer + 1, Bundle::From(link.source), from, outside);
        let to = self.y(link.target);
        self.turn_in_channel(&mut way, target_layer, Bundle::To(link.target), outside, to);
        way
    }

    /// True if a flow at a height may go upright into the middle of an element, or out of it: gateways take it on all
    /// sides, others only from a flow that passes right beside them.
    fn may_turn_at(&self, item: usize, y: f64, passage: Option<usize>) -> bool {
        let (cell, middle) = (self.component.cell(item), self.y(item));
        let (half, is_below) = (cell.height / 2.0, y > middle);
        // Labels, notes and boundary events may stand in the way.
        let is_open = if is_below { cell.below <= half } else { cell.above <= half };
        (passage.is_some() || self.component.is_gateway(item))
            && is_open
            && (y - middle).abs() > half + TURN_ROOM
            && self.is_free(item, y, passage)
    }

    /// True if nothing stands between an item and a height in its layer, a passage of the flow itself aside.
    fn is_free(&self, item: usize, y: f64, passage: Option<usize>) -> bool {
        let is_below = y > self.y(item);
        let mut next = self.component.beside(item, is_below);
        if next.is_some() && next == passage {
            next = next.and_then(|next| self.component.beside(next, is_below));
        }
        next.is_none_or(|next| {
            let other = &self.component.grid.items[next];
            if is_below {
                self.y(next) - other.above > y + CLEARANCE
            } else {
                self.y(next) + other.below < y - CLEARANCE
            }
        })
    }

    /// The points of a way once columns and channels have their places.
    pub(super) fn points(&self, index: usize, way: &Way, columns: &Columns) -> Vec<Point> {
        let link = self.component.links[index];
        let x_of = |turn: &Turn| match turn.place {
            TurnAt::Channel(channel, bundle) => {
                columns.channels[channel] + self.channels[channel].track(bundle, columns.widths[channel])
            }
            TurnAt::Column(layer, right) => columns.middles[layer] + right,
        };
        let begins_upright = matches!(way.turns.first(), Some(Turn { place: TurnAt::Column(layer, _), .. })
            if *layer == self.component.layers.of[link.source]);
        let ends_upright = matches!(way.turns.last(), Some(Turn { place: TurnAt::Column(layer, right), .. })
            if *layer == self.component.layers.of[link.target] && *right == 0.0);
        let mut points = vec![self.begin(&link, way, columns, begins_upright)];
        let mut y = way.start;
        for (n, turn) in way.turns.iter().enumerate() {
            let x = x_of(turn);
            if n > 0 || !begins_upright {
                points.push(Point::new(x, y));
            }
            if n + 1 < way.turns.len() || !ends_upright {
                points.push(Point::new(x, turn.to));
            }
            y = turn.to;
        }
        points.push(self.finish(&link, &points, columns, ends_upright));
        simplified(points)
    }

    fn begin(&self, link: &Link, way: &Way, columns: &Columns, is_upright: bool) -> Point {
        let cell = self.component.cell(link.source);
        let (x, y) = (columns.middles[self.component.layers.of[link.source]], self.y(link.source));
        match (link.event, way.turns.first()) {
            (Some(event), _) => Point::new(x + cell.width / 2.0 - cell.events[event].1, way.start),
            (None, Some(turn)) if is_upright => {
                Point::new(x, if turn.to > y { y + cell.height / 2.0 } else { y - cell.height / 2.0 })
            }
            _ => Point::new(x + cell.width / 2.0, y),
        }
    }

    fn finish(&self, link: &Link, points: &[Point], columns: &Columns, is_upright: bool) -> Point {
        let cell = self.component.cell(link.target);
        let (x, y) = (columns.middles[self.component.layers.of[link.target]], self.y(link.target));
        let from = points.last().map_or(y, |point| point.y);
        match is_upright {
            true if from > y => Point::new(x, y + cell.height / 2.0),
            true => Point::new(x, y - cell.height / 2.0),
            false => Point::new(x - cell.width / 2.0, y),
        }
    }
}

/// Where columns and channels stand.
pub(super) struct Columns {
    /// The middle of each layer.
    pub(super) middles: Vec<f64>,
    /// The left edge and the width of each channel; channel n is left of layer n.
    pub(super) channels: Vec<f64>,
    pub(super) widths: Vec<f64>,
    pub(super) width: f64,
}

impl Component<'_> {
    fn is_gateway(&self, item: usize) -> bool {
        matches!(self.plan_symbol(item), Symbol::Gateway(_))
    }
}
