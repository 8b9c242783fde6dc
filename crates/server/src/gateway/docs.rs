//! Endpoints beside the API: its description for machines, health, results of commands.

use super::problem::Problem;
use super::{Gateway, commands, json, openapi, reference};
use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use serde_json::json;
use std::sync::Arc;

pub(super) fn routes(gateway: Arc<Gateway>) -> Router {
    let for_ready = Arc::clone(&gateway);
    let first_page = if gateway.pages.is_some() { "/ui" } else { "/docs" };
    reference::routes()
        .route("/openapi.json", get(|| async { json::ok(openapi::document()) }))
        .route("/", get(async move || Redirect::temporary(first_page)))
        .route("/healthz", get(|| async { json::ok(&json!({"status": "UP"})) }))
        .route("/readyz", get(move |uri: Uri| ready(Arc::clone(&for_ready), uri)))
        .route(
            "/v1/commands/{position}",
            get(move |path, uri| commands::get(Arc::clone(&gateway), path, uri)),
        )
}

/// Ready when every partition has a healthy owner, on this node or another, and the store answers.
async fn ready(gateway: Arc<Gateway>, uri: Uri) -> Response {
    match gateway.broker.unready() {
        // A trouble that concerns one part only is shown; the server stays ready, because everything else works.
        None => match gateway.broker.troubles() {
            troubles if troubles.is_empty() => json::ok(&json!({"status": "UP"})).into_response(),
            troubles => json::ok(&json!({"status": "UP", "troubles": troubles})).into_response(),
        },
        Some(reason) => {
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", reason).into_response(uri.path())
        }
    }
}
