//! Variables: set them, look at them, also as a user task sees them.

use super::call::{Call, Handled, done, variables};
use super::findings::Findings;
use super::json::{self, KeyText};
use super::listing;
use super::problem::Problem;
use super::search::Items;
use super::{Gateway, search, user_tasks};
use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;
use tidemill_model::command::SetVariables;
use tidemill_model::{Command, ElementInstanceKey, VariableKey};
use tidemill_store::query::{Search, Test, Value, VariableField};
use tidemill_store::view::{UserTaskView, VariableView};

/// Longer values are cut in search results.
const SHOWN_CHARS_MAX: usize = tidemill_store::query::BRIEF_CHARS_MAX;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Setting {
    variables: Option<Box<RawValue>>,
    local: Option<bool>,
    operation_reference: Option<i64>,
}

pub(super) async fn set(call: Call) -> Handled {
    let scope = call.key()?;
    let request: Setting = call.required_body()?;
    let variables = variables(request.variables.as_deref())?;
    let mut findings = Findings::default();
    if variables.is_empty() {
        findings.add("No variables provided");
    }
    findings.operation_reference(request.operation_reference);
    findings.finish()?;
    let command = SetVariables { scope, variables, is_local: request.local.unwrap_or_default() };
    call.submit(Command::SetVariables(command), done).await
}

pub(super) async fn get(call: Call) -> Handled {
    let key: VariableKey = call.key()?;
    match call.gateway.queries.variable(key).await? {
        Some(variable) => Ok(json::ok(&shown(&variable))),
        None => Err(Problem::not_found("Variable", key.0)),
    }
}

pub(super) async fn search(call: Call) -> Handled {
    let cuts = cuts(&call)?;
    let search = search::requested(&call)?;
    found(&call, &search, cuts).await
}

/// True if long values are cut.
fn cuts(call: &Call) -> Result<bool, Problem> {
    Ok(call.query_flag("truncateValues")?.unwrap_or(true))
}

async fn found(call: &Call, search: &Search<VariableField>, cuts: bool) -> Handled {
    let found = call.gateway.queries.variables(&search.clone().brief()).await?;
    if cuts {
        return Ok(search::shown(found, |variable, items| items.push(&shown_cut(variable, true))));
    }
    let gateway = Arc::clone(&call.gateway);
    Ok(search::shown_in_turn(found, move |variable, items| {
        whole(Arc::clone(&gateway), variable, items).boxed()
    }))
}

/// Writes a variable with its whole value. Long values are read one at a time: all of a page would not fit in memory.
async fn whole(gateway: Arc<Gateway>, variable: VariableView, mut items: Items) -> Items {
    if !is_long(variable.value.as_str()) {
        items.push(&shown_cut(&variable, false));
        return items;
    }
    match gateway.queries.variable(variable.key).await {
        Ok(Some(variable)) => items.push(&shown_cut(&variable, false)),
        // It went away meanwhile: the beginning of its value is what is left to tell.
        Ok(None) | Err(_) => items.push(&shown_cut(&variable, true)),
    }
    items
}

/// All variables of the scopes around the task, hidden ones included.
pub(super) async fn of_user_task(call: Call) -> Handled {
    let cuts = cuts(&call)?;
    let mut search: Search<VariableField> = search::requested(&call)?;
    let task = user_tasks::found(&call).await?;
    let scopes = scopes(&call, &task).await?;
    search.filter = search
        .filter
        .is(VariableField::ProcessInstance, Test::eq(task.instance.key()))
        .is(VariableField::Scope, Test::In(scopes));
    found(&call, &search, cuts).await
}

/// The scopes from the task's own element up to the process.
async fn scopes(call: &Call, task: &UserTaskView) -> Result<Vec<Value>, Problem> {
    let (mut scopes, mut scope) = (Vec::new(), task.element_instance);
    let root = ElementInstanceKey(task.instance.0);
    while scope != root {
        scopes.push(scope.key().into());
        match call.gateway.queries.element_instance(scope).await? {
            Some(element) => scope = element.parent,
            None => break,
        }
    }
    scopes.push(root.key().into());
    Ok(scopes)
}

/// The variables that the task sees: of each name the innermost.
pub(super) async fn effective_of_user_task(call: Call) -> Handled {
    let cuts = cuts(&call)?;
    let tree = call.tree()?;
    let name_tests = search::translate::<VariableField>(&tree)?.filter;
    let task = user_tasks::found(&call).await?;
    let mut seen = call.gateway.queries.visible_variables(task.element_instance).await?;
    seen.retain(|variable| listing::passes(&name_tests, |_| Some(variable.name.as_str().into())));
    let bounds = listing::arrange(&tree, &mut seen, |variable, field| match field {
        "value" => Value::Text(variable.value.as_str().into()),
        "name" => Value::Text(variable.name.clone()),
        "tenantId" => Value::Text(variable.tenant.0.clone()),
        "scopeKey" => Value::Int(variable.scope.0),
        "processInstanceKey" => Value::Int(variable.instance.0),
        _ => Value::Int(variable.key.0),
    })?;
    Ok(search::shown_list(seen, bounds, move |variable, items| items.push(&shown_cut(variable, cuts))))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VariableItem<'a> {
    name: &'a str,
    tenant_id: &'a str,
    variable_key: KeyText,
    scope_key: KeyText,
    process_instance_key: KeyText,
    root_process_instance_key: KeyText,
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_truncated: Option<bool>,
}

fn shown(variable: &VariableView) -> VariableItem<'_> {
    VariableItem {
        name: &variable.name,
        tenant_id: variable.tenant.as_str(),
        variable_key: variable.key.into(),
        scope_key: variable.scope.into(),
        process_instance_key: variable.instance.into(),
        root_process_instance_key: variable.root.into(),
        value: variable.value.as_str(),
        is_truncated: None,
    }
}

fn is_long(value: &str) -> bool {
    value.len() > SHOWN_CHARS_MAX && value.chars().nth(SHOWN_CHARS_MAX).is_some()
}

fn shown_cut(variable: &VariableView, cuts: bool) -> VariableItem<'_> {
    let mut item = shown(variable);
    let beyond = cuts.then(|| item.value.char_indices().nth(SHOWN_CHARS_MAX)).flatten();
    let end = beyond.map(|(end, _)| end);
    item.is_truncated = Some(end.is_some());
    item.value = end.map_or(item.value, |end| &item.value[..end]);
    item
}
