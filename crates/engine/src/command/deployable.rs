//! Checks files that are deployed together against each other, without looking at earlier deployments.

use super::resource::{self, Content, Readable};
use crate::limits::{DEPLOYED_BYTES_MAX, FILES_PER_DEPLOYMENT_MAX, START_EVENTS_PER_DEPLOYMENT_MAX};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use tidemill_bpmn::{Behavior, Binding, FormLink, Process, UserTask};
use tidemill_model::command::ResourceFile;
use tidemill_model::{Rejection, Text};

/// Finds the reason why these files cannot be deployed together. Earlier deployments play no part.
pub fn check_deployment(files: &[ResourceFile]) -> Result<(), Rejection> {
    read_and_check(files).map(drop)
}

pub(super) fn read_and_check(given: &[ResourceFile]) -> Result<Vec<Readable>, Rejection> {
    refuse_too_many("files", given.len(), FILES_PER_DEPLOYMENT_MAX)?;
    let files = read_all(given)?;
    let start_events = files.iter().flat_map(Readable::processes).map(|process| starts_itself(process)).sum();
    refuse_too_many("message, signal and timer start events", start_events, START_EVENTS_PER_DEPLOYMENT_MAX)?;
    let stored_bytes =
        given.iter().zip(&files).map(|(given, file)| given.content.len() * file.processes().len().max(1));
    refuse_too_many(
        "bytes, with each file counted once for each process in it",
        stored_bytes.sum(),
        DEPLOYED_BYTES_MAX,
    )?;
    refuse_repeated_ids(&files)?;
    refuse_open_bindings(&files)?;
    Ok(files)
}

fn starts_itself(process: &Process) -> usize {
    process.starts().iter().filter(|index| process.element(**index).catch().is_some()).count()
}

fn refuse_too_many(what: &str, count: usize, max: usize) -> Result<(), Rejection> {
    if count <= max {
        return Ok(());
    }
    Err(Rejection::invalid_argument(format!(
        "Expected a deployment to have at most {max} {what}, but it has {count}; split it into several"
    )))
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

pub(super) fn refused(errors: &str) -> Rejection {
    Rejection::invalid_argument(format!(
        "Expected to deploy new resources, but encountered the following errors:\n{errors}"
    ))
}

/// Every id of a kind, with the file it comes from.
pub(super) fn ids(files: &[Readable]) -> impl Iterator<Item = (&'static str, &Text, &Text)> {
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
    let mut seen: BTreeMap<_, &Text> = BTreeMap::new();
    let mut errors = Vec::new();
    for (kind, id, file) in ids(files) {
        match seen.get(&(kind, id)) {
            None => {
                seen.insert((kind, id), file);
            }
            Some(first) if kind == "process" => {
                errors.push(format!("Duplicated process id in resources '{first}' and '{file}': '{id}'"));
            }
            Some(first) => errors.push(format!(
                "Expected the {kind} ids to be unique within a deployment but found a duplicated id '{id}' in the \
                 resources '{first}' and '{file}'."
            )),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(refused(&errors.join("\n"))) }
}

/// Refuses a binding to this deployment whose target is not in it.
fn refuse_open_bindings(files: &[Readable]) -> Result<(), Rejection> {
    let known: FxHashSet<(&str, &Text)> = ids(files).map(|(kind, id, _)| (kind, id)).collect();
    let mut errors = Vec::new();
    for file in files {
        for process in file.processes() {
            for (element, kind, id) in deployment_bindings(process) {
                if !known.contains(&(kind, &id)) {
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
