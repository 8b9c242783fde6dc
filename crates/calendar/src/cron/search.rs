//! Finding the next time of a cron schedule, first on the clock on the wall, then across changes of the clock.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp as Instant, ToSpan};

use super::Cron;
use crate::{Timestamp, Zone};

/// After 400 years days of week and month coincide again as before: what has not come by then never comes.
const MONTHS_SEARCHED: u32 = 400 * 12;
/// Longer than any clock was ever changed by.
const CLEAR_OF_CLOCK_CHANGES: SignedDuration = SignedDuration::from_hours(48);

pub(super) fn next_after(cron: &Cron, after: Timestamp, zone: &Zone) -> Option<Timestamp> {
    let whole_second = Instant::from_second(after.to_jiff().as_millisecond().div_euclid(1000)).ok()?;
    let mut from = whole_second.checked_add(SignedDuration::from_secs(1)).ok()?;
    let zone = zone.time_zone();
    loop {
        let offset = zone.to_offset(from);
        let local = next_local(cron, first_local(cron, from, zone))?;
        let found = offset.to_timestamp(local).ok()?;
        let change = zone.following(from).next().map(|change| (change.timestamp(), change.offset()));
        let Some((changed_at, new_offset)) = change.filter(|(changed_at, _)| *changed_at <= found) else {
            return Some(Timestamp::from_jiff(found));
        };
        if !cron.goes_by_elapsed_time() && local < new_offset.to_datetime(changed_at) {
            return Some(Timestamp::from_jiff(changed_at));
        }
        from = changed_at.max(found.checked_sub(CLEAR_OF_CLOCK_CHANGES).unwrap_or(Instant::MIN));
    }
}

/// The local time from which to search. On the second way through a repeated hour a schedule that goes by the
/// clock on the wall has nothing more to do until the hour is over.
fn first_local(cron: &Cron, from: Instant, zone: &TimeZone) -> DateTime {
    let local = zone.to_datetime(from);
    if cron.goes_by_elapsed_time() {
        return local;
    }
    let nanosecond = SignedDuration::from_nanos(1);
    let last_change =
        from.checked_add(nanosecond).ok().and_then(|just_after| zone.preceding(just_after).next());
    let Some(changed_at) = last_change.map(|change| change.timestamp()) else { return local };
    let Ok(before_change) = changed_at.checked_sub(nanosecond) else { return local };
    local.max(zone.to_offset(before_change).to_datetime(changed_at))
}

/// The first matching local time not before the given one.
fn next_local(cron: &Cron, from: DateTime) -> Option<DateTime> {
    if let Some(time) = day_matches(cron, from.date()).then(|| next_time(cron, from.time())).flatten() {
        return Some(from.date().to_datetime(time));
    }
    let date = next_date(cron, from.date())?;
    Some(date.to_datetime(next_time(cron, Time::midnight())?))
}

fn day_matches(cron: &Cron, date: Date) -> bool {
    cron.months & (1 << date.month()) != 0 && cron.days.of(date.first_of_month()) & (1 << date.day()) != 0
}

/// The first matching date after the given one.
fn next_date(cron: &Cron, date: Date) -> Option<Date> {
    let mut first = date.first_of_month();
    let mut days_to_skip = date.day();
    for _ in 0..=MONTHS_SEARCHED {
        if cron.months & (1 << first.month()) != 0 {
            let days = cron.days.of(first) & (!1 << days_to_skip);
            if days != 0 {
                let day = i8::try_from(days.trailing_zeros()).expect("a day of a month");
                return Date::new(first.year(), first.month(), day).ok();
            }
        }
        first = first.checked_add(1.month()).ok()?;
        days_to_skip = 0;
    }
    None
}

/// The first matching time of day not before the given one.
fn next_time(cron: &Cron, from: Time) -> Option<Time> {
    let (hour, minute, second) = (from.hour(), from.minute(), from.second());
    let same_minute = || {
        let second = at_or_after(cron.seconds, second)?;
        (holds(cron.hours, hour) && holds(cron.minutes, minute)).then_some((hour, minute, second))
    };
    let same_hour = || {
        let minute = at_or_after(cron.minutes, minute + 1)?;
        holds(cron.hours, hour).then_some((hour, minute, at_or_after(cron.seconds, 0)?))
    };
    let later_hour = || {
        let hour = at_or_after(cron.hours, hour + 1)?;
        Some((hour, at_or_after(cron.minutes, 0)?, at_or_after(cron.seconds, 0)?))
    };
    let (hour, minute, second) = same_minute().or_else(same_hour).or_else(later_hour)?;
    Time::new(hour, minute, second, 0).ok()
}

fn holds(bits: u64, number: i8) -> bool {
    bits & (1 << number) != 0
}

fn at_or_after(bits: u64, least: i8) -> Option<i8> {
    let bits = bits & (!0 << least);
    (bits != 0).then(|| i8::try_from(bits.trailing_zeros()).expect("fewer than 64 bits"))
}
