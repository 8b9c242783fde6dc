//! Streams of timers that have fired: read, and acknowledged by cursor.

use super::query::QueryWords;
use super::{Timers, answered, done, json_text, scope, tree, wrong};
use crate::gateway::call::Handled;
use crate::gateway::problem::Problem;
use crate::timers::deliver::StreamCursor;
use crate::timers::spec::{FieldErrors, Fields};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde_json::{Value, json};
use std::time::Duration;

const LIMIT: usize = 100;
const LIMIT_MAX: usize = 10_000;
const WAIT_MS_MAX: u64 = 60_000;
/// A cursor has a part for each partition.
const CURSOR_BYTES_MAX: usize = 64 << 10;

fn cursor(text: &str) -> Result<StreamCursor, Problem> {
    text.parse().map_err(Problem::invalid_argument)
}

pub(super) async fn read(State(timers): State<Timers>, uri: Uri) -> Response {
    let read = async || -> Handled {
        let words = QueryWords::of(&uri)?;
        let limit = words.limit(LIMIT, LIMIT_MAX)?;
        let wait_ms = match words.get("waitMs").map(str::parse::<u64>) {
            None => 0,
            Some(Ok(wait_ms)) if wait_ms <= WAIT_MS_MAX => wait_ms,
            Some(_) => {
                return Err(Problem::bad_request(format!("Expected waitMs from 0 to {WAIT_MS_MAX}")));
            }
        };
        let cursor = cursor(words.get("cursor").unwrap_or_default())?;
        let wait = Duration::from_millis(wait_ms);
        let page = timers.service.read_stream(&*scope(&uri)?, &cursor, limit, wait).await?;
        let cursor = json!(page.cursor.to_string());
        // The payloads are written as they are.
        let answer = format!("{{\"items\":[{}],\"cursor\":{cursor}}}", page.timers.join(","));
        Ok(json_text(StatusCode::OK, answer))
    };
    answered(read().await, &uri)
}

pub(super) async fn acknowledge(State(timers): State<Timers>, uri: Uri, body: Bytes) -> Response {
    let acknowledge = async || -> Handled {
        let text = read_cursor(&tree(&body)?).map_err(|errors| wrong(&errors))?;
        timers.service.acknowledge(&*scope(&uri)?, &cursor(&text)?).await?;
        Ok(done())
    };
    answered(acknowledge().await, &uri)
}

fn read_cursor(value: &Value) -> Result<String, FieldErrors> {
    let mut errors = FieldErrors::default();
    let Some(mut fields) = Fields::of(value, "", &mut errors) else { return Err(errors) };
    let cursor = fields.required_text("cursor", CURSOR_BYTES_MAX);
    fields.finish();
    cursor.filter(|_| errors.is_empty()).ok_or(errors)
}
