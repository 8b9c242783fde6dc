//! Cron schedules. The fields are read in `read`, days are matched in `days`, the next time is found in `search`.

mod days;
mod read;
mod search;

use crate::{ParseError, Timestamp, Zone};
use days::Days;

/// A cron schedule of second, minute, hour, day of month, month and day of week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron {
    /// Bit n stands for second n; likewise minutes, hours and months.
    seconds: u64,
    minutes: u64,
    hours: u64,
    months: u64,
    days: Days,
}

impl Cron {
    /// Reads six fields, five fields (at second 0) or a macro such as `@daily`.
    pub fn parse(text: &str) -> Result<Cron, ParseError> {
        read::read(text)
    }

    /// The first matching time later than `after`; `None` if there is none in the 400 years that follow, after which
    /// the calendar repeats.
    pub fn next_after(&self, after: Timestamp, zone: &Zone) -> Option<Timestamp> {
        search::next_after(self, after, zone)
    }

    /// A schedule for every hour is about elapsed time, any other about the clock on the wall.
    fn goes_by_elapsed_time(&self) -> bool {
        const ALL_HOURS: u64 = (1 << 24) - 1;
        self.hours == ALL_HOURS
    }
}
