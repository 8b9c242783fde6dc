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

    /// See [`crate::Cycle::last_due`]. The times between are not counted: a cron schedule has no number of firings that runs out.
    pub(crate) fn last_due(
        &self,
        previous_due: Timestamp,
        until: Timestamp,
        zone: &Zone,
    ) -> (Timestamp, u64) {
        let is_past = |due: &Timestamp| *due <= until;
        if self.next_after(previous_due, zone).filter(is_past).is_none() {
            return (previous_due, 0);
        }
        // The last due time is the earliest one after which nothing is due until then.
        let (mut early, mut late) = (previous_due.0, until.0);
        while late - early > 1 {
            let middle = early + (late - early) / 2;
            match self.next_after(Timestamp(middle), zone).filter(is_past) {
                Some(due) => early = due.0.max(middle),
                None => late = middle,
            }
        }
        let last = match self.next_after(Timestamp(early), zone).filter(is_past) {
            Some(due) => due,
            None => Timestamp(early),
        };
        (last, 1)
    }

    /// A schedule for every hour is about elapsed time, any other about the clock on the wall.
    fn goes_by_elapsed_time(&self) -> bool {
        const ALL_HOURS: u64 = (1 << 24) - 1;
        self.hours == ALL_HOURS
    }
}
