//! Durations: reading, writing, and adding them over months and changes of the clock.

mod common;

use common::{at, berlin, zone};
use tidemill_calendar::{Duration, Schedule, Timestamp, Zone};

fn duration(text: &str) -> Duration {
    Duration::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn durations_are_read_and_written_in_shortest_form() {
    for (text, written) in [
        ("PT0S", "PT0S"),
        ("P0D", "PT0S"),
        ("PT10S", "PT10S"),
        ("pt10s", "PT10S"),
        ("PT90M", "PT1H30M"),
        ("PT36H", "PT36H"),
        ("P1D", "P1D"),
        ("P2W", "P14D"),
        ("P1W1D", "P8D"),
        ("P1Y2M3W4DT5H6M7.5S", "P1Y2M25DT5H6M7.5S"),
        ("P14M", "P1Y2M"),
        ("+P1M", "P1M"),
        ("-P1M2D", "P-1M-2D"),
        ("-PT1.5S", "PT-1.5S"),
        ("PT-0.5S", "PT-0.5S"),
        ("P1M-1D", "P1M-1D"),
        ("-P-1M+1D", "P1M-1D"),
        ("P1DT-1H", "P1DT-1H"),
        ("PT1H-5M", "PT55M"),
        ("PT1,25S", "PT1.25S"),
        ("PT0.5H", "PT30M"),
        ("PT1H0.5M", "PT1H30S"),
        ("PT0.000000001S", "PT0.000000001S"),
        ("P999999999999999999D", "P999999999999999999D"),
    ] {
        assert_eq!(duration(text).to_string(), written, "{text}");
        assert_eq!(duration(written), duration(text), "{text}");
    }
}

#[test]
fn what_is_no_duration_is_refused_with_its_place() {
    for (text, position, expected) in [
        ("", 1, "a duration, which begins with `P`"),
        ("10s", 1, "a duration, which begins with `P`"),
        ("P", 2, "a number with unit, or `T`"),
        ("PT", 3, "a digit"),
        ("P1", 3, "`Y` or `M` or `W` or `D`"),
        ("P1H", 3, "`Y` or `M` or `W` or `D`"),
        ("P1D1Y", 4, "the end of the text"),
        ("P1M1Y", 5, "`W` or `D`"),
        ("PT1D", 4, "`H` or `M` or `S`"),
        ("PT1S1M", 5, "the end of the text"),
        ("PT1.5H1M", 7, "the end of the text"),
        ("P1.5D", 2, "a whole number"),
        ("PT--1S", 4, "a digit"),
        ("PT1 S", 4, "`H` or `M` or `S`"),
        ("PT10S ", 6, "the end of the text"),
        ("P1234567890123456789D", 2, "a number of at most 18 digits"),
        ("P999999999999999999Y", 2, "a smaller number"),
        ("P999999999999999999W", 1, "a shorter duration"),
        ("PT999999999999999999H60M", 1, "a shorter duration"),
    ] {
        let error = Duration::parse(text).expect_err(text);
        assert_eq!((error.position, error.expected.as_str()), (position, expected), "{text}");
    }
}

#[test]
fn durations_are_added_in_the_calendar() {
    for (from, added, instant) in [
        ("2026-01-01T00:00Z", "PT0S", "2026-01-01T00:00Z"),
        ("2026-01-01T00:00Z", "PT0.25S", "2026-01-01T00:00:00.25Z"),
        ("2026-01-01T00:00Z", "PT0.0001S", "2026-01-01T00:00:00.001Z"),
        ("2026-01-31T00:00Z", "P1M", "2026-02-28T00:00Z"),
        ("2024-01-31T00:00Z", "P1M", "2024-02-29T00:00Z"),
        ("2026-01-31T00:00Z", "P1M1D", "2026-03-01T00:00Z"),
        ("2026-01-31T00:00Z", "P2M", "2026-03-31T00:00Z"),
        ("2024-02-29T00:00Z", "P1Y", "2025-02-28T00:00Z"),
        ("2026-01-01T00:00Z", "P1W", "2026-01-08T00:00Z"),
        ("2026-03-31T00:00Z", "P1M-1D", "2026-04-29T00:00Z"),
        ("2026-03-31T12:00Z", "-P1M", "2026-02-28T12:00Z"),
        ("2026-01-01T00:00Z", "PT-1H", "2025-12-31T23:00Z"),
    ] {
        assert_eq!(duration(added).after(at(from), &Zone::utc()), at(instant), "{from} + {added}");
    }
}

#[test]
fn days_follow_the_clock_on_the_wall_and_hours_do_not() {
    for (from, added, instant) in [
        // Into, onto and over the skipped hour of 29 March.
        ("2026-03-28T12:00[Europe/Berlin]", "P1D", "2026-03-29T12:00[Europe/Berlin]"),
        ("2026-03-28T12:00[Europe/Berlin]", "PT24H", "2026-03-29T13:00[Europe/Berlin]"),
        ("2026-03-28T02:30[Europe/Berlin]", "P1D", "2026-03-29T03:30[Europe/Berlin]"),
        ("2026-03-28T02:30[Europe/Berlin]", "P2D", "2026-03-30T02:30[Europe/Berlin]"),
        ("2026-02-28T02:30[Europe/Berlin]", "P1M1D", "2026-03-29T03:30[Europe/Berlin]"),
        ("2026-03-28T02:30[Europe/Berlin]", "P1DT1H", "2026-03-29T04:30[Europe/Berlin]"),
        ("2026-03-29T01:30[Europe/Berlin]", "PT1H", "2026-03-29T03:30[Europe/Berlin]"),
        ("2026-03-30T02:30[Europe/Berlin]", "-P1D", "2026-03-29T03:30[Europe/Berlin]"),
        // The same for the repeated hour of 25 October.
        ("2026-10-24T12:00[Europe/Berlin]", "P1D", "2026-10-25T12:00[Europe/Berlin]"),
        ("2026-10-24T12:00[Europe/Berlin]", "PT24H", "2026-10-25T11:00[Europe/Berlin]"),
        ("2026-10-24T02:30[Europe/Berlin]", "P1D", "2026-10-25T02:30+02:00"),
        ("2026-10-24T02:30[Europe/Berlin]", "P1DT1H", "2026-10-25T02:30+01:00"),
        ("2026-10-25T02:30+02:00", "PT1H", "2026-10-25T02:30+01:00"),
        ("2026-10-25T02:30+01:00", "P1D", "2026-10-26T02:30+01:00"),
        ("2026-10-25T02:30+02:00", "P1D", "2026-10-26T02:30+01:00"),
        ("2026-10-26T02:30[Europe/Berlin]", "-P1D", "2026-10-25T02:30+02:00"),
    ] {
        assert_eq!(duration(added).after(at(from), &berlin()), at(instant), "{from} + {added}");
    }
}

#[test]
fn a_day_that_a_zone_left_out_still_moves_on() {
    let apia = zone("Pacific/Apia");
    let before = at("2011-12-29T10:00[Pacific/Apia]");
    assert_eq!(duration("P1D").after(before, &apia), at("2011-12-31T10:00[Pacific/Apia]"));
}

#[test]
fn results_stop_at_the_ends_of_time() {
    for (text, end) in [
        ("P999999999999999999M", Timestamp::MAX),
        ("P999999999999999999D", Timestamp::MAX),
        ("PT999999999999999999H", Timestamp::MAX),
        ("P9999Y", Timestamp::MAX),
        ("-P999999999999999999M", Timestamp::MIN),
        ("-P999999999999999999D", Timestamp::MIN),
        ("-PT999999999999999999H", Timestamp::MIN),
    ] {
        for from in [Timestamp(0), at("2026-01-01"), Timestamp(i64::MAX), Timestamp(i64::MIN)] {
            let far = duration(text).after(from, &berlin());
            assert!((Timestamp::MIN..=Timestamp::MAX).contains(&far));
            assert!(far == end || from.0 == i64::MIN || from.0 == i64::MAX, "{text} from {from}");
        }
    }
}

#[test]
fn signs_are_told_apart() {
    for (text, negative, zero) in [
        ("PT0S", false, true),
        ("PT1S", false, false),
        ("PT-1S", true, false),
        ("-P1M", true, false),
        ("P1M-40D", true, false),
        ("P1M-1D", false, false),
        ("P1DT-24H", false, false),
    ] {
        assert_eq!((duration(text).is_negative(), duration(text).is_zero()), (negative, zero), "{text}");
    }
}

#[test]
fn a_negative_duration_is_due_now() {
    let now = at("2026-01-01");
    for (text, due) in [("-PT1H", now), ("PT0S", now), ("PT1H", at("2026-01-01T01:00"))] {
        let schedule = Schedule::Duration(duration(text));
        assert_eq!(schedule.first_due(now, &berlin()), Some(due));
        assert_eq!(schedule.next_due(due, now, &berlin()), None);
        assert_eq!(schedule.repetitions(), None);
    }
}
