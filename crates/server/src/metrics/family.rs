//! Values by labels that models and clients choose. Names have no end, so only the first ones get a value of their own; the rest is
//! counted together as "other".

use super::cell::Counter;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

/// Stands for all names that came too late for a value of their own.
pub(crate) const OTHER: &str = "other";
/// Longer names are cut, so that a scrape stays small.
const NAME_BYTES_MAX: usize = 128;
const UNPOISONED: &str = "nobody panics while holding it";

pub(crate) struct Family<M, const LABELS: usize = 1> {
    names_max: usize,
    cells: RwLock<BTreeMap<[Arc<str>; LABELS], Arc<M>>>,
}

impl<M: Default, const LABELS: usize> Family<M, LABELS> {
    pub(crate) fn of_at_most(names_max: usize) -> Family<M, LABELS> {
        Family { names_max, cells: RwLock::new(BTreeMap::new()) }
    }

    /// The value of these labels. Callers in a hurry keep it instead of asking again.
    pub(crate) fn with(&self, labels: [&str; LABELS]) -> Arc<M> {
        let labels = labels.map(|label| Arc::from(cut(label)));
        if let Some(cell) = self.cells.read().expect(UNPOISONED).get(&labels) {
            return cell.clone();
        }
        let mut cells = self.cells.write().expect(UNPOISONED);
        let has_room = cells.len() < self.names_max;
        let labels = if has_room { labels } else { labels.map(|_| Arc::from(OTHER)) };
        cells.entry(labels).or_default().clone()
    }

    pub(super) fn cells(&self) -> Vec<([Arc<str>; LABELS], Arc<M>)> {
        let cells = self.cells.read().expect(UNPOISONED);
        cells.iter().map(|(labels, cell)| (labels.clone(), cell.clone())).collect()
    }

    /// Of a partition, say, that this node has no more.
    pub(crate) fn forget(&self, labels: [&str; LABELS]) {
        self.cells.write().expect(UNPOISONED).remove(&labels.map(|label| Arc::from(cut(label))));
    }
}

impl<const LABELS: usize> Family<Counter, LABELS> {
    pub(crate) fn sum(&self) -> u64 {
        self.cells.read().expect(UNPOISONED).values().map(|counter| counter.get()).sum()
    }
}

fn cut(label: &str) -> &str {
    let fits = |end: &usize| label.is_char_boundary(*end);
    &label[..(0..=NAME_BYTES_MAX.min(label.len())).rev().find(fits).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_limit_are_counted_together() {
        let family: Family<Counter> = Family::of_at_most(2);
        for name in ["a", "b", "c", "d", "a"] {
            family.with([name]).add(1);
        }
        let counted: Vec<_> =
            family.cells().iter().map(|([name], cell)| (name.to_string(), cell.get())).collect();
        assert_eq!(counted, [("a".into(), 2), ("b".into(), 1), ("other".into(), 2)]);
    }

    #[test]
    fn a_long_name_is_cut_at_a_whole_letter() {
        let name = "é".repeat(100);
        assert_eq!(cut(&name).len(), 128);
        assert_eq!(cut(&format!("x{name}")).len(), 127);
    }
}
