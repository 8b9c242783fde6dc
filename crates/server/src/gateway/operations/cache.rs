//! The caches of definitions of all nodes.

use super::{Operations, answered};
use crate::definitions::CacheReport;
use crate::gateway::call::Handled;
use crate::gateway::json;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;
use serde_json::json;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    node: String,
    address: Option<String>,
    /// None where the node did not answer.
    cache: Option<CacheReport>,
}

pub(super) async fn show(State(operations): State<Operations>, uri: Uri) -> Response {
    let list = async || -> Handled {
        let reports = operations.gateway.broker.cache_reports().await;
        let items: Vec<Item> =
            reports.into_iter().map(|(node, address, cache)| Item { node, address, cache }).collect();
        Ok(json::ok(&json!({"items": items})))
    };
    answered(list().await, &uri)
}
