//! Temporal values: what parses, how it is written, and what arithmetic yields.

use super::*;

fn date(text: &str) -> Date {
    Date::parse(text).expect(text)
}

fn date_time(text: &str) -> DateTime {
    DateTime::parse(text).expect(text)
}

fn days(text: &str) -> DaysDuration {
    DaysDuration::parse(text).expect(text)
}

fn months(text: &str) -> MonthsDuration {
    MonthsDuration::parse(text).expect(text)
}

#[test]
fn dates_are_read_and_written() {
    for text in ["2017-12-31", "-2017-01-01", "999999999-12-31", "-999999999-12-31", "0001-02-28"] {
        assert_eq!(date(text).to_string(), text);
        assert_eq!(Date::from_epoch_days(date(text).epoch_days()), Some(date(text)));
    }
    for text in [
        "",
        "2012-12-25T",
        "2012/12/25",
        "9999999999-12-25",
        "2017-13-10",
        "2017-12-32",
        "998-12-31",
        "01211-12-31",
        "+2012-12-02",
        "2017-02-29",
        "2017-1-1",
        "2017-12-3é",
    ] {
        assert_eq!(Date::parse(text), None, "{text}");
    }
}

#[test]
fn date_parts() {
    let leap = date("2020-12-31");
    assert_eq!((leap.day_of_year(), leap.week_of_year(), leap.weekday()), (366, 53, 4));
    assert_eq!((leap.weekday_name(), leap.month_name()), ("Thursday", "December"));
    assert_eq!(date("2005-01-01").week_of_year(), 53);
    assert_eq!(date("2020-02-10").last_day_of_month(), date("2020-02-29"));
    assert_eq!(date("1970-01-01").epoch_days(), 0);
    assert_eq!(date("2018-12-10").property("weekday"), Some(Property::Number(1)));
    assert_eq!(date("2018-12-10").property("hour"), None);
}

#[test]
fn times_are_read_and_written() {
    for (text, written) in [
        ("01:02:03", "01:02:03"),
        ("11:22:33.444", "11:22:33.444"),
        ("11:22:33.120", "11:22:33.12"),
        ("T10:20:30", "10:20:30"),
        ("10:20", "10:20:00"),
        ("24:00:00", "00:00:00"),
        ("11:22:33-00:00", "11:22:33Z"),
        ("13:20:00+02:00", "13:20:00+02:00"),
        ("13:20:00-02:45:55", "13:20:00-02:45:55"),
        ("00:01:00@Etc/UTC", "00:01:00@Etc/UTC"),
    ] {
        assert_eq!(Time::parse(text).map(|time| time.to_string()).as_deref(), Some(written));
    }
    for text in [
        "",
        "23:59:60",
        "24:00:01",
        "25:00:00",
        "00:60:00",
        "7:00:00",
        "07:1:00",
        "07:01:2",
        "13:20:00@xyz/abc",
        "13:20:00+19:00",
        "13:20:00+5:00",
        "13:20:00+02:00@Europe/Paris",
        "11:30:00T",
        "10:00:00.",
        "13:20:00@europe/paris",
    ] {
        assert_eq!(Time::parse(text), None, "{text}");
    }
}

#[test]
fn times_wrap_and_compare() {
    let time = |text: &str| Time::parse(text).expect(text);
    assert_eq!(time("23:30:00+11:00").add(days("PT1H")), time("00:30:00+11:00"));
    assert_eq!(time("00:30:00").add(days("-P1DT1H")), time("23:30:00"));
    assert_eq!(time("10:00:00Z").compare(&time("11:00:00+01:00")), Some(std::cmp::Ordering::Equal));
    assert_eq!(time("10:00:00Z").compare(&time("10:00:00")), None);
    assert_eq!(time("10:10:10").since(&time("11:10:10")), Some(days("-PT1H")));
    let melbourne = time("23:00:50@Australia/Melbourne");
    assert_eq!(melbourne.property("time offset"), Some(Property::Duration(days("PT10H"))));
    assert_eq!(melbourne.property("timezone"), Some(Property::Text("Australia/Melbourne".into())));
    assert_eq!(time("10:00:00").property("timezone"), Some(Property::Null));
}

#[test]
fn date_times_are_read_and_written() {
    for (text, written) in [
        ("2012-12-24", "2012-12-24T00:00:00"),
        ("-99999-12-31T11:22:33", "-99999-12-31T11:22:33"),
        ("2017-12-31T11:22:33.456+01:35", "2017-12-31T11:22:33.456+01:35"),
        ("2021-01-01T24:00:00", "2021-01-02T00:00:00"),
        ("2011-12-31T10:15:30.987@Europe/Paris", "2011-12-31T10:15:30.987@Europe/Paris"),
        ("2011-12-03T10:15:30+01:00[Europe/Paris]", "2011-12-03T10:15:30@Europe/Paris"),
        (
            "999999999-12-31T23:59:59.999999999@Europe/Paris",
            "999999999-12-31T23:59:59.999999999@Europe/Paris",
        ),
        ("2021-03-28T02:30:00@Europe/Paris", "2021-03-28T03:30:00@Europe/Paris"),
    ] {
        assert_eq!(DateTime::parse(text).map(|value| value.to_string()).as_deref(), Some(written));
    }
    for text in ["", "11:00:00", "2011-12-0310:15:30", "2017-12-31T7:20", "2017-12-31T13:20:00+05:0"] {
        assert_eq!(DateTime::parse(text), None, "{text}");
    }
}

#[test]
fn date_time_arithmetic_follows_the_zone() {
    let summer = date_time("2021-10-31T01:30:00@Europe/Paris");
    let first = summer.add_days(days("PT1H")).expect("in range");
    let second = first.add_days(days("PT1H")).expect("in range");
    assert_eq!(first.to_string(), "2021-10-31T02:30:00@Europe/Paris");
    assert_eq!(second.to_string(), "2021-10-31T02:30:00@Europe/Paris");
    assert_eq!(second.since(&first), Some(days("PT1H")));
    assert_eq!(second.property("time offset"), Some(Property::Duration(days("PT1H"))));
    assert_eq!(second.to_iso_string(), "2021-10-31T02:30:00+01:00[Europe/Paris]");
    let ancient = date_time("-2021-01-01T10:10:10@Australia/Melbourne");
    assert_eq!(
        ancient.add_days(days("-P1D")).expect("in range").to_string(),
        "-2022-12-31T10:10:10@Australia/Melbourne"
    );
    let paris = date_time("2021-01-02T10:10:10@Europe/Paris");
    assert_eq!(paris.since(&date_time("2021-01-01T10:10:10@Asia/Dhaka")), Some(days("P1DT5H")));
    assert_eq!(paris.since(&date_time("2021-01-01T10:10:10")), None);
    assert_eq!(paris.since(&date("2021-01-01").at_utc_midnight()), Some(days("P1DT9H10M10S")));
    assert_eq!(
        date_time("2020-01-31T10:00:00").add_months(months("P1M")),
        Some(date_time("2020-02-29T10:00:00"))
    );
}

#[test]
fn date_arithmetic() {
    assert_eq!(date("2021-01-02").add_days(days("-PT1S")), Some(date("2021-01-01")));
    assert_eq!(date("2021-01-02").add_days(days("PT25H")), Some(date("2021-01-03")));
    assert_eq!(date("999999999-12-31").add_days(days("P1D")), None);
    assert_eq!(date("2020-03-01").days_since(&date("2020-02-28")), days("P2D"));
    for (from, to, expected) in [
        ("2011-12-22", "2013-08-24", "P1Y8M"),
        ("2013-08-24", "2011-12-22", "-P1Y8M"),
        ("2016-09-30", "2017-12-28", "P1Y2M"),
        ("-2016-01-30", "-2017-02-28", "-P11M"),
        ("2016-01-01", "2016-01-01", "P0Y"),
    ] {
        assert_eq!(date(from).months_until(&date(to)).to_string(), expected);
    }
}

#[test]
fn durations_are_normalized() {
    for (text, written) in [
        ("P1DT2H3M4.123456789S", "P1DT2H3M4.123456789S"),
        ("PT0.S", "P0D"),
        ("PT1000M0.999999999S", "PT16H40M0.999999999S"),
        ("-PT1H2M", "-PT1H2M"),
        ("-PT0.5S", "-PT0.5S"),
        ("PT3600S", "PT1H"),
        ("PT240H", "P10D"),
        ("P26M", "P2Y2M"),
        ("-P999999999M", "-P83333333Y3M"),
        ("P0M", "P0Y"),
        ("P12M", "P1Y"),
        ("PT-3M-4.5S", "-PT3M4.5S"),
        ("-P-1D", "P1D"),
        ("P-1Y2M", "-P10M"),
    ] {
        let value = Temporal::parse(text).expect(text);
        let shown = match value {
            Temporal::Days(value) => value.to_string(),
            Temporal::Months(value) => value.to_string(),
            other => panic!("{other:?} is no duration"),
        };
        assert_eq!(shown, written, "{text}");
    }
    for text in [
        "",
        "P",
        "P0",
        "1Y",
        "P1H",
        "P1S",
        "P1Y1D",
        "P1DT",
        "PT",
        "P1M1Y",
        "PT1S1M",
        "PT1.5M",
        "P1.5D",
        "P99999999999999999999D",
        "PT1M1M",
        "--P1D",
        "P1D2H",
    ] {
        assert_eq!(Temporal::parse(text), None, "{text}");
    }
    assert_eq!(days("-P1DT2H").property("days"), Some(Property::Number(-1)));
    assert_eq!(days("-PT1.5S").property("seconds"), Some(Property::Number(-1)));
    assert_eq!(months("-P14M").property("months"), Some(Property::Number(-2)));
    assert_eq!(days("P1D").property("years"), None);
}
