//! Which rows the firing commit deletes: one range that holds nothing but fired timers, and what lies outside of it one by one.

use crate::{Position, Wheel};
use std::collections::BTreeSet;

/// All rows in `(after, up_to]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FiredRange {
    pub after: Position,
    pub up_to: Position,
}

/// The rows of fired timers that a commit deletes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deletion {
    pub range: Option<FiredRange>,
    pub others: Vec<Position>,
}

/// The timers between fired ones, as far as they are known.
pub(super) struct Unfired<'a, T> {
    pub(super) waiting: &'a Wheel<T>,
    pub(super) in_hand: &'a BTreeSet<Position>,
    /// Behind it there may be rows that nobody here has seen.
    pub(super) horizon: Option<Position>,
}

impl<T> Unfired<'_, T> {
    fn is_none_between(&self, after: Position, up_to: Position) -> bool {
        Some(up_to) <= self.horizon
            && self.in_hand.range(after..=up_to).next().is_none()
            && !self.waiting.has_between(after, up_to)
    }
}

/// The longest run of fired timers without an unfired one in between becomes the range.
pub(super) fn deletion<T>(mut fired: Vec<Position>, unfired: &Unfired<'_, T>) -> Deletion {
    fired.sort_unstable();
    fired.dedup();
    let (Some(first), Some(last)) = (fired.first(), fired.last()) else { return Deletion::default() };
    let longest = if unfired.is_none_between(first.before(), *last) {
        0..fired.len()
    } else {
        longest_run(&fired, unfired)
    };
    let range = FiredRange { after: fired[longest.start].before(), up_to: fired[longest.end - 1] };
    fired.drain(longest);
    Deletion { range: Some(range), others: fired }
}

fn longest_run<T>(fired: &[Position], unfired: &Unfired<'_, T>) -> std::ops::Range<usize> {
    let (mut longest, mut start) = (0..1, 0);
    for at in 1..=fired.len() {
        let goes_on = at < fired.len() && unfired.is_none_between(fired[at - 1], fired[at]);
        if !goes_on {
            if at - start > longest.len() {
                longest = start..at;
            }
            start = at;
        }
    }
    longest
}
