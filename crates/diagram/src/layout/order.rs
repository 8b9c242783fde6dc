//! The order within layers: as the model tells it, then sorted by the middle of the neighbours as long as fewer flows
//! cross. Lanes keep their order in any case.

use super::passage::Grid;

const ROUNDS: usize = 4;
const EXIT_BIAS: f64 = 0.4;
/// A flow of a boundary event that rises over the flow of its activity looks worse than one crossing.
const EXIT_ABOVE_COST: usize = 10;

pub(super) fn sort(grid: &mut Grid) {
    let mut positions = vec![0; grid.items.len()];
    for layer in &mut grid.layers {
        layer.sort_by_key(|item| grid.items[*item].lane);
        number(layer, &mut positions);
    }
    let mut fewest = crossings(grid, &positions);
    let mut best = grid.layers.clone();
    for _ in 0..ROUNDS {
        if fewest == 0 {
            break;
        }
        for layer in 1..grid.layers.len() {
            sort_layer(grid, layer, &mut positions, true);
        }
        for layer in (0..grid.layers.len().saturating_sub(1)).rev() {
            sort_layer(grid, layer, &mut positions, false);
        }
        let found = crossings(grid, &positions);
        if found < fewest {
            (fewest, best) = (found, grid.layers.clone());
        }
    }
    grid.layers = best;
}

fn number(layer: &[usize], positions: &mut [usize]) {
    layer.iter().enumerate().for_each(|(position, item)| positions[*item] = position);
}

fn sort_layer(grid: &mut Grid, layer: usize, positions: &mut [usize], from_left: bool) {
    let neighbours = if from_left { &grid.before } else { &grid.after };
    let key = |item: &usize| {
        let around = &neighbours[*item];
        let middle = match around.len() {
            0 => positions[*item] as f64,
            count => around.iter().map(|other| positions[*other] as f64).sum::<f64>() / count as f64,
        };
        // Boundary events hang below, so what they lead to comes below what their activity leads to.
        let middle = if from_left && grid.is_exit[*item] { middle + EXIT_BIAS } else { middle };
        (grid.items[*item].lane, middle)
    };
    let mut keyed: Vec<((usize, f64), usize)> =
        grid.layers[layer].iter().map(|item| (key(item), *item)).collect();
    keyed.sort_by(|(a, _), (b, _)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let sorted: Vec<usize> = keyed.into_iter().map(|(_, item)| item).collect();
    number(&sorted, positions);
    grid.layers[layer] = sorted;
}

/// How many pairs of flows cross between neighbouring layers.
fn crossings(grid: &Grid, positions: &[usize]) -> usize {
    let between = |pair: &[Vec<usize>]| {
        let mut seen = Counts::new(pair[1].len());
        let mut crossed = 0;
        for item in &pair[0] {
            let mut targets: Vec<usize> = grid.after[*item].iter().map(|other| positions[*other]).collect();
            targets.sort_unstable();
            crossed += targets.iter().map(|target| seen.above(*target)).sum::<usize>();
            targets.iter().for_each(|target| seen.add(*target));
            crossed += EXIT_ABOVE_COST * exits_above(grid, *item, positions);
        }
        crossed
    };
    grid.layers.windows(2).map(between).sum()
}

/// How many flows of boundary events lead higher than the lowest flow of the activity itself.
fn exits_above(grid: &Grid, item: usize, positions: &[usize]) -> usize {
    let after = &grid.after[item];
    let own = after.iter().filter(|other| !grid.is_exit[**other]).map(|other| positions[*other]).max();
    let exits = after.iter().filter(|other| grid.is_exit[**other]);
    exits.filter(|exit| own.is_some_and(|own| positions[**exit] < own)).count()
}

/// Counts by position, with sums over ranges (a Fenwick tree).
struct Counts {
    sums: Vec<usize>,
    total: usize,
}

impl Counts {
    fn new(positions: usize) -> Counts {
        Counts { sums: vec![0; positions + 1], total: 0 }
    }

    fn add(&mut self, position: usize) {
        self.total += 1;
        let mut at = position + 1;
        while at < self.sums.len() {
            self.sums[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// How many were added behind a position.
    fn above(&self, position: usize) -> usize {
        let (mut at, mut up_to) = (position + 1, 0);
        while at > 0 {
            up_to += self.sums[at];
            at -= at & at.wrapping_neg();
        }
        self.total - up_to
    }
}
