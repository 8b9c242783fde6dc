//! The wheel against a plain ordered map.

use proptest::prelude::*;
use std::collections::BTreeMap;
use tidemill_timers::{Position, Wheel};

#[derive(Clone, Debug)]
enum Action {
    Insert { due_ms: i64, bytes: usize },
    InsertMany { due_ms: i64, count: usize },
    Remove(usize),
    Take { now_ms: i64, max: usize },
    Between(i64, i64),
    Evict,
    DropFrom(i64),
}

fn steps() -> impl Strategy<Value = Vec<Action>> {
    let due = || prop_oneof![Just(500i64), 0..2_000i64, 0..1_000_000i64];
    let step = prop_oneof![
        6 => (due(), 0..200usize).prop_map(|(due_ms, bytes)| Action::Insert { due_ms, bytes }),
        2 => (due(), 1..2_500usize).prop_map(|(due_ms, count)| Action::InsertMany { due_ms, count }),
        6 => any::<usize>().prop_map(Action::Remove),
        2 => (due(), 0..3_000usize).prop_map(|(now_ms, max)| Action::Take { now_ms, max }),
        2 => (due(), due()).prop_map(|(a, b)| Action::Between(a, b)),
        1 => Just(Action::Evict),
        1 => due().prop_map(Action::DropFrom),
    ];
    prop::collection::vec(step, 1..60)
}

const BYTES_MAX: usize = 150_000;

struct Pair {
    wheel: Wheel<Vec<u8>>,
    model: BTreeMap<Position, Vec<u8>>,
    next_key: i64,
}

impl Pair {
    fn insert(&mut self, due_ms: i64, bytes: usize) {
        // Keys come neither in order nor against it.
        let key = (self.next_key * 7_919) % 1_000_003;
        self.next_key += 1;
        let position = Position::new(due_ms, key);
        self.wheel.insert(position, vec![key as u8; bytes]);
        self.model.insert(position, vec![key as u8; bytes]);
    }

    fn run(&mut self, step: &Action) {
        match *step {
            Action::Insert { due_ms, bytes } => self.insert(due_ms, bytes),
            Action::InsertMany { due_ms, count } => {
                (0..count).for_each(|n| self.insert(due_ms + n as i64 % 7, 0));
            }
            Action::Remove(nth) => {
                let nth = self.model.keys().nth(nth % self.model.len().max(1)).copied();
                let position = nth.unwrap_or(Position::new(3, 3));
                assert_eq!(self.wheel.get(position), self.model.get(&position));
                assert_eq!(self.wheel.remove(position), self.model.remove(&position));
                assert_eq!(self.wheel.remove(position), None);
            }
            Action::Take { now_ms, max } => {
                let mut taken = Vec::new();
                self.wheel.take_due(now_ms, max, &mut taken);
                let due = self.model.range(..=Position::end_of(now_ms)).take(max);
                let expected: Vec<_> = due.map(|(p, b)| (*p, b.clone())).collect();
                expected.iter().for_each(|(position, _)| drop(self.model.remove(position)));
                assert_eq!(taken, expected);
            }
            Action::Between(after, up_to) => {
                let (after, up_to) = (Position::new(after, 500_000), Position::new(up_to, 500_000));
                let between = self.model.keys().any(|position| after < *position && *position <= up_to);
                assert_eq!(self.wheel.has_between(after, up_to), between);
            }
            Action::Evict => self.evict(),
            Action::DropFrom(due_ms) => {
                let dropped = self.model.split_off(&Position::begin_of(due_ms));
                assert_eq!(self.wheel.drop_from(Position::begin_of(due_ms)), dropped.len());
            }
        }
    }

    fn evict(&mut self) {
        let was_over = self.wheel.is_over_budget();
        let horizon = self.wheel.evict();
        assert_eq!(horizon.is_some(), was_over && self.model.len() > 1);
        if let Some(horizon) = horizon {
            assert!(!self.wheel.is_over_budget() || self.wheel.len() == 1);
            self.model.retain(|position, _| *position <= horizon);
            assert!(!self.model.is_empty());
        }
    }

    fn check(&mut self) {
        assert_eq!(self.wheel.len(), self.model.len());
        assert_eq!(self.wheel.first(), self.model.keys().next().copied());
        let least: usize = self.model.values().map(Vec::len).sum::<usize>() + self.model.len() * 40;
        assert!(self.wheel.bytes() >= least, "{} bytes counted, {least} in use", self.wheel.bytes());
        // Room for further entries is bounded too, so that the count cannot run away from what is there.
        let most = 4 * least + 70_000 + self.model.len() * 200;
        assert!(self.wheel.bytes() <= most, "{} bytes counted, {least} in use", self.wheel.bytes());
        if self.model.is_empty() {
            assert_eq!(self.wheel.bytes(), 0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_wheel_does_what_an_ordered_map_does(steps in steps()) {
        let wheel = Wheel::new(BYTES_MAX, |bytes: &Vec<u8>| bytes.len());
        let mut pair = Pair { wheel, model: BTreeMap::new(), next_key: 1 };
        for step in &steps {
            pair.run(step);
            pair.check();
        }
        let mut rest = Vec::new();
        pair.wheel.take_due(i64::MAX, usize::MAX, &mut rest);
        prop_assert_eq!(rest, pair.model.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(pair.wheel.bytes(), 0);
    }
}
