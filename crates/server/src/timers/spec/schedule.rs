//! Schedules: when a timer comes again, and what becomes of times that were missed.

use super::bytes::{Malformed, Reader, Writer, malformed};
use super::fields::{FieldErrors, Fields};
use serde_json::{Value, json};
use tidemill_calendar::{Cycle, Repetitions, Timestamp, Zone};
use tidemill_timers::slot::DUE_MS_MAX;

const DAY_MS: i64 = 86_400_000;
const EXPRESSION_BYTES_MAX: usize = 512;
/// Occurrences that are told of a schedule at a time.
pub const OCCURRENCES_MAX: usize = 1_000;
/// The age at which `skip` drops an occurrence, where no other is given.
const SKIP_AFTER_MS: i64 = 60_000;

/// The fate of occurrences that nobody could fire at their time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfire {
    /// Each is made up for, the oldest first.
    All,
    /// Only the last one.
    Once,
    /// Those that are more than a minute late are dropped; of the rest only the last one fires.
    Skip,
}

const MISFIRES: [(&str, Misfire); 3] =
    [("all", Misfire::All), ("once", Misfire::Once), ("skip", Misfire::Skip)];

/// When a timer is due, time and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// As it was written.
    pub expression: String,
    pub cycle: Cycle,
    pub zone: Zone,
    pub misfire: Misfire,
    /// Occurrences that are later than this are dropped, whatever else is said.
    pub age_ms_max: Option<i64>,
    /// Each occurrence is due by up to so much later, by chance.
    pub jitter_ms: i64,
}

impl Schedule {
    /// A text (`R/PT1H`, `0 0 9 * * MON-FRI`), or an object with it and how to follow it.
    pub fn from_json(value: &Value, path: &str, errors: &mut FieldErrors) -> Option<Schedule> {
        if let Some(expression) = value.as_str() {
            let cycle = read_cycle(expression).map_err(|reason| errors.add(path, reason)).ok()?;
            return Some(Schedule::of(expression, cycle));
        }
        let mut fields = Fields::of(value, path, errors)?;
        let expression = fields.required_text("expression", EXPRESSION_BYTES_MAX);
        let cycle = expression
            .as_deref()
            .and_then(|text| read_cycle(text).map_err(|reason| fields.wrong("expression", reason)).ok());
        let zone = match fields.text("zone", 128).map(|name| (Zone::parse(&name), name)) {
            None => Some(Zone::utc()),
            Some((Ok(zone), _)) => Some(zone),
            Some((Err(_), name)) => {
                let reason = format!("Expected a zone such as Europe/Berlin or +01:00, but it is '{name}'");
                fields.wrong("zone", reason);
                None
            }
        };
        let misfire = fields.one_of("misfire", &MISFIRES).unwrap_or(Misfire::Once);
        let age_ms_max = fields.duration_ms("misfireAge", 0..=3_660 * DAY_MS);
        let jitter_ms = fields.duration_ms("jitter", 0..=DAY_MS).unwrap_or(0);
        fields.finish();
        Some(Schedule { zone: zone?, misfire, age_ms_max, jitter_ms, ..Schedule::of(&expression?, cycle?) })
    }

    fn of(expression: &str, cycle: Cycle) -> Schedule {
        Schedule {
            expression: expression.to_owned(),
            cycle,
            zone: Zone::utc(),
            misfire: Misfire::Once,
            age_ms_max: None,
            jitter_ms: 0,
        }
    }

    pub fn to_json(&self) -> Value {
        let misfire = MISFIRES.iter().find(|(_, misfire)| *misfire == self.misfire).map(|(word, _)| *word);
        let mut shown = json!({
            "expression": self.expression,
            "zone": self.zone.to_string(),
            "misfire": misfire,
            "jitter": self.jitter_ms,
        });
        if let Some(age_ms) = self.age_ms_max {
            shown["misfireAge"] = age_ms.into();
        }
        shown
    }

    pub fn repetitions(&self) -> Repetitions {
        self.cycle.repetitions()
    }

    /// The first time, of a timer that is made now; none if it is never due.
    pub fn first_ms(&self, now_ms: i64) -> Option<i64> {
        self.cycle.first_due(Timestamp(now_ms), &self.zone).and_then(in_range)
    }

    /// The time after one that has passed, however late it was noticed; none if it was the last. Repetitions are not counted here.
    pub fn next_after(&self, previous_ms: i64) -> Option<i64> {
        let previous = Timestamp(previous_ms);
        self.cycle.next_due(previous, previous, &self.zone).and_then(in_range)
    }

    /// The next times of a timer that would be made now, without making it.
    pub fn occurrences(&self, now_ms: i64, count: usize) -> Vec<i64> {
        let times = match self.repetitions() {
            Repetitions::Forever => usize::MAX,
            Repetitions::Times(times) => times as usize,
        };
        let first = self.first_ms(now_ms);
        let next = |due_ms: &i64| self.next_after(*due_ms);
        std::iter::successors(first, next).take(count.min(times).min(OCCURRENCES_MAX)).collect()
    }

    /// An occurrence that is late by more than this is dropped.
    pub(super) fn age_limit_ms(&self) -> Option<i64> {
        match self.misfire {
            Misfire::Skip => Some(self.age_ms_max.unwrap_or(SKIP_AFTER_MS)),
            Misfire::All | Misfire::Once => self.age_ms_max,
        }
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.text(&self.expression);
        writer.text(&self.zone.to_string());
        writer.byte(self.misfire as u8);
        writer.signed(self.age_ms_max.unwrap_or(-1));
        writer.signed(self.jitter_ms);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Schedule, Malformed> {
        let expression = reader.text()?;
        let cycle = Cycle::parse(&expression).or(malformed("a schedule"))?;
        let zone = Zone::parse(&reader.text()?).or(malformed("a time zone"))?;
        let misfire = match reader.byte()? {
            0 => Misfire::All,
            1 => Misfire::Once,
            2 => Misfire::Skip,
            _ => return malformed("a policy for missed times"),
        };
        let age_ms_max = Some(reader.signed()?).filter(|age_ms| *age_ms >= 0);
        Ok(Schedule { expression, cycle, zone, misfire, age_ms_max, jitter_ms: reader.signed()? })
    }
}

fn in_range(due: Timestamp) -> Option<i64> {
    // The calendar stops at its end instead of failing: that is no date.
    (due < Timestamp::MAX && (0..=DUE_MS_MAX).contains(&due.0)).then_some(due.0)
}

fn read_cycle(text: &str) -> Result<Cycle, String> {
    let expected = "Expected a repeating interval such as R/PT1H or a cron schedule such as 0 0 9 * * *";
    if text.len() > EXPRESSION_BYTES_MAX {
        return Err(format!("{expected}, but it has {} bytes", text.len()));
    }
    Cycle::parse(text).map_err(|error| format!("{expected}, but it is '{text}': {error}"))
}

/// Up to so many milliseconds, by chance; the same for the same key and time.
pub fn jitter_ms(jitter_ms_max: i64, key: i64, due_ms: i64) -> i64 {
    (chance(key as u64, due_ms as u64) * (jitter_ms_max + 1) as f64) as i64
}

/// From 0 to 1, decided by both numbers.
pub(super) fn chance(seed: u64, number: u64) -> f64 {
    let hash = twox_hash::XxHash64::oneshot(seed, &number.to_le_bytes());
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: Value) -> Result<Schedule, Vec<String>> {
        let mut errors = FieldErrors::default();
        let schedule = Schedule::from_json(&value, "schedule", &mut errors);
        schedule.filter(|_| errors.is_empty()).ok_or(errors.0.into_iter().map(|error| error.field).collect())
    }

    #[test]
    fn texts_and_objects_are_read_and_shown() {
        let short = read(json!("R3/PT10S")).expect("valid");
        assert_eq!(short.occurrences(1_000, 10), [11_000, 21_000, 31_000]);
        let long = json!({"expression": "0 0 9 * * *", "zone": "Europe/Berlin", "misfire": "all",
            "misfireAge": 3_600_000, "jitter": 500});
        let schedule = read(long.clone()).expect("valid");
        assert_eq!(schedule.to_json(), long);
        assert_eq!(schedule.occurrences(0, 2), [8 * 3_600_000, 32 * 3_600_000]);
    }

    #[test]
    fn wrong_members_are_named() {
        assert_eq!(read(json!("every day")), Err(vec!["schedule".to_owned()]));
        assert_eq!(read(json!("R/PT0.0009S")), Err(vec!["schedule".to_owned()]));
        assert_eq!(
            read(json!({"expression": "R/PT0S", "zone": "Mars/Base", "misfire": "never", "x": 1})),
            Err(["expression", "zone", "misfire", "x"].map(|name| format!("schedule.{name}")).to_vec())
        );
        assert_eq!(read(json!({"zone": "UTC"})), Err(vec!["schedule.expression".to_owned()]));
    }

    /// Berlin: the night of 29 March 2026 has no 02:30, that of 25 October has two.
    #[test]
    fn a_nightly_schedule_is_due_once_each_night() {
        let schedule = read(json!({"expression": "0 30 2 * * *", "zone": "Europe/Berlin"})).expect("valid");
        let times = |now: &str| {
            let now = tidemill_calendar::Date::parse(now, &Zone::utc()).expect("a date").timestamp();
            let dues = schedule.occurrences(now.0, 3).into_iter();
            dues.map(|due_ms| Timestamp(due_ms).to_string()[..16].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(times("2026-03-28T00:00Z"), ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]);
        assert_eq!(times("2026-10-24T00:00Z"), ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"]);
    }

    #[test]
    fn chance_stays_within_its_bound() {
        let all: Vec<i64> = (0..1_000).map(|key| jitter_ms(10, key, 5)).collect();
        assert_eq!((all.iter().min(), all.iter().max()), (Some(&0), Some(&10)));
        assert_eq!(jitter_ms(0, 1, 2), 0);
    }
}
