//! Layers: every element stands right of what leads to it. Flows that lead back are found first and counted the other
//! way round.

use super::graph::Link;

pub(super) struct Layers {
    /// The layer of each cell of the component.
    pub(super) of: Vec<usize>,
    pub(super) count: usize,
    /// Of each link, whether it leads back.
    pub(super) is_back: Vec<bool>,
    /// The cells in the order in which a reader meets them.
    pub(super) visited: Vec<usize>,
}

/// Links are those within the component, their ends counted in it.
pub(super) fn layers(cells: usize, links: &[Link]) -> Layers {
    let mut outgoing = vec![Vec::new(); cells];
    let mut incoming = vec![0; cells];
    for (index, link) in links.iter().enumerate() {
        outgoing[link.source].push(index);
        incoming[link.target] += 1;
    }
    // Paths from boundary events come below the rest.
    outgoing.iter_mut().for_each(|links_of| links_of.sort_by_key(|index| links[*index].event.is_some()));
    let (is_back, visited) = walk(links, &outgoing, &incoming);
    let of = longest_paths(links, &outgoing, &is_back, cells);
    let count = of.iter().max().map_or(0, |last| last + 1);
    Layers { of, count, is_back, visited }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Depth first, beginning with those that nothing leads to.
fn walk(links: &[Link], outgoing: &[Vec<usize>], incoming: &[usize]) -> (Vec<bool>, Vec<usize>) {
    let (mut is_back, mut visited) = (vec![false; links.len()], Vec::new());
    let mut states = vec![State::New; outgoing.len()];
    let sources = (0..outgoing.len()).filter(|cell| incoming[*cell] == 0);
    for root in sources.chain(0..outgoing.len()) {
        if states[root] != State::New {
            continue;
        }
        let mut path = vec![(root, 0)];
        states[root] = State::Open;
        visited.push(root);
        while let Some((cell, next)) = path.last_mut() {
            let Some(link) = outgoing[*cell].get(*next).copied() else {
                states[*cell] = State::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let target = links[link].target;
            match states[target] {
                State::Open => is_back[link] = true,
                State::Done => {}
                State::New => {
                    states[target] = State::Open;
                    visited.push(target);
                    path.push((target, 0));
                }
            }
        }
    }
    (is_back, visited)
}

fn longest_paths(links: &[Link], outgoing: &[Vec<usize>], is_back: &[bool], cells: usize) -> Vec<usize> {
    let mut waiting = vec![0; cells];
    let forward = links.iter().zip(is_back).filter(|(_, is_back)| !**is_back);
    forward.for_each(|(link, _)| waiting[link.target] += 1);
    let mut ready: Vec<usize> = (0..cells).filter(|cell| waiting[*cell] == 0).collect();
    let mut layers = vec![0; cells];
    while let Some(cell) = ready.pop() {
        for index in outgoing[cell].iter().filter(|index| !is_back[**index]) {
            let target = links[*index].target;
            layers[target] = layers[target].max(layers[cell] + 1);
            waiting[target] -= 1;
            if waiting[target] == 0 {
                ready.push(target);
            }
        }
    }
    layers
}
