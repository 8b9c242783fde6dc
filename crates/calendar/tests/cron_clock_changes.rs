//! Cron when clocks are put forward and back, on both sides of the world.

mod common;

use common::{at, berlin, cycle, dues, zone};
use tidemill_calendar::Zone;

#[track_caller]
fn expect_dues(text: &str, now: &str, zone: &Zone, expected: &[&str]) {
    assert_eq!(dues(text, now, zone, expected.len()), expected, "{text} from {now}");
}

/// Berlin, 29 March 2026: at 01:00Z the clock jumps from 02:00 to 03:00.
#[test]
fn skipped_times_are_due_together_when_the_hour_is_over() {
    let now = "2026-03-28T12:00Z";
    expect_dues(
        "0 30 2 * * *",
        now,
        &berlin(),
        &["2026-03-29T01:00Z", "2026-03-30T00:30Z", "2026-03-31T00:30Z"],
    );
    expect_dues("0 0/10 2 29 3 *", now, &berlin(), &["2026-03-29T01:00Z", "2027-03-29T00:00Z"]);
    expect_dues(
        "0 0 2,3 * * *",
        now,
        &berlin(),
        &["2026-03-29T01:00Z", "2026-03-30T00:00Z", "2026-03-30T01:00Z"],
    );
    expect_dues("0 30 1 * * *", now, &berlin(), &["2026-03-29T00:30Z", "2026-03-29T23:30Z"]);
    expect_dues("0 0 3 * * *", now, &berlin(), &["2026-03-29T01:00Z", "2026-03-30T01:00Z"]);
    expect_dues("0 30 3 * * *", now, &berlin(), &["2026-03-29T01:30Z", "2026-03-30T01:30Z"]);
}

#[test]
fn every_hour_knows_no_skipped_times() {
    let now = "2026-03-29T00:15Z";
    expect_dues(
        "0 30 * * * *",
        now,
        &berlin(),
        &["2026-03-29T00:30Z", "2026-03-29T01:30Z", "2026-03-29T02:30Z"],
    );
    expect_dues(
        "0 0/20 * * * *",
        now,
        &berlin(),
        &["2026-03-29T00:20Z", "2026-03-29T00:40Z", "2026-03-29T01:00Z"],
    );
    expect_dues(
        "* * * * * *",
        "2026-03-29T00:59:58Z",
        &berlin(),
        &["2026-03-29T00:59:59Z", "2026-03-29T01:00Z"],
    );
}

/// Berlin, 25 October 2026: at 01:00Z the clock goes back from 03:00 to 02:00.
#[test]
fn repeated_times_are_due_the_first_time_only() {
    let now = "2026-10-24T12:00Z";
    expect_dues(
        "0 30 2 * * *",
        now,
        &berlin(),
        &["2026-10-25T00:30Z", "2026-10-26T01:30Z", "2026-10-27T01:30Z"],
    );
    expect_dues("0 0 2 * * *", now, &berlin(), &["2026-10-25T00:00Z", "2026-10-26T01:00Z"]);
    expect_dues("0 0 3 * * *", now, &berlin(), &["2026-10-25T02:00Z", "2026-10-26T02:00Z"]);
    expect_dues(
        "0 0/30 2-3 25 10 *",
        now,
        &berlin(),
        &["2026-10-25T00:00Z", "2026-10-25T00:30Z", "2026-10-25T02:00Z"],
    );
}

#[test]
fn a_timer_created_on_the_second_way_through_waits_for_the_next_night() {
    for now in ["2026-10-25T01:00Z", "2026-10-25T01:10Z", "2026-10-25T01:59:59Z", "2026-10-25T02:00Z"] {
        expect_dues("0 30 2 * * *", now, &berlin(), &["2026-10-26T01:30Z"]);
    }
    let due = cycle("0 30 2 * * *").next_due(at("2026-10-25T00:30Z"), at("2026-10-25T01:20Z"), &berlin());
    assert_eq!(due, Some(at("2026-10-26T01:30Z")));
}

#[test]
fn every_hour_is_due_in_both_of_the_repeated_hours() {
    let now = "2026-10-24T23:45Z";
    expect_dues(
        "0 30 * * * *",
        now,
        &berlin(),
        &["2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T02:30Z"],
    );
    expect_dues(
        "0 0 * * * *",
        now,
        &berlin(),
        &["2026-10-25T00:00Z", "2026-10-25T01:00Z", "2026-10-25T02:00Z"],
    );
    expect_dues(
        "* * * * * *",
        "2026-10-25T00:59:58Z",
        &berlin(),
        &["2026-10-25T00:59:59Z", "2026-10-25T01:00Z"],
    );
}

#[test]
fn other_zones_other_changes() {
    let sydney = zone("Australia/Sydney");
    expect_dues("0 30 2 * * *", "2026-10-03T00:00Z", &sydney, &["2026-10-03T16:00Z", "2026-10-04T15:30Z"]);
    expect_dues("0 30 2 * * *", "2026-04-04T00:00Z", &sydney, &["2026-04-04T15:30Z", "2026-04-05T16:30Z"]);
    // The skipped hour of Beirut is the first of the day.
    let beirut = zone("Asia/Beirut");
    expect_dues("@daily", "2026-03-28T12:00Z", &beirut, &["2026-03-28T22:00Z", "2026-03-29T21:00Z"]);
    // Samoa left out a whole day.
    let apia = zone("Pacific/Apia");
    expect_dues(
        "0 0 9 * * *",
        "2011-12-29T12:00Z",
        &apia,
        &["2011-12-29T19:00Z", "2011-12-30T10:00Z", "2011-12-30T19:00Z"],
    );
    // Half an hour.
    let lord_howe = zone("Australia/Lord_Howe");
    expect_dues("0 15 2 * * *", "2026-10-03T00:00Z", &lord_howe, &["2026-10-03T15:30Z", "2026-10-04T15:15Z"]);
    expect_dues("0 45 1 * * *", "2026-04-04T00:00Z", &lord_howe, &["2026-04-04T14:45Z", "2026-04-05T15:15Z"]);
}

#[test]
fn a_schedule_decades_away_is_reached_over_many_changes() {
    expect_dues(
        "0 30 2 29 2 MON",
        "2026-01-01T00:00Z",
        &berlin(),
        &["2044-02-29T01:30Z", "2072-02-29T01:30Z"],
    );
    // The last Sunday of March on the 25th: the skipped hour again, years ahead.
    expect_dues("0 30 2 25 3 SUN", "2026-01-01T00:00Z", &berlin(), &["2029-03-25T01:00Z"]);
}
