//! Timers whose delivery was given up: look at them, try them again, let them go.

use super::query::QueryWords;
use super::{Timers, answered, done, json_text, scope, text};
use crate::gateway::call::Handled;
use crate::gateway::json;
use crate::timers::service::{DeadLetter, LetterId};
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde_json::json;
use tidemill_model::Timestamp;

const LIMIT: usize = 100;
const LIMIT_MAX: usize = 1_000;

/// The payload is written as it is.
fn shown(letter: &DeadLetter) -> String {
    let head = json!({
        "letterId": letter.id.to_string(),
        "timestamp": json::date_text(Timestamp(letter.at_ms)),
        "reason": letter.reason,
    });
    let timer = letter.timer.as_ref().map_or_else(|| "null".to_owned(), text);
    let head = head.to_string();
    format!("{},\"timer\":{timer}}}", &head[..head.len() - 1])
}

pub(super) async fn list(State(timers): State<Timers>, uri: Uri) -> Response {
    let list = async || -> Handled {
        let words = QueryWords::of(&uri)?;
        let after: Option<LetterId> = words.get("after").map(str::parse).transpose()?;
        let limit = words.limit(LIMIT, LIMIT_MAX)?;
        let (letters, next) = timers.service.dead_letters(&*scope(&uri)?, after, limit).await?;
        let items: Vec<String> = letters.iter().map(shown).collect();
        let cursor = json!(next.map(|next| next.to_string()));
        let answer = format!("{{\"items\":[{}],\"cursor\":{cursor}}}", items.join(","));
        Ok(json_text(StatusCode::OK, answer))
    };
    answered(list().await, &uri)
}

pub(super) async fn show(State(timers): State<Timers>, id: Path<String>, uri: Uri) -> Response {
    let show = async || -> Handled {
        let letter = timers.service.dead_letter(&*scope(&uri)?, id.parse()?).await?;
        Ok(json_text(StatusCode::OK, shown(&letter)))
    };
    answered(show().await, &uri)
}

pub(super) async fn retry(State(timers): State<Timers>, id: Path<String>, uri: Uri) -> Response {
    let retry = async || -> Handled {
        timers.service.retry_dead_letter(&*scope(&uri)?, id.parse()?).await?;
        Ok(done())
    };
    answered(retry().await, &uri)
}

pub(super) async fn discard(State(timers): State<Timers>, id: Path<String>, uri: Uri) -> Response {
    let discard = async || -> Handled {
        timers.service.drop_dead_letter(&*scope(&uri)?, id.parse()?).await?;
        Ok(done())
    };
    answered(discard().await, &uri)
}

pub(super) async fn purge(State(timers): State<Timers>, uri: Uri) -> Response {
    let purge = async || -> Handled {
        let dropped = timers.service.drop_dead_letters(&*scope(&uri)?).await?;
        Ok(json::ok(&json!({"dropped": dropped})))
    };
    answered(purge().await, &uri)
}
