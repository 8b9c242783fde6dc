//! The nodes of a store and the partitions that they hold: look at them, move them, empty a node.

use super::{Operations, answered, lag, number, read};
use crate::gateway::call::Outcome;
use crate::gateway::json;
use crate::gateway::problem::Problem;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tidemill_model::PartitionId;
use tidemill_store::{NodeInfo, PartitionState};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NodeItem {
    node: String,
    address: Option<String>,
    version: String,
    is_draining: bool,
    partitions: Vec<u16>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PartitionItem {
    partition_id: u16,
    node: Option<String>,
    address: Option<String>,
    epoch: u64,
    /// By the clock of the server that answers.
    lease_left_ms: Option<i64>,
    preferred_node: Option<String>,
    /// As lag tells them.
    waiting: u64,
    oldest_waits_ms: Option<i64>,
}

pub(super) async fn nodes(State(operations): State<Operations>, uri: Uri) -> Response {
    let list = async || -> Outcome {
        let (nodes, partitions) = (operations.store.nodes().await?, operations.store.partitions().await?);
        let items: Vec<NodeItem> = nodes.into_iter().map(|node| shown(node, &partitions)).collect();
        Ok(json::ok(&json!({"items": items})))
    };
    answered(list().await, &uri)
}

fn shown(node: NodeInfo, partitions: &[PartitionState]) -> NodeItem {
    let held = partitions.iter().filter(|state| state.holder.as_ref() == Some(&node.holder));
    NodeItem {
        partitions: held.map(|state| state.partition.0).collect(),
        node: node.holder.to_string(),
        address: node.address,
        version: node.version,
        is_draining: node.is_draining,
    }
}

pub(super) async fn partitions(State(operations): State<Operations>, uri: Uri) -> Response {
    let list = async || -> Outcome {
        let nodes = operations.store.nodes().await?;
        let mut items = Vec::new();
        for state in operations.store.partitions().await? {
            items.push(partition_item(&operations, &nodes, state).await?);
        }
        Ok(json::ok(&json!({"items": items})))
    };
    answered(list().await, &uri)
}

async fn partition_item(
    operations: &Operations,
    nodes: &[NodeInfo],
    state: PartitionState,
) -> Result<PartitionItem, Problem> {
    let now = operations.gateway.broker.now();
    let lag = operations.store.lag(state.partition, now).await?;
    let holder = nodes.iter().find(|node| Some(&node.holder) == state.holder.as_ref());
    Ok(PartitionItem {
        partition_id: state.partition.0,
        address: holder.and_then(|node| node.address.clone()),
        node: state.holder.map(|holder| holder.to_string()),
        epoch: state.epoch,
        lease_left_ms: state.expires_at.map(|expires_at| expires_at - now),
        preferred_node: state.preferred.map(|preferred| preferred.to_string()),
        oldest_waits_ms: lag::age(lag.oldest_received_at, now),
        waiting: lag.waiting,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Drain {
    is_draining: bool,
}

pub(super) async fn drain(
    State(operations): State<Operations>,
    Path(name): Path<String>,
    uri: Uri,
    body: Bytes,
) -> Response {
    let drain = async || -> Outcome {
        let wanted: Drain = read(&body)?;
        let node = find(&operations, &name).await?;
        match operations.store.drain(&node.holder, wanted.is_draining).await? {
            true => Ok(json::no_content()),
            false => Err(impossible(&format!("drain node '{name}'"))),
        }
    };
    answered(drain().await, &uri)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    node: String,
}

pub(super) async fn move_partition(
    State(operations): State<Operations>,
    Path(id): Path<String>,
    uri: Uri,
    body: Bytes,
) -> Response {
    let move_it = async || -> Outcome {
        let count = operations.store.partition_count();
        let id = number("partition", &id)?;
        let found = count.ids().find(|known| i64::from(known.0) == id);
        let partition: PartitionId = found.ok_or_else(|| Problem::not_found("Partition", id))?;
        let wanted: Move = read(&body)?;
        let node = find(&operations, &wanted.node).await?;
        match operations.store.prefer(partition, &node.holder).await? {
            true => Ok(json::no_content()),
            false => Err(impossible(&format!("move partition {partition}"))),
        }
    };
    answered(move_it().await, &uri)
}

/// By its name or its address.
async fn find(operations: &Operations, name: &str) -> Result<NodeInfo, Problem> {
    let nodes = operations.store.nodes().await?;
    let found = nodes.into_iter().find(|node| node.holder == name || node.address.as_deref() == Some(name));
    found.ok_or_else(|| {
        let detail = format!("Expected to find a running node '{name}', but there is none");
        Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", detail)
    })
}

fn impossible(what: &str) -> Problem {
    let detail = format!("Expected to {what}, but the store belongs to one server alone");
    Problem::new(StatusCode::CONFLICT, "INVALID_STATE", detail)
}
