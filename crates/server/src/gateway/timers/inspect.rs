//! The shards of timers for those who run a server: nobody can read packed blocks by SQL.

use super::query::QueryWords;
use super::{Timers, answered, json_text, text};
use crate::gateway::Gateway;
use crate::gateway::call::Handled;
use crate::gateway::json;
use crate::gateway::problem::Problem;
use crate::timers::service::{BlockView, PartitionStats, SlotView};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::get;
use serde_json::{Value, json};
use std::sync::Arc;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_timers::Slot;
use tidemill_timers::block::Kind;
use tidemill_timers::slot::LEVELS;

/// Part of the routes for operators, behind the same door.
pub(in crate::gateway) fn routes(gateway: Arc<Gateway>) -> Router {
    let Some(service) = gateway.timers.clone() else { return Router::new() };
    Router::new()
        .route("/v1/admin/timers/stats", get(stats))
        .route("/v1/admin/timers/slots", get(slots))
        .route("/v1/admin/timers/blocks", get(blocks))
        .route("/v1/admin/timers/blocks/{block}", get(block))
        .with_state(Timers { gateway, service })
}

/// The beginning of time is no date.
fn date(ms: i64) -> Value {
    if ms < 0 { Value::Null } else { json!(json::date_text(Timestamp(ms))) }
}

async fn stats(State(timers): State<Timers>, uri: Uri) -> Response {
    let stats = async || -> Handled {
        let items: Vec<Value> = timers.service.stats().await?.iter().map(shown).collect();
        Ok(json::ok(&json!({"items": items})))
    };
    answered(stats().await, &uri)
}

fn shown(stats: &PartitionStats) -> Value {
    let paused: Vec<&str> =
        stats.shard.namespaces.iter().map(|(scope, _)| scope.namespace.as_str()).collect();
    let looped = stats.looped.as_ref().map(|numbers| {
        json!({
            "isReady": numbers.is_ready,
            "trouble": numbers.trouble,
            "commits": numbers.commits,
            "fired": numbers.fired,
            "lateMs": numbers.late_ms,
            "lateMsMax": numbers.late_ms_max,
            "memoryBytes": numbers.memory_bytes,
            "clockStepMs": numbers.clock_step_ms,
        })
    });
    json!({
        "partitionId": stats.partition.0,
        "firedUpTo": date(stats.shard.mark.due_ms),
        "batch": stats.shard.last_batch.to_string(),
        "stored": stats.stored,
        "cancellations": stats.cancellations,
        "paused": stats.paused,
        "blocks": stats.blocks,
        "bytes": stats.bytes,
        "callbacksWaiting": stats.callbacks,
        "streamedWaiting": stats.streamed,
        "pausedNamespaces": paused,
        "loop": looped,
    })
}

async fn slots(State(timers): State<Timers>, uri: Uri) -> Response {
    let slots = async || -> Handled {
        let items: Vec<Value> = timers.service.slots().await?.iter().map(slot).collect();
        Ok(json::ok(&json!({"items": items})))
    };
    answered(slots().await, &uri)
}

fn slot(view: &SlotView) -> Value {
    let used = view.used;
    let is_time = used.slot.level < LEVELS;
    json!({
        "partitionId": view.partition.0,
        "level": used.slot.level,
        "slot": used.slot.number.to_string(),
        "from": if is_time { date(used.slot.begin_ms()) } else { Value::Null },
        "to": if is_time { date(used.slot.end_ms()) } else { Value::Null },
        "kind": kind(used.kind),
        "blocks": used.blocks,
        "entries": used.entries,
        "bytes": used.bytes,
    })
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Tombstones => "CANCELLATIONS",
        Kind::Entries => "TIMERS",
        Kind::Paused => "PAUSED",
    }
}

/// The names of the blocks of a slot.
async fn blocks(State(timers): State<Timers>, uri: Uri) -> Response {
    let blocks = async || -> Handled {
        let words = QueryWords::of(&uri)?;
        let number = |name: &str| -> Result<i64, Problem> {
            let text = words.get(name).unwrap_or_default();
            text.parse()
                .map_err(|_| Problem::bad_request(format!("Expected {name} as a number, but got '{text}'")))
        };
        let small = |name: &str| -> Result<u8, Problem> {
            u8::try_from(number(name)?)
                .map_err(|_| Problem::bad_request(format!("Expected {name} to be small")))
        };
        let partition = PartitionId(u16::try_from(number("partition")?).unwrap_or(u16::MAX));
        let slot = Slot { level: small("level")?, number: number("slot")? };
        let names = timers.service.block_names(partition, slot).await?;
        Ok(json::ok(&json!({"items": names})))
    };
    answered(blocks().await, &uri)
}

async fn block(State(timers): State<Timers>, name: Path<String>, uri: Uri) -> Response {
    let block = async || -> Handled {
        let view = timers.service.block(&name).await?;
        Ok(json_text(StatusCode::OK, block_text(&view)))
    };
    answered(block().await, &uri)
}

/// The payloads are written as they are.
fn block_text(view: &BlockView) -> String {
    let (content, problem) = match &view.content {
        Ok(content) => (json!(content), Value::Null),
        Err(problem) => (json!([]), json!(problem)),
    };
    let head = json!({
        "block": view.name,
        "firstKey": view.first_key.to_string(),
        "lastKey": view.last_key.to_string(),
        "count": view.count,
        "bytes": view.bytes,
        "problem": problem,
        "entries": content,
    });
    let head = head.to_string();
    let timers: Vec<String> = view.timers.iter().map(text).collect();
    format!("{},\"timers\":[{}]}}", &head[..head.len() - 1], timers.join(","))
}
