//! Loops that never wait: an instance would run round for ever within one command. The graph of what passes
//! straight through spans all processes of the file, because a process may call itself.

mod components;
mod passage;

use crate::outline::Outline;
use crate::report::Report;
use components::components;
use passage::Passages;
use std::collections::HashMap;

pub(super) fn check(outlines: &[Outline<'_>], report: &mut Report<'_>) {
    let passages = Passages::new(outlines);
    for component in components(&passages.next) {
        let is_wrong = |node: &&usize| passages.works[**node];
        let Some(first) = component.iter().filter(is_wrong).min() else { continue };
        let Some(round) = round(&passages.next, *first, &component) else { continue };
        let elements = round.iter().filter(|number| Passages::is_element(**number));
        let ids: Vec<&str> = elements.map(|node| passages.tags[*node].id().unwrap_or("?")).collect();
        let reason = format!(
            "Processes are not allowed to contain a straight-through processing loop: {}",
            ids.join(" > ")
        );
        report.refuse_with(passages.tags[*first], reason, "put something that waits into the loop");
    }
}

/// The shortest way from a node back to itself, both ends included.
fn round(next: &[Vec<usize>], first: usize, component: &[usize]) -> Option<Vec<usize>> {
    let mut came_from: HashMap<usize, Option<usize>> = component.iter().map(|node| (*node, None)).collect();
    let mut queue = std::collections::VecDeque::from([first]);
    while let Some(node) = queue.pop_front() {
        for follower in &next[node] {
            match came_from.get_mut(follower) {
                Some(from @ None) => *from = Some(node),
                _ => continue,
            }
            if *follower == first {
                return Some(way_back(&came_from, first));
            }
            queue.push_back(*follower);
        }
    }
    None
}

fn way_back(came_from: &HashMap<usize, Option<usize>>, first: usize) -> Vec<usize> {
    let mut way = vec![first];
    while let Some(Some(from)) = way.last().and_then(|node| came_from.get(node)) {
        way.push(*from);
        if *from == first {
            break;
        }
    }
    way.reverse();
    way
}
