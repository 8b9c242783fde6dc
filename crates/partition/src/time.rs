//! The time of a partition. It is the store's clock, as well as that can be known from here, and it never falls: neither
//! when that clock is set back, nor when the owner changes.
//!
//! The store looks at its clock somewhen between question and answer, so its time is known up to a few milliseconds. A
//! command gets the latest time that it can be, and what is due is judged by the earliest: so no duration is too short,
//! whoever has begun it and whoever ends it.

use tidemill_model::Timestamp;

/// After the store's clock was set back, the partition's time advances by this fraction less until the clock has
/// caught up. Durations that run meanwhile are longer by the same fraction.
const SLEW: u64 = 100;
/// A new owner looks at the store's clock again until question and answer lie no further apart. So far may the time of an owner
/// be ahead of the store's clock although that was not set back.
pub const LOOK_MS_MAX: u64 = 250;
/// Clocks gain or lose at most one millisecond in so many.
const DRIFT: u64 = 5_000;

/// The clocks and the node as the driver saw them when it called the core.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moment {
    /// The wall clock of this node: the time until the store has told its own.
    pub wall: Timestamp,
    /// A clock that runs steadily and goes on while the process stands still, in milliseconds.
    pub elapsed_ms: u64,
    /// The last time that the store has told.
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

/// The store's clock less the steady clock lies between these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Offset {
    lowest_ms: i64,
    highest_ms: i64,
}

impl Offset {
    /// All three numbers are cut to whole milliseconds, and each may have been almost one more.
    fn of(told: StoreTime) -> Offset {
        Offset {
            lowest_ms: told.now.0.saturating_sub_unsigned(told.told_ms).saturating_sub(1),
            highest_ms: told.now.0.saturating_sub_unsigned(told.asked_ms).saturating_add(1),
        }
    }

    /// After some time clocks have drifted apart.
    fn after(self, passed_ms: u64) -> Offset {
        let drift_ms = i64::try_from(passed_ms / DRIFT).unwrap_or(i64::MAX);
        Offset {
            lowest_ms: self.lowest_ms.saturating_sub(drift_ms),
            highest_ms: self.highest_ms.saturating_add(drift_ms),
        }
    }
}

#[derive(Debug)]
pub(crate) struct PartitionTime {
    /// None until the store has told its time.
    offset: Option<Offset>,
    /// The store's answer that the offset was last compared with.
    last_told: Option<StoreTime>,
    /// By how much this time is ahead of the store's clock, since that was set back.
    ahead_ms: i64,
    /// So much of `ahead_ms` may be what the predecessor did not know about the store's clock. Durations that it began end by that
    /// clock, so this part does not count for what is due.
    doubt_ms: i64,
    /// The steady clock when `ahead_ms` was reduced last.
    slewed_at_ms: u64,
    /// The latest time given, apart from pinned ones.
    floor: Timestamp,
    now: Timestamp,
    /// A time that has surely passed on the store's clock: whatever is due by then is due.
    due_now: Timestamp,
    /// Dates up to then have come for sure. It falls when the store's clock is set back.
    clock: Timestamp,
    is_pinned: bool,
    clock_changes: Option<u64>,
}

impl PartitionTime {
    /// `floor`: the time of the last batch of the predecessor.
    pub(crate) fn new(floor: Option<Timestamp>, moment: &Moment) -> PartitionTime {
        let mut time = PartitionTime {
            offset: moment.store_time.map(Offset::of),
            last_told: moment.store_time,
            ahead_ms: 0,
            doubt_ms: 0,
            slewed_at_ms: moment.elapsed_ms,
            floor: floor.unwrap_or(Timestamp(i64::MIN)),
            now: moment.wall,
            due_now: moment.wall,
            clock: moment.wall,
            is_pinned: false,
            clock_changes: None,
        };
        let (_, latest) = time.clock_at(moment);
        time.ahead_ms = floor.map_or(0, |floor| floor - latest).max(0);
        time.doubt_ms = LOOK_MS_MAX as i64;
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
            self.learn(told, moment);
        }
        self.slew(moment);
        let (earliest, latest) = self.clock_at(moment);
        self.floor = self.floor.max(latest + self.ahead_ms);
        self.now = moment.pinned_at.unwrap_or(self.floor);
        self.due_now = moment.pinned_at.unwrap_or(earliest + (self.ahead_ms - self.doubt_ms).max(0));
        self.clock = moment.pinned_at.unwrap_or(earliest);
        self.is_pinned = moment.pinned_at.is_some();
    }

    /// Every answer of the store bounds the offset, and the bounds of several answers narrow it. Where they cannot all be right, a
    /// clock was set.
    fn learn(&mut self, told: StoreTime, moment: &Moment) {
        let new = Offset::of(told);
        if self.is_outdated(told, new) {
            return;
        }
        let last_told = self.last_told.replace(told);
        let Some(old) = self.offset else {
            // Until now the wall clock was the time. If it is ahead of the store's, that has to catch up.
            self.offset = Some(new);
            let (_, latest) = self.clock_at(moment);
            self.ahead_ms = (self.floor - latest).max(0);
            self.slewed_at_ms = moment.elapsed_ms;
            return;
        };
        let passed_ms = last_told.map_or(0, |last| told.told_ms.saturating_sub(last.told_ms));
        let old = old.after(passed_ms);
        if new.lowest_ms > old.highest_ms {
            self.offset = Some(new);
            self.ahead_ms = (self.ahead_ms - (new.lowest_ms - old.highest_ms)).max(0);
        } else if new.highest_ms < old.lowest_ms {
            // The store's clock was set back: durations go on, and time waits for the clock bit by bit.
            self.offset = Some(new);
            self.ahead_ms = self.ahead_ms.saturating_add(old.highest_ms - new.highest_ms);
            self.slewed_at_ms = moment.elapsed_ms;
        } else {
            self.offset = Some(Offset {
                lowest_ms: old.lowest_ms.max(new.lowest_ms),
                highest_ms: old.highest_ms.min(new.highest_ms),
            });
        }
    }

    /// The store may have looked at its clock before it did for the last answer, and the clock was set in between. Such an answer
    /// says nothing about the clock as it is now.
    fn is_outdated(&self, told: StoreTime, new: Offset) -> bool {
        let (Some(old), Some(last)) = (self.offset, self.last_told) else { return false };
        let old = old.after(told.told_ms.saturating_sub(last.told_ms));
        let fits = new.lowest_ms <= old.highest_ms && old.lowest_ms <= new.highest_ms;
        !fits && told.asked_ms < last.told_ms
    }

    /// Another owner was there meanwhile: time goes on from its last batch, as it does for a new owner.
    pub(crate) fn go_on_from(&mut self, last_batch_at: Option<Timestamp>, moment: &Moment) {
        self.observe_quietly(moment);
        let (_, latest) = self.clock_at(moment);
        self.floor = last_batch_at.unwrap_or(Timestamp(i64::MIN));
        self.ahead_ms = last_batch_at.map_or(0, |floor| floor - latest).max(0);
        self.doubt_ms = LOOK_MS_MAX as i64;
        self.slewed_at_ms = moment.elapsed_ms;
        self.observe_quietly(moment);
    }

    /// The earliest and the latest time that the store's clock can show.
    fn clock_at(&self, moment: &Moment) -> (Timestamp, Timestamp) {
        match self.offset {
            Some(Offset { lowest_ms, highest_ms }) => {
                let earliest = lowest_ms.saturating_add_unsigned(moment.elapsed_ms);
                let latest = highest_ms.saturating_add_unsigned(moment.elapsed_ms).saturating_add(1);
                (Timestamp(earliest), Timestamp(latest))
            }
            None => (moment.wall, moment.wall),
        }
    }

    fn slew(&mut self, moment: &Moment) {
        let passed = moment.elapsed_ms.saturating_sub(self.slewed_at_ms);
        let slewed = passed / SLEW;
        if self.ahead_ms == 0 {
            self.doubt_ms = 0;
            self.slewed_at_ms = moment.elapsed_ms;
        } else if slewed > 0 {
            self.ahead_ms = self.ahead_ms.saturating_sub_unsigned(slewed).max(0);
            self.slewed_at_ms += slewed * SLEW;
        }
    }

    /// The time for a command.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// The time by which something is due.
    pub(crate) fn due_now(&self) -> Timestamp {
        self.due_now
    }

    /// The earliest time that the store's clock can show: dates have come by it.
    pub(crate) fn clock(&self) -> Timestamp {
        self.clock
    }

    /// The time by which batches and answers are kept: a pinned clock says nothing about that.
    pub(crate) fn unpinned(&self) -> Timestamp {
        self.floor
    }

    /// The milliseconds until something is due; none while the clock is pinned before it.
    pub(crate) fn until_ms(&self, due_at: Timestamp) -> Option<u64> {
        let left = due_at - self.due_now;
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

    /// The earliest and the latest time.
    fn both(time: &PartitionTime) -> (i64, i64) {
        (time.due_now().0, time.now().0)
    }

    #[test]
    fn time_is_the_stores_and_goes_on_with_the_steady_clock() {
        let mut time = PartitionTime::new(None, &at(1_000, 0));
        assert_eq!(time.now(), Timestamp(1_000));
        time.observe(&told(5_000, 10, 2));
        time.observe(&at(1_500, 30));
        assert_eq!(both(&time), (5_019, 5_024), "the node's wall clock no longer counts");
    }

    #[test]
    fn time_does_not_fall_when_the_owner_changes() {
        let mut time = PartitionTime::new(Some(Timestamp(9_000)), &told(1_000, 0, 0));
        assert_eq!(time.now(), Timestamp(9_000));
        time.observe(&at(0, 1_000));
        assert_eq!(time.now(), Timestamp(9_990), "it goes on, a hundredth slower");
    }

    #[test]
    fn what_an_owner_does_not_know_of_the_clock_ends_no_duration_early() {
        let first = PartitionTime::new(None, &told(100_000, LOOK_MS_MAX, LOOK_MS_MAX));
        let deadline = first.now() + 1_000;
        // The answer took all its time on the way back, so the store's clock shows this when the next owner looks.
        let mut next = PartitionTime::new(Some(first.now()), &told(100_010, 0, 0));
        next.observe(&at(0, 1_000));
        assert!(next.due_now() <= Timestamp(101_010) && next.due_now() < deadline, "{:?}", both(&next));
        assert!(next.now() >= Timestamp(101_010));
    }

    #[test]
    fn durations_go_on_when_the_clock_is_set_back_and_the_owner_changes() {
        let mut next = PartitionTime::new(Some(Timestamp(100_000)), &told(41_000, 0, 0));
        next.observe(&at(0, 10_000));
        let (earliest, latest) = both(&next);
        assert!((109_600..=109_900).contains(&earliest) && latest == 109_900, "{earliest} {latest}");
    }

    #[test]
    fn a_slow_answer_neither_stops_time_nor_makes_it_jump() {
        let mut time = PartitionTime::new(None, &told(100_000, 0, 0));
        assert_eq!(both(&time), (99_999, 100_002));
        // The store looked at its clock at 100,010 and answered four seconds later.
        time.observe(&told(100_010, 4_010, 4_005));
        assert_eq!(both(&time), (104_009, 104_012));
        time.observe(&told(104_020, 4_020, 1));
        assert_eq!(both(&time), (104_019, 104_022));
    }

    #[test]
    fn durations_go_on_when_the_stores_clock_is_set_back() {
        let mut time = PartitionTime::new(None, &told(100_000, 0, 0));
        time.observe(&told(41_000, 1_000, 0));
        assert_eq!(both(&time), (100_999, 101_002));
        time.observe(&at(0, 11_000));
        assert_eq!(both(&time), (110_899, 110_902), "ten seconds passed, less one part in a hundred");
        for second in 12..8_000 {
            time.observe(&at(0, second * 1_000));
        }
        assert_eq!(both(&time), (8_038_999, 8_039_002), "the clock has caught up");
    }

    #[test]
    fn time_follows_a_clock_that_was_set_ahead() {
        let mut time = PartitionTime::new(None, &told(100_000, 0, 0));
        time.observe(&told(500_000, 1_000, 1));
        assert_eq!(both(&time), (499_999, 500_003));
    }

    #[test]
    fn clocks_that_drift_apart_are_followed() {
        let mut time = PartitionTime::new(None, &told(0, 0, 0));
        for minute in 1..600_u64 {
            // The store's clock gains a millisecond in ten seconds.
            let store = minute * 60_000 + minute * 6;
            time.observe(&told(store as i64, minute * 60_000, 1));
            let (earliest, latest) = both(&time);
            assert!(earliest <= store as i64 && store as i64 <= latest, "{earliest} {store} {latest}");
            assert!(latest - earliest < 40, "{earliest} {latest}");
        }
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
