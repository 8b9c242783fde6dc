//! Properties that must hold for any text and any instant.

mod common;

use common::{at, zone};
use proptest::prelude::*;
use tidemill_calendar::{Cron, Cycle, Date, Duration, RepeatingInterval, Timestamp, Zone};

const ZONES: [&str; 6] =
    ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/St_Johns", "-03:30"];

fn any_zone() -> impl Strategy<Value = Zone> {
    proptest::sample::select(&ZONES[..]).prop_map(zone)
}

/// From 1900 to 2200, where clocks were changed in every odd way.
fn any_instant() -> impl Strategy<Value = Timestamp> {
    (at("1900-01-01").0..at("2200-01-01").0).prop_map(Timestamp)
}

/// Text of the letters that matter, so that parsers get past the first character.
fn likely_text() -> impl Strategy<Value = String> {
    "[RPTYMWDHSLZt0-9/:.,+*?#@ \\[\\]-]{0,40}"
}

fn positive_duration() -> impl Strategy<Value = String> {
    (0..40u32, 0..30u32, 0..400u32, 0..100u32, 0..5_000_000u32)
        .prop_filter("longer than zero", |parts| *parts != (0, 0, 0, 0, 0))
        .prop_map(|(years, months, days, hours, micros)| {
            format!("P{years}Y{months}M{days}DT{hours}H{}.{:06}S", micros / 1_000_000, micros % 1_000_000)
        })
}

fn cron_field(least: u32, most: u32) -> impl Strategy<Value = String> {
    prop_oneof![
        Just("*".to_owned()),
        (least..=most).prop_map(|number| number.to_string()),
        (least..=most, 1..20u32).prop_map(|(number, step)| format!("{number}/{step}")),
        (least..=most, least..=most).prop_map(|(a, b)| format!("{}-{}", a.min(b), a.max(b))),
    ]
}

fn any_cron() -> impl Strategy<Value = String> {
    let days = prop_oneof![cron_field(1, 31), Just("L".into()), Just("LW".into()), Just("15W".into())];
    let weekdays = prop_oneof![cron_field(0, 7), Just("FRI#2".into()), Just("5L".into()), Just("?".into())];
    (cron_field(0, 59), cron_field(0, 59), cron_field(0, 23), days, cron_field(1, 12), weekdays)
        .prop_map(|(s, m, h, day, month, weekday)| format!("{s} {m} {h} {day} {month} {weekday}"))
}

fn read_everything(text: &str, now: Timestamp, zone: &Zone) {
    let _ = (Zone::parse(text), Date::parse(text, zone), Cron::parse(text), RepeatingInterval::parse(text));
    if let Ok(duration) = Duration::parse(text) {
        assert!((Timestamp::MIN..=Timestamp::MAX).contains(&duration.after(now, zone)));
    }
    if let Ok(cycle) = Cycle::parse(text) {
        let first = cycle.first_due(now, zone);
        let next = first.and_then(|due| cycle.next_due(due, now, zone));
        assert!(next.is_none() || next > first);
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>(), now in any::<i64>(), zone in any_zone()) {
        read_everything(&text, Timestamp(now), &zone);
    }

    #[test]
    fn no_likely_text_panics(text in likely_text(), now in any::<i64>(), zone in any_zone()) {
        for prefix in ["", "R", "R/", "R3/", "P", "PT", "2026-01-01T", "R/2026-01-01T00:00", "0 0 0 "] {
            read_everything(&format!("{prefix}{text}"), Timestamp(now), &zone);
        }
    }

    #[test]
    fn every_error_lies_inside_the_text(text in likely_text()) {
        if let Err(error) = Cycle::parse(&text) {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.position), "{error}");
        }
    }

    #[test]
    fn written_durations_read_the_same(
        years in -9999i64..9999, months in any::<i32>(), days in any::<i32>(), seconds in any::<i32>(), nanos in 0..1_000_000_000u32,
    ) {
        let text = format!("P{years}Y{months}M{days}DT{seconds}.{nanos:09}S");
        let duration = Duration::parse(&text).unwrap();
        prop_assert_eq!(Duration::parse(&duration.to_string()), Ok(duration), "{}", text);
    }

    #[test]
    fn written_instants_read_the_same(now in any_instant(), zone in any_zone()) {
        prop_assert_eq!(Date::parse(&now.to_string(), &zone).unwrap().timestamp(), now);
    }

    #[test]
    fn intervals_move_on(duration in positive_duration(), now in any_instant(), zone in any_zone()) {
        let cycle = Cycle::parse(&format!("R/{duration}")).unwrap();
        let first = cycle.first_due(now, &zone).unwrap();
        prop_assert!(first > now);
        let next = cycle.next_due(first, now, &zone);
        prop_assert!(next.is_some_and(|next| next > first));
    }

    #[test]
    fn rounds_from_a_start_move_on_and_stay_on_them(
        duration in positive_duration(), start in any_instant(), zone in proptest::sample::select(&ZONES[..]), rounds in 1..6usize,
    ) {
        let cycle = Cycle::parse(&format!("R/{start}[{zone}]/{duration}")).unwrap();
        let utc = Zone::utc();
        let dues: Vec<_> = std::iter::successors(cycle.first_due(start, &utc), |&due| cycle.next_due(due, due, &utc))
            .take(rounds + 1)
            .collect();
        prop_assert_eq!(dues[0], start);
        prop_assert_eq!(dues.len(), rounds + 1);
        prop_assert!(dues.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn nothing_is_due_after_the_end(
        duration in positive_duration(), now in any_instant(), end in any_instant(), previous in any_instant(), zone in any_zone(),
    ) {
        let cycle = Cycle::parse(&format!("R/{duration}/{end}")).unwrap();
        for due in [cycle.first_due(now, &zone), cycle.next_due(previous, now, &zone)].into_iter().flatten() {
            prop_assert!(due <= end);
        }
    }

    #[test]
    fn cron_moves_on_and_leaves_nothing_out(text in any_cron(), now in any_instant(), zone in any_zone(), share in 0.0..1.0f64) {
        let cron = Cron::parse(&text).unwrap();
        let Some(due) = cron.next_after(now, &zone) else { return Ok(()) };
        prop_assert!(due > now);
        prop_assert_eq!(due.0 % 1000, 0);
        let between = Timestamp(now.0 + ((due.0 - now.0 - 1) as f64 * share) as i64);
        prop_assert_eq!(cron.next_after(between, &zone), Some(due), "asked at {}", between);
    }
}

/// The last due time that was missed during a stop is the one that single steps would have found.
#[test]
fn the_last_due_time_is_the_one_that_single_steps_reach() {
    let zone = common::berlin();
    for text in [
        "R/PT7S",
        "R/PT0.0015S",
        "R/P1D",
        "R/P1M",
        "R/PT1H/2026-03-29T00:00Z",
        "0 30 2 * * *",
        "*/7 * * * * *",
        "0 0 0 31 * *",
    ] {
        let cycle = common::cycle(text);
        let from = common::at("2026-03-27T22:13:05Z");
        for ms in [0, 1, 999, 1_000, 7_000, 7_001, 3_599_999, 86_400_000, 3 * 86_400_000] {
            let until = from + if text.contains("0.0015") { ms.min(10_000) } else { ms };
            let (mut due, mut rounds) = (from, 0);
            while let Some(next) = cycle.next_due(due, due, &zone).filter(|next| *next <= until) {
                (due, rounds) = (next, rounds + 1);
            }
            let (last, passed) = cycle.last_due(from, until, &zone);
            assert_eq!(last, due, "{text} until {until}");
            if text.starts_with('R') {
                assert_eq!(passed, rounds, "{text} until {until}");
            }
        }
    }
}
