//! Deploys files: all of them, or none.

use super::deployable::{ids, read_and_check, refused};
use super::resource::{Content, Readable};
use super::start_subscriptions::{self, Plan};
use crate::need::Missed;
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use std::sync::Arc;
use tidemill_bpmn::{Behavior, Process};
use tidemill_model::command::{Deploy, ResourceFile};
use tidemill_model::entity::{DefinitionState, Form, ProcessDefinition, ProcessXml, Resource};
use tidemill_model::{
    Answer, DefinitionKey, DeployedResource, Deployment, DeploymentKey, Event, FormKey, Need, ResourceKey,
    TenantId, Text,
};

pub(super) fn run(run: &mut Run<'_>, command: &Deploy) -> Stepped<Answer> {
    let files = read_once(run, &command.files)?;
    let tenant = &command.tenant;
    require_versions(run, tenant, &files)?;
    let known = find_duplicates(run, tenant, &files)?;
    let key: DeploymentKey = run.new_key();
    let resources = match known {
        Some(known) => known,
        None => store_all(run, tenant, key, &files).map_err(as_rejection)?,
    };
    Ok(Answer::Deployed(Deployment { key, tenant: tenant.clone(), resources }))
}

/// The command runs again after each load; its files are read for the first run only.
fn read_once(run: &mut Run<'_>, given: &[ResourceFile]) -> Stepped<Arc<Vec<Readable>>> {
    let bytes: usize = given.iter().map(|file| file.content.len()).sum();
    run.work.charge_files(bytes as u64);
    if let Some(files) = run.files_read_before(given) {
        return Ok(files);
    }
    let files = read_and_check(given)?;
    Ok(run.keep_files_read(given, files))
}

fn as_rejection(stop: Stop) -> Stop {
    match stop {
        Stop::Fail(failure) => refused(&failure.message).into(),
        other => other,
    }
}

/// The versions of everything in the files, or all that is missing of them at once.
fn require_versions(run: &Run<'_>, tenant: &TenantId, files: &[Readable]) -> Stepped {
    let mut missed = Missed::default();
    for (kind, id, _) in ids(files) {
        let (tenant, id) = (tenant.clone(), id.clone());
        missed.unless_missing(run.require(match kind {
            "process" => Need::Process { tenant, process_id: id },
            "form" => Need::Form { tenant, form_id: id },
            _ => Need::Resource { tenant, resource_id: id },
        }))?;
    }
    missed.stop_if_any()
}

/// The known versions, if every resource equals the latest one in content and file name.
fn find_duplicates(
    run: &Run<'_>,
    tenant: &TenantId,
    files: &[Readable],
) -> Stepped<Option<Vec<DeployedResource>>> {
    let mut known = Vec::new();
    let mut is_new = false;
    for file in files {
        let is_same = |checksum: &Text, name: &Text| *checksum == file.checksum && *name == file.name;
        match &file.content {
            Content::Bpmn { processes, .. } => {
                for process in processes {
                    let latest = run.latest(tenant, process.id())?;
                    match latest.filter(|latest| is_same(&latest.checksum, &latest.resource_name)) {
                        Some(latest) => known.push(DeployedResource::Process(latest)),
                        None => is_new = true,
                    }
                }
            }
            Content::Form { id, .. } => {
                let latest = run.form_versions(tenant, id)?.pop().filter(|form| !form.is_deleted);
                match latest.filter(|latest| is_same(&latest.checksum, &latest.resource_name)) {
                    Some(latest) => known.push(DeployedResource::Form(latest)),
                    None => is_new = true,
                }
            }
            Content::Other { id, .. } => {
                let latest = run.resource_versions(tenant, id)?.pop().filter(|resource| !resource.is_deleted);
                match latest.filter(|latest| is_same(&latest.checksum, &latest.resource_name)) {
                    Some(latest) => known.push(DeployedResource::Resource(latest)),
                    None => is_new = true,
                }
            }
        }
    }
    Ok((!is_new).then_some(in_order(known)))
}

/// One changed resource gives all of them a new version: they are versioned together.
fn store_all(
    run: &mut Run<'_>,
    tenant: &TenantId,
    deployment: DeploymentKey,
    files: &[Readable],
) -> Stepped<Vec<DeployedResource>> {
    let mut plans = plan_starts(run, tenant, files)?.into_iter();
    let mut stored = Vec::new();
    for file in files {
        match &file.content {
            Content::Bpmn { processes, xml } => {
                for (process, plans) in processes.iter().zip(plans.by_ref()) {
                    let head = store_process(run, tenant, deployment, file, process, xml)?;
                    start_subscriptions::open(run, &head, plans)?;
                    stored.push(DeployedResource::Process(head));
                }
            }
            Content::Form { id, version_tag, schema } => {
                let version = run.form_versions(tenant, id)?.last().map_or(1, |form| form.version + 1);
                let key: FormKey = run.new_key();
                let form = Form {
                    key,
                    tenant: tenant.clone(),
                    form_id: id.clone(),
                    version,
                    version_tag: version_tag.clone(),
                    resource_name: file.name.clone(),
                    checksum: file.checksum.clone(),
                    deployment,
                    is_deleted: false,
                    schema: schema.clone(),
                };
                run.insert(form.clone());
                run.record(key, None, || Event::Deployed { resource_id: id.clone(), version });
                stored.push(DeployedResource::Form(Arc::new(form)));
            }
            Content::Other { id, version_tag, content } => {
                let version = run.resource_versions(tenant, id)?.last().map_or(1, |known| known.version + 1);
                let key: ResourceKey = run.new_key();
                let resource = Resource {
                    key,
                    tenant: tenant.clone(),
                    resource_id: id.clone(),
                    version,
                    version_tag: version_tag.clone(),
                    resource_name: file.name.clone(),
                    checksum: file.checksum.clone(),
                    deployment,
                    is_deleted: false,
                    content: content.clone(),
                };
                run.insert(resource.clone());
                run.record(key, None, || Event::Deployed { resource_id: id.clone(), version });
                stored.push(DeployedResource::Resource(Arc::new(resource)));
            }
        }
    }
    Ok(in_order(stored))
}

/// The start events of each of the processes, ready to be opened. Everything that is needed for that is in memory.
fn plan_starts(run: &Run<'_>, tenant: &TenantId, files: &[Readable]) -> Stepped<Vec<Vec<Plan>>> {
    let mut missed = Missed::default();
    let mut all = Vec::new();
    for process in files.iter().flat_map(Readable::processes) {
        let plans = start_subscriptions::plan(run, process)?;
        start_subscriptions::note_missing(run, &mut missed, tenant, process.id(), &plans)?;
        all.push(plans);
    }
    missed.stop_if_any()?;
    Ok(all)
}

fn store_process(
    run: &mut Run<'_>,
    tenant: &TenantId,
    deployment: DeploymentKey,
    file: &Readable,
    process: &Arc<Process>,
    xml: &Arc<str>,
) -> Stepped<Arc<ProcessDefinition>> {
    let process_id = process.id();
    let version = run.versions(tenant, process_id)?.last().map_or(1, |latest| latest.version + 1);
    start_subscriptions::close(run, tenant, process_id)?;
    let key: DefinitionKey = run.new_key();
    let has_start_form = matches!(&process.root().behavior, Behavior::Process { start_form: Some(_), .. });
    let head = ProcessDefinition {
        key,
        tenant: tenant.clone(),
        process_id: process_id.clone(),
        version,
        version_tag: process.version_tag.clone(),
        name: process.name().cloned(),
        resource_name: file.name.clone(),
        checksum: file.checksum.clone(),
        deployment,
        deployed_at: run.now,
        has_start_form,
        state: DefinitionState::Active,
    };
    run.insert(head.clone());
    run.insert(ProcessXml { definition: key, xml: xml.clone() });
    run.catalog.add(key, process.clone());
    run.record(key, None, || Event::Deployed { resource_id: process_id.clone(), version });
    Ok(Arc::new(head))
}

/// Processes, then forms, then other resources.
fn in_order(mut resources: Vec<DeployedResource>) -> Vec<DeployedResource> {
    resources.sort_by_key(|resource| match resource {
        DeployedResource::Process(_) => 0,
        DeployedResource::Form(_) => 1,
        DeployedResource::Resource(_) => 2,
    });
    resources
}
