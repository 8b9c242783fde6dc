//! Serves the page of metrics on a listener of its own: who may scrape it need not reach the API.

use super::{page, system};
use crate::node::Node;
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;
use tokio::net::TcpListener;

const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

#[derive(Clone)]
struct Scraped {
    node: Arc<Node>,
    started_at: f64,
}

/// Serves `/metrics` until the server ends.
pub async fn serve(listener: TcpListener, node: Arc<Node>) -> std::io::Result<()> {
    let scraped = Scraped { node, started_at: system::unix_seconds() };
    let router = Router::new().route("/metrics", get(show)).with_state(scraped);
    axum::serve(listener, router).await
}

async fn show(State(scraped): State<Scraped>) -> Response {
    let text = page::page(&scraped.node, scraped.started_at);
    ([(CONTENT_TYPE, TEXT)], text).into_response()
}
