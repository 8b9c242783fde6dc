//! Deletes a process definition, form or other resource. Running instances finish; new ones are refused.

use super::start_subscriptions;
use crate::need::Missed;
use crate::run::Run;
use crate::stop::Stepped;
use std::sync::Arc;
use tidemill_model::command::DeleteResource;
use tidemill_model::entity::{DefinitionState, Form, ProcessDefinition, Resource};
use tidemill_model::{Answer, DefinitionKey, Event, FormKey, Need, Rejection, ResourceKey};

pub(super) fn run(run: &mut Run<'_>, command: &DeleteResource) -> Stepped<Answer> {
    let key = command.key;
    run.require(Need::ResourceByKey(key))?;
    let definition = run.get::<ProcessDefinition>(DefinitionKey(key.0)).cloned();
    if let Some(definition) = definition.filter(|found| found.state == DefinitionState::Active) {
        delete_definition(run, &definition)?;
        return Ok(Answer::Done);
    }
    let form = run.get::<Form>(FormKey(key.0)).cloned();
    if let Some(form) = form.filter(|form| !form.is_deleted) {
        run.form_versions(&form.tenant, &form.form_id)?;
        run.change::<Form>(form.key)?.is_deleted = true;
        note(run, key, &form.form_id, form.version);
        return Ok(Answer::Done);
    }
    let resource = run.get::<Resource>(key).cloned();
    if let Some(resource) = resource.filter(|resource| !resource.is_deleted) {
        run.resource_versions(&resource.tenant, &resource.resource_id)?;
        run.change::<Resource>(key)?.is_deleted = true;
        note(run, key, &resource.resource_id, resource.version);
        return Ok(Answer::Done);
    }
    Err(Rejection::not_found(format!("Expected to delete resource but no resource found with key `{key}`"))
        .into())
}

/// Deleting the latest version hands its start events back to the next older one.
fn delete_definition(run: &mut Run<'_>, definition: &Arc<ProcessDefinition>) -> Stepped {
    let (tenant, process_id) = (&definition.tenant, &definition.process_id);
    let mut active = run.active_versions(tenant, process_id)?;
    let was_latest = active.last().is_some_and(|latest| latest.key == definition.key);
    active.retain(|version| version.key != definition.key);
    run.change::<ProcessDefinition>(definition.key)?.state = DefinitionState::Deleted;
    note(run, ResourceKey(definition.key.0), process_id, definition.version);
    if !was_latest {
        return Ok(());
    }
    let older = active.last().map(|older| run.definition(older.key)).transpose()?;
    let plans = match &older {
        Some(older) => start_subscriptions::plan(run, &older.process)?,
        None => Vec::new(),
    };
    let mut missed = Missed::default();
    start_subscriptions::note_missing(run, &mut missed, tenant, process_id, &plans)?;
    missed.stop_if_any()?;
    start_subscriptions::close(run, tenant, process_id)?;
    match older {
        Some(older) => start_subscriptions::open(run, &older.head, plans),
        None => Ok(()),
    }
}

fn note(run: &mut Run<'_>, key: ResourceKey, resource_id: &str, version: i32) {
    run.record(key, None, || Event::ResourceDeleted { resource_id: resource_id.into(), version });
}
