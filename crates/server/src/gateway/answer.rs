//! Answers of commands as JSON: the same whether a client waits for them or asks later.

use super::json::{self, KeyText, RawObject, optional_key};
use axum::response::Response;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tidemill_model::{ActivatedJob, Answer, CreatedInstance, DeployedResource, Deployment, RawJson, Text};

/// The answer of a command; 204 where there is nothing to tell.
pub(crate) fn shown(answer: Answer) -> Response {
    match body(&answer) {
        Some(body) => json::ok(&body),
        None => json::no_content(),
    }
}

/// The same with what the deployed files say in vain, where there is something.
pub(crate) fn shown_with_warnings(answer: Answer, warnings: Vec<Value>) -> Response {
    let deployed = body(&answer).and_then(|body| serde_json::from_str::<Map<String, Value>>(body.get()).ok());
    match deployed {
        Some(mut deployed) if !warnings.is_empty() => {
            deployed.insert("warnings".to_owned(), Value::Array(warnings));
            json::ok(&deployed)
        }
        _ => shown(answer),
    }
}

pub(crate) fn body(answer: &Answer) -> Option<Box<RawValue>> {
    match answer {
        Answer::Done => None,
        Answer::Deployed(deployment) => raw(&deployed(deployment)),
        Answer::Created(instance) => raw(&created(instance, None)),
        Answer::Activated(jobs) => raw(&activated(jobs)),
        Answer::Published { message, tenant } => {
            raw(&Published { tenant_id: tenant.as_str(), message_key: (*message).into() })
        }
        Answer::Correlated { message, instance, tenant } => raw(&Correlated {
            tenant_id: tenant.as_str(),
            message_key: (*message).into(),
            process_instance_key: (*instance).into(),
        }),
        Answer::Broadcast { signal, tenant } => {
            raw(&Broadcast { tenant_id: tenant.as_str(), signal_key: (*signal).into() })
        }
    }
}

fn raw(body: &impl Serialize) -> Option<Box<RawValue>> {
    Some(serde_json::value::to_raw_value(body).expect("answers have string keys and stored JSON is valid"))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Published<'a> {
    tenant_id: &'a str,
    message_key: KeyText,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Correlated<'a> {
    tenant_id: &'a str,
    message_key: KeyText,
    process_instance_key: KeyText,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Broadcast<'a> {
    tenant_id: &'a str,
    signal_key: KeyText,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Created<'a> {
    process_definition_id: &'a str,
    process_definition_version: i32,
    tenant_id: &'a str,
    variables: RawObject<'a>,
    process_definition_key: KeyText,
    process_instance_key: KeyText,
    tags: &'a [Text],
    business_id: Option<&'a Text>,
}

/// `variables` are those of an instance whose end was awaited.
pub(crate) fn created<'a>(created: &'a CreatedInstance, variables: Option<&'a RawJson>) -> Created<'a> {
    Created {
        process_definition_id: &created.process_id,
        process_definition_version: created.version,
        tenant_id: created.tenant.as_str(),
        variables: RawObject(variables),
        process_definition_key: created.definition.into(),
        process_instance_key: created.instance.into(),
        tags: &created.tags,
        business_id: created.business_id.as_ref(),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Deployed<'a> {
    deployment_key: KeyText,
    tenant_id: &'a str,
    deployments: Vec<DeployedItem<'a>>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct DeployedItem<'a> {
    process_definition: Option<DeployedProcess<'a>>,
    /// Decisions have their place in the answer, though none can be deployed.
    decision_definition: Option<()>,
    decision_requirements: Option<()>,
    form: Option<DeployedForm<'a>>,
    resource: Option<DeployedFile<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeployedProcess<'a> {
    process_definition_id: &'a str,
    process_definition_version: i32,
    resource_name: &'a str,
    tenant_id: &'a str,
    process_definition_key: KeyText,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeployedForm<'a> {
    form_id: &'a str,
    version: i32,
    resource_name: &'a str,
    tenant_id: &'a str,
    form_key: KeyText,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeployedFile<'a> {
    resource_id: &'a str,
    resource_name: &'a str,
    version: i32,
    tenant_id: &'a str,
    resource_key: KeyText,
}

fn deployed(deployment: &Deployment) -> Deployed<'_> {
    Deployed {
        deployment_key: deployment.key.into(),
        tenant_id: deployment.tenant.as_str(),
        deployments: deployment.resources.iter().map(deployed_item).collect(),
    }
}

fn deployed_item(resource: &DeployedResource) -> DeployedItem<'_> {
    let mut item = DeployedItem::default();
    match resource {
        DeployedResource::Process(process) => {
            item.process_definition = Some(DeployedProcess {
                process_definition_id: &process.process_id,
                process_definition_version: process.version,
                resource_name: &process.resource_name,
                tenant_id: process.tenant.as_str(),
                process_definition_key: process.key.into(),
            });
        }
        DeployedResource::Form(form) => {
            item.form = Some(DeployedForm {
                form_id: &form.form_id,
                version: form.version,
                resource_name: &form.resource_name,
                tenant_id: form.tenant.as_str(),
                form_key: form.key.into(),
            });
        }
        DeployedResource::Resource(file) => {
            item.resource = Some(DeployedFile {
                resource_id: &file.resource_id,
                resource_name: &file.resource_name,
                version: file.version,
                tenant_id: file.tenant.as_str(),
                resource_key: file.key.into(),
            });
        }
    }
    item
}

#[derive(Serialize)]
pub(crate) struct Activated<'a> {
    jobs: Vec<ActivatedItem<'a>>,
}

pub(crate) fn activated(jobs: &[ActivatedJob]) -> Activated<'_> {
    Activated { jobs: jobs.iter().map(activated_item).collect() }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ActivatedItem<'a> {
    r#type: &'a str,
    process_definition_id: &'a str,
    process_definition_version: i32,
    element_id: &'a str,
    custom_headers: RawObject<'a>,
    worker: &'a str,
    retries: i32,
    deadline: i64,
    variables: RawObject<'a>,
    tenant_id: &'a str,
    physical_tenant_id: &'static str,
    job_key: KeyText,
    process_instance_key: KeyText,
    process_definition_key: KeyText,
    element_instance_key: KeyText,
    kind: &'static str,
    listener_event_type: &'static str,
    user_task: Option<()>,
    tags: &'a [Text],
    root_process_instance_key: KeyText,
    business_id: Option<&'a Text>,
    priority: i32,
    /// Under both names that clients know. Without a lease both are left out, as each client knows one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_token: Option<KeyText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    job_lease_token: Option<KeyText>,
}

fn activated_item(activated: &ActivatedJob) -> ActivatedItem<'_> {
    let job = &activated.job;
    let lease = job.lease.as_ref();
    let token = optional_key(lease.filter(|lease| lease.is_exclusive).map(|lease| lease.key));
    ActivatedItem {
        r#type: &job.job_type,
        process_definition_id: &activated.process_id,
        process_definition_version: activated.version,
        element_id: &job.element_id,
        custom_headers: RawObject(job.headers.as_ref()),
        worker: lease.map_or("", |lease| &lease.worker),
        retries: job.retries,
        deadline: lease.map_or(0, |lease| lease.deadline.0),
        variables: RawObject(Some(&activated.variables)),
        tenant_id: job.origin.tenant.as_str(),
        physical_tenant_id: "default",
        job_key: job.key.into(),
        process_instance_key: job.origin.instance.into(),
        process_definition_key: job.origin.definition.into(),
        element_instance_key: job.element_instance.into(),
        kind: job.kind.name(),
        listener_event_type: "UNSPECIFIED",
        user_task: None,
        tags: &activated.tags,
        root_process_instance_key: job.origin.root.into(),
        business_id: job.business_id.as_ref(),
        priority: job.priority,
        lease_token: token,
        job_lease_token: token,
    }
}
