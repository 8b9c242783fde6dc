//! Commands that were put aside: look at them, run them again, let them go.

use super::{Operations, answered, number};
use crate::gateway::call::Handled;
use crate::gateway::json::{self, Date};
use crate::gateway::problem::Problem;
use axum::extract::{Path, RawQuery, State};
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Value, json};
use tidemill_partition::Envelope;
use tidemill_store::{LetterNumber, StoredLetter};

const PAGE_LETTERS: usize = 100;

pub(super) async fn list(
    State(operations): State<Operations>,
    RawQuery(query): RawQuery,
    uri: Uri,
) -> Response {
    answered(page(&operations, query.as_deref().unwrap_or_default()).await, &uri)
}

async fn page(operations: &Operations, query: &str) -> Handled {
    let after = query.split('&').find_map(|pair| pair.strip_prefix("after="));
    let after = after.map(|after| number("after", after)).transpose()?.map(LetterNumber);
    let letters = operations.store.dead_letters(after, PAGE_LETTERS).await?;
    Ok(json::ok(&json!({"items": letters.iter().map(shown).collect::<Vec<_>>()})))
}

pub(super) async fn show(State(operations): State<Operations>, path: Path<String>, uri: Uri) -> Response {
    let find = async || -> Handled {
        let number = LetterNumber(number("number", &path)?);
        let letter = operations.store.dead_letter(number).await?;
        let letter = letter.ok_or_else(|| Problem::not_found("Dead letter", number.0))?;
        let command =
            Envelope::unpack(&letter.payload).ok().and_then(|e| serde_json::to_value(&e.command).ok());
        Ok(json::ok(&Item { command, ..shown(&letter) }))
    };
    answered(find().await, &uri)
}

pub(super) async fn retry(State(operations): State<Operations>, path: Path<String>, uri: Uri) -> Response {
    let retry = async || -> Handled {
        let number = LetterNumber(number("number", &path)?);
        let now = operations.gateway.broker.now();
        match operations.store.retry_dead_letter(number, now).await? {
            Some(position) => Ok(json::ok(&json!({"commandPosition": position.0.to_string()}))),
            None => Err(Problem::not_found("Dead letter", number.0)),
        }
    };
    answered(retry().await, &uri)
}

pub(super) async fn discard(State(operations): State<Operations>, path: Path<String>, uri: Uri) -> Response {
    let discard = async || -> Handled {
        let number = LetterNumber(number("number", &path)?);
        match operations.store.drop_dead_letter(number).await? {
            true => Ok(json::no_content()),
            false => Err(Problem::not_found("Dead letter", number.0)),
        }
    };
    answered(discard().await, &uri)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    number: String,
    partition_id: u16,
    command_position: Option<String>,
    timestamp: Date,
    /// None where the command cannot be read, which may be the very reason.
    intent: Option<&'static str>,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Value>,
}

fn shown(letter: &StoredLetter) -> Item {
    Item {
        number: letter.number.0.to_string(),
        partition_id: letter.partition.0,
        command_position: letter.position.map(|position| position.0.to_string()),
        timestamp: Date(letter.at),
        intent: Envelope::unpack(&letter.payload).ok().map(|envelope| envelope.command.intent()),
        reason: letter.reason.clone(),
        command: None,
    }
}
