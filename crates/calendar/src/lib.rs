//! Dates, durations, repeating intervals and cron schedules. Pure: the caller says what time it is.
