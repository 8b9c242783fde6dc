//! Cron: the dialect, first and next due times, and what is refused.

mod common;

use std::time::{Duration, Instant};

use common::{at, berlin, cycle, dues};
use tidemill_calendar::{Cron, Zone};

/// A Thursday.
const NOW: &str = "2026-01-01T00:00Z";

#[track_caller]
fn expect_dues(text: &str, expected: &[&str]) {
    assert_eq!(dues(text, NOW, &Zone::utc(), expected.len()), expected, "{text}");
}

#[test]
fn numbers_ranges_lists_and_steps() {
    expect_dues("0 0 * * * *", &["2026-01-01T01:00Z", "2026-01-01T02:00Z"]);
    expect_dues("*/10 * * * * *", &["2026-01-01T00:00:10Z", "2026-01-01T00:00:20Z"]);
    expect_dues(
        "0 0 8-10 * * *",
        &["2026-01-01T08:00Z", "2026-01-01T09:00Z", "2026-01-01T10:00Z", "2026-01-02T08:00Z"],
    );
    expect_dues("0 0 6,19 * * *", &["2026-01-01T06:00Z", "2026-01-01T19:00Z", "2026-01-02T06:00Z"]);
    expect_dues(
        "0 0/30 8-9 * * *",
        &["2026-01-01T08:00Z", "2026-01-01T08:30Z", "2026-01-01T09:00Z", "2026-01-01T09:30Z"],
    );
    expect_dues(
        "5/20 59 23 31 12 *",
        &["2026-12-31T23:59:05Z", "2026-12-31T23:59:25Z", "2026-12-31T23:59:45Z"],
    );
    expect_dues("0 10-40/15 0 * * *", &["2026-01-01T00:10Z", "2026-01-01T00:25Z", "2026-01-01T00:40Z"]);
    expect_dues("0 0 0 25 12 ?", &["2026-12-25T00:00Z", "2027-12-25T00:00Z"]);
    expect_dues("0 0 0 1 JAN,jul *", &["2026-07-01T00:00Z", "2027-01-01T00:00Z"]);
    expect_dues(
        "0 0 0 1 feb-apr *",
        &["2026-02-01T00:00Z", "2026-03-01T00:00Z", "2026-04-01T00:00Z", "2027-02-01T00:00Z"],
    );
    expect_dues(
        "  0   0 0 31 */2 *  ",
        &["2026-01-31T00:00Z", "2026-03-31T00:00Z", "2026-05-31T00:00Z", "2026-07-31T00:00Z"],
    );
    expect_dues("30 9 * * *", &["2026-01-01T09:30Z", "2026-01-02T09:30Z"]);
}

#[test]
fn days_of_the_week() {
    expect_dues("0 0 9 * * MON-FRI", &["2026-01-01T09:00Z", "2026-01-02T09:00Z", "2026-01-05T09:00Z"]);
    for sunday in ["0", "7", "SUN", "sun", "0,7"] {
        expect_dues(&format!("0 0 0 ? * {sunday}"), &["2026-01-04T00:00Z", "2026-01-11T00:00Z"]);
    }
    for sunday_to_tuesday in ["0-2", "7-2", "SUN-TUE"] {
        let text = format!("0 0 0 * * {sunday_to_tuesday}");
        expect_dues(
            &text,
            &["2026-01-04T00:00Z", "2026-01-05T00:00Z", "2026-01-06T00:00Z", "2026-01-11T00:00Z"],
        );
    }
    for every_day in ["0-7", "7-7", "*", "?", "MON-SUN", "SUN-SAT"] {
        expect_dues(
            &format!("0 0 0 * * {every_day}"),
            &["2026-01-02T00:00Z", "2026-01-03T00:00Z", "2026-01-04T00:00Z"],
        );
    }
    expect_dues("0 0 0 * * */2", &["2026-01-02T00:00Z", "2026-01-04T00:00Z", "2026-01-05T00:00Z"]);
    expect_dues("0 0 0 * * SAT-SUN", &["2026-01-03T00:00Z", "2026-01-04T00:00Z", "2026-01-10T00:00Z"]);
}

#[test]
fn both_day_fields_must_match() {
    expect_dues("0 0 0 13 * FRI", &["2026-02-13T00:00Z", "2026-03-13T00:00Z", "2026-11-13T00:00Z"]);
    expect_dues("0 0 0 29 2 MON", &["2044-02-29T00:00Z", "2072-02-29T00:00Z", "2112-02-29T00:00Z"]);
}

#[test]
fn last_nearest_and_nth_days() {
    expect_dues("0 0 0 L * *", &["2026-01-31T00:00Z", "2026-02-28T00:00Z", "2026-03-31T00:00Z"]);
    expect_dues("0 0 0 L 2 *", &["2026-02-28T00:00Z", "2027-02-28T00:00Z", "2028-02-29T00:00Z"]);
    expect_dues("0 0 0 L-3 * *", &["2026-01-28T00:00Z", "2026-02-25T00:00Z"]);
    expect_dues("0 0 0 L-30 * *", &["2026-03-01T00:00Z", "2026-05-01T00:00Z"]);
    expect_dues("0 0 0 LW * *", &["2026-01-30T00:00Z", "2026-02-27T00:00Z", "2026-03-31T00:00Z"]);
    expect_dues(
        "0 0 0 15W * ?",
        &["2026-01-15T00:00Z", "2026-02-16T00:00Z", "2026-03-16T00:00Z", "2026-04-15T00:00Z"],
    );
    expect_dues("0 0 0 1W 8 *", &["2026-08-03T00:00Z", "2027-08-02T00:00Z"]);
    expect_dues("0 0 0 31W * *", &["2026-01-30T00:00Z", "2026-03-31T00:00Z", "2026-05-29T00:00Z"]);
    expect_dues("0 0 0 1,15W,L * *", &["2026-01-15T00:00Z", "2026-01-31T00:00Z", "2026-02-01T00:00Z"]);
    for last_friday in ["5L", "FRIL", "fril"] {
        expect_dues(&format!("0 0 0 * * {last_friday}"), &["2026-01-30T00:00Z", "2026-02-27T00:00Z"]);
    }
    for last_sunday in ["0L", "7L", "SUNL"] {
        expect_dues(&format!("0 0 0 * * {last_sunday}"), &["2026-01-25T00:00Z", "2026-02-22T00:00Z"]);
    }
    for second_friday in ["5#2", "FRI#2"] {
        expect_dues(&format!("0 0 0 ? * {second_friday}"), &["2026-01-09T00:00Z", "2026-02-13T00:00Z"]);
    }
    expect_dues("0 0 0 ? * MON#1", &["2026-01-05T00:00Z", "2026-02-02T00:00Z"]);
    expect_dues("0 0 0 ? * 0#1", &["2026-01-04T00:00Z", "2026-02-01T00:00Z"]);
    expect_dues("0 0 0 ? * FRI#5", &["2026-01-30T00:00Z", "2026-05-29T00:00Z"]);
    expect_dues("0 0 0 ? * MON#1,FRIL,WED", &["2026-01-05T00:00Z", "2026-01-07T00:00Z", "2026-01-14T00:00Z"]);
}

#[test]
fn macros() {
    for (name, first, second) in [
        ("@yearly", "2027-01-01T00:00Z", "2028-01-01T00:00Z"),
        ("@annually", "2027-01-01T00:00Z", "2028-01-01T00:00Z"),
        ("@monthly", "2026-02-01T00:00Z", "2026-03-01T00:00Z"),
        ("@weekly", "2026-01-04T00:00Z", "2026-01-11T00:00Z"),
        ("@daily", "2026-01-02T00:00Z", "2026-01-03T00:00Z"),
        ("@midnight", "2026-01-02T00:00Z", "2026-01-03T00:00Z"),
        (" @Hourly ", "2026-01-01T01:00Z", "2026-01-01T02:00Z"),
    ] {
        expect_dues(name, &[first, second]);
    }
}

#[test]
fn cron_counts_from_now_in_the_zone() {
    let nightly = cycle("0 0 2 * * *");
    let due = at("2026-01-02T02:00+01:00");
    assert_eq!(nightly.first_due(at(NOW), &berlin()), Some(at("2026-01-01T02:00+01:00")));
    assert_eq!(nightly.next_due(due, at("2026-01-05T12:00Z"), &berlin()), Some(at("2026-01-06T02:00+01:00")));
    // Fired a moment early by a clock that was set back: not due again at the same time.
    assert_eq!(
        nightly.next_due(due, at("2026-01-02T01:59:59+01:00"), &berlin()),
        Some(at("2026-01-03T02:00+01:00"))
    );
    assert_eq!(nightly.first_due(at("2026-01-01T00:59:59.999Z"), &berlin()), Some(at("2026-01-01T01:00Z")));
    assert_eq!(nightly.first_due(at("2026-01-01T01:00Z"), &berlin()), Some(at("2026-01-02T01:00Z")));
    let before_epoch = cycle("* * * * * *").first_due(at("1969-12-31T23:59:58.5Z"), &Zone::utc());
    assert_eq!(before_epoch, Some(at("1969-12-31T23:59:59Z")));
}

#[test]
fn what_never_comes_is_found_out_quickly() {
    for text in [
        "0 0 0 30 2 *",
        "0 0 0 31 2,4,6,9,11 *",
        "0 0 0 31W 2 *",
        "0 0 0 1-7 * MON#2",
        "0 0 0 1 * TUEL",
        "* * * L-29 2 THU#1",
    ] {
        let cron = Cron::parse(text).unwrap();
        let began = Instant::now();
        assert_eq!(cron.next_after(at(NOW), &berlin()), None, "{text}");
        assert!(began.elapsed() < Duration::from_millis(250), "{text} took {:?}", began.elapsed());
    }
}

#[test]
fn mistakes_are_refused_with_their_place() {
    for (text, position, expected) in [
        (
            "* * * *",
            8,
            "six fields (second, minute, hour, day of month, month, day of week) or five (without second)",
        ),
        ("0 0 0 * * * 2026", 13, "the end of the text after six fields"),
        ("60 * * * * *", 1, "a number from 0 to 59"),
        ("0 60 * * * *", 3, "a number from 0 to 59"),
        ("0 0 24 * * *", 5, "a number from 0 to 23"),
        ("0 0 0 0 * *", 7, "a number from 1 to 31"),
        ("0 0 0 32W * *", 7, "a number from 1 to 31"),
        ("0 0 0 1 13 *", 9, "a number from 1 to 12 or a name from JAN to DEC"),
        ("0 0 0 1 MAX *", 9, "a number from 1 to 12 or a name from JAN to DEC"),
        ("0 0 0 * * 8", 11, "a number from 0 to 7 or a name from MON to SUN"),
        ("0 0 0 * * L", 11, "a number from 0 to 7 or a name from MON to SUN"),
        ("0 0 0 * * FRI-MON", 15, "a range that ends at 5 or later"),
        ("0 0 10-5 * * *", 8, "a range that ends at 10 or later"),
        ("0 0 0 * * FRI#6", 15, "a number from 1 to 5"),
        ("0 0 0 * * FRI#", 15, "a number from 1 to 5"),
        ("0 0 0 LX * *", 8, "`,` or the end of the field"),
        ("0 0 0 L-0 * *", 9, "a number from 1 to 30"),
        ("0 0 0 1-5W * *", 10, "`,` or the end of the field"),
        ("*/0 * * * * *", 3, "a number from 1 to 2147483647"),
        ("*/ * * * * *", 3, "a number from 1 to 2147483647"),
        ("0, * * * * *", 3, "a number from 0 to 59"),
        ("? * * * * *", 1, "a number from 0 to 59"),
        ("0 0 L * * *", 5, "a number from 0 to 23"),
        ("0 0 0 ?,1 * *", 8, "`,` or the end of the field"),
        ("0 0 0 * * MONDAY", 14, "`,` or the end of the field"),
        ("99999999999999999999 * * * * *", 1, "a number from 0 to 59"),
        ("@never", 1, "one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly"),
        ("é * * * * *", 1, "a number from 0 to 59"),
    ] {
        let error = Cron::parse(text).expect_err(text);
        assert_eq!((error.position, error.expected.as_str()), (position, expected), "{text}");
    }
    let error = Cron::parse("0 61 * * * *").expect_err("61 minutes");
    assert_eq!(error.to_string(), "expected a number from 0 to 59 at position 3");
}
