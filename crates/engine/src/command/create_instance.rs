//! Creates process instances: on request, by start events, and for call activities.

use super::{message_box, start_instructions};
use crate::data::variables;
use crate::lifecycle::enqueue_activation;
use crate::run::Run;
use crate::state::Definition;
use crate::stop::{Stepped, Stop};
use tidemill_model::command::{CreateInstance, DefinitionRef};
use tidemill_model::entity::{
    DefinitionState, FlowSet, Lifecycle, MessageStartLock, ParentCall, ProcessInstance, Scope, Trigger,
};
use tidemill_model::{
    Answer, BoxName, CreatedInstance, ElementIndex, ProcessInstanceKey, Rejection, TenantId, Text, Variables,
};

/// The facts that a new instance begins with.
#[derive(Default)]
pub(crate) struct NewInstance {
    pub(crate) tenant: TenantId,
    pub(crate) variables: Variables,
    pub(crate) parent: Option<ParentCall>,
    pub(crate) root: Option<ProcessInstanceKey>,
    pub(crate) call_depth: u16,
    pub(crate) is_recursive: bool,
    pub(crate) business_id: Option<Text>,
    pub(crate) tags: Vec<Text>,
    pub(crate) terminate_after: Vec<Text>,
    pub(crate) start_lock: Option<Text>,
}

pub(super) fn run(run: &mut Run<'_>, command: &CreateInstance) -> Stepped<Answer> {
    variables::check_command(&command.variables)?;
    let definition = find_definition(run, command)?;
    let none_start = definition.process.none_start();
    if command.start.is_empty() && none_start.is_none() {
        return Err(Rejection::invalid_state(
            "Expected to create instance of process with none start event, but there is no such event",
        )
        .into());
    }
    start_instructions::check(&definition, command)?;
    let start_lock = command.uniqueness_key();
    if let Some(lock) = &start_lock {
        check_unique(run, &definition, command, lock)?;
    }
    let instance = begin(
        run,
        &definition,
        NewInstance {
            tenant: command.tenant.clone(),
            variables: command.variables.clone(),
            business_id: command.business_id.clone(),
            tags: command.tags.clone(),
            terminate_after: command.terminate_after.clone(),
            start_lock: start_lock.clone(),
            ..NewInstance::default()
        },
    )?;
    if let Some(correlation_key) = start_lock {
        let process_id = definition.head.process_id.clone();
        run.insert(MessageStartLock {
            tenant: command.tenant.clone(),
            process_id,
            correlation_key,
            instance,
        });
    }
    match none_start {
        Some(start) if command.start.is_empty() => start_at(run, instance, start, None)?,
        _ => start_instructions::start(run, &definition, instance, &command.start)?,
    }
    Ok(Answer::Created(CreatedInstance {
        instance,
        definition: definition.head.key,
        process_id: definition.head.process_id.clone(),
        version: definition.head.version,
        tenant: command.tenant.clone(),
        tags: command.tags.clone(),
        business_id: command.business_id.clone(),
    }))
}

/// The instance that holds the business id holds a lock as one that a message has started, and lets it go the same way.
fn check_unique(run: &Run<'_>, definition: &Definition, command: &CreateInstance, lock: &Text) -> Stepped {
    message_box::require(run, &BoxName::of_lock(&command.tenant, lock))?;
    let process_id = &definition.head.process_id;
    let lock = (command.tenant.clone(), process_id.clone(), lock.clone());
    if !run.index().locks.contains_key(&lock) {
        return Ok(());
    }
    let business_id = command.business_id.clone().unwrap_or_default();
    Err(Rejection::already_exists(format!(
        "Expected to create instance of process with business id '{business_id}', but an instance with this business id \
         already exists for process definition '{process_id}'"
    ))
    .into())
}

fn find_definition(run: &Run<'_>, command: &CreateInstance) -> Stepped<Definition> {
    let tenant = &command.tenant;
    let (found, name) = match &command.definition {
        DefinitionRef::Key(key) => {
            let found = run.find_definition(*key)?.filter(|definition| {
                definition.head.tenant == *tenant && definition.head.state == DefinitionState::Active
            });
            return found.ok_or_else(|| not_found(format!("key '{key}'")));
        }
        DefinitionRef::Latest(id) => (run.latest(tenant, id)?, format!("process ID '{id}'")),
        DefinitionRef::Version(id, version) => {
            let versions = run.active_versions(tenant, id)?;
            let found = versions.into_iter().find(|definition| definition.version == *version);
            (found, format!("process ID '{id}' and version '{version}'"))
        }
    };
    match found {
        Some(head) => run.definition(head.key),
        None => Err(not_found(name)),
    }
}

fn not_found(name: String) -> Stop {
    Rejection::not_found(format!("Expected to find process definition with {name}, but none found")).into()
}

/// Makes the instance and its variables; nothing in it has begun yet.
pub(crate) fn begin(
    run: &mut Run<'_>,
    definition: &Definition,
    new: NewInstance,
) -> Stepped<ProcessInstanceKey> {
    let key: ProcessInstanceKey = run.new_key();
    let now = run.now;
    run.insert(ProcessInstance {
        key,
        root: new.root.unwrap_or(key),
        definition: definition.head.key,
        tenant: new.tenant,
        parent: new.parent,
        call_depth: new.call_depth,
        is_recursive: new.is_recursive,
        recursive_calls: 0,
        business_id: new.business_id,
        tags: new.tags,
        state: Lifecycle::Activating,
        started_at: now,
        ended_at: None,
        scope: Scope::default(),
        flows_taken: FlowSet::default(),
        incidents: 0,
        terminate_after: new.terminate_after,
        start_lock: new.start_lock,
    });
    run.note_use(key);
    run.transition(key.scope(), Lifecycle::Activating)?;
    variables::set_all_local(run, key.scope(), &new.variables)?;
    run.transition(key.scope(), Lifecycle::Activated)?;
    Ok(key)
}

/// Lets the instance begin at a start event.
pub(crate) fn start_at(
    run: &mut Run<'_>,
    instance: ProcessInstanceKey,
    start: ElementIndex,
    payload: Option<Variables>,
) -> Stepped {
    enqueue_activation(run, instance.scope(), start, None, Some(Trigger { target: start, payload }))
}
