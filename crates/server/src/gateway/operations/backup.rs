//! A copy of the store in a file on the server's machine, while work goes on.

use super::{Operations, answered, read};
use crate::gateway::call::Handled;
use crate::gateway::json;
use crate::gateway::problem::Problem;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    file: PathBuf,
}

pub(super) async fn make(State(operations): State<Operations>, uri: Uri, body: Bytes) -> Response {
    let make = async || -> Handled {
        let Wish { file } = read(&body)?;
        if !file.is_absolute() {
            let detail = format!("Expected the whole path of a new file, but got '{}'", file.display());
            return Err(Problem::bad_request(detail));
        }
        operations.store.back_up(&file).await.map_err(|error| {
            Problem::new(
                StatusCode::CONFLICT,
                "INVALID_STATE",
                format!("Expected to make a backup, but {error}"),
            )
        })?;
        let bytes = std::fs::metadata(&file).map(|metadata| metadata.len()).unwrap_or_default();
        Ok(json::ok(&json!({"file": file, "bytes": bytes})))
    };
    answered(make().await, &uri)
}
