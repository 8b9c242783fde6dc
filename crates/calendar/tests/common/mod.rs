//! Short ways to write instants and zones, used by all the tables.
#![allow(dead_code, reason = "each test file uses its own part")]

use tidemill_calendar::{Cycle, Date, Timestamp, Zone};

pub(crate) fn zone(name: &str) -> Zone {
    Zone::parse(name).expect(name)
}

pub(crate) fn berlin() -> Zone {
    zone("Europe/Berlin")
}

/// An instant, in UTC unless the text says otherwise.
pub(crate) fn at(text: &str) -> Timestamp {
    Date::parse(text, &Zone::utc()).expect(text).timestamp()
}

pub(crate) fn cycle(text: &str) -> Cycle {
    Cycle::parse(text).expect(text)
}

/// The first due times of a cycle whose timer fires exactly when due.
pub(crate) fn dues(text: &str, now: &str, zone: &Zone, count: usize) -> Vec<String> {
    let cycle = cycle(text);
    let first = cycle.first_due(at(now), zone);
    std::iter::successors(first, |&due| cycle.next_due(due, due, zone))
        .take(count)
        .map(|due| due.to_string().replace(":00.000Z", "Z").replace(".000Z", "Z"))
        .collect()
}
