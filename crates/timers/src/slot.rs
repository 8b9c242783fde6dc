//! Time slots: `slot = due_ms >> (10 + 6 * level)`. Six levels, each slot 64 times as long as one of the level below.

/// Levels of slots of 1 s, 65 s, 70 min, 3.1 d, 199 d and 35 y.
pub const LEVELS: u8 = 6;
/// The coarsest level.
pub const LEVEL_MAX: u8 = LEVELS - 1;
/// Children of a slot: the slots one level down that it covers.
pub const CHILDREN: i64 = 1 << LEVEL_BITS;
/// The last millisecond of the year 9999.
pub const DUE_MS_MAX: i64 = 253_402_300_799_999;

const LEVEL_BITS: u32 = 6;
const FINEST_BITS: u32 = 10;

const fn bits(level: u8) -> u32 {
    FINEST_BITS + LEVEL_BITS * level as u32
}

/// The length of a slot of a level.
pub const fn length_ms(level: u8) -> i64 {
    1 << bits(level)
}

/// A stretch of time, named by its level and its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    pub level: u8,
    pub number: i64,
}

impl Slot {
    /// The slot of a level that a time lies in.
    pub const fn of(due_ms: i64, level: u8) -> Slot {
        Slot { level, number: due_ms >> bits(level) }
    }

    /// Its first millisecond; the end of time for a number that no time has.
    pub const fn begin_ms(self) -> i64 {
        if self.number > i64::MAX >> bits(self.level) {
            return i64::MAX;
        }
        self.number << bits(self.level)
    }

    /// The first millisecond behind it.
    pub const fn end_ms(self) -> i64 {
        Slot { level: self.level, number: self.number.saturating_add(1) }.begin_ms()
    }

    pub const fn contains(self, due_ms: i64) -> bool {
        due_ms >> bits(self.level) == self.number
    }

    /// The slot one level up that covers this one. The coarsest have none.
    pub const fn parent(self) -> Option<Slot> {
        if self.level >= LEVEL_MAX {
            return None;
        }
        Some(Slot { level: self.level + 1, number: self.number >> LEVEL_BITS })
    }

    /// The slots one level down, in order; none below the finest level.
    pub fn children(self) -> impl Iterator<Item = Slot> {
        let first = self.number << LEVEL_BITS;
        let count = if self.level == 0 { 0 } else { CHILDREN };
        (first..first + count).map(move |number| Slot { level: self.level - 1, number })
    }
}

/// The level at which a timer is stored as seen from a time: the finest whose parent slot has begun by then.
pub fn level_from(due_ms: i64, from_ms: i64) -> u8 {
    let mut level = 0;
    while level < LEVEL_MAX && Slot::of(due_ms, level + 1).number > Slot::of(from_ms, level + 1).number {
        level += 1;
    }
    level
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_last_a_second_to_thirty_five_years() {
        let lengths: Vec<i64> = (0..LEVELS).map(length_ms).collect();
        assert_eq!(lengths, [1_024, 65_536, 4_194_304, 268_435_456, 17_179_869_184, 1_099_511_627_776]);
        let top = Slot::of(DUE_MS_MAX, LEVEL_MAX);
        assert_eq!(top.number, 230);
        assert!(top.end_ms() > DUE_MS_MAX);
    }

    #[test]
    fn a_slot_is_covered_by_its_parent_and_filled_by_its_children() {
        for due_ms in [0, 1_023, 1_024, 65_535, 65_536, 1_700_000_000_000, DUE_MS_MAX] {
            for level in 0..LEVELS {
                let slot = Slot::of(due_ms, level);
                assert!(slot.contains(due_ms) && slot.begin_ms() <= due_ms && due_ms < slot.end_ms());
                assert_eq!(slot.end_ms() - slot.begin_ms(), length_ms(level));
                assert_eq!(slot.parent(), (level < LEVEL_MAX).then(|| Slot::of(due_ms, level + 1)));
                let children: Vec<Slot> = slot.children().collect();
                assert_eq!(children.len() as i64, if level == 0 { 0 } else { CHILDREN });
                assert!(children.iter().all(|child| child.parent() == Some(slot)));
                if let (Some(first), Some(last)) = (children.first(), children.last()) {
                    assert_eq!((first.begin_ms(), last.end_ms()), (slot.begin_ms(), slot.end_ms()));
                }
            }
        }
    }

    #[test]
    fn a_timer_is_stored_as_coarsely_as_its_distance_allows() {
        let from_ms = 10 * length_ms(3) + 5 * length_ms(1);
        assert_eq!(level_from(from_ms - 1_000_000, from_ms), 0, "what is overdue is due now");
        assert_eq!(level_from(from_ms, from_ms), 0);
        assert_eq!(level_from(from_ms + length_ms(1) - 1, from_ms), 0);
        assert_eq!(level_from(from_ms + length_ms(1), from_ms), 1);
        assert_eq!(level_from(from_ms + length_ms(2), from_ms), 2);
        assert_eq!(level_from(from_ms + 64 * length_ms(3), from_ms), 4);
        assert_eq!(level_from(DUE_MS_MAX, from_ms), LEVEL_MAX);
    }
}
