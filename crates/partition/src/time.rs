//! The time of a partition. It never falls: neither when the store's clock is set back, nor when the owner changes.

use tidemill_model::Timestamp;

/// After the store's clock was set back, the partition's time advances by this fraction less until the clock has
/// caught up. Durations that run meanwhile are longer by the same fraction.
const SLEW: i64 = 100;

/// What the driver observed when it called the core.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moment {
    /// The wall clock of this node: the time until the store has told its own.
    pub wall: Timestamp,
    /// A clock that runs steadily and goes on while the process stands still, in milliseconds.
    pub elapsed_ms: u64,
    /// What the store has last told of its clock.
    pub store_time: Option<StoreTime>,
    /// The test clock, while it is pinned.
    pub pinned_at: Option<Timestamp>,
    /// Grows whenever the test clock is pinned, moved or released.
    pub clock_changes: u64,
    /// The partition is surely this node's: its lease has not run out.
    pub holds_lease: bool,
    /// The newest version of definitions that this node has heard of.
    pub definitions_version: u64,
}

/// A look at the store's clock, which was taken some time between question and answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreTime {
    pub now: Timestamp,
    /// By the steady clock.
    pub asked_ms: u64,
    pub told_ms: u64,
}

#[derive(Debug)]
pub(crate) struct PartitionTime {
    /// The store's clock less the steady clock; none until the store has told its time.
    offset_ms: Option<i64>,
    /// What the offset was last compared with.
    last_told: Option<StoreTime>,
    /// By how much this time is ahead of the store's clock, since that was set back.
    ahead_ms: i64,
    /// The steady clock when `ahead_ms` was reduced last.
    slewed_at_ms: u64,
    /// The latest time given, apart from pinned ones.
    floor: Timestamp,
    now: Timestamp,
    is_pinned: bool,
    clock_changes: Option<u64>,
}

impl PartitionTime {
    /// `floor`: the time of the last batch of the predecessor.
    pub(crate) fn new(floor: Option<Timestamp>, moment: &Moment) -> PartitionTime {
        let mut time = PartitionTime {
            offset_ms: None,
            last_told: None,
            ahead_ms: 0,
            slewed_at_ms: moment.elapsed_ms,
            floor: floor.unwrap_or(Timestamp(i64::MIN)),
            now: moment.wall,
            is_pinned: false,
            clock_changes: None,
        };
        time.observe(moment);
        time
    }

    /// Follows the clocks. True when the test clock has jumped: what is due must be looked up again.
    pub(crate) fn observe(&mut self, moment: &Moment) -> bool {
        self.observe_quietly(moment);
        let has_jumped = self.clock_changes.is_some_and(|changes| changes != moment.clock_changes);
        self.clock_changes = Some(moment.clock_changes);
        has_jumped
    }

    /// Follows the clocks where a jump of the test clock is left to the next `observe`.
    pub(crate) fn observe_quietly(&mut self, moment: &Moment) {
        if let Some(told) = moment.store_time.filter(|told| self.last_told != Some(*told)) {
            self.last_told = Some(told);
            self.learn(told, moment);
        }
        let running = self.running(moment);
        self.floor = self.floor.max(running);
        self.now = moment.pinned_at.unwrap_or(running);
        self.is_pinned = moment.pinned_at.is_some();
    }

    /// The store looked at its clock after it was asked and before its answer came. That bounds the offset from both sides, and
    /// inside of these bounds it stays as it is: a slow answer must not make time stand still and then jump, or durations that
    /// began meanwhile would be too short.
    fn learn(&mut self, told: StoreTime, moment: &Moment) {
        let lowest = told.now.0.saturating_sub_unsigned(told.told_ms);
        let highest = told.now.0.saturating_sub_unsigned(told.asked_ms);
        let Some(offset) = self.offset_ms else {
            let running = self.running(moment);
            self.offset_ms = Some(lowest);
            // A wall clock that is ahead of the store's has been the partition's time until now.
            self.ahead_ms = (running - self.clock(moment)).max(0);
            self.slewed_at_ms = moment.elapsed_ms;
            return;
        };
        if offset < lowest {
            self.offset_ms = Some(lowest);
            self.ahead_ms = (self.ahead_ms - (lowest - offset)).max(0);
        } else if offset > highest {
            // The store's clock was set back: durations go on, and time waits for the clock bit by bit.
            self.offset_ms = Some(highest);
            self.ahead_ms = self.ahead_ms.saturating_add(offset - highest);
            self.slewed_at_ms = moment.elapsed_ms;
        }
    }

    fn clock(&self, moment: &Moment) -> Timestamp {
        match self.offset_ms {
            Some(offset) => Timestamp(offset.saturating_add_unsigned(moment.elapsed_ms)),
            None => moment.wall,
        }
    }

    /// The time without a pinned clock.
    fn running(&mut self, moment: &Moment) -> Timestamp {
        let passed = moment.elapsed_ms.saturating_sub(self.slewed_at_ms);
        let slewed = i64::try_from(passed).unwrap_or(i64::MAX) / SLEW;
        if self.ahead_ms > 0 && slewed > 0 {
            self.ahead_ms = (self.ahead_ms - slewed).max(0);
            self.slewed_at_ms += slewed.unsigned_abs() * SLEW.unsigned_abs();
        }
        self.floor.max(self.clock(moment) + self.ahead_ms)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// The time by which batches and answers are kept: a pinned clock says nothing about that.
    pub(crate) fn unpinned(&self) -> Timestamp {
        self.floor
    }

    /// How long until a moment comes; none while the clock is pinned before it.
    pub(crate) fn until_ms(&self, due_at: Timestamp) -> Option<u64> {
        let left = due_at - self.now;
        if left <= 0 {
            return Some(0);
        }
        (!self.is_pinned).then_some(left.unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(wall: i64, elapsed_ms: u64) -> Moment {
        Moment {
            wall: Timestamp(wall),
            elapsed_ms,
            store_time: None,
            pinned_at: None,
            clock_changes: 0,
            holds_lease: true,
            definitions_version: 0,
        }
    }

    /// The store has told this time, and the answer took this long.
    fn told(store: i64, elapsed_ms: u64, took_ms: u64) -> Moment {
        let asked_ms = elapsed_ms - took_ms;
        let store_time = StoreTime { now: Timestamp(store), asked_ms, told_ms: elapsed_ms };
        Moment { store_time: Some(store_time), ..at(0, elapsed_ms) }
    }

    #[test]
    fn time_is_the_stores_and_goes_on_with_the_steady_clock() {
        let mut time = PartitionTime::new(None, &at(1_000, 0));
        assert_eq!(time.now(), Timestamp(1_000));
        time.observe(&told(5_000, 10, 2));
        time.observe(&Moment { wall: Timestamp(1_500), ..told(5_000, 10, 2) });
        time.observe(&at(1_500, 30));
        assert_eq!(time.now(), Timestamp(5_020), "the node's wall clock no longer counts");
    }

    #[test]
    fn time_does_not_fall_when_the_owner_changes() {
        let mut time = PartitionTime::new(Some(Timestamp(9_000)), &at(1_000, 0));
        assert_eq!(time.now(), Timestamp(9_000));
        time.observe(&at(9_500, 8_500));
        assert_eq!(time.now(), Timestamp(9_500));
    }

    #[test]
    fn a_slow_answer_neither_stops_time_nor_makes_it_jump() {
        let mut time = PartitionTime::new(None, &told(100_000, 0, 0));
        // The store looked at its clock at 100,010 and answered four seconds later.
        time.observe(&told(100_010, 4_010, 4_005));
        assert_eq!(time.now(), Timestamp(104_010));
        time.observe(&told(104_020, 4_020, 1));
        assert_eq!(time.now(), Timestamp(104_020));
    }

    #[test]
    fn durations_go_on_when_the_stores_clock_is_set_back() {
        let mut time = PartitionTime::new(None, &told(100_000, 0, 0));
        time.observe(&told(41_000, 1_000, 0));
        assert_eq!(time.now(), Timestamp(101_000));
        time.observe(&at(0, 11_000));
        assert_eq!(time.now(), Timestamp(110_900), "ten seconds passed, less one part in a hundred");
        for second in 12..8_000 {
            time.observe(&at(0, second * 1_000));
        }
        assert_eq!(time.now(), Timestamp(40_000 + 7_999_000), "the clock has caught up");
    }

    #[test]
    fn time_follows_a_clock_that_was_set_ahead() {
        let mut time = PartitionTime::new(None, &told(100_000, 0, 0));
        time.observe(&told(500_000, 1_000, 1));
        assert_eq!(time.now(), Timestamp(500_000));
    }

    #[test]
    fn a_pinned_clock_counts_and_leaves_no_trace() {
        let mut time = PartitionTime::new(None, &at(1_000, 0));
        let pinned = Moment { pinned_at: Some(Timestamp(99_000)), clock_changes: 1, ..at(1_100, 100) };
        assert!(time.observe(&pinned));
        assert_eq!((time.now(), time.unpinned()), (Timestamp(99_000), Timestamp(1_100)));
        assert_eq!(time.until_ms(Timestamp(99_001)), None);
        let released = Moment { clock_changes: 2, ..at(1_200, 200) };
        assert!(time.observe(&released));
        assert!(!time.observe(&released));
        assert_eq!(time.now(), Timestamp(1_200));
        assert_eq!(time.until_ms(Timestamp(1_250)), Some(50));
    }
}
