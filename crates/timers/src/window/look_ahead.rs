//! The reach of the window: minutes ahead while memory allows, a second when it is short.

/// The window always tries to hold what is due within this time.
pub const LOOK_AHEAD_MS_MIN: i64 = 1_000;
/// Rows that one read asks for at most.
pub const PAGE_TIMERS_MAX: usize = 20_000;
/// Rows that one read asks for at least, however little memory is left: the work must go on.
const PAGE_TIMERS_MIN: usize = 16;
/// The memory that a timer is taken to occupy before any was seen.
const TIMER_BYTES: usize = 256;

pub(super) struct LookAhead {
    ms: i64,
    ms_max: i64,
}

impl LookAhead {
    pub(super) fn new(ms_max: i64) -> LookAhead {
        let ms_max = ms_max.max(LOOK_AHEAD_MS_MIN);
        LookAhead { ms: ms_max, ms_max }
    }

    pub(super) fn ms(&self) -> i64 {
        self.ms
    }

    /// Follows what a read has brought: less room, or all that was asked for.
    pub(super) fn adapt(&mut self, was_cut: bool, bytes: usize, bytes_max: usize) {
        if was_cut && bytes > bytes_max / 2 {
            self.ms = (self.ms / 2).max(LOOK_AHEAD_MS_MIN);
        } else if !was_cut && bytes < bytes_max / 2 {
            self.ms = (self.ms * 2).min(self.ms_max);
        }
    }

    /// Rows that fit into what is left of the budget.
    pub(super) fn page_timers(&self, len: usize, bytes: usize, bytes_max: usize) -> usize {
        let each = if len == 0 { TIMER_BYTES } else { bytes.div_ceil(len).max(1) };
        (bytes_max.saturating_sub(bytes) / each).clamp(PAGE_TIMERS_MIN, PAGE_TIMERS_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_shrinks_to_a_second_and_grows_back_to_minutes() {
        let mut ahead = LookAhead::new(120_000);
        for _ in 0..10 {
            ahead.adapt(true, 900, 1_000);
        }
        assert_eq!(ahead.ms(), LOOK_AHEAD_MS_MIN);
        ahead.adapt(false, 900, 1_000);
        assert_eq!(ahead.ms(), LOOK_AHEAD_MS_MIN, "memory is still short");
        for _ in 0..10 {
            ahead.adapt(false, 100, 1_000);
        }
        assert_eq!(ahead.ms(), 120_000);
        assert_eq!(ahead.page_timers(0, 0, usize::MAX), PAGE_TIMERS_MAX);
        assert_eq!(ahead.page_timers(10, 1_000, 1_000), PAGE_TIMERS_MIN);
    }
}
