//! Deploys files: all of them, or none.

use super::resource::{self, Content, Readable};
use super::start_subscriptions;
use crate::run::Run;
use crate::state::Definition;
use crate::stop::{Step, Stop};
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_bpmn::{Behavior, Binding, FormLink, Process, UserTask};
use tidemill_model::command::{Deploy, ResourceFile};
use tidemill_model::entity::{DefinitionState, Form, ProcessDefinition, ProcessXml, Resource};
use tidemill_model::{
    Answer, DefinitionKey, DeployedResource, Deployment, DeploymentKey, Event, FormKey, Rejection,
    ResourceKey, TenantId, Text,
};

pub(super) fn run(run: &mut Run<'_>, command: &Deploy) -> Step<Answer> {
    let files = read_and_check(&command.files)?;
    let key: DeploymentKey = run.new_key();
    let tenant = &command.tenant;
    let resources = match find_duplicates(run, tenant, &files)? {
        Some(known) => known,
        None => store_all(run, tenant, key, &files).map_err(as_rejection)?,
    };
    Ok(Answer::Deployed(Deployment { key, tenant: tenant.clone(), resources }))
}

/// What keeps these files from being deployed together, whatever is deployed already.
pub fn check_deployment(files: &[ResourceFile]) -> Result<(), Rejection> {
    read_and_check(files).map(drop)
}

fn read_and_check(given: &[ResourceFile]) -> Result<Vec<Readable>, Rejection> {
    let files = read_all(given)?;
    refuse_repeated_ids(&files)?;
    refuse_open_bindings(&files)?;
    Ok(files)
}

fn read_all(given: &[ResourceFile]) -> Result<Vec<Readable>, Rejection> {
    let mut files = Vec::new();
    let mut errors = Vec::new();
    for file in given {
        match resource::read(file) {
            Ok(readable) => files.push(readable),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(files) } else { Err(refused(&errors.join("\n"))) }
}

fn refused(errors: &str) -> Rejection {
    Rejection::invalid_argument(format!(
        "Expected to deploy new resources, but encountered the following errors:\n{errors}"
    ))
}

fn as_rejection(stop: Stop) -> Stop {
    match stop {
        Stop::Fail(failure) => refused(&failure.message).into(),
        other => other,
    }
}

/// Every id of a kind, with the file it comes from.
fn ids(files: &[Readable]) -> impl Iterator<Item = (&'static str, &Text, &Text)> {
    files.iter().flat_map(|file| {
        let ids: Vec<(&'static str, &Text)> = match &file.content {
            Content::Bpmn { processes, .. } => {
                processes.iter().map(|process| ("process", process.id())).collect()
            }
            Content::Form { id, .. } => vec![("form", id)],
            Content::Other { id, .. } => vec![("resource", id)],
        };
        ids.into_iter().map(|(kind, id)| (kind, id, &file.name))
    })
}

fn refuse_repeated_ids(files: &[Readable]) -> Result<(), Rejection> {
    let mut seen = BTreeMap::new();
    for (kind, id, file) in ids(files) {
        if let Some(first) = seen.insert((kind, id), file) {
            return Err(refused(&format!(
                "Duplicated {kind} id in resources '{first}' and '{file}': '{id}'"
            )));
        }
    }
    Ok(())
}

/// What is bound to this deployment must be in it.
fn refuse_open_bindings(files: &[Readable]) -> Result<(), Rejection> {
    let has = |kind: &str, id: &Text| ids(files).any(|(known, found, _)| known == kind && found == id);
    let mut errors = Vec::new();
    for file in files {
        let Content::Bpmn { processes, .. } = &file.content else { continue };
        for process in processes {
            for (element, kind, id) in deployment_bindings(process) {
                if !has(kind, &id) {
                    errors.push(format!(
                        "'{}': - Element: {element}\n    - ERROR: Expected to find {kind} with id '{id}' in current \
                         deployment, but not found.",
                        file.name
                    ));
                }
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(refused(&errors.join("\n"))) }
}

fn deployment_bindings(process: &Process) -> Vec<(Text, &'static str, Text)> {
    let mut bindings = Vec::new();
    for element in process.elements() {
        let form = |form: &Option<FormLink>| match form {
            Some(FormLink::Deployed { form_id, binding: Binding::Deployment }) => {
                form_id.static_text().cloned()
            }
            _ => None,
        };
        let found = match &element.behavior {
            Behavior::Call(called) if called.binding == Binding::Deployment => {
                called.process_id.static_text().map(|id| ("process", id.clone()))
            }
            Behavior::UserTask(UserTask { form: link, .. })
            | Behavior::UserTaskJob(UserTask { form: link, .. }) => form(link).map(|id| ("form", id)),
            Behavior::Process { start_form, .. } => form(start_form).map(|id| ("form", id)),
            _ => None,
        };
        bindings.extend(found.map(|(kind, id)| (element.id.clone(), kind, id)));
    }
    bindings
}

/// The known versions, if every resource equals the latest one in content and file name.
fn find_duplicates(
    run: &Run<'_>,
    tenant: &TenantId,
    files: &[Readable],
) -> Step<Option<Vec<DeployedResource>>> {
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
) -> Step<Vec<DeployedResource>> {
    let mut stored = Vec::new();
    for file in files {
        match &file.content {
            Content::Bpmn { processes, xml } => {
                for process in processes {
                    let head = store_process(run, tenant, deployment, file, process, xml)?;
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

fn store_process(
    run: &mut Run<'_>,
    tenant: &TenantId,
    deployment: DeploymentKey,
    file: &Readable,
    process: &Arc<Process>,
    xml: &Arc<str>,
) -> Step<Arc<ProcessDefinition>> {
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
    let definition = Definition { head: Arc::new(head), process: process.clone() };
    start_subscriptions::open(run, &definition)?;
    Ok(definition.head)
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
