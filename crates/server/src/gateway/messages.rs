//! Messages and signals: send them, look at who waits for them and who had them.

use super::answer;
use super::call::{Call, Handled, variables};
use super::findings::{Findings, default_tenant};
use super::json::{Date, KeyText, optional_key};
use super::process_instances::business_id;
use super::search;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tidemill_model::command::{BroadcastSignal, CorrelateMessage, PublishMessage};
use tidemill_model::{Command, Text};
use tidemill_store::view::CorrelationView;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Publication {
    name: Option<String>,
    correlation_key: Option<String>,
    time_to_live: Option<i64>,
    message_id: Option<String>,
    variables: Option<Box<RawValue>>,
    tenant_id: Option<String>,
    business_id: Option<String>,
}

pub(super) async fn publish(call: Call) -> Handled {
    let request: Publication = call.required_body()?;
    let tenant = default_tenant("Publish Message", request.tenant_id.as_deref())?;
    let mut findings = Findings::default();
    let command = PublishMessage {
        tenant,
        name: findings.required_text("name", request.name),
        correlation_key: findings.text("correlationKey", request.correlation_key.unwrap_or_default()),
        message_id: findings.optional_text("messageId", request.message_id),
        business_id: business_id(request.business_id, &mut findings),
        time_to_live_ms: request.time_to_live.unwrap_or(0).max(0),
        variables: variables(request.variables.as_deref())?,
    };
    findings.finish()?;
    call.submit(Command::PublishMessage(command), answer::shown).await
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Correlation {
    name: Option<String>,
    correlation_key: Option<String>,
    variables: Option<Box<RawValue>>,
    tenant_id: Option<String>,
    business_id: Option<String>,
}

pub(super) async fn correlate(call: Call) -> Handled {
    let request: Correlation = call.required_body()?;
    let tenant = default_tenant("Correlate Message", request.tenant_id.as_deref())?;
    let mut findings = Findings::default();
    let command = CorrelateMessage {
        tenant,
        name: findings.required_text("messageName", request.name),
        correlation_key: findings.text("correlationKey", request.correlation_key.unwrap_or_default()),
        business_id: business_id(request.business_id, &mut findings),
        variables: variables(request.variables.as_deref())?,
    };
    findings.finish()?;
    call.submit(Command::CorrelateMessage(command), answer::shown).await
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Signal {
    signal_name: Option<String>,
    variables: Option<Box<RawValue>>,
    tenant_id: Option<String>,
}

pub(super) async fn broadcast(call: Call) -> Handled {
    let request: Signal = call.required_body()?;
    let tenant = default_tenant("Broadcast Signal", request.tenant_id.as_deref())?;
    let mut findings = Findings::default();
    let name = findings.required_text("signalName", request.signal_name);
    findings.finish()?;
    let variables = variables(request.variables.as_deref())?;
    call.submit(Command::BroadcastSignal(BroadcastSignal { tenant, name, variables }), answer::shown).await
}

pub(super) async fn search_correlations(call: Call) -> Handled {
    let found = call.gateway.queries.message_correlations(&search::requested(&call)?).await?;
    Ok(search::shown(found, |item, items| items.push(&shown_correlation(item))))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CorrelationItem<'a> {
    business_id: Option<&'a Text>,
    correlation_key: &'a str,
    correlation_time: Date,
    element_id: &'a str,
    element_instance_key: Option<KeyText>,
    message_key: KeyText,
    message_name: &'a str,
    partition_id: u16,
    process_definition_id: &'a str,
    process_definition_key: KeyText,
    process_instance_key: KeyText,
    root_process_instance_key: KeyText,
    subscription_key: KeyText,
    tenant_id: &'a str,
}

fn shown_correlation(correlation: &CorrelationView) -> CorrelationItem<'_> {
    CorrelationItem {
        business_id: correlation.business_id.as_ref(),
        correlation_key: &correlation.correlation_key,
        correlation_time: Date(correlation.correlated_at),
        element_id: &correlation.element_id,
        element_instance_key: optional_key(correlation.element_instance),
        message_key: correlation.message.into(),
        message_name: &correlation.message_name,
        partition_id: correlation.partition.0,
        process_definition_id: &correlation.process_id,
        process_definition_key: correlation.definition.into(),
        process_instance_key: correlation.instance.into(),
        root_process_instance_key: correlation.root.into(),
        subscription_key: correlation.subscription.into(),
        tenant_id: correlation.tenant.as_str(),
    }
}
