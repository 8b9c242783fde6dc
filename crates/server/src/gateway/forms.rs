//! Forms: by key, of a process's start, of a user task.

use super::call::{Call, Handled};
use super::json::{self, KeyText};
use super::problem::Problem;
use super::{process_definitions, user_tasks};
use axum::response::Response;
use serde::Serialize;
use tidemill_bpmn::{Behavior, Binding, FormLink};
use tidemill_model::entity::{Form, ProcessDefinition};
use tidemill_model::{DefinitionKey, FormKey};
use tidemill_store::Lookup;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FormItem<'a> {
    tenant_id: &'a str,
    form_id: &'a str,
    schema: &'a str,
    version: i32,
    form_key: KeyText,
}

fn shown(form: &Form) -> Response {
    json::ok(&FormItem {
        tenant_id: form.tenant.as_str(),
        form_id: &form.form_id,
        schema: &form.schema,
        version: form.version,
        form_key: form.key.into(),
    })
}

pub(super) async fn get(call: Call) -> Handled {
    let key: FormKey = call.key()?;
    let form = call.gateway.definitions.form(key).await?.filter(|form| !form.is_deleted);
    form.map(|form| shown(&form)).ok_or_else(|| Problem::not_found("Form", key.0))
}

/// The form of a task stays with it, even if it was deleted since.
pub(super) async fn of_user_task(call: Call) -> Handled {
    let task = user_tasks::found(&call).await?;
    let Some(key) = task.form else { return Ok(json::no_content()) };
    let form = call.gateway.definitions.form(key).await?;
    Ok(form.map_or_else(json::no_content, |form| shown(&form)))
}

pub(super) async fn of_process(call: Call) -> Handled {
    let key: DefinitionKey = call.key()?;
    let Some(definition) = call.gateway.definitions.definition(key).await? else {
        return Err(process_definitions::not_found(key));
    };
    let Some((form_id, lookup)) = start_form(&call, &definition).await? else {
        return Ok(json::no_content());
    };
    let form = call.gateway.definitions.find_form(&definition.tenant, &form_id, &lookup).await?;
    Ok(form.map_or_else(json::no_content, |form| shown(&form)))
}

async fn start_form(
    call: &Call,
    definition: &ProcessDefinition,
) -> Result<Option<(String, Lookup)>, Problem> {
    if !definition.has_start_form {
        return Ok(None);
    }
    let Some(process) = call.gateway.process(definition.key).await? else {
        return Err(process_definitions::unreadable(definition.key));
    };
    let Behavior::Process { start_form: Some(FormLink::Deployed { form_id, binding }), .. } =
        &process.root().behavior
    else {
        return Ok(None);
    };
    let lookup = match binding {
        Binding::Latest => Lookup::Latest,
        Binding::Deployment => Lookup::Deployment(definition.deployment),
        Binding::VersionTag(tag) => Lookup::VersionTag(tag.clone()),
    };
    Ok(form_id.static_text().map(|id| (id.to_string(), lookup)))
}
