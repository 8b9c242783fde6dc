//! Namespaces of timers: paused and resumed as a whole.

use super::query::QueryWords;
use super::{Timers, answered, done, scope, scope_of};
use crate::gateway::call::Handled;
use crate::gateway::json;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use serde_json::json;

pub(super) async fn list(State(timers): State<Timers>, uri: Uri) -> Response {
    let list = async || -> Handled {
        let paused = timers.service.paused_namespaces(&scope(&uri)?.tenant).await?;
        let items: Vec<_> =
            paused.into_iter().map(|name| json!({"namespace": name, "state": "PAUSED"})).collect();
        Ok(json::ok(&json!({"items": items})))
    };
    answered(list().await, &uri)
}

pub(super) async fn pause(State(timers): State<Timers>, name: Path<String>, uri: Uri) -> Response {
    set(&timers, &name, &uri, true).await
}

pub(super) async fn resume(State(timers): State<Timers>, name: Path<String>, uri: Uri) -> Response {
    set(&timers, &name, &uri, false).await
}

async fn set(timers: &Timers, name: &str, uri: &Uri, is_paused: bool) -> Response {
    let set = async || -> Handled {
        let words = QueryWords::of(uri)?;
        timers.service.pause_namespace(&scope_of(words.get("tenantId"), Some(name))?, is_paused).await?;
        Ok(done())
    };
    answered(set().await, uri)
}
