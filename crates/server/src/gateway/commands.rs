//! Results of commands that were sent without waiting.

use super::json::Date;
use super::problem::Problem;
use super::{Gateway, answer, json};
use crate::broker::CommandOutcome;
use axum::extract::Path;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    command_position: String,
    state: &'static str,
    /// When it ran.
    timestamp: Option<Date>,
    /// The answer that a waiting caller would have got.
    result: Option<Box<RawValue>>,
    problem: Option<Value>,
}

pub(super) async fn get(gateway: Arc<Gateway>, Path(position): Path<String>, uri: Uri) -> Response {
    status(&gateway, &position, uri.path())
        .await
        .map_or_else(|problem| problem.into_response(uri.path()), |status| json::ok(&status))
}

async fn status(gateway: &Gateway, position: &str, path: &str) -> Result<Status, Problem> {
    let number: i64 = position.parse().map_err(|_| {
        Problem::bad_request(format!("Failed to convert 'position' with value: '{position}'"))
    })?;
    let outcome = gateway.broker.outcome(number).await.map_err(|error| Problem::command("READ", error))?;
    let Some(outcome) = outcome else {
        let detail = format!("Command with position '{number}' not found");
        return Err(Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", detail));
    };
    let command_position = number.to_string();
    let status = Status { command_position, state: "WAITING", timestamp: None, result: None, problem: None };
    Ok(match outcome {
        CommandOutcome::Waiting => status,
        CommandOutcome::Answered { answer, at } => {
            Status { state: "DONE", timestamp: Some(Date(at)), result: answer::body(&answer), ..status }
        }
        CommandOutcome::Refused { intent, rejection, at } => {
            let problem = Problem::rejected(&intent, &rejection).to_json(path);
            Status { state: "REJECTED", timestamp: Some(Date(at)), problem: Some(problem), ..status }
        }
        CommandOutcome::DeadLetter { reason, at } => {
            let problem = Problem::internal(reason).to_json(path);
            Status { state: "FAILED", timestamp: Some(Date(at)), problem: Some(problem), ..status }
        }
    })
}
