//! The retention of history and logs, and the amount of stored data.

use super::{Operations, answered, read};
use crate::gateway::call::Handled;
use crate::gateway::json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use tidemill_model::Timestamp;
use tidemill_store::{Amount, DAY_MS, Kept, Purpose, Retention};

/// In milliseconds; -1 is for ever.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Times {
    /// The retention that counts.
    kept_ms: Option<i64>,
    /// The retention that operators have set in the store, for all servers.
    set_ms: Option<i64>,
    /// The retention that this server was started with. It counts where nothing is set.
    server_ms: Option<i64>,
}

fn times(set: Option<Kept>, server: Option<Kept>) -> Times {
    Times {
        kept_ms: set.or(server).map(Kept::to_millis),
        set_ms: set.map(Kept::to_millis),
        server_ms: server.map(Kept::to_millis),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AmountItem {
    kind: &'static str,
    table: String,
    /// None for what lies outside the days.
    day: Option<String>,
    rows: Option<u64>,
    bytes: Option<u64>,
}

pub(super) async fn show(State(operations): State<Operations>, uri: Uri) -> Response {
    answered(shown(&operations).await, &uri)
}

async fn shown(operations: &Operations) -> Handled {
    let (set, server) = (operations.store.retention().await?, operations.retention);
    let amounts = operations.store.amounts().await?;
    Ok(json::ok(&json!({
        "history": times(set.history, server.history),
        "log": times(set.log, server.log),
        "amounts": amounts.into_iter().map(amount_item).collect::<Vec<_>>(),
    })))
}

fn amount_item(amount: Amount) -> AmountItem {
    AmountItem {
        kind: match amount.purpose {
            Purpose::History => "HISTORY",
            Purpose::Log => "LOG",
        },
        table: amount.name,
        day: amount.day.map(|day| Timestamp(day * DAY_MS).to_string().chars().take(10).collect()),
        rows: amount.rows,
        bytes: amount.bytes,
    }
}

/// A member that is absent stays as it is; null takes back what was set.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wish {
    #[serde(default, deserialize_with = "said")]
    history_ms: Option<Option<i64>>,
    #[serde(default, deserialize_with = "said")]
    log_ms: Option<Option<i64>>,
}

/// Tells null from nothing.
fn said<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<i64>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

pub(super) async fn set(State(operations): State<Operations>, uri: Uri, body: Bytes) -> Response {
    let set = async || -> Handled {
        let wish: Wish = read(&body)?;
        let set = operations.store.retention().await?;
        let chosen = |wish: Option<Option<i64>>, set| wish.map_or(set, |wish| wish.map(Kept::from_millis));
        let retention =
            Retention { history: chosen(wish.history_ms, set.history), log: chosen(wish.log_ms, set.log) };
        operations.store.set_retention(retention).await?;
        shown(&operations).await
    };
    answered(set().await, &uri)
}
