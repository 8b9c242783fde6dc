//! Dates, durations, repeating intervals and cron schedules. Pure: the caller says what time it is.
//!
//! Time crosses the boundary of this crate as [`Timestamp`], milliseconds since the epoch, and is kept to
//! the millisecond: fractions beyond it are rounded up, so that nothing is ever due early. Results beyond
//! the years -9999 to 9999 stop at [`Timestamp::MIN`] and [`Timestamp::MAX`]. Time zones come from a
//! database inside the binary, never from the machine.
//!
//! # What is understood
//! - [`Date`]: `2026-01-31`, `2026-01-31T09:00`, with seconds and fraction, followed by an offset
//!   (`Z`, `+01`, `+0100`, `+01:00`), by `[Zone]`, by both, or by neither (then the zone passed in holds).
//!   With both, the offset says which instant is meant and the zone is used to count on from it.
//! - [`Duration`]: `P1Y2M3W4DT5H6M7.5S`, any part may be missing or carry its own sign, and a sign may
//!   stand before the `P`. The last of the time parts may have a fraction. Years, months, weeks and days
//!   follow the calendar of a zone; hours, minutes and seconds are exact, so `P1D` and `PT24H` differ
//!   when clocks change. A day that a month does not have becomes its last day.
//! - [`Cycle`], repeating interval: `Rn/` (n firings; 0 and 1 both mean one) or `R/`, `R-1/` (for ever), then
//!   `duration`, `start/duration`, `duration/end`, `start/duration/end` or `start/end`. Nothing is due
//!   after `end`. In `start/end` the two dates only say how long one round is, as in ISO 8601.
//! - [`Cycle`], cron: six fields (second, minute, hour, day of month, month, day of week) or five (second 0),
//!   or `@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`, `@midnight`, `@hourly`.
//!
//! # When a cycle is due
//! A repeating interval is first due at its start, at once if that is past, or after one duration if it has
//! none. It is next due one duration after the time it was *due* before, however late it was: there is no
//! drift, and late firings are made up one by one. As long as the due times are those counted from the start,
//! each is counted from the start itself: a month that is too short or a night with a missing hour does not
//! move the ones after it. A cron schedule is always due next after now.
//!
//! # When clocks change
//! - A local date in the skipped hour is moved forward by what was skipped (02:30 becomes 03:30). A local
//!   date in the repeated hour is the first of the two. An offset or instant is never moved.
//! - Durations and repeating intervals: the calendar parts give a local date, for which the same holds; the
//!   exact parts are added to the resulting instant.
//! - Cron with `*` as hour goes by elapsed time: times in the skipped hour do not exist, and it is due in both
//!   of the repeated hours. Any other cron goes by the clock on the wall: times in the skipped hour are due
//!   together, once, when the hour is over, and the repeated hour counts only the first time. So a nightly
//!   schedule is due exactly once every night.
//!
//! # Cron dialect
//! The rules are those of Spring 5.3, and implemented here because no library at hand follows them, reports
//! where a mistake is, and answers quickly for a schedule that never comes (such as 30 February):
//! - Names of months and days of any case. Day of week 0 to 7, 0 and 7 are Sunday; a range may begin with
//!   Sunday (`SUN-TUE`, `7-2`) but not wrap otherwise. `a/n` counts from `a` to the end of the field.
//! - When both day fields are restricted, **both** must match. `?` is `*` in these two fields.
//! - Day of month: `L` last day, `L-n` that many days earlier, `LW` last weekday, `nW` the weekday nearest to
//!   day n. Day of week: `5L` or `FRIL` last Friday, `5#2` or `FRI#2` second Friday. All may be in lists.
//!
//! It differs from Spring in three things: five fields are accepted; `nW` never leaves its month (Spring skips
//! such a month); and the nightly schedule above, which Spring skips in spring and fires twice in autumn.

mod cron;
mod cursor;
mod cycle;
mod date;
mod duration;
mod duration_text;
mod error;
mod interval;
mod schedule;
mod timestamp;
mod zone;

pub use cron::Cron;
pub use cycle::{Cycle, Repetitions};
pub use date::Date;
pub use duration::Duration;
pub use error::ParseError;
pub use interval::RepeatingInterval;
pub use schedule::Schedule;
pub use timestamp::Timestamp;
pub use zone::Zone;
