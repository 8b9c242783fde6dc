//! Searching timers.

use super::{Timers, answered, json_text, tenant, text, tree, wrong};
use crate::gateway::call::Handled;
use crate::gateway::json::parse_date;
use crate::timers::service::{DEFAULT_NAMESPACE, NAMESPACE_BYTES_MAX, PayloadTest, Search, TimerState};
use crate::timers::spec::{FieldErrors, Fields};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde_json::{Value, json};
use tidemill_timers::block::Scope;
use tidemill_timers::slot::DUE_MS_MAX;

const LIMIT: i64 = 100;
const LIMIT_MAX: i64 = 1_000;
const PATH_BYTES_MAX: usize = 1_000;
const STATES: [(&str, TimerState); 4] = [
    ("SCHEDULED", TimerState::Scheduled),
    ("PAUSED", TimerState::Paused),
    ("scheduled", TimerState::Scheduled),
    ("paused", TimerState::Paused),
];

pub(super) async fn search(State(timers): State<Timers>, uri: Uri, body: Bytes) -> Response {
    let search = async || -> Handled {
        let search = read(&tree(&body)?).map_err(|errors| wrong(&errors))?;
        let page = timers.service.search(&search).await?;
        let items: Vec<String> = page.items.iter().map(text).collect();
        let rest = json!({"scanned": page.scanned, "cursor": page.cursor}).to_string();
        // The payloads are written as they are.
        let answer = format!("{{\"items\":[{}],{}", items.join(","), &rest[1..]);
        Ok(json_text(StatusCode::OK, answer))
    };
    answered(search().await, &uri)
}

fn read(value: &Value) -> Result<Search, FieldErrors> {
    let mut errors = FieldErrors::default();
    let Some(mut fields) = Fields::of(value, "", &mut errors) else { return Err(errors) };
    let namespace =
        fields.text("namespace", NAMESPACE_BYTES_MAX).unwrap_or_else(|| DEFAULT_NAMESPACE.to_owned());
    let tenant = match tenant(fields.text("tenantId", usize::MAX).as_deref()) {
        Ok(tenant) => tenant,
        Err(problem) => {
            fields.wrong("tenantId", problem.detail());
            String::new()
        }
    };
    let scope = Scope { tenant, namespace };
    let state = fields.one_of("state", &STATES);
    let from_ms = date(&mut fields, "from").unwrap_or(0);
    let to_ms = date(&mut fields, "to").unwrap_or(DUE_MS_MAX);
    let limit = fields.integer("limit", 1..=LIMIT_MAX).unwrap_or(LIMIT) as usize;
    let cursor = fields.text("cursor", 500);
    let payload = fields.value("payload").and_then(|value| payload_test(value, fields.errors()));
    fields.finish();
    let search = Search { scope, state, from_ms, to_ms, payload, limit, cursor };
    if errors.is_empty() { Ok(search) } else { Err(errors) }
}

fn date(fields: &mut Fields<'_>, name: &'static str) -> Option<i64> {
    let text = fields.text(name, 64)?;
    let found = parse_date(&text).map(|date| date.0);
    if found.is_none() {
        let reason =
            format!("Expected a date with its offset such as 2030-01-31T09:00:00Z, but it is '{text}'");
        fields.wrong(name, reason);
    }
    found
}

fn payload_test(value: &Value, errors: &mut FieldErrors) -> Option<PayloadTest> {
    let mut fields = Fields::of(value, "payload", errors)?;
    let path = fields.required_text("path", PATH_BYTES_MAX);
    // `null` is a value like others here.
    let equals = value.get("equals").cloned();
    let _ = fields.value("equals");
    if equals.is_none() {
        fields.wrong("equals", "Expected the value that the payload has there, but there is none");
    }
    fields.finish();
    let path = path?.split('.').map(str::to_owned).collect();
    Some(PayloadTest { path, equals: equals? })
}
