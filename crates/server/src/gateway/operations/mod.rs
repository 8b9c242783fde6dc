//! Endpoints of our own for those who run a server: timers that wait, commands that were put
//! aside, nodes and partitions.

mod cluster;
mod dead_letters;
mod timers;

use super::Gateway;
use super::call::Outcome;
use super::problem::Problem;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::{StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::{get, post};
use std::net::SocketAddr;
use std::sync::Arc;
use tidemill_store::Store;

#[derive(Clone)]
struct Operations {
    gateway: Arc<Gateway>,
    store: Arc<dyn Store>,
}

/// Nothing for a gateway that was not given a store to operate on.
pub(super) fn routes(gateway: Arc<Gateway>) -> Router {
    let Some(store) = gateway.operated.clone() else { return Router::new() };
    let admin = Router::new()
        .route("/v1/admin/dead-letters", get(dead_letters::list))
        .route("/v1/admin/dead-letters/{number}", get(dead_letters::show).delete(dead_letters::discard))
        .route("/v1/admin/dead-letters/{number}/retry", post(dead_letters::retry))
        .route("/v1/admin/nodes", get(cluster::nodes))
        .route("/v1/admin/nodes/{name}/drain", post(cluster::drain))
        .route("/v1/admin/partitions", get(cluster::partitions))
        .route("/v1/admin/partitions/{id}/move", post(cluster::move_partition))
        .layer(axum::middleware::from_fn(from_here_only));
    Router::new()
        .route("/v1/process-instances/{key}/timers", get(timers::of_instance))
        .merge(admin)
        .with_state(Operations { gateway, store })
}

/// Administration is for those who can log in to the machine: nobody else can be told apart yet.
async fn from_here_only(request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    if peer.is_some_and(|peer| peer.0.ip().is_loopback()) {
        return next.run(request).await;
    }
    let detail = "Administration is offered on the machine of the server only";
    Problem::new(StatusCode::FORBIDDEN, "FORBIDDEN", detail).into_response(request.uri().path())
}

fn answered(outcome: Outcome, uri: &Uri) -> Response {
    outcome.unwrap_or_else(|problem| problem.into_response(uri.path()))
}

/// A number in the path.
fn number(name: &str, text: &str) -> Result<i64, Problem> {
    text.parse().map_err(|_| Problem::bad_request(format!("Failed to convert '{name}' with value: '{text}'")))
}
