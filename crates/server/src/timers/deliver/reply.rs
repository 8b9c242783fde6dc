//! Reads the answer to a callback: the outcome for its one timer, or for each timer of a batch.

use serde_json::Value;
use std::collections::HashMap;
use tidemill_calendar::{Date, Timestamp, Zone};
use tidemill_timers::slot::DUE_MS_MAX;

/// A receiver cannot ask for more time than this by `Retry-After`.
const RETRY_AFTER_S_MAX: i64 = 366 * 86_400;
/// Of an answer, as much is told in a dead letter.
const TOLD_BYTES_MAX: usize = 200;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Done,
    /// It was taken, and is wanted again at this time.
    NextAt(i64),
    Retry {
        reason: String,
        not_before_ms: Option<i64>,
    },
    GiveUp {
        reason: String,
    },
}

/// An answer, as far as it was read.
#[derive(Clone, Default, Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) retry_after: Option<String>,
    pub(super) body: Vec<u8>,
    /// The body went on beyond the limit.
    pub(super) is_cut: bool,
}

impl Reply {
    pub(super) fn judge(&self, now_ms: i64) -> Verdict {
        let body = self.json();
        self.verdict(self.status, body.as_ref(), now_ms)
    }

    /// A verdict for each key. An answer without a list of results is one for all, and asks for no keys.
    pub(super) fn judge_each(
        &self,
        count: usize,
        key_of: impl Fn(usize) -> String,
        now_ms: i64,
    ) -> Vec<Verdict> {
        let body = self.json();
        let results = body.as_ref().and_then(|body| body.get("results")).and_then(Value::as_array);
        let is_taken = (200..300).contains(&self.status);
        let Some(results) = results.filter(|_| is_taken) else {
            let all = match is_taken && self.is_cut {
                true => Verdict::Retry {
                    reason: "its answer is too long to be read".to_owned(),
                    not_before_ms: None,
                },
                false => self.verdict(self.status, None, now_ms),
            };
            return vec![all; count];
        };
        // Results name their timer, or come in the order of the timers.
        let mut by_key: HashMap<&str, &Value> = HashMap::new();
        for result in results {
            if let Some(key) = result.get("idempotencyKey").and_then(Value::as_str) {
                by_key.entry(key).or_insert(result);
            }
        }
        let in_order = by_key.is_empty() && results.len() == count;
        let judge = |nth: usize| match by_key
            .get(key_of(nth).as_str())
            .copied()
            .or(in_order.then(|| &results[nth]))
        {
            Some(result) => self.judge_result(result, now_ms),
            None => {
                Verdict::Retry { reason: "the answer has no result for it".to_owned(), not_before_ms: None }
            }
        };
        (0..count).map(judge).collect()
    }

    fn judge_result(&self, result: &Value, now_ms: i64) -> Verdict {
        let status =
            result.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
        let Some(status) = status else {
            let reason = "its result has no status".to_owned();
            return Verdict::Retry { reason, not_before_ms: None };
        };
        let retry_after = match result.get("retryAfter") {
            Some(Value::Number(seconds)) => Some(seconds.to_string()),
            Some(Value::String(text)) => Some(text.clone()),
            _ => None,
        };
        let reason = result.get("reason").and_then(Value::as_str).unwrap_or_default();
        let reply = Reply { status, retry_after, body: reason.as_bytes().to_vec(), is_cut: false };
        reply.verdict(status, Some(result), now_ms)
    }

    fn verdict(&self, status: u16, body: Option<&Value>, now_ms: i64) -> Verdict {
        match status {
            200..300 => {
                match body.and_then(|body| body.get("nextExecuteAt")).filter(|date| !date.is_null()) {
                    Some(date) => next_at(date),
                    None => Verdict::Done,
                }
            }
            408 | 425 | 429 => self.retry(now_ms),
            400..500 => Verdict::GiveUp { reason: self.told() },
            _ => self.retry(now_ms),
        }
    }

    fn retry(&self, now_ms: i64) -> Verdict {
        let not_before_ms = self.retry_after.as_deref().and_then(|text| retry_after_ms(text, now_ms));
        Verdict::Retry { reason: self.told(), not_before_ms }
    }

    fn json(&self) -> Option<Value> {
        if self.is_cut { None } else { serde_json::from_slice(&self.body).ok() }
    }

    fn told(&self) -> String {
        let body = String::from_utf8_lossy(&self.body);
        let short: String = body.chars().filter(|c| !c.is_control()).take(TOLD_BYTES_MAX).collect();
        match short.trim() {
            "" => format!("the receiver answered {}", self.status),
            text => format!("the receiver answered {}: {text}", self.status),
        }
    }
}

/// A date that cannot be read must not be lost in silence: an operator sees it among the dead letters.
fn next_at(date: &Value) -> Verdict {
    let at = match (date.as_i64(), date.as_str()) {
        (Some(ms), _) => Some(ms),
        (None, Some(text)) => Date::parse(text, &Zone::utc()).ok().map(|date| date.timestamp().0),
        (None, None) => None,
    };
    match at.filter(|ms| (0..=DUE_MS_MAX).contains(ms)) {
        Some(ms) => Verdict::NextAt(ms),
        None => Verdict::GiveUp {
            reason: format!("the receiver took it, but asks for it again at {date}, which is no date"),
        },
    }
}

/// Seconds, or a date as in HTTP.
fn retry_after_ms(text: &str, now_ms: i64) -> Option<i64> {
    let most_ms = now_ms + RETRY_AFTER_S_MAX * 1_000;
    let at_ms = match text.trim().parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => now_ms + (seconds.min(RETRY_AFTER_S_MAX as f64) * 1_000.0) as i64,
        Ok(_) => return None,
        Err(_) => jiff::fmt::rfc2822::parse(text.trim()).ok()?.timestamp().as_millisecond(),
    };
    Some(Timestamp(at_ms.clamp(now_ms, most_ms)).0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW_MS: i64 = 1_800_000_000_000;

    fn reply(status: u16, body: &str) -> Reply {
        Reply { status, body: body.as_bytes().to_vec(), ..Reply::default() }
    }

    #[test]
    fn the_status_decides() {
        for status in [200, 201, 202, 204] {
            assert_eq!(reply(status, "anything").judge(NOW_MS), Verdict::Done, "{status}");
        }
        for status in [400, 401, 404, 410, 422, 499] {
            assert!(matches!(reply(status, "").judge(NOW_MS), Verdict::GiveUp { .. }), "{status}");
        }
        for status in [100, 301, 302, 307, 408, 425, 429, 500, 502, 503, 600] {
            assert!(matches!(reply(status, "").judge(NOW_MS), Verdict::Retry { .. }), "{status}");
        }
    }

    #[test]
    fn a_receiver_may_ask_for_another_time() {
        let asked = reply(200, r#"{"nextExecuteAt": "2027-01-15T08:00:00Z"}"#).judge(NOW_MS);
        assert_eq!(asked, Verdict::NextAt(1_800_000_000_000));
        assert_eq!(reply(200, r#"{"nextExecuteAt": null}"#).judge(NOW_MS), Verdict::Done);
        for body in [r#"{"nextExecuteAt": "soon"}"#, r#"{"nextExecuteAt": -1}"#, r#"{"nextExecuteAt": []}"#] {
            assert!(matches!(reply(200, body).judge(NOW_MS), Verdict::GiveUp { .. }), "{body}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let wait = |text: &str| match (Reply { retry_after: Some(text.to_owned()), ..reply(503, "") })
            .judge(NOW_MS)
        {
            Verdict::Retry { not_before_ms, .. } => not_before_ms.map(|ms| ms - NOW_MS),
            other => panic!("{other:?}"),
        };
        assert_eq!(wait("120"), Some(120_000));
        assert_eq!(wait("Fri, 15 Jan 2027 08:01:00 GMT"), Some(60_000));
        assert_eq!(wait("Fri, 15 Jan 2021 08:01:00 GMT"), Some(0), "a date that is past means now");
        assert_eq!(wait("99999999999999999999"), Some(RETRY_AFTER_S_MAX * 1_000));
        assert_eq!(wait("-5"), None);
        assert_eq!(wait("whenever"), None);
    }

    #[test]
    fn many_are_judged_one_by_one() {
        let keys: Vec<String> = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let body = json!({"results": [
            {"idempotencyKey": "c", "status": 500, "retryAfter": 7},
            {"idempotencyKey": "a", "status": 200},
            {"idempotencyKey": "a", "status": 400},
            {"idempotencyKey": "z", "status": 400},
            {"idempotencyKey": "b", "status": 404, "reason": "unknown order"},
        ]});
        let verdicts = reply(200, &body.to_string()).judge_each(keys.len(), |nth| keys[nth].clone(), NOW_MS);
        assert_eq!(verdicts[0], Verdict::Done, "what is said first counts");
        assert!(matches!(&verdicts[1], Verdict::GiveUp { reason } if reason.contains("unknown order")));
        assert!(
            matches!(&verdicts[2], Verdict::Retry { not_before_ms: Some(ms), .. } if *ms == NOW_MS + 7_000)
        );
        assert!(matches!(&verdicts[3], Verdict::Retry { .. }), "nobody said that it was taken");
        let ordered = json!({"results": [{"status": 200}, {"status": 500}, {}, {"status": 204}]});
        let verdicts =
            reply(200, &ordered.to_string()).judge_each(keys.len(), |nth| keys[nth].clone(), NOW_MS);
        assert_eq!((&verdicts[0], &verdicts[3]), (&Verdict::Done, &Verdict::Done));
        assert!(verdicts[1..3].iter().all(|verdict| matches!(verdict, Verdict::Retry { .. })));
    }

    #[test]
    fn one_answer_holds_for_all_of_a_batch() {
        let keys = ["a".to_owned(), "b".to_owned()];
        assert_eq!(
            reply(204, "").judge_each(keys.len(), |nth| keys[nth].clone(), NOW_MS),
            [Verdict::Done, Verdict::Done]
        );
        assert_eq!(
            reply(200, "OK").judge_each(keys.len(), |nth| keys[nth].clone(), NOW_MS),
            [Verdict::Done, Verdict::Done]
        );
        let failed = reply(500, r#"{"results": [{"status": 200}, {"status": 200}]}"#).judge_each(
            keys.len(),
            |nth| keys[nth].clone(),
            NOW_MS,
        );
        assert!(failed.iter().all(|verdict| matches!(verdict, Verdict::Retry { .. })));
        let cut = Reply { is_cut: true, ..reply(200, "{\"results\": [") }.judge_each(
            keys.len(),
            |nth| keys[nth].clone(),
            NOW_MS,
        );
        assert!(
            cut.iter().all(|verdict| matches!(verdict, Verdict::Retry { .. })),
            "nobody knows what it said"
        );
        let cut = Reply { is_cut: true, ..reply(200, "x") }.judge(NOW_MS);
        assert_eq!(cut, Verdict::Done, "a single timer was taken, whatever else is said");
    }
}
