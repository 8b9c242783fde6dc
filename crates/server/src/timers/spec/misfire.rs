//! The firing of a repeating timer: which occurrence is told, and when the next one is due. Pure, so that the shard can decide it in
//! the commit that fires.

use super::envelope::{Envelope, Origin, REPEATS, Repeat};
use super::schedule::{Misfire, Schedule, jitter_ms};
use tidemill_calendar::{Repetitions, Timestamp};
use tidemill_timers::block::Entry;
use tidemill_timers::shard::{Firing, Next};

const DAY_MS: i64 = 86_400_000;

/// A timer that does not repeat is told, and that is all. So is one whose schedule cannot be read: it must not be lost.
pub fn fire(entry: &Entry, now_ms: i64) -> Firing {
    let once = Firing { told_ms: Some(entry.scheduled_ms), next: None };
    if entry.flags.0 & REPEATS == 0 {
        return once;
    }
    match Envelope::open(entry) {
        Ok((Envelope { repeat: Some(repeat), origin, .. }, _)) => {
            let origin = origin.unwrap_or(Origin { key: entry.key, due_ms: entry.due_ms });
            repeated(entry, &repeat, origin, now_ms)
        }
        _ => once,
    }
}

fn repeated(entry: &Entry, repeat: &Repeat, origin: Origin, now_ms: i64) -> Firing {
    let (schedule, scheduled_ms) = (&repeat.schedule, entry.scheduled_ms);
    let (told_ms, used) = match schedule.misfire {
        Misfire::All => oldest_in_time(schedule, scheduled_ms, now_ms),
        Misfire::Once | Misfire::Skip => {
            let (last, passed) = last_due(schedule, scheduled_ms, now_ms, repeat.left);
            (Some(last), passed)
        }
    };
    let last_ms = told_ms.unwrap_or(scheduled_ms);
    let is_in_time =
        |told_ms: &i64| schedule.age_limit_ms().is_none_or(|limit_ms| now_ms - told_ms <= limit_ms);
    let next = left_after(repeat.left, used).and_then(|left| {
        let due_ms = schedule.next_after(last_ms)?;
        let (envelope, payload) = Envelope::open(entry).ok()?;
        let repeat = Some(Repeat { left, ..repeat.clone() });
        let (_, payload) = Envelope { repeat, origin: Some(origin), ..envelope }.wrap(payload);
        let jitter_ms = jitter_ms(schedule.jitter_ms, entry.key, due_ms);
        Some(Next { due_ms: due_ms + jitter_ms, scheduled_ms: due_ms, payload })
    });
    Firing { told_ms: told_ms.filter(is_in_time), next }
}

/// The last occurrence until now, and how many others were passed over for it.
fn last_due(schedule: &Schedule, scheduled_ms: i64, now_ms: i64, left: Repetitions) -> (i64, u64) {
    let (last, passed) = schedule.cycle.last_due(Timestamp(scheduled_ms), Timestamp(now_ms), &schedule.zone);
    let Repetitions::Times(times) = left else { return (last.0, passed) };
    // The repetitions may have run out before.
    let passed_max = u64::from(times.saturating_sub(1));
    if passed <= passed_max {
        return (last.0, passed);
    }
    let round_ms = schedule.next_after(scheduled_ms).map_or(0, |next_ms| next_ms - scheduled_ms);
    let last_ms = if round_ms < DAY_MS {
        // Rounds that follow no calendar are all as long, and there may be very many.
        scheduled_ms.saturating_add(round_ms.saturating_mul(times.saturating_sub(1).into()))
    } else {
        let next = |due_ms: &i64| schedule.next_after(*due_ms);
        let last = std::iter::successors(Some(scheduled_ms), next).nth(passed_max as usize);
        last.unwrap_or(scheduled_ms)
    };
    (last_ms, passed_max)
}

/// Occurrences that are too old are passed over together; those after them are told one by one.
fn oldest_in_time(schedule: &Schedule, scheduled_ms: i64, now_ms: i64) -> (Option<i64>, u64) {
    let Some(limit_ms) = schedule.age_limit_ms().filter(|limit_ms| now_ms - scheduled_ms > *limit_ms) else {
        return (Some(scheduled_ms), 0);
    };
    let too_old = Timestamp(now_ms - limit_ms - 1);
    let (last, passed) = schedule.cycle.last_due(Timestamp(scheduled_ms), too_old, &schedule.zone);
    (Some(last.0), passed)
}

/// After the told occurrence and those that were passed over.
fn left_after(left: Repetitions, passed: u64) -> Option<Repetitions> {
    let Repetitions::Times(times) = left else { return Some(left) };
    let used = u32::try_from(passed.saturating_add(1)).unwrap_or(u32::MAX);
    Some(times.saturating_sub(used)).filter(|times| *times > 0).map(Repetitions::Times)
}

#[cfg(test)]
mod tests {
    use super::super::fields::FieldErrors;
    use super::*;
    use serde_json::{Value, json};
    use std::sync::Arc;
    use tidemill_timers::block::Flags;

    fn timer(schedule: Value, scheduled_ms: i64) -> Entry {
        let mut errors = FieldErrors::default();
        let schedule = Schedule::from_json(&schedule, "", &mut errors).expect("valid");
        let repeat = Some(Repeat { left: schedule.repetitions(), schedule });
        let (flags, payload) = Envelope { repeat, ..Envelope::default() }.wrap(b"{}");
        Entry {
            key: 7,
            due_ms: scheduled_ms,
            scheduled_ms,
            generation: 0,
            attempt: 0,
            target: 1,
            flags,
            scope: Arc::default(),
            place: None,
            payload,
        }
    }

    /// All that is told until the timer has no next occurrence after `now`, each firing as soon as it may.
    fn told(mut entry: Entry, now_ms: i64) -> (Vec<i64>, Option<i64>) {
        let mut told = Vec::new();
        loop {
            let Firing { told_ms, next } = fire(&entry, now_ms);
            told.extend(told_ms);
            let Some(next) = next else { return (told, None) };
            if next.due_ms > now_ms {
                return (told, Some(next.scheduled_ms));
            }
            (entry.due_ms, entry.scheduled_ms, entry.payload) =
                (next.due_ms, next.scheduled_ms, next.payload);
        }
    }

    #[test]
    fn in_time_each_policy_goes_on_without_drift() {
        for misfire in ["all", "once", "skip"] {
            let entry = timer(json!({"expression": "R/PT10S", "misfire": misfire}), 10_000);
            assert_eq!(told(entry, 10_250), (vec![10_000], Some(20_000)), "{misfire}");
        }
    }

    #[test]
    fn after_a_stop_the_policy_decides() {
        let after_stop = |schedule: Value| told(timer(schedule, 10_000), 45_000);
        assert_eq!(
            after_stop(json!({"expression": "R/PT10S", "misfire": "all"})),
            (vec![10_000, 20_000, 30_000, 40_000], Some(50_000))
        );
        assert_eq!(
            after_stop(json!({"expression": "R/PT10S", "misfire": "all", "misfireAge": 15_000})),
            (vec![30_000, 40_000], Some(50_000))
        );
        assert_eq!(
            after_stop(json!({"expression": "R/PT10S", "misfire": "once"})),
            (vec![40_000], Some(50_000))
        );
        let old = json!({"expression": "R/PT10S", "misfire": "once", "misfireAge": 4_999});
        assert_eq!(after_stop(old), (vec![], Some(50_000)));
        let daily = timer(json!({"expression": "0 0 0 * * *", "misfire": "skip"}), 0);
        assert_eq!(told(daily.clone(), 60_000), (vec![0], Some(86_400_000)));
        assert_eq!(told(daily, 60_001), (vec![], Some(86_400_000)));
    }

    #[test]
    fn repetitions_count_what_was_passed_over_too() {
        let of = |misfire: &str| timer(json!({"expression": "R3/PT10S", "misfire": misfire}), 10_000);
        assert_eq!(told(of("all"), 1_000_000), (vec![10_000, 20_000, 30_000], None));
        assert_eq!(told(of("once"), 1_000_000), (vec![30_000], None));
        assert_eq!(told(of("once"), 21_000), (vec![20_000], Some(30_000)));
        assert_eq!(told(of("skip"), 1_000_000), (vec![], None));
    }

    #[test]
    fn years_of_milliseconds_are_passed_over_at_once() {
        let entry = timer(json!({"expression": "R/PT0.001S", "misfire": "once"}), 0);
        let now_ms = 1_700_000_000_000;
        let firing = fire(&entry, now_ms);
        assert_eq!((firing.told_ms, firing.next.map(|next| next.due_ms)), (Some(now_ms), Some(now_ms + 1)));
    }

    #[test]
    fn the_next_occurrence_keeps_its_id_and_payload() {
        let entry = timer(json!("R/PT10S"), 10_000);
        let next = fire(&entry, 10_000).next.expect("it repeats");
        let entry = Entry { due_ms: next.due_ms, payload: next.payload, ..entry };
        let (envelope, payload) = Envelope::open(&entry).expect("readable");
        assert_eq!(envelope.origin, Some(Origin { key: 7, due_ms: 10_000 }));
        assert_eq!(payload, b"{}");
        let once = Entry { flags: Flags(0), payload: b"x".to_vec().into(), ..entry };
        assert_eq!(fire(&once, 99), Firing { told_ms: Some(10_000), next: None });
    }
}
