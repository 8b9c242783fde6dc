//! Heights: items that follow each other are joined to straight rows, then all rows move up as far as the order in the
//! layers allows, and down again to what they come from where there is room.

use super::graph::{Graph, Link};
use super::passage::Grid;

/// Between two items of a layer.
const GAP: f64 = 30.0;
const PASSAGE_GAP: f64 = 8.0;
const LANE_PADDING: f64 = 20.0;
pub(super) const LANE_MIN: f64 = 100.0;
const ROUNDS: usize = 2;

pub(super) struct Heights {
    /// The middle of each item.
    pub(super) of: Vec<f64>,
    pub(super) bottom: f64,
    /// Upper and lower edge of each lane.
    pub(super) lanes: Vec<(f64, f64)>,
}

pub(super) fn heights(graph: &Graph, grid: &Grid, links: &[Link], lanes: usize) -> Heights {
    let rows = Rows::new(graph, grid, links);
    let mut by_lane = vec![Vec::new(); lanes.max(1)];
    rows.top_down().into_iter().for_each(|row| by_lane[rows.lane(row)].push(row));
    let mut y = vec![0.0; rows.items.len()];
    let (mut top, mut edges) = (0.0, Vec::new());
    for (lane, here) in by_lane.iter().enumerate() {
        let first = if lanes > 0 { top + LANE_PADDING } else { top };
        rows.move_up(here, first, &mut y);
        for _ in 0..ROUNDS {
            rows.move_down(here, lane, &mut y);
        }
        let lowest = here.iter().map(|row| y[*row] + rows.below[*row]).fold(first, f64::max);
        let bottom = if lanes > 0 { (lowest + LANE_PADDING).max(top + LANE_MIN) } else { lowest };
        edges.push((top, bottom));
        top = bottom;
    }
    let of = rows.of.iter().map(|row| y[*row]).collect();
    Heights { of, bottom: top, lanes: edges }
}

struct Rows<'a> {
    grid: &'a Grid,
    /// The row of each item.
    of: Vec<usize>,
    /// Items of each row from left to right.
    items: Vec<Vec<usize>>,
    below: Vec<f64>,
    /// The item below each item in its layer, and the one above.
    under: Vec<Option<usize>>,
    over: Vec<Option<usize>>,
    /// How far below the middle of its source the flow begins that leads to an item, if it leaves a boundary event
    /// and no other flow leads there.
    exits: Vec<f64>,
}

impl<'a> Rows<'a> {
    fn new(graph: &Graph, grid: &'a Grid, links: &[Link]) -> Rows<'a> {
        let count = grid.items.len();
        let (mut under, mut over) = (vec![None; count], vec![None; count]);
        for pair in grid.layers.iter().flat_map(|layer| layer.windows(2)) {
            (under[pair[0]], over[pair[1]]) = (Some(pair[1]), Some(pair[0]));
        }
        let mut exits = vec![0.0; count];
        for (index, link) in links.iter().enumerate() {
            if let (Some(event), Some(cell)) = (link.event, grid.items[link.source].cell) {
                let first = grid.passages[index].first().copied().unwrap_or(link.target);
                if grid.is_exit[first] {
                    exits[first] = graph.cells[cell].exit_below(event);
                }
            }
        }
        let (of, items) = align(grid, &exits);
        let reach = |row: &Vec<usize>| row.iter().map(|item| grid.items[*item].below).fold(0.0, f64::max);
        let below = items.iter().map(reach).collect();
        Rows { grid, of, items, below, under, over, exits }
    }

    fn lane(&self, row: usize) -> usize {
        self.grid.items[self.items[row][0]].lane
    }

    /// Rows so that each comes after all that stand above one of its items.
    fn top_down(&self) -> Vec<usize> {
        let mut waiting: Vec<usize> = self
            .items
            .iter()
            .map(|row| row.iter().filter(|item| self.over[**item].is_some()).count())
            .collect();
        let mut order: Vec<usize> = (0..self.items.len()).filter(|row| waiting[*row] == 0).collect();
        let mut next = 0;
        while let Some(row) = order.get(next).copied() {
            next += 1;
            for below in self.items[row].iter().filter_map(|item| self.under[*item]) {
                let below = self.of[below];
                waiting[below] -= 1;
                if waiting[below] == 0 {
                    order.push(below);
                }
            }
        }
        order
    }

    /// The smallest distance between the middles of two items, one below the other.
    fn distance(&self, upper: usize, lower: usize) -> f64 {
        let (upper, lower) = (&self.grid.items[upper], &self.grid.items[lower]);
        let gap = if upper.cell.is_some() && lower.cell.is_some() { GAP } else { PASSAGE_GAP };
        upper.below + gap + lower.above
    }

    fn move_up(&self, rows: &[usize], top: f64, y: &mut [f64]) {
        for row in rows {
            let first = self.items[*row].iter().map(|item| top + self.grid.items[*item].above);
            let below = self.items[*row].iter().filter_map(|item| {
                let over = self.over[*item]?;
                Some(y[self.of[over]] + self.distance(over, *item))
            });
            y[*row] = first.chain(below).fold(top, f64::max);
        }
    }

    fn move_down(&self, rows: &[usize], lane: usize, y: &mut [f64]) {
        for row in rows.iter().rev() {
            let Some(wanted) = self.wanted(*row, lane, y).filter(|wanted| *wanted > y[*row]) else {
                continue;
            };
            let room = self.items[*row].iter().filter_map(|item| {
                let under = self.under[*item].filter(|under| self.grid.items[*under].lane == lane)?;
                Some(y[self.of[under]] - self.distance(*item, under))
            });
            y[*row] = room.fold(wanted, f64::min).max(y[*row]).round();
        }
    }

    /// Where a row would be straight with what it comes from, or else with what it leads to.
    fn wanted(&self, row: usize, lane: usize, y: &[f64]) -> Option<f64> {
        let (first, last) = (self.items[row][0], self.items[row][self.items[row].len() - 1]);
        let is_known = |item: &&usize| self.grid.items[**item].lane <= lane;
        let (exit, around) = match self.grid.before[first].is_empty() {
            false => (self.exits[first], &self.grid.before[first]),
            true => (0.0, &self.grid.after[last]),
        };
        let known: Vec<f64> = around.iter().filter(is_known).map(|item| y[self.of[*item]] + exit).collect();
        if exit > 0.0 {
            return known.into_iter().reduce(f64::max);
        }
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    }
}

/// Joins each item with one that it follows, so that joined pairs never cross. A path from a boundary event
/// begins a row of its own.
fn align(grid: &Grid, exits: &[f64]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut positions = vec![0; grid.items.len()];
    for layer in &grid.layers {
        layer.iter().enumerate().for_each(|(position, item)| positions[*item] = position);
    }
    let mut of = vec![usize::MAX; grid.items.len()];
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut has_next = vec![false; grid.items.len()];
    for layer in &grid.layers {
        let mut least = 0;
        for item in layer {
            let fits = |other: &&usize| {
                positions[**other] >= least
                    && !has_next[**other]
                    && grid.items[**other].lane == grid.items[*item].lane
            };
            let candidates = grid.before[*item].iter().filter(fits).min_by_key(|other| positions[**other]);
            match candidates.copied().filter(|_| exits[*item] == 0.0) {
                Some(other) => {
                    least = positions[other] + 1;
                    has_next[other] = true;
                    of[*item] = of[other];
                    rows[of[other]].push(*item);
                }
                None => {
                    of[*item] = rows.len();
                    rows.push(vec![*item]);
                }
            }
        }
    }
    (of, rows)
}
