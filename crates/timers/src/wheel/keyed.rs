//! Deadlines that are found by their key alone, such as the leases on jobs: setting one again moves it.

use super::Wheel;
use crate::Position;
use rustc_hash::FxHashMap;

pub struct Deadlines {
    wheel: Wheel<()>,
    by_key: FxHashMap<i64, i64>,
}

impl Default for Deadlines {
    fn default() -> Deadlines {
        Deadlines { wheel: Wheel::new(usize::MAX, |()| 0), by_key: FxHashMap::default() }
    }
}

impl Deadlines {
    pub fn set(&mut self, key: i64, due_ms: i64) {
        if let Some(before_ms) = self.by_key.insert(key, due_ms) {
            self.wheel.remove(Position::new(before_ms, key));
        }
        self.wheel.insert(Position::new(due_ms, key), ());
    }

    pub fn forget(&mut self, key: i64) {
        if let Some(due_ms) = self.by_key.remove(&key) {
            self.wheel.remove(Position::new(due_ms, key));
        }
    }

    pub fn get(&self, key: i64) -> Option<i64> {
        self.by_key.get(&key).copied()
    }

    /// Takes out the keys whose time has come, oldest first.
    pub fn take_due(&mut self, now_ms: i64, keys_max: usize) -> Vec<i64> {
        let mut due = Vec::new();
        self.wheel.take_due(now_ms, keys_max, &mut due);
        let keys: Vec<i64> = due.into_iter().map(|(position, ())| position.key).collect();
        for key in &keys {
            self.by_key.remove(key);
        }
        keys
    }

    pub fn next_due(&mut self) -> Option<i64> {
        self.wheel.first().map(|first| first.due_ms)
    }

    pub fn len(&self) -> usize {
        self.wheel.len()
    }

    pub fn is_empty(&self) -> bool {
        self.wheel.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_that_is_set_again_moves_and_a_forgotten_one_never_runs_out() {
        let mut leases = Deadlines::default();
        leases.set(1, 100);
        leases.set(2, 50);
        leases.set(1, 30);
        leases.set(3, 40);
        leases.forget(3);
        leases.forget(3);
        assert_eq!((leases.len(), leases.get(1), leases.next_due()), (2, Some(30), Some(30)));
        assert_eq!(leases.take_due(29, 10), [] as [i64; 0]);
        assert_eq!(leases.take_due(100, 1), [1]);
        assert_eq!(leases.take_due(100, 10), [2]);
        assert!(leases.is_empty() && leases.get(2).is_none());
    }
}
