//! Dates: every way to write one, what is refused, and local times that exist twice or not at all.

mod common;

use common::{at, berlin, zone};
use tidemill_calendar::{Date, Schedule, Timestamp, Zone};

#[test]
fn dates_name_an_instant_and_a_zone() {
    for (text, instant, zone) in [
        ("2026-01-31T09:00:00Z", "2026-01-31T09:00:00.000Z", "UTC"),
        ("2026-01-31t09:00:00z", "2026-01-31T09:00:00.000Z", "UTC"),
        ("2026-01-31T09:00:00+01:00", "2026-01-31T08:00:00.000Z", "+01:00"),
        ("2026-01-31T09:00:00-0330", "2026-01-31T12:30:00.000Z", "-03:30"),
        ("2026-01-31T09:00:00+01", "2026-01-31T08:00:00.000Z", "+01:00"),
        ("2026-01-31T09:00[America/New_York]", "2026-01-31T14:00:00.000Z", "America/New_York"),
        ("2026-01-31T09:00Z[Asia/Tokyo]", "2026-01-31T09:00:00.000Z", "Asia/Tokyo"),
        ("2026-07-01T00:00:00+01:00[Europe/Berlin]", "2026-06-30T23:00:00.000Z", "Europe/Berlin"),
        ("2026-01-31T09:00:00[+02:00]", "2026-01-31T07:00:00.000Z", "+02:00"),
        ("2026-01-31T09:00:00", "2026-01-31T08:00:00.000Z", "Europe/Berlin"),
        ("2026-01-31T09:00", "2026-01-31T08:00:00.000Z", "Europe/Berlin"),
        ("2026-01-31", "2026-01-30T23:00:00.000Z", "Europe/Berlin"),
        ("2026-01-31Z", "2026-01-31T00:00:00.000Z", "UTC"),
        ("2026-01-31T09:00:00.25Z", "2026-01-31T09:00:00.250Z", "UTC"),
        ("2026-01-31T09:00:00,25Z", "2026-01-31T09:00:00.250Z", "UTC"),
        ("2026-01-31T09:00:00.000000001Z", "2026-01-31T09:00:00.001Z", "UTC"),
        ("2024-02-29T00:00Z", "2024-02-29T00:00:00.000Z", "UTC"),
        ("0000-01-01T00:00Z", "0000-01-01T00:00:00.000Z", "UTC"),
        ("9999-12-31T23:59:59-10:00", "9999-12-30T22:00:00.000Z", "-10:00"),
    ] {
        let date = Date::parse(text, &berlin()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(date.timestamp().to_string(), instant, "{text}");
        assert_eq!(date.zone().to_string(), zone, "{text}");
    }
}

#[test]
fn what_is_no_date_is_refused_with_its_place() {
    for (text, position, expected) in [
        ("", 1, "a digit"),
        ("tomorrow", 1, "a digit"),
        ("2026", 5, "`-`"),
        ("202-01-01", 4, "a digit"),
        ("2026-13-01", 6, "a number from 01 to 12"),
        ("2026-02-30", 9, "a day of month 2026-02"),
        ("2025-02-29", 9, "a day of month 2025-02"),
        ("2026-01-01T", 12, "a digit"),
        ("2026-01-01T24:00", 12, "a number from 00 to 23"),
        ("2026-01-01T10", 14, "`:`"),
        ("2026-01-01T10:60", 15, "a number from 00 to 59"),
        ("2026-01-01T10:00:60", 18, "a number from 00 to 59"),
        ("2026-01-01T10:00:00.", 21, "a digit"),
        ("2026-01-01T10:00:00.1234567890", 21, "at most 9 digits of fraction"),
        ("2026-01-01T10:00+25:00", 18, "a number from 00 to 23"),
        ("2026-01-01T10:00[Mars/Olympus]", 18, "the name of a time zone or an offset"),
        ("2026-01-01T10:00[Europe/Berlin", 31, "`]`"),
        ("2026-01-01T10:00Z and more", 18, "the end of the text"),
        ("2026-01-01T10:00Zé", 18, "the end of the text"),
        ("２026-01-01", 1, "a digit"),
    ] {
        let error = Date::parse(text, &Zone::utc()).expect_err(text);
        assert_eq!((error.position, error.expected.as_str()), (position, expected), "{text}");
    }
}

#[test]
fn skipped_local_times_move_on_and_repeated_ones_are_the_first() {
    for (text, instant) in [
        // Berlin, 29 March: 02:00 becomes 03:00.
        ("2026-03-29T01:59:59[Europe/Berlin]", "2026-03-29T00:59:59Z"),
        ("2026-03-29T02:30:00[Europe/Berlin]", "2026-03-29T01:30:00Z"),
        ("2026-03-29T03:00:00[Europe/Berlin]", "2026-03-29T01:00:00Z"),
        // Berlin, 25 October: 03:00 becomes 02:00.
        ("2026-10-25T01:59:59[Europe/Berlin]", "2026-10-24T23:59:59Z"),
        ("2026-10-25T02:30:00[Europe/Berlin]", "2026-10-25T00:30:00Z"),
        ("2026-10-25T02:30:00+02:00[Europe/Berlin]", "2026-10-25T00:30:00Z"),
        ("2026-10-25T02:30:00+01:00[Europe/Berlin]", "2026-10-25T01:30:00Z"),
        ("2026-10-25T03:00:00[Europe/Berlin]", "2026-10-25T02:00:00Z"),
        // Sydney, where the same happens in October and April.
        ("2026-10-04T02:30:00[Australia/Sydney]", "2026-10-03T16:30:00Z"),
        ("2026-04-05T02:30:00[Australia/Sydney]", "2026-04-04T15:30:00Z"),
        // Lord Howe moves its clocks by half an hour.
        ("2026-10-04T02:15:00[Australia/Lord_Howe]", "2026-10-03T15:45:00Z"),
    ] {
        assert_eq!(at(text), at(instant), "{text}");
    }
}

#[test]
fn the_server_zone_decides_only_where_the_text_is_silent() {
    let local = "2026-03-29T02:30:00";
    for (server, instant) in [("Europe/Berlin", "2026-03-29T01:30:00Z"), ("UTC", "2026-03-29T02:30:00Z")] {
        assert_eq!(Date::parse(local, &zone(server)).unwrap().timestamp(), at(instant));
        assert_eq!(
            Date::parse("2026-03-29T02:30:00Z", &zone(server)).unwrap().timestamp(),
            at("2026-03-29T02:30Z")
        );
    }
}

#[test]
fn a_date_is_due_once_even_if_past() {
    let date = Schedule::Date(Date::parse("2026-01-01T00:00Z", &Zone::utc()).unwrap());
    for now in [Timestamp(0), at("2026-01-01"), at("2030-01-01")] {
        assert_eq!(date.first_due(now, &berlin()), Some(at("2026-01-01")));
        assert_eq!(date.next_due(at("2026-01-01"), now, &berlin()), None);
    }
    assert_eq!(date.repetitions(), None);
}
