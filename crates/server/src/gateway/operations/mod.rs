//! Endpoints of our own for those who run a server: the log of commands, what is behind, what is kept for how long,
//! commands that were put aside, nodes and partitions; and the timers of an instance and the
//! diagram of a definition, which are for everybody.

mod backup;
mod cache;
mod cluster;
mod dead_letters;
mod diagram;
mod door;
mod events;
mod lag;
mod log;
mod retention;
mod timers;

pub(super) use door::read as read_body;

use super::Gateway;
use super::call::Handled;
use super::problem::Problem;
use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::{get, post};
use std::sync::Arc;
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_store::{Retention, Store};

/// The parts of a server that the endpoints for operators use.
#[derive(Clone, Debug, Default)]
pub struct OperationsConfig {
    /// A caller that shows the secret may come from anywhere; others only from the machine itself.
    pub secret: Option<String>,
    /// The settings that the server was started with.
    pub retention: Retention,
}

#[derive(Clone)]
struct Operations {
    gateway: Arc<Gateway>,
    store: Arc<dyn Store>,
    retention: Retention,
}

/// Nothing for a gateway that was not given a store to operate on.
pub(super) fn routes(gateway: Arc<Gateway>) -> Router {
    let Some((store, config)) = gateway.operated.clone() else { return Router::new() };
    let admin = Router::new()
        .route("/v1/admin/backup", post(backup::make))
        .route("/v1/admin/cache", get(cache::show))
        .route("/v1/admin/dead-letters", get(dead_letters::list))
        .route("/v1/admin/dead-letters/{number}", get(dead_letters::show).delete(dead_letters::discard))
        .route("/v1/admin/dead-letters/{number}/retry", post(dead_letters::retry))
        .route("/v1/admin/lag", get(lag::show))
        .route("/v1/admin/log/search", post(log::search))
        .route("/v1/admin/nodes", get(cluster::nodes))
        .route("/v1/admin/nodes/{name}/drain", post(cluster::drain))
        .route("/v1/admin/partitions", get(cluster::partitions))
        .route("/v1/admin/partitions/{id}/move", post(cluster::move_partition))
        .route("/v1/admin/retention", get(retention::show).patch(retention::set))
        .with_state(Operations {
            gateway: Arc::clone(&gateway),
            store: Arc::clone(&store),
            retention: config.retention,
        })
        .merge(super::timers::admin_routes(Arc::clone(&gateway)))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&gateway), door::read))
        .layer(axum::middleware::from_fn_with_state(door::Door::new(config.secret), door::guard));
    Router::new()
        .route("/v1/process-definitions/{key}/diagram.svg", get(diagram::of_definition))
        .route("/v1/process-instances/{key}/events", get(events::of_instance))
        .route("/v1/process-instances/{key}/timers", get(timers::of_instance))
        .with_state(Operations { gateway, store, retention: config.retention })
        .merge(admin)
}

fn answered(outcome: Handled, uri: &Uri) -> Response {
    outcome.unwrap_or_else(|problem| problem.into_response(uri.path()))
}

/// A number in the path.
fn number(name: &str, text: &str) -> Result<i64, Problem> {
    text.parse().map_err(|_| Problem::bad_request(format!("Failed to convert '{name}' with value: '{text}'")))
}

/// One that the store has.
fn partition(count: PartitionCount, id: i64) -> Result<PartitionId, Problem> {
    count.ids().find(|known| i64::from(known.0) == id).ok_or_else(|| {
        let detail = format!("Expected a partition from 1 to {}, but got {id}", count.0);
        Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", detail)
    })
}

fn read<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|error| Problem::bad_request(error.to_string()))
}
