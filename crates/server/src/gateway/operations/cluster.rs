//! The nodes of a store and the partitions that they hold: look at them, move them, empty a node.

use super::{Operations, answered, lag, number, partition, read};
use crate::gateway::call::Handled;
use crate::gateway::json;
use crate::gateway::problem::Problem;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::json;
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
    let list = async || -> Handled {
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
    let list = async || -> Handled {
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
    let drain = async || -> Handled {
        let wanted: Drain = read(&body)?;
        let nodes = operations.store.nodes().await?;
        let node = find(&nodes, &name)?;
        let takers = || nodes.iter().filter(|other| !other.is_draining && other.holder != node.holder);
        if wanted.is_draining && takers().next().is_none() {
            return Err(conflict(format!(
                "Expected to drain node '{name}', but no other node could take its partitions"
            )));
        }
        match operations.store.drain(&node.holder, wanted.is_draining).await? {
            true => Ok(json::no_content()),
            false => Err(belongs_to_one(&format!("drain node '{name}'"))),
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
    let move_it = async || -> Handled {
        let partition = partition(operations.store.partition_count(), number("partition", &id)?)?;
        let wanted: Move = read(&body)?;
        let nodes = operations.store.nodes().await?;
        let node = find(&nodes, &wanted.node)?;
        if node.is_draining {
            return Err(conflict(format!(
                "Expected to move partition {partition} to node '{}', but that node is being drained",
                wanted.node
            )));
        }
        match operations.store.prefer(partition, &node.holder).await? {
            true => Ok(json::no_content()),
            false => Err(belongs_to_one(&format!("move partition {partition}"))),
        }
    };
    answered(move_it().await, &uri)
}

/// By its name or its address.
fn find<'n>(nodes: &'n [NodeInfo], name: &str) -> Result<&'n NodeInfo, Problem> {
    // One that died at an address a moment ago is still known; who was started there last has the later name.
    let found = nodes.iter().rfind(|node| node.holder == name || node.address.as_deref() == Some(name));
    found.ok_or_else(|| {
        let known: Vec<&str> =
            nodes.iter().map(|node| node.address.as_deref().unwrap_or(&node.holder)).collect();
        let detail = format!(
            "Expected to find a running node '{name}', but there is none. Running are: {}",
            known.join(", ")
        );
        Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", detail)
    })
}

fn belongs_to_one(what: &str) -> Problem {
    conflict(format!("Expected to {what}, but the store belongs to one server alone"))
}

fn conflict(detail: String) -> Problem {
    Problem::new(StatusCode::CONFLICT, "INVALID_STATE", detail)
}
