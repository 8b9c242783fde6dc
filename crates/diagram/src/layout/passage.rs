//! The layers filled with items: cells, and passages that keep a way open for flows that cross a layer.

use super::graph::{Graph, Link};
use super::layer::Layers;
use crate::limits::LAYOUT_PASSAGES_MAX;
use std::ops::Range;

const PASSAGE_HALF: f64 = 6.0;

pub(super) struct Item {
    /// None for a passage.
    pub(super) cell: Option<usize>,
    pub(super) layer: usize,
    pub(super) lane: usize,
    pub(super) above: f64,
    pub(super) below: f64,
}

pub(super) struct Grid {
    /// Cells first, with the numbers that they have in the component.
    pub(super) items: Vec<Item>,
    /// Items of each layer from top to bottom.
    pub(super) layers: Vec<Vec<usize>>,
    /// Pairs of items in neighbouring layers that a flow connects, the left one first.
    pub(super) before: Vec<Vec<usize>>,
    pub(super) after: Vec<Vec<usize>>,
    /// Of each link, its passages from left to right; those of a link that leads back include the layers of its ends.
    pub(super) passages: Vec<Vec<usize>>,
    /// Items that only the flow of a boundary event leads to.
    pub(super) is_exit: Vec<bool>,
    /// Links that pass below everything, because there are too many.
    pub(super) is_outside: Vec<bool>,
}

pub(super) fn grid(graph: &Graph, cells: &[usize], links: &[Link], layers: &Layers) -> Grid {
    let items: Vec<Item> = cells
        .iter()
        .zip(&layers.of)
        .map(|(cell, layer)| {
            let found = &graph.cells[*cell];
            let (above, below) = (found.above, found.below);
            Item { cell: Some(*cell), layer: *layer, lane: found.lane, above, below }
        })
        .collect();
    let mut grid = Grid {
        before: vec![Vec::new(); items.len()],
        after: vec![Vec::new(); items.len()],
        items,
        layers: vec![Vec::new(); layers.count],
        passages: vec![Vec::new(); links.len()],
        is_exit: Vec::new(),
        is_outside: vec![false; links.len()],
    };
    grid.fill(links, layers);
    grid.find_exits(links);
    grid
}

impl Grid {
    /// Items enter their layers in the order in which a reader meets them, passages right after what they come from.
    /// Flows that lead back pass below all others.
    fn fill(&mut self, links: &[Link], layers: &Layers) {
        let mut outgoing = vec![Vec::new(); layers.of.len()];
        let mut back = Vec::new();
        for (index, link) in links.iter().enumerate() {
            if layers.is_back[index] { back.push(index) } else { outgoing[link.source].push(index) }
        }
        let mut budget = LAYOUT_PASSAGES_MAX;
        for cell in &layers.visited {
            self.layers[layers.of[*cell]].push(*cell);
            for index in &outgoing[*cell] {
                let link = &links[*index];
                let range = layers.of[link.source] + 1..layers.of[link.target];
                self.pass(*index, link, range, &mut budget);
                let chain = self.passages[*index].clone();
                if !self.is_outside[*index] {
                    self.connect(std::iter::once(link.source).chain(chain).chain([link.target]));
                }
            }
        }
        for index in back {
            let link = &links[index];
            self.pass(index, link, layers.of[link.target]..layers.of[link.source] + 1, &mut budget);
            self.connect(self.passages[index].clone().into_iter());
        }
    }

    /// Makes the passages of a link, as long as there are not too many.
    fn pass(&mut self, index: usize, link: &Link, layers: Range<usize>, budget: &mut usize) {
        if layers.len() > *budget {
            self.is_outside[index] = true;
            return;
        }
        *budget -= layers.len();
        let lane = self.items[link.source].lane;
        self.passages[index] = layers.map(|layer| self.passage(layer, lane)).collect();
    }

    fn find_exits(&mut self, links: &[Link]) {
        self.is_exit = vec![false; self.items.len()];
        for (index, link) in links.iter().enumerate().filter(|(_, link)| link.event.is_some()) {
            let first = self.passages[index].first().copied().unwrap_or(link.target);
            self.is_exit[first] = self.before[first] == [link.source];
        }
    }

    fn passage(&mut self, layer: usize, lane: usize) -> usize {
        let item = self.items.len();
        self.items.push(Item { cell: None, layer, lane, above: PASSAGE_HALF, below: PASSAGE_HALF });
        self.before.push(Vec::new());
        self.after.push(Vec::new());
        self.layers[layer].push(item);
        item
    }

    fn connect(&mut self, chain: impl Iterator<Item = usize>) {
        let chain: Vec<usize> = chain.collect();
        for pair in chain.windows(2) {
            self.after[pair[0]].push(pair[1]);
            self.before[pair[1]].push(pair[0]);
        }
    }
}
