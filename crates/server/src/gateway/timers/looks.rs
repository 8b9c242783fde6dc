//! Looks ahead: how many timers are due when, and when a schedule would be due.

use super::{Timers, answered, scope, tree, wrong};
use crate::gateway::call::Handled;
use crate::gateway::json;
use crate::timers::spec::{FieldErrors, Fields, OCCURRENCES_MAX, Schedule};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde_json::{Value, json};
use tidemill_model::Timestamp;

const MINUTE_MS: i64 = 60_000;
const OCCURRENCES: i64 = 10;

fn date(ms: i64) -> String {
    json::date_text(Timestamp(ms))
}

pub(super) async fn counts(State(timers): State<Timers>, uri: Uri) -> Response {
    let count = async || -> Handled {
        let counts = timers.service.counts(&*scope(&uri)?).await?;
        let minutes: Vec<Value> = (0..)
            .zip(&counts.minutes)
            .map(|(nth, timers)| json!({"from": date(counts.begin_ms + nth * MINUTE_MS), "timers": timers}))
            .collect();
        let slots: Vec<Value> = counts
            .slots
            .iter()
            .map(|slot| json!({"from": date(slot.begin_ms), "to": date(slot.end_ms), "timers": slot.timers}))
            .collect();
        Ok(json::ok(&json!({"minutes": minutes, "isExact": counts.is_exact, "slots": slots})))
    };
    answered(count().await, &uri)
}

pub(super) async fn occurrences(State(timers): State<Timers>, uri: Uri, body: Bytes) -> Response {
    let look = async || -> Handled {
        let value = tree(&body)?;
        let (schedule, count) = read(&value).map_err(|errors| wrong(&errors))?;
        let times = schedule.occurrences(timers.service.now_ms(), count);
        Ok(json::ok(&json!({"occurrences": times.into_iter().map(date).collect::<Vec<_>>()})))
    };
    answered(look().await, &uri)
}

fn read(value: &Value) -> Result<(Schedule, usize), FieldErrors> {
    let mut errors = FieldErrors::default();
    let Some(mut fields) = Fields::of(value, "", &mut errors) else { return Err(errors) };
    let schedule = match fields.value("schedule") {
        Some(value) => Schedule::from_json(value, "schedule", fields.errors()),
        None => {
            fields.wrong("schedule", "Expected a schedule, but there is none");
            None
        }
    };
    let count = fields.integer("count", 1..=OCCURRENCES_MAX as i64).unwrap_or(OCCURRENCES);
    fields.finish();
    match schedule {
        Some(schedule) if errors.is_empty() => Ok((schedule, count as usize)),
        _ => Err(errors),
    }
}
