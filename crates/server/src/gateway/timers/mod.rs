//! Service timers over REST, under `/v1/timers`: one file for each group of operations.

mod bulk;
mod dead_letters;
pub(super) mod described;
mod inspect;
mod lines;
mod looks;
mod namespaces;
mod one;
mod query;
mod search;
mod streams;

pub(super) use inspect::routes as admin_routes;

use super::call::Handled;
use super::findings::default_tenant;
use super::problem::Problem;
use super::{Gateway, json, operations};
use crate::timers::service::{TimerFailure, TimerService, TimerView};
use crate::timers::spec::FieldErrors;
use axum::Router;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use query::QueryWords;
use serde_json::{Value, json};
use std::sync::Arc;
use tidemill_timers::block::Scope;

#[derive(Clone)]
struct Timers {
    gateway: Arc<Gateway>,
    service: TimerService,
}

/// Nothing for a gateway that has no timers behind it.
pub(super) fn routes(gateway: Arc<Gateway>) -> Router {
    let Some(service) = gateway.timers.clone() else { return Router::new() };
    let timers = Timers { gateway: gateway.clone(), service };
    let read = Router::new()
        .route("/v1/timers", post(one::create))
        .route("/v1/timers/search", post(search::search))
        .route("/v1/timers/counts", get(looks::counts))
        .route("/v1/timers/occurrences", post(looks::occurrences))
        .route("/v1/timers/namespaces", get(namespaces::list))
        .route("/v1/timers/namespaces/{namespace}/pause", post(namespaces::pause))
        .route("/v1/timers/namespaces/{namespace}/resume", post(namespaces::resume))
        .route("/v1/timers/dead-letters", get(dead_letters::list).delete(dead_letters::purge))
        .route("/v1/timers/dead-letters/{letter}", get(dead_letters::show).delete(dead_letters::discard))
        .route("/v1/timers/dead-letters/{letter}/retry", post(dead_letters::retry))
        .route("/v1/timers/stream", get(streams::read))
        .route("/v1/timers/stream/acknowledge", post(streams::acknowledge))
        .route("/v1/timers/{id}", get(one::get).patch(one::reschedule))
        .route("/v1/timers/{id}", delete(one::cancel))
        .route("/v1/timers/{id}/pause", post(one::pause))
        .route("/v1/timers/{id}/resume", post(one::resume))
        .route("/v1/timers/{id}/trigger", post(one::trigger))
        .layer(axum::middleware::from_fn_with_state(gateway, operations::read_body));
    // These bodies are read line by line.
    let streamed = Router::new()
        .route("/v1/timers/bulk", post(bulk::create))
        .route("/v1/timers/bulk-cancel", post(bulk::cancel));
    read.merge(streamed).with_state(timers)
}

fn answered(outcome: Handled, uri: &Uri) -> Response {
    outcome.unwrap_or_else(|problem| problem.into_response(uri.path()))
}

/// The tenant and the namespace that the query names.
fn scope(uri: &Uri) -> Result<Arc<Scope>, Problem> {
    let words = QueryWords::of(uri)?;
    scope_of(words.get("tenantId"), words.get("namespace"))
}

/// The tenant that a request names, taken as everywhere in the API.
fn tenant(name: Option<&str>) -> Result<String, Problem> {
    default_tenant("Timers", name).map(|tenant| tenant.as_str().to_owned())
}

fn scope_of(tenant_id: Option<&str>, name: Option<&str>) -> Result<Arc<Scope>, Problem> {
    use crate::timers::service::{DEFAULT_NAMESPACE, NAMESPACE_BYTES_MAX};
    let tenant = tenant(tenant_id)?;
    let namespace = name.unwrap_or(DEFAULT_NAMESPACE).to_owned();
    if namespace.is_empty() || namespace.len() > NAMESPACE_BYTES_MAX {
        let detail = format!("Expected a namespace of 1 to {NAMESPACE_BYTES_MAX} bytes");
        return Err(Problem::bad_request(detail));
    }
    Ok(Arc::new(Scope { tenant, namespace }))
}

fn tree(body: &[u8]) -> Result<Value, Problem> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(json!({}));
    }
    serde_json::from_slice(body)
        .map_err(|error| Problem::bad_request(format!("Failed to read request: {error}")))
}

/// Names each member that is wrong.
fn wrong(errors: &FieldErrors) -> Problem {
    let list: Vec<Value> =
        errors.0.iter().map(|error| json!({"field": error.field, "reason": error.reason})).collect();
    Problem::invalid_argument(errors.to_string()).with("errors", list)
}

impl From<TimerFailure> for Problem {
    fn from(failure: TimerFailure) -> Problem {
        let told = failure.to_string();
        match failure {
            TimerFailure::NotFound(_) => Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", told),
            TimerFailure::Gone(_) => Problem::new(StatusCode::CONFLICT, "INVALID_STATE", told),
            TimerFailure::Exists(_) => Problem::new(StatusCode::CONFLICT, "ALREADY_EXISTS", told),
            TimerFailure::Refused(_) | TimerFailure::BadCursor => Problem::invalid_argument(told),
            TimerFailure::Command(error) => Problem::command("TIMER", error),
            TimerFailure::Store(error) => error.into(),
        }
    }
}

/// A timer with its payload as it was written.
fn text(timer: &TimerView) -> String {
    let mut text = timer.to_json().to_string();
    if let Some(payload) = &timer.payload {
        text.truncate(text.len() - 1);
        text.push_str(",\"payload\":");
        text.push_str(payload);
        text.push('}');
    }
    text
}

fn json_text(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn done() -> Response {
    json::no_content()
}
