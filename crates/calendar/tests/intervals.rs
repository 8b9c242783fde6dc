//! Repeating intervals: forms, first and next due times, ends, and changes of the clock.

mod common;

use common::{at, berlin, cycle, dues};
use tidemill_calendar::{Cycle, Repetitions, Timestamp, Zone};

const NOW: &str = "2026-01-01T00:00Z";

#[test]
fn repetitions_are_read_stored_and_counted_down() {
    for (text, repetitions, stored) in [
        ("R/PT1S", Repetitions::Forever, -1),
        ("R-1/PT1S", Repetitions::Forever, -1),
        ("R0/PT1S", Repetitions::Times(1), 1),
        ("R1/PT1S", Repetitions::Times(1), 1),
        ("R3/PT1S", Repetitions::Times(3), 3),
        ("R2147483647/PT1S", Repetitions::Times(2_147_483_647), 2_147_483_647),
        ("0 0 * * * *", Repetitions::Forever, -1),
    ] {
        assert_eq!(cycle(text).repetitions(), repetitions, "{text}");
        assert_eq!(repetitions.to_stored(), stored);
        assert_eq!(Repetitions::from_stored(stored), Some(repetitions));
    }
    for (pending, left) in [
        (Repetitions::Forever, Some(Repetitions::Forever)),
        (Repetitions::Times(3), Some(Repetitions::Times(2))),
        (Repetitions::Times(2), Some(Repetitions::Times(1))),
        (Repetitions::Times(1), None),
        (Repetitions::Times(0), None),
    ] {
        assert_eq!(pending.after_firing(), left);
    }
    for never_stored in [0, -2, i64::MIN, i64::MAX] {
        assert_eq!(Repetitions::from_stored(never_stored), None);
    }
}

#[test]
fn due_times_by_form() {
    let table: [(&str, &[&str]); 12] = [
        ("R3/PT10S", &["2026-01-01T00:00:10Z", "2026-01-01T00:00:20Z", "2026-01-01T00:00:30Z"]),
        ("R/P1D", &["2026-01-02T00:00Z", "2026-01-03T00:00Z", "2026-01-04T00:00Z"]),
        ("R3/2026-01-01T00:00:00Z/PT1H", &["2026-01-01T00:00Z", "2026-01-01T01:00Z", "2026-01-01T02:00Z"]),
        ("R3/2026-02-01T00:00:00Z/PT1H", &["2026-02-01T00:00Z", "2026-02-01T01:00Z", "2026-02-01T02:00Z"]),
        // A start that is past is due at once and counts from then.
        ("R/2025-06-01T00:30:00Z/PT1H", &["2026-01-01T00:00Z", "2026-01-01T01:00Z", "2026-01-01T02:00Z"]),
        (
            "R/2026-02-01T00:00:00[Europe/Berlin]/P1D",
            &["2026-01-31T23:00Z", "2026-02-01T23:00Z", "2026-02-02T23:00Z"],
        ),
        ("R/2026-02-01T00:00:00/P1D", &["2026-01-31T23:00Z", "2026-02-01T23:00Z", "2026-02-02T23:00Z"]),
        // Nothing is due after the end; the end itself still is.
        ("R/P1D/2026-01-03T00:00:00Z", &["2026-01-02T00:00Z", "2026-01-03T00:00Z"]),
        ("R3/P1D/2026-01-02T00:00:00Z", &["2026-01-02T00:00Z"]),
        ("R3/P1D/2026-01-01T00:00:00Z", &[]),
        ("R/2026-01-05T00:00Z/P1D/2026-01-06T12:00Z", &["2026-01-05T00:00Z", "2026-01-06T00:00Z"]),
        // Two dates say how long a round is.
        (
            "R/2026-01-05T00:00Z/2026-01-05T06:00Z",
            &["2026-01-05T00:00Z", "2026-01-05T06:00Z", "2026-01-05T12:00Z"],
        ),
    ];
    for (text, expected) in table {
        assert_eq!(dues(text, NOW, &berlin(), 3), expected, "{text}");
    }
}

#[test]
fn late_firings_are_made_up_one_by_one_without_drift() {
    let hourly = cycle("R/PT1H");
    let hours_later = at("2026-01-01T05:17:03Z");
    let mut due = at("2026-01-01T01:00Z");
    for hour in 2..=8 {
        due = hourly.next_due(due, hours_later, &Zone::utc()).unwrap();
        assert_eq!(due, at(&format!("2026-01-01T{hour:02}:00Z")));
    }
}

#[test]
fn short_months_do_not_move_later_ones_counted_from_a_start() {
    let expected = ["2026-01-31T08:00Z", "2026-02-28T08:00Z", "2026-03-31T08:00Z", "2026-04-30T08:00Z"];
    assert_eq!(dues("R/2026-01-31T08:00Z/P1M", NOW, &berlin(), 4), expected);
    let leap_days = dues("R/2028-02-29T00:00Z/P1Y", NOW, &berlin(), 5);
    assert_eq!(leap_days[3..], ["2031-02-28T00:00Z", "2032-02-29T00:00Z"]);
}

#[test]
fn without_start_months_count_from_the_previous_due_time() {
    let monthly = cycle("R/P1M");
    let next = |due: &str| monthly.next_due(at(due), at(due), &Zone::utc());
    assert_eq!(next("2026-01-31T08:00Z"), Some(at("2026-02-28T08:00Z")));
    assert_eq!(next("2026-02-28T08:00Z"), Some(at("2026-03-28T08:00Z")));
}

/// A start that an expression computes anew each time must not become the next due time.
#[test]
fn a_due_time_off_the_rounds_of_the_start_counts_from_itself() {
    let again = cycle("R/2026-01-01T00:00:07Z/P1D");
    assert_eq!(again.next_due(at(NOW), at(NOW), &Zone::utc()), Some(at("2026-01-02T00:00Z")));
    let odd = at("2026-03-01T12:34:56Z");
    assert_eq!(again.next_due(odd, odd, &Zone::utc()), Some(at("2026-03-02T12:34:56Z")));
}

#[test]
fn daily_rounds_over_the_skipped_hour() {
    let from_start = dues("R/2026-03-28T02:30[Europe/Berlin]/P1D", NOW, &Zone::utc(), 4);
    assert_eq!(
        from_start,
        ["2026-03-28T01:30Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z", "2026-03-31T00:30Z"]
    );
    let hourly = dues("R/2026-03-29T00:30[Europe/Berlin]/PT1H", NOW, &Zone::utc(), 3);
    assert_eq!(hourly, ["2026-03-28T23:30Z", "2026-03-29T00:30Z", "2026-03-29T01:30Z"]);
    let no_start = dues("R/P1D", "2026-03-27T12:00+01:00", &berlin(), 3);
    assert_eq!(no_start, ["2026-03-28T11:00Z", "2026-03-29T10:00Z", "2026-03-30T10:00Z"]);
    let fixed_offset = dues("R/2026-03-28T02:30+01:00/P1D", NOW, &berlin(), 3);
    assert_eq!(fixed_offset, ["2026-03-28T01:30Z", "2026-03-29T01:30Z", "2026-03-30T01:30Z"]);
}

#[test]
fn daily_rounds_over_the_repeated_hour() {
    let from_start = dues("R/2026-10-24T02:30[Europe/Berlin]/P1D", NOW, &Zone::utc(), 4);
    assert_eq!(
        from_start,
        ["2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z", "2026-10-27T01:30Z"]
    );
    let second_pass = dues("R/2026-10-25T02:30+01:00[Europe/Berlin]/P1D", NOW, &Zone::utc(), 2);
    assert_eq!(second_pass, ["2026-10-25T01:30Z", "2026-10-26T01:30Z"]);
    let half_hourly = dues("R/2026-10-25T02:30[Europe/Berlin]/PT30M", NOW, &Zone::utc(), 4);
    assert_eq!(
        half_hourly,
        ["2026-10-25T00:30Z", "2026-10-25T01:00Z", "2026-10-25T01:30Z", "2026-10-25T02:00Z"]
    );
    let no_start = dues("R/P1D", "2026-10-24T12:00+02:00", &berlin(), 2);
    assert_eq!(no_start, ["2026-10-25T11:00Z", "2026-10-26T11:00Z"]);
}

#[test]
fn a_left_out_day_is_not_due_twice() {
    let daily = dues("R/2011-12-29T10:00[Pacific/Apia]/P1D", "2011-01-01", &Zone::utc(), 3);
    assert_eq!(daily, ["2011-12-29T20:00Z", "2011-12-30T20:00Z", "2011-12-31T20:00Z"]);
}

#[test]
fn rounds_far_from_the_start_are_still_found() {
    let monthly = cycle("R/1926-01-31T02:30[Europe/Berlin]/P1M");
    let due = at("2126-02-28T02:30[Europe/Berlin]");
    assert_eq!(monthly.next_due(due, due, &Zone::utc()), Some(at("2126-03-31T02:30[Europe/Berlin]")));
}

#[test]
fn the_end_of_time_ends_a_cycle() {
    let yearly = cycle("R/P1Y");
    assert_eq!(yearly.next_due(Timestamp::MAX, Timestamp(0), &Zone::utc()), None);
    assert_eq!(yearly.next_due(Timestamp(i64::MAX), Timestamp(0), &Zone::utc()), None);
}

#[test]
fn what_is_no_cycle_is_refused_with_its_place() {
    for (text, position, expected) in [
        ("", 1, "a repeating interval, which begins with `R`, or a cron schedule"),
        ("R", 2, "a number of repetitions, or `/`"),
        ("R/", 3, "a date or a duration"),
        ("Rx/PT1S", 2, "a number of repetitions, or `/`"),
        ("R-2/PT1S", 3, "`1`, as -1 means for ever"),
        ("R2147483648/PT1S", 2, "a number from 0 to 2147483647"),
        ("R3PT1S", 3, "`/`"),
        ("R3/PT1S/", 9, "a digit"),
        ("R3/PT0S", 4, "a duration longer than zero"),
        ("R3/-PT1S", 4, "a duration longer than zero"),
        ("R3/PT0.0009S", 4, "a duration of a millisecond or more"),
        ("R/PT0.000000001S", 3, "a duration of a millisecond or more"),
        ("R3/P1M-1D", 4, "a duration longer than zero"),
        ("R3/PTS", 6, "a digit"),
        ("R3/2026-01-01T00:00Z", 21, "`/`"),
        ("R3/2026-01-01T00:00Z/", 22, "a date or a duration"),
        ("R3/2026-01-32T00:00Z/PT1S", 12, "a number from 01 to 31"),
        ("R3/2026-01-01T00:00Z/2025-01-01T00:00Z", 22, "a date after the start"),
        ("R3/2026-01-01T00:00[Moon/Base]/PT1S", 21, "the name of a time zone or an offset"),
        ("R3/PT1S/2026-01-01/PT1S", 19, "the end of the text"),
        ("R3/PT1S extra", 8, "the end of the text"),
    ] {
        let error = Cycle::parse(text).expect_err(text);
        assert_eq!((error.position, error.expected.as_str()), (position, expected), "{text}");
    }
}
