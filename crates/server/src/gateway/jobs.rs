//! Jobs: what workers take, finish and give back.

use super::answer;
use super::call::{Call, Handled, done, variables};
use super::findings::{Findings, default_tenants};
use super::json::{self, Date, KeyText, RawObject};
use super::problem::Problem;
use super::process_instances::{business_id, check_assignment};
use super::search;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::time::Duration;
use tidemill_model::command::{ActivateJobs, CompleteJob, FailJob, ThrowJobError, UpdateJob};
use tidemill_model::{Command, LeaseKey, TenantId, Text};
use tidemill_store::view::JobView;

const POLL_DEFAULT: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Activation {
    r#type: Option<String>,
    worker: Option<String>,
    timeout: Option<i64>,
    max_jobs_to_activate: Option<i32>,
    fetch_variable: Option<Vec<String>>,
    request_timeout: Option<i64>,
    tenant_ids: Option<Vec<String>>,
    tenant_filter: Option<TenantFilter>,
    with_lease: Option<bool>,
}

named_in_any_case! {
    /// Which tenants jobs are taken of.
    enum TenantFilter {
        Provided = "PROVIDED",
        Assigned = "ASSIGNED",
    }
}

pub(super) async fn activate(call: Call) -> Handled {
    let request: Activation = call.required_body()?;
    let wait = match request.request_timeout.unwrap_or(0) {
        0 => POLL_DEFAULT,
        ms => Duration::from_millis(u64::try_from(ms).unwrap_or(0)),
    };
    let command = activation(request)?;
    call.refuse_idempotency_key()?;
    let options = call.options(&command)?;
    let jobs = call.gateway.broker.activate_jobs(command, options, wait).await;
    let jobs = jobs.map_err(|error| Problem::command("ACTIVATE", error))?;
    Ok(json::ok(&answer::activated(&jobs)))
}

fn activation(request: Activation) -> Result<ActivateJobs, Problem> {
    let mut findings = Findings::default();
    let job_type = findings.required_text("type", request.r#type);
    let timeout_ms = at_least_one("timeout", request.timeout, &mut findings);
    let jobs_max =
        at_least_one("maxJobsToActivate", request.max_jobs_to_activate.map(i64::from), &mut findings);
    let worker = findings.text("worker", request.worker.unwrap_or_default());
    let fetch_variables = findings.texts("fetchVariable", request.fetch_variable);
    findings.finish()?;
    if request.tenant_filter == Some(TenantFilter::Assigned) {
        return Err(Problem::invalid_argument(
            "Expected to handle request Activate Jobs with ASSIGNED tenant filter, but multi-tenancy is disabled",
        ));
    }
    default_tenants("Activate Jobs", &request.tenant_ids.unwrap_or_default())?;
    Ok(ActivateJobs {
        job_type,
        worker,
        timeout_ms,
        jobs_max: u32::try_from(jobs_max).expect("a positive 32-bit number"),
        fetch_variables,
        tenants: vec![TenantId::default()],
        with_lease: request.with_lease.unwrap_or_default(),
    })
}

fn at_least_one(field: &str, value: Option<i64>, findings: &mut Findings) -> i64 {
    match value {
        None => findings.required(field, None),
        Some(value) => findings.number(field, value, |n| n >= 1, "greater than 0"),
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Completion {
    variables: Option<Box<RawValue>>,
    /// The result of listener and ad-hoc jobs.
    result: Option<Box<RawValue>>,
    lease_token: Option<String>,
    job_lease_token: Option<String>,
    business_id: Option<String>,
}

pub(super) async fn complete(call: Call) -> Handled {
    let job = call.key()?;
    let request: Completion = call.body()?.unwrap_or_default();
    if request.result.is_some() {
        check_result(&call.tree()?["result"])?;
    }
    let mut findings = Findings::default();
    if request.business_id.as_ref().is_some_and(|id| id.trim().is_empty()) {
        findings.add("No businessId provided");
    }
    let business_id = business_id(request.business_id, &mut findings);
    findings.finish()?;
    if business_id.is_some()
        && call.gateway.config.unique_business_ids
        && let Some(found) = call.gateway.queries.job(job).await?
    {
        check_assignment(&call, found.instance).await?;
    }
    let command = CompleteJob {
        job,
        variables: variables(request.variables.as_deref())?,
        lease: lease(request.lease_token, request.job_lease_token),
        business_id,
    };
    call.submit(Command::CompleteJob(command), done).await
}

/// Jobs of task listeners and ad-hoc sub-processes are not offered, so nothing could follow a result that asks for
/// something. Clients send one that asks for nothing with every completion.
fn check_result(result: &serde_json::Value) -> Result<(), Problem> {
    let asks = |member: &str| match &result[member] {
        serde_json::Value::Bool(flag) => *flag,
        serde_json::Value::Array(items) => !items.is_empty(),
        serde_json::Value::Object(members) => members.values().any(|value| !value.is_null()),
        _ => false,
    };
    let members = [
        "denied",
        "corrections",
        "activateElements",
        "isCompletionConditionFulfilled",
        "isCancelRemainingInstances",
    ];
    match members.into_iter().find(|member| asks(member)) {
        Some(member) => Err(Problem::invalid_argument(format!(
            "Expected a job of a task listener or of an ad-hoc sub-process for result.{member}, but such jobs are not \
             offered. Leave it out"
        ))),
        None => Ok(()),
    }
}

/// Either name of the token; one that was never given out fits no lease.
fn lease(token: Option<String>, job_token: Option<String>) -> Option<LeaseKey> {
    token.or(job_token).map(|token| LeaseKey(token.parse().unwrap_or_default()))
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Failure {
    retries: Option<i32>,
    error_message: Option<String>,
    retry_back_off: Option<i64>,
    variables: Option<Box<RawValue>>,
    lease_token: Option<String>,
    job_lease_token: Option<String>,
}

pub(super) async fn fail(call: Call) -> Handled {
    let job = call.key()?;
    let request: Failure = call.body()?.unwrap_or_default();
    let command = FailJob {
        job,
        retries: request.retries.unwrap_or(0),
        backoff_ms: request.retry_back_off.unwrap_or(0).max(0),
        error_message: request.error_message.map(without_nul),
        variables: variables(request.variables.as_deref())?,
        lease: lease(request.lease_token, request.job_lease_token),
    };
    call.submit(Command::FailJob(command), done).await
}

/// Messages are shown, not searched by equality: a NUL in a stack trace is no reason to refuse the report.
fn without_nul(message: String) -> Text {
    if message.contains('\0') { message.replace('\0', "\u{fffd}").into() } else { message.into() }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ThrownError {
    error_code: Option<String>,
    error_message: Option<String>,
    variables: Option<Box<RawValue>>,
    lease_token: Option<String>,
    job_lease_token: Option<String>,
}

pub(super) async fn throw_error(call: Call) -> Handled {
    let job = call.key()?;
    let request: ThrownError = call.required_body()?;
    let mut findings = Findings::default();
    let error_code = findings.required_text("errorCode", request.error_code);
    findings.finish()?;
    let command = ThrowJobError {
        job,
        error_code,
        error_message: request.error_message.map(without_nul),
        variables: variables(request.variables.as_deref())?,
        lease: lease(request.lease_token, request.job_lease_token),
    };
    call.submit(Command::ThrowJobError(command), done).await
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Update {
    changeset: Option<Changeset>,
    #[serde(rename = "operationReference")]
    _operation_reference: Option<i64>,
    lease_token: Option<String>,
    job_lease_token: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Changeset {
    retries: Option<i32>,
    timeout: Option<i64>,
    priority: Option<i32>,
}

pub(super) async fn update(call: Call) -> Handled {
    let job = call.key()?;
    let request: Update = call.required_body()?;
    let mut findings = Findings::default();
    let Changeset { retries, timeout, priority } = request.changeset.unwrap_or_default();
    if retries.is_none() && timeout.is_none() && priority.is_none() {
        findings.add("At least one of [retries, timeout, priority] is required");
    }
    findings.finish()?;
    // The engine judges the values: it knows first whether there is such a job.
    let timeout = timeout.map(|timeout| timeout.max(0));
    let lease = lease(request.lease_token, request.job_lease_token);
    call.submit(Command::UpdateJob(UpdateJob { job, retries, timeout_ms: timeout, priority, lease }), done)
        .await
}

pub(super) async fn search(call: Call) -> Handled {
    let found = call.gateway.queries.jobs(&search::requested(&call)?).await?;
    Ok(search::shown(found, |item, items| items.push(&shown(item))))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobItem<'a> {
    custom_headers: RawObject<'a>,
    deadline: Option<Date>,
    denied_reason: Option<()>,
    element_id: &'a str,
    element_instance_key: KeyText,
    end_time: Option<Date>,
    error_code: Option<&'a Text>,
    error_message: Option<&'a Text>,
    has_failed_with_retries_left: bool,
    is_denied: Option<bool>,
    job_key: KeyText,
    kind: &'a str,
    listener_event_type: &'static str,
    process_definition_id: &'a str,
    process_definition_key: KeyText,
    process_instance_key: KeyText,
    root_process_instance_key: KeyText,
    business_id: Option<&'a Text>,
    retries: i32,
    state: &'a str,
    tenant_id: &'a str,
    r#type: &'a str,
    worker: &'a str,
    creation_time: Date,
    last_update_time: Date,
    priority: i32,
}

fn shown(job: &JobView) -> JobItem<'_> {
    JobItem {
        custom_headers: RawObject(job.headers.as_ref()),
        deadline: job.deadline.map(Date),
        denied_reason: None,
        element_id: &job.element_id,
        element_instance_key: job.element_instance.into(),
        end_time: job.ended_at.map(Date),
        error_code: job.error_code.as_ref(),
        error_message: job.error_message.as_ref(),
        has_failed_with_retries_left: job.has_failed_with_retries_left,
        is_denied: None,
        job_key: job.key.into(),
        kind: job.kind.name(),
        listener_event_type: "UNSPECIFIED",
        process_definition_id: &job.process_id,
        process_definition_key: job.definition.into(),
        process_instance_key: job.instance.into(),
        root_process_instance_key: job.root.into(),
        business_id: job.business_id.as_ref(),
        retries: job.retries,
        state: job.state.name(),
        tenant_id: job.tenant.as_str(),
        r#type: &job.job_type,
        worker: job.worker.as_deref().unwrap_or_default(),
        creation_time: Date(job.created_at),
        last_update_time: Date(job.updated_at),
        priority: job.priority,
    }
}
