//! One timer: make it, look at it, move, pause, resume, trigger and cancel it.

use super::{Timers, answered, done, json_text, scope, scope_of, tenant, text, tree, wrong};
use crate::gateway::call::Handled;
use crate::gateway::json;
use crate::timers::service::{Cancelled, Change, Circumstances, Made, NewTimer, read_move};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde_json::{Value, json};
use tidemill_model::Timestamp;
use tidemill_timers::block::Scope;

impl Timers {
    /// Timers that name neither are of this tenant and namespace.
    pub(super) fn circumstances(&self, scope: &Scope) -> Circumstances {
        let now_ms = self.service.now_ms();
        let tenant_of = |name: &str| tenant(Some(name)).map_err(|problem| problem.detail().to_owned());
        Circumstances { scope: scope.clone(), tenant_of, now_ms, seed: now_ms }
    }
}

pub(super) fn shown(made: &Made) -> Value {
    json!({
        "id": made.id,
        "executeAt": json::date_text(Timestamp(made.due_ms)),
        "created": made.is_new,
    })
}

pub(super) async fn create(State(timers): State<Timers>, uri: Uri, body: Bytes) -> Response {
    let create = async || -> Handled {
        let given = timers.circumstances(&*scope_of(None, None)?);
        let timer = NewTimer::from_text(&body, &given).map_err(|errors| wrong(&errors))?;
        let made = timers.service.create(timer).await?;
        let status = if made.is_new { StatusCode::CREATED } else { StatusCode::OK };
        Ok(json::with_status(status, &shown(&made)))
    };
    answered(create().await, &uri)
}

pub(super) async fn get(State(timers): State<Timers>, id: Path<String>, uri: Uri) -> Response {
    let get = async || -> Handled {
        let timer = timers.service.get(&scope(&uri)?, &id).await?;
        Ok(json_text(StatusCode::OK, text(&timer)))
    };
    answered(get().await, &uri)
}

pub(super) async fn cancel(State(timers): State<Timers>, id: Path<String>, uri: Uri) -> Response {
    let cancel = async || -> Handled {
        let cancelled = timers.service.cancel(&scope(&uri)?, &id).await?;
        Ok(json::ok(&json!({"id": *id, "result": result(cancelled)})))
    };
    answered(cancel().await, &uri)
}

pub(super) fn result(cancelled: Cancelled) -> &'static str {
    match cancelled {
        Cancelled::Cancelled => "CANCELLED",
        Cancelled::Fired => "FIRED",
        Cancelled::Absent => "ABSENT",
    }
}

pub(super) async fn reschedule(
    State(timers): State<Timers>,
    id: Path<String>,
    uri: Uri,
    body: Bytes,
) -> Response {
    let reschedule = async || -> Handled {
        let now_ms = timers.service.now_ms();
        let due_ms = read_move(&tree(&body)?, now_ms).map_err(|errors| wrong(&errors))?;
        timers.service.change(&scope(&uri)?, &id, Change::Move { due_ms }).await?;
        Ok(json::ok(&json!({"id": *id, "executeAt": json::date_text(Timestamp(due_ms))})))
    };
    answered(reschedule().await, &uri)
}

pub(super) async fn pause(State(timers): State<Timers>, id: Path<String>, uri: Uri) -> Response {
    change(&timers, &id, &uri, Change::Pause).await
}

pub(super) async fn resume(State(timers): State<Timers>, id: Path<String>, uri: Uri) -> Response {
    change(&timers, &id, &uri, Change::Resume).await
}

pub(super) async fn trigger(State(timers): State<Timers>, id: Path<String>, uri: Uri) -> Response {
    change(&timers, &id, &uri, Change::Trigger).await
}

async fn change(timers: &Timers, id: &str, uri: &Uri, change: Change) -> Response {
    let run = async || -> Handled {
        timers.service.change(&scope(uri)?, id, change).await?;
        Ok(done())
    };
    answered(run().await, uri)
}
