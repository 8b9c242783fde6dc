//! Retry policies: how often a delivery is tried, and how long it waits in between.

use super::bytes::{Malformed, Reader, Writer};
use super::fields::{FieldErrors, Fields};
use super::schedule::chance;
use serde_json::{Value, json};

const DAY_MS: i64 = 86_400_000;
const ATTEMPTS_MAX: i64 = 1_000;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RetryPolicy {
    /// Tries in all, the first among them.
    pub attempts: u32,
    /// From the first try on; after that nothing is tried again.
    pub duration_ms: i64,
    /// Before the second try.
    pub initial_ms: i64,
    /// Each wait is so many times as long as the one before.
    pub factor: f64,
    pub maximum_ms: i64,
    /// The part of a wait that is left to chance: 0.2 shortens it by up to a fifth.
    pub jitter: f64,
}

impl Default for RetryPolicy {
    fn default() -> RetryPolicy {
        RetryPolicy {
            attempts: 12,
            duration_ms: DAY_MS,
            initial_ms: 1_000,
            factor: 2.0,
            maximum_ms: 600_000,
            jitter: 0.2,
        }
    }
}

impl RetryPolicy {
    pub fn from_json(value: &Value, path: &str, errors: &mut FieldErrors) -> Option<RetryPolicy> {
        let usual = RetryPolicy::default();
        let mut fields = Fields::of(value, path, errors)?;
        let attempts = fields.integer("attempts", 1..=ATTEMPTS_MAX);
        let policy = RetryPolicy {
            attempts: attempts.map_or(usual.attempts, |attempts| attempts as u32),
            duration_ms: fields.duration_ms("duration", 0..=366 * DAY_MS).unwrap_or(usual.duration_ms),
            initial_ms: fields.duration_ms("initial", 1..=DAY_MS).unwrap_or(usual.initial_ms),
            factor: fields.number("factor", 1.0..=100.0).unwrap_or(usual.factor),
            maximum_ms: fields.duration_ms("maximum", 1..=30 * DAY_MS).unwrap_or(usual.maximum_ms),
            jitter: fields.number("jitter", 0.0..=1.0).unwrap_or(usual.jitter),
        };
        fields.finish();
        Some(policy)
    }

    pub fn to_json(&self) -> Value {
        json!({
            "attempts": self.attempts,
            "duration": self.duration_ms,
            "initial": self.initial_ms,
            "factor": self.factor,
            "maximum": self.maximum_ms,
            "jitter": self.jitter,
        })
    }

    /// When to try again after the try with this number (from 0) has failed; none if it was the last. `seed` decides about
    /// chance, so that the same failure always waits as long.
    pub fn next_try_ms(
        &self,
        attempt: u32,
        first_try_ms: i64,
        now_ms: i64,
        not_before_ms: Option<i64>,
        seed: u64,
    ) -> Option<i64> {
        if attempt.saturating_add(1) >= self.attempts {
            return None;
        }
        let exponent = i32::try_from(attempt).unwrap_or(i32::MAX);
        let wait_ms = (self.initial_ms as f64 * self.factor.powi(exponent)).min(self.maximum_ms as f64);
        let wait_ms = (wait_ms * (1.0 - self.jitter * chance(seed, attempt.into()))).max(1.0) as i64;
        let due_ms = now_ms.saturating_add(wait_ms).max(not_before_ms.unwrap_or(i64::MIN));
        (due_ms <= first_try_ms.saturating_add(self.duration_ms)).then_some(due_ms)
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.number(self.attempts.into());
        writer.signed(self.duration_ms);
        writer.signed(self.initial_ms);
        writer.float(self.factor);
        writer.signed(self.maximum_ms);
        writer.float(self.jitter);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<RetryPolicy, Malformed> {
        Ok(RetryPolicy {
            attempts: reader.small()?,
            duration_ms: reader.signed()?,
            initial_ms: reader.signed()?,
            factor: reader.float()?,
            maximum_ms: reader.signed()?,
            jitter: reader.float()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEADY: RetryPolicy = RetryPolicy {
        attempts: 5,
        duration_ms: 60_000,
        initial_ms: 1_000,
        factor: 3.0,
        maximum_ms: 10_000,
        jitter: 0.0,
    };

    #[test]
    fn waits_grow_to_their_maximum_and_end_with_the_attempts() {
        let waits: Vec<_> = (0..6).map(|attempt| STEADY.next_try_ms(attempt, 0, 100, None, 7)).collect();
        assert_eq!(waits, [Some(1_100), Some(3_100), Some(9_100), Some(10_100), None, None]);
    }

    #[test]
    fn a_receiver_may_ask_for_more_time_within_the_whole_duration() {
        assert_eq!(STEADY.next_try_ms(0, 0, 100, Some(30_000), 7), Some(30_000));
        assert_eq!(STEADY.next_try_ms(0, 0, 100, Some(60_001), 7), None);
        assert_eq!(STEADY.next_try_ms(0, 0, 59_500, None, 7), None, "the whole duration is over by then");
    }

    #[test]
    fn chance_only_shortens_and_is_the_same_each_time() {
        let policy = RetryPolicy { jitter: 0.5, ..STEADY };
        let dues: Vec<_> = (0..100).filter_map(|seed| policy.next_try_ms(1, 0, 0, None, seed)).collect();
        assert!(dues.iter().all(|due_ms| (1_500..=3_000).contains(due_ms)), "{dues:?}");
        assert!(dues.iter().any(|due_ms| *due_ms != dues[0]));
        assert_eq!(policy.next_try_ms(1, 0, 0, None, 3), policy.next_try_ms(1, 0, 0, None, 3));
    }

    #[test]
    fn wrong_members_are_named() {
        let mut errors = FieldErrors::default();
        let value = json!({"attempts": 0, "factor": 0.5, "initial": "soon", "max": 3});
        RetryPolicy::from_json(&value, "retry", &mut errors);
        let named: Vec<&str> = errors.0.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(named, ["retry.attempts", "retry.initial", "retry.factor", "retry.max"]);
        let shown = RetryPolicy::from_json(&STEADY.to_json(), "", &mut FieldErrors::default());
        assert_eq!(shown, Some(STEADY));
    }
}
