//! Deploying files, taking them back, reading them.

use super::answer;
use super::call::{Call, Handled, unsupported_media_type};
use super::findings::{Findings, default_tenant};
use super::json::{self, KeyText};
use super::problem::Problem;
use super::search;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tidemill_model::command::{DeleteResource, Deploy, ResourceFile};
use tidemill_model::entity::Resource;
use tidemill_model::{Command, ResourceKey, Text};
use tidemill_store::view::ResourceView;

/// Files of a deployment, and what else comes with them.
const PARTS_MAX: usize = 1_000;
/// More would help nobody.
const WARNINGS_MAX: usize = 100;

pub(super) async fn deploy(call: Call) -> Handled {
    let command = deployment(&call).await?;
    let files = command.files.clone();
    let warnings = warnings(files.clone()).await;
    let outcome = call
        .submit(Command::Deploy(command), |deployed| answer::shown_with_warnings(deployed, warnings))
        .await;
    outcome.map_err(|problem| match problem.status() {
        StatusCode::BAD_REQUEST => problem.with("findings", places(&files)),
        _ => problem,
    })
}

/// Where in the files the model is not as it should be. Read once more, because only people who look at a
/// refusal want to know.
fn places(files: &[ResourceFile]) -> Vec<Value> {
    let mut places = Vec::new();
    for file in models(files) {
        let Err(findings) = tidemill_bpmn::read(&file.content) else { continue };
        places.extend(findings.0.into_iter().map(|finding| place(file, finding)));
    }
    places
}

/// Warnings about parts of the files that have no effect.
async fn warnings(files: Vec<ResourceFile>) -> Vec<Value> {
    let read = move || -> Vec<Value> {
        let all = models(&files).flat_map(|file| {
            tidemill_bpmn::warnings(&file.content).into_iter().map(move |warning| place(file, warning))
        });
        all.take(WARNINGS_MAX).collect()
    };
    // A deployment does not fail because its warnings could not be found.
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}

fn models(files: &[ResourceFile]) -> impl Iterator<Item = &ResourceFile> {
    files.iter().filter(|file| file.name.to_ascii_lowercase().ends_with(".bpmn"))
}

fn place(file: &ResourceFile, finding: tidemill_bpmn::Finding) -> Value {
    json!({
        "file": file.name,
        "elementId": finding.element_id,
        "line": finding.line,
        "column": finding.column,
        "reason": finding.reason,
        "remedy": finding.remedy,
    })
}

async fn deployment(call: &Call) -> Result<Deploy, Problem> {
    let mut parts = parts(call)?;
    let (mut files, mut tenant, mut findings) = (Vec::new(), None, Findings::default());
    let mut count = 0;
    while let Some(part) = parts.next_field().await.map_err(|error| broken(&error))? {
        count += 1;
        if count > PARTS_MAX {
            return Err(Problem::bad_request(format!(
                "Expected at most {PARTS_MAX} parts, but there are more"
            )));
        }
        match part.name() {
            Some("resources") => {
                let name = part.file_name().unwrap_or_default().to_owned();
                let content = part.bytes().await.map_err(|error| broken(&error))?;
                files.push(ResourceFile {
                    name: findings.required_text("file name", Some(name)),
                    content: Arc::from(&content[..]),
                });
            }
            Some("tenantId") => tenant = Some(part.text().await.map_err(|error| broken(&error))?),
            _ => {}
        }
    }
    if files.is_empty() {
        return Err(Problem::bad_request("Required part 'resources' is not present."));
    }
    let tenant = default_tenant("Deploy Resources", tenant.as_deref())?;
    findings.finish()?;
    Ok(Deploy { tenant, files })
}

fn parts(call: &Call) -> Result<multer::Multipart<'static>, Problem> {
    let media_type = call.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.unwrap_or_default();
    let boundary = multer::parse_boundary(media_type).map_err(|_| unsupported_media_type(media_type))?;
    let body: Bytes = call.body.clone();
    let body = futures_util::stream::once(async move { Ok::<_, std::convert::Infallible>(body) });
    Ok(multer::Multipart::new(body, boundary))
}

fn broken(error: &multer::Error) -> Problem {
    Problem::bad_request("Request body cannot be parsed as multipart/form-data")
        .with("reason", error.to_string())
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Deletion {
    operation_reference: Option<i64>,
    delete_history: Option<bool>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Deleted {
    resource_key: KeyText,
    batch_operation: Option<()>,
}

pub(super) async fn delete(call: Call) -> Handled {
    let key: ResourceKey = call.key()?;
    let request: Deletion = call.body()?.unwrap_or_default();
    let mut findings = Findings::default();
    findings.operation_reference(request.operation_reference);
    if request.delete_history == Some(true) {
        findings.add(
            "deleteHistory is not offered: ended instances go by the retention of history, or one by one by \
             POST /v2/process-instances/{processInstanceKey}/deletion",
        );
    }
    findings.finish()?;
    let deleted = Deleted { resource_key: key.into(), batch_operation: None };
    call.submit(Command::DeleteResource(DeleteResource { key }), |_| json::ok(&deleted)).await
}

pub(super) async fn search(call: Call) -> Handled {
    let found = call.gateway.queries.resources(&search::requested(&call)?).await?;
    Ok(search::shown(found, |item, items| items.push(&shown(item))))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceItem<'a> {
    resource_name: &'a str,
    version: i32,
    version_tag: Option<&'a Text>,
    resource_id: &'a str,
    tenant_id: &'a str,
    resource_key: KeyText,
}

fn shown(resource: &ResourceView) -> ResourceItem<'_> {
    ResourceItem {
        resource_name: &resource.resource_name,
        version: resource.version,
        version_tag: resource.version_tag.as_ref(),
        resource_id: &resource.resource_id,
        tenant_id: resource.tenant.as_str(),
        resource_key: resource.key.into(),
    }
}

async fn found(call: &Call) -> Result<Arc<Resource>, Problem> {
    let key: ResourceKey = call.key()?;
    let resource = call.gateway.definitions.resource(key).await?;
    resource.filter(|resource| !resource.is_deleted).ok_or_else(|| not_found(key))
}

fn not_found(key: ResourceKey) -> Problem {
    Problem::not_found("Resource", key.0)
}

pub(super) async fn get(call: Call) -> Handled {
    let resource = found(&call).await?;
    Ok(json::ok(&ResourceItem {
        resource_name: &resource.resource_name,
        version: resource.version,
        version_tag: resource.version_tag.as_ref(),
        resource_id: &resource.resource_id,
        tenant_id: resource.tenant.as_str(),
        resource_key: resource.key.into(),
    }))
}

/// Scripts only: they are JSON. Other files come as bytes.
pub(super) async fn content(call: Call) -> Handled {
    let resource = found(&call).await?;
    let name = resource.resource_name.to_ascii_lowercase();
    if !name.ends_with(".rpa") {
        let kind = name.rsplit_once('.').map_or("", |(_, kind)| kind);
        let detail = format!("Resource with key '{}' is of type '{kind}', expected 'rpa'", resource.key);
        return Err(Problem::new(StatusCode::NOT_ACCEPTABLE, "NOT_ACCEPTABLE", detail));
    }
    Ok(bytes_of(&resource, "application/json"))
}

pub(super) async fn binary(call: Call) -> Handled {
    Ok(bytes_of(&*found(&call).await?, "application/octet-stream"))
}

fn bytes_of(resource: &Resource, media_type: &'static str) -> axum::response::Response {
    let media_type = HeaderValue::from_static(media_type);
    ([(header::CONTENT_TYPE, media_type)], Bytes::from_owner(Arc::clone(&resource.content))).into_response()
}
