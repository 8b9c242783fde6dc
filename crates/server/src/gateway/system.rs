//! The cluster, its clock and its configuration.

use super::call::{Call, Handled};
use super::findings::Findings;
use super::json;
use super::problem::Problem;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tidemill_model::Timestamp;

/// The version of the API that clients may expect here.
const API_VERSION: &str = "8.10.0";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TopologyItem {
    brokers: Vec<BrokerItem>,
    cluster_id: Option<String>,
    cluster_size: usize,
    partitions_count: u16,
    replication_factor: i32,
    gateway_version: &'static str,
    last_completed_change_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BrokerItem {
    node_id: i32,
    broker_id: String,
    host: String,
    port: u16,
    partitions: Vec<PartitionItem>,
    version: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PartitionItem {
    partition_id: u16,
    role: &'static str,
    health: &'static str,
    state: &'static str,
}

pub(super) async fn topology(call: Call) -> Handled {
    let topology = call.gateway.broker.topology();
    let partitions = |owned: &[crate::broker::OwnedPartition]| {
        let item = |partition: &crate::broker::OwnedPartition| PartitionItem {
            partition_id: partition.id.0,
            role: "leader",
            health: if partition.is_healthy { "healthy" } else { "unhealthy" },
            state: "active",
        };
        owned.iter().map(item).collect()
    };
    let brokers = topology.nodes.into_iter().map(|node| BrokerItem {
        node_id: node.id,
        partitions: partitions(&node.partitions),
        broker_id: node.name,
        host: node.host,
        port: node.port,
        version: node.version,
    });
    let brokers: Vec<BrokerItem> = brokers.collect();
    Ok(json::ok(&TopologyItem {
        cluster_size: brokers.len(),
        brokers,
        cluster_id: topology.cluster_id,
        partitions_count: topology.partitions.0,
        replication_factor: 1,
        gateway_version: API_VERSION,
        last_completed_change_id: "-1",
    }))
}

pub(super) async fn status(call: Call) -> Handled {
    if call.gateway.broker.topology().can_work() {
        return Ok(json::no_content());
    }
    let detail = "Expected to find a partition with a healthy owner, but there is none";
    Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", detail))
}

/// There is no licence of Camunda here, which is what its clients ask for.
pub(super) async fn license(_: Call) -> Handled {
    Ok(json::ok(&json!({
        "validLicense": false,
        "licenseType": "unknown",
        "isCommercial": false,
        "expiresAt": null,
    })))
}

/// Requests carry no user.
pub(super) async fn authentication(_: Call) -> Handled {
    let detail = "Expected a user, but the request carries none";
    Err(Problem::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", detail))
}

pub(super) async fn configuration(call: Call) -> Handled {
    Ok(json::ok(&json!({
        "jobMetrics": {
            "enabled": false,
            "exportInterval": "PT5M",
            "maxWorkerNameLength": 256,
            "maxJobTypeLength": 256,
            "maxTenantIdLength": 256,
            "maxUniqueKeys": 0,
        },
        "components": {"active": []},
        "deployment": {
            "isMultiTenancyEnabled": false,
            "maxRequestSize": call.gateway.config.deployment_bytes_max,
        },
        "authentication": {"canLogout": false, "isLoginDelegated": false},
        "cloud": {"stage": null},
    })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pin {
    timestamp: Option<i64>,
}

pub(super) async fn pin_clock(call: Call) -> Handled {
    check_clock(&call)?;
    let request: Pin = call.required_body()?;
    let mut findings = Findings::default();
    let time = findings.required("timestamp", request.timestamp);
    findings.number("timestamp", time, |n| n >= 0, "not negative");
    // Beyond the calendar, everything would be due and no deadline could lie ahead.
    let last = jiff::Timestamp::MAX.as_millisecond();
    findings.number("timestamp", time, |n| n <= last, "before the year 10000");
    findings.finish()?;
    set_clock(&call, Some(Timestamp(time))).await
}

pub(super) async fn reset_clock(call: Call) -> Handled {
    check_clock(&call)?;
    set_clock(&call, None).await
}

/// Refuses to set the clock unless the server was started for tests: it moves the time of all instances.
fn check_clock(call: &Call) -> Result<(), Problem> {
    if call.gateway.config.pins_clock {
        return Ok(());
    }
    let detail = "Expected a server whose clock may be set, but this one follows the time of its machine. For tests, \
                  start the server with --pinned-clock (TIDEMILL_PINNED_CLOCK=true)";
    Err(Problem::new(StatusCode::FORBIDDEN, "FORBIDDEN", detail))
}

async fn set_clock(call: &Call, pinned_at: Option<Timestamp>) -> Handled {
    let set = call.gateway.broker.set_clock(pinned_at).await;
    set.map(|()| json::no_content()).map_err(|error| Problem::command("PIN", error))
}
