//! The window of process timers against a store with batches in flight, late pages, failed commits and clock jumps.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tidemill_timers::window::{Deletion, Page, Read};
use tidemill_timers::{Position, Window};

type Timer = i64;

#[derive(Clone, Debug)]
enum Action {
    Insert { in_ms: i64 },
    Remove(usize),
    Move { nth: usize, in_ms: i64 },
    Take(usize),
    FireOne(usize),
    PutBack(usize),
    Close,
    Land,
    Fail { was_written: bool },
    BeginRead,
    LookIntoStore,
    PageArrives,
    Pass { ms: i64 },
    ClockJumps { ms: i64 },
}

fn steps() -> impl Strategy<Value = Vec<Action>> {
    let ahead = || prop_oneof![-500..0i64, 0..50i64, 0..5_000i64, 0..200_000i64];
    let step = prop_oneof![
        8 => ahead().prop_map(|in_ms| Action::Insert { in_ms }),
        3 => any::<usize>().prop_map(Action::Remove),
        2 => (any::<usize>(), ahead()).prop_map(|(nth, in_ms)| Action::Move { nth, in_ms }),
        3 => (1..8usize).prop_map(Action::Take),
        6 => any::<usize>().prop_map(Action::FireOne),
        2 => any::<usize>().prop_map(Action::PutBack),
        4 => Just(Action::Close),
        4 => Just(Action::Land),
        1 => any::<bool>().prop_map(|was_written| Action::Fail { was_written }),
        4 => Just(Action::BeginRead),
        4 => Just(Action::LookIntoStore),
        4 => Just(Action::PageArrives),
        3 => (0..3_000i64).prop_map(|ms| Action::Pass { ms }),
        1 => (0..100_000i64).prop_map(|ms| Action::Pass { ms }),
        1 => (-20_000..20_000i64).prop_map(|ms| Action::ClockJumps { ms }),
    ];
    prop::collection::vec(step, 1..120)
}

#[derive(Default)]
struct Batch {
    inserts: Vec<Position>,
    removes: Vec<Position>,
    fired: Vec<Position>,
    deletion: Deletion,
}

struct World {
    window: Window<Timer>,
    /// The committed timers.
    rows: BTreeSet<Position>,
    /// The timers that will be committed when everything has landed: the truth that the engine works on.
    truth: BTreeSet<Position>,
    open: Batch,
    in_flight: VecDeque<Batch>,
    in_hand: VecDeque<Position>,
    reading: Option<Read>,
    page: Option<Page<Timer>>,
    fired: BTreeMap<Position, u32>,
    now_ms: i64,
    next_key: i64,
    page_max: usize,
}

impl World {
    fn new(bytes_max: usize, page_max: usize) -> World {
        World {
            window: Window::new(bytes_max, 120_000, |_| 64),
            rows: BTreeSet::new(),
            truth: BTreeSet::new(),
            open: Batch::default(),
            in_flight: VecDeque::new(),
            in_hand: VecDeque::new(),
            reading: None,
            page: None,
            fired: BTreeMap::new(),
            now_ms: 1_000_000,
            next_key: 1,
            page_max,
        }
    }

    fn insert(&mut self, position: Position) {
        self.truth.insert(position);
        self.open.inserts.push(position);
        self.window.insert(position, position.key);
    }

    fn remove(&mut self, nth: usize) -> Option<Position> {
        let position = *self.truth.iter().nth(nth % self.truth.len().max(1))?;
        self.truth.remove(&position);
        self.in_hand.retain(|in_hand| *in_hand != position);
        self.open.removes.push(position);
        self.window.remove(position);
        Some(position)
    }

    fn run(&mut self, step: &Action) {
        match *step {
            Action::Insert { in_ms } => {
                self.next_key += 1;
                self.insert(Position::new(self.now_ms + in_ms, self.next_key));
            }
            Action::Remove(nth) => drop(self.remove(nth)),
            Action::Move { nth, in_ms } => {
                if let Some(moved) = self.remove(nth) {
                    self.insert(Position::new(self.now_ms + in_ms, moved.key));
                }
            }
            Action::Take(max) => self.take(max),
            Action::FireOne(nth) => self.fire_one(nth),
            Action::PutBack(nth) => {
                if let Some(position) = self.take_from_hand(nth) {
                    self.window.put_back(position, position.key);
                }
            }
            Action::Close => self.close(),
            Action::Land => self.land(),
            Action::Fail { was_written } => self.fail(was_written),
            Action::BeginRead => {
                if let Some(read) = self.window.begin_read(self.now_ms) {
                    self.reading = Some(read);
                    self.page = None;
                }
            }
            Action::LookIntoStore => self.look_into_store(),
            Action::PageArrives => {
                if let (Some(read), Some(page)) = (self.reading, self.page.take()) {
                    self.reading = None;
                    self.window.arrived(read.id, page);
                }
            }
            Action::Pass { ms } => self.now_ms += ms,
            Action::ClockJumps { ms } => {
                self.now_ms += ms;
                self.window.forget();
            }
        }
    }

    fn take(&mut self, max: usize) {
        for (position, timer) in self.window.take_due(self.now_ms, max) {
            assert_eq!(position.key, timer);
            assert!(position.due_ms <= self.now_ms, "{position:?} is early at {}", self.now_ms);
            assert!(self.truth.contains(&position), "{position:?} fires, but was fired or removed");
            assert!(!self.in_hand.contains(&position), "{position:?} was taken twice");
            self.in_hand.push_back(position);
        }
    }

    fn take_from_hand(&mut self, nth: usize) -> Option<Position> {
        let at = nth.checked_rem(self.in_hand.len())?;
        self.in_hand.remove(at)
    }

    fn fire_one(&mut self, nth: usize) {
        if let Some(position) = self.take_from_hand(nth) {
            self.truth.remove(&position);
            self.open.fired.push(position);
            self.window.fire(position);
        }
    }

    fn close(&mut self) {
        // One batch in flight and one open, as the loop has it.
        if self.in_flight.is_empty() {
            let mut batch = std::mem::take(&mut self.open);
            batch.deletion = self.window.close();
            self.in_flight.push_back(batch);
        }
    }

    fn land(&mut self) {
        if let Some(batch) = self.in_flight.pop_front() {
            self.write(batch);
            self.window.landed();
        }
    }

    fn write(&mut self, batch: Batch) {
        // The store may delete the range before or after it writes the rows of the same batch.
        let inserted_first = self.next_key % 2 == 0;
        if inserted_first {
            self.rows.extend(batch.inserts.iter().copied());
        }
        let fired: BTreeSet<Position> = batch.fired.iter().copied().collect();
        let Deletion { range, others } = &batch.deletion;
        let in_range = |p: &Position| range.is_some_and(|range| range.after < *p && *p <= range.up_to);
        let deleted: Vec<Position> =
            self.rows.iter().copied().filter(|p| in_range(p) || others.contains(p)).collect();
        for position in deleted {
            let is_meant = fired.contains(&position) || batch.removes.contains(&position);
            assert!(is_meant, "{position:?} was deleted unfired by {range:?}");
            self.rows.remove(&position);
        }
        let covered = |p: &Position| in_range(p) || others.contains(p);
        assert!(fired.iter().all(covered), "{fired:?} are not all deleted by {range:?} and {others:?}");
        if !inserted_first {
            self.rows.extend(batch.inserts.iter().copied());
        }
        for position in batch.removes.iter().filter(|p| !batch.inserts.contains(p) || !self.truth.contains(p))
        {
            self.rows.remove(position);
        }
        for position in fired {
            self.rows.remove(&position);
            *self.fired.entry(position).or_default() += 1;
        }
    }

    fn fail(&mut self, was_written: bool) {
        let Some(batch) = self.in_flight.pop_front() else { return };
        if was_written {
            self.write(batch);
        }
        self.open = Batch::default();
        self.truth = self.rows.clone();
        self.in_hand.clear();
        self.window.reset();
    }

    /// The store answers from what is committed at some moment after the read began.
    fn look_into_store(&mut self) {
        let Some(read) = self.reading else { return };
        let limit = read.timers_max.min(self.page_max);
        let behind = |p: &&Position| read.after.is_none_or(|after| after < **p) && p.due_ms <= read.until_ms;
        let rows: Vec<Position> = self.rows.iter().filter(behind).take(limit).copied().collect();
        let was_cut = rows.len() == limit;
        let end = Position::end_of(read.until_ms);
        let horizon = if was_cut { rows.last().copied().unwrap_or(end) } else { end };
        let timers = rows.into_iter().map(|position| (position, position.key)).collect();
        self.page = Some(Page { timers, horizon });
    }

    /// Everything that is left must fire, each once.
    fn drain(&mut self) {
        for _ in 0..20_000 {
            if self.truth.is_empty() && self.rows.is_empty() {
                break;
            }
            let finish = [
                Action::BeginRead,
                Action::LookIntoStore,
                Action::PageArrives,
                Action::Take(50),
                Action::Close,
                Action::Land,
            ];
            for step in &finish {
                self.run(step);
            }
            while !self.in_hand.is_empty() {
                self.fire_one(0);
            }
            if let Some(wake_ms) = self.window.wake_at_ms() {
                self.now_ms = self.now_ms.max(wake_ms);
            }
        }
        assert!(self.truth.is_empty(), "never fired: {:?}", self.truth);
        assert!(self.rows.is_empty(), "still stored: {:?}", self.rows);
        assert!(self.fired.values().all(|times| *times == 1), "fired twice: {:?}", self.fired);
    }
}

fn cases() -> u32 {
    std::env::var("TIDEMILL_RANDOM_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, max_shrink_iters: 2_000, max_shrink_time: 10_000, ..ProptestConfig::default() })]
    #[test]
    fn every_timer_fires_once_whatever_is_read_and_written_meanwhile(
        steps in steps(),
        bytes_max in prop_oneof![Just(600usize), 600..8_000usize, Just(1_000_000usize)],
        page_max in prop_oneof![2..6usize, Just(1_000usize)],
    ) {
        let mut world = World::new(bytes_max, page_max);
        for step in &steps {
            world.run(step);
            prop_assert!(world.window.bytes() <= bytes_max || world.window.len() <= 2);
        }
        world.drain();
    }
}

fn at(due_ms: i64, key: i64) -> Position {
    Position::new(due_ms, key)
}

fn window() -> Window<Timer> {
    Window::new(1 << 20, 120_000, |_| 0)
}

fn keys(due: Vec<(Position, Timer)>) -> Vec<Timer> {
    due.into_iter().map(|(_, timer)| timer).collect()
}

#[test]
fn rule_8_what_was_not_committed_when_the_read_began_is_merged_into_its_page() {
    let mut window = window();
    window.insert(at(10, 1), 1);
    window.remove(at(20, 2));
    window.close();
    window.insert(at(30, 3), 3);
    window.remove(at(40, 4));
    let read = window.begin_read(0).expect("an empty window is read");
    window.landed();
    window.insert(at(50, 5), 5);
    window.remove(at(60, 6));
    let timers = [2, 4, 6, 7].map(|key| (at(10 * key, key), key)).to_vec();
    window.arrived(read.id, Page { timers, horizon: Position::end_of(read.until_ms) });
    assert_eq!(keys(window.take_due(100, 10)), [1, 3, 5, 7]);
}

#[test]
fn rule_8_a_removal_wins_over_the_page_and_over_an_earlier_insert() {
    let mut window = window();
    let read = window.begin_read(0).expect("an empty window is read");
    window.insert(at(10, 1), 1);
    window.remove(at(10, 1));
    window.arrived(read.id, Page { timers: vec![(at(10, 1), 1)], horizon: at(500, 0) });
    assert_eq!(keys(window.take_due(100, 10)), [] as [Timer; 0]);
}

#[test]
fn a_range_never_covers_an_unfired_timer() {
    let mut window = window();
    let read = window.begin_read(0).expect("an empty window is read");
    let timers = (1..=6).map(|key| (at(10 * key, key), key)).collect();
    window.arrived(read.id, Page { timers, horizon: at(500, 0) });
    let due = window.take_due(60, 10);
    window.insert(at(25, 9), 9);
    for (position, timer) in due {
        match timer {
            5 => window.put_back(position, timer),
            _ => window.fire(position),
        }
    }
    let deletion = window.close();
    let range = deletion.range.expect("some have fired");
    assert_eq!((range.after, range.up_to), (at(10, 1).before(), at(20, 2)));
    assert_eq!(deletion.others, [at(30, 3), at(40, 4), at(60, 6)]);
    assert_eq!(keys(window.take_due(60, 10)), [9, 5]);
}

#[test]
fn a_page_that_was_cut_moves_the_horizon_only_to_its_last_row() {
    let mut window = window();
    let read = window.begin_read(0).expect("an empty window is read");
    window.arrived(read.id, Page { timers: vec![(at(10, 1), 1)], horizon: at(10, 1) });
    assert_eq!(window.horizon(), Some(at(10, 1)));
    let next = window.begin_read(0).expect("the window is short");
    assert_eq!(next.after, Some(at(10, 1)));
}

#[test]
fn what_does_not_fit_into_memory_is_read_again_later() {
    let mut window: Window<Timer> = Window::new(4_000, 120_000, |_| 100);
    let read = window.begin_read(0).expect("an empty window is read");
    let timers: Vec<_> = (1..=100).map(|key| (at(key * 100, key), key)).collect();
    window.arrived(read.id, Page { timers, horizon: Position::end_of(read.until_ms) });
    assert!(window.bytes() <= 4_000);
    let first_dropped = window.len() as i64 + 1;
    assert_eq!(window.horizon(), Some(at(first_dropped * 100, first_dropped).before()));
    assert_eq!(window.look_ahead_ms(), 60_000);
}

fn three_in_hand() -> Window<Timer> {
    let mut window = window();
    let read = window.begin_read(0).expect("an empty window is read");
    let timers = [1, 2, 3].map(|key| (at(10 * key, key), key)).to_vec();
    window.arrived(read.id, Page { timers, horizon: at(500, 0) });
    assert_eq!(window.take_due(60, 10).len(), 3);
    window
}

#[test]
fn a_range_never_covers_a_timer_that_was_taken_and_not_fired() {
    let mut window = three_in_hand();
    window.fire(at(10, 1));
    window.fire(at(30, 3));
    let deletion = window.close();
    let range = deletion.range.expect("some have fired");
    assert!(range.up_to < at(20, 2) || at(20, 2) <= range.after, "{range:?}");
    assert_eq!(deletion.others.len(), 1);
}

#[test]
fn a_range_never_reaches_behind_the_horizon() {
    let mut window = three_in_hand();
    window.forget();
    window.put_back(at(20, 2), 2);
    window.fire(at(10, 1));
    window.fire(at(30, 3));
    let deletion = window.close();
    let range = deletion.range.expect("some have fired");
    assert!(range.up_to < at(20, 2) || at(20, 2) <= range.after, "{range:?} covers what was put back unseen");
}

#[test]
fn a_page_does_not_hide_what_was_evicted_while_it_was_read() {
    let mut window: Window<Timer> = Window::new(2_000, 120_000, |_| 100);
    let read = window.begin_read(0).expect("an empty window is read");
    let timers = vec![(at(40_000, 1), 1)];
    window.arrived(read.id, Page { timers, horizon: at(40_000, 1) });
    let read = window.begin_read(0).expect("there is room");
    (2..30).for_each(|key| window.insert(at(100, key), key));
    assert!(window.horizon() < Some(at(40_000, 1)), "the first timer was evicted");
    (2..30).for_each(|key| window.remove(at(100, key)));
    window.arrived(read.id, Page { timers: Vec::new(), horizon: Position::end_of(read.until_ms) });
    assert!(window.horizon() < Some(at(40_000, 1)), "it must be read again");
}
