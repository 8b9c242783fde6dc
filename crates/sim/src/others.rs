//! Users who send messages and signals, set variables, cancel and delete instances, delete definitions and resolve incidents.

use crate::client::{Outcome, options, send};
use crate::creators::Deployed;
use crate::ledger::{Cancelling, Creation, Deleting};
use crate::models::SIGNAL;
use crate::world::World;
use std::sync::Arc;
use tidemill_model::command::{
    BroadcastSignal, CancelInstance, CompleteUserTask, CorrelateMessage, DeleteInstance, DeleteResource,
    PublishMessage, ResolveIncident, SetVariables, UpdateJob,
};
use tidemill_model::entity::UserTaskState;
use tidemill_model::{
    Answer, Command, ElementInstanceKey, ProcessInstanceKey, RawJson, RejectionCode, ResourceKey, TenantId,
    Text, Variables,
};
use tidemill_server::broker::Broker;
use tidemill_store::query::{Filter, IncidentField, Search, Searches, Test, UserTaskField, Value};

const TIME_TO_LIVE_MS: i64 = 20_000;

async fn run(world: &Arc<World>, command: Command, key: Option<String>) -> Outcome<Answer> {
    let options = options(key);
    send(world, 12_000, |node| Box::pin(async move { node.execute(command, options).await })).await
}

/// Sends the messages of an entry that is still under way.
pub(crate) async fn send_message(world: &Arc<World>, number: usize) {
    let messages = world.ledger().entries[number].model.messages.clone();
    for name in messages {
        let (tenant, correlation_key) = (TenantId::default(), Text::from(format!("key-{number}")));
        let (id, variables) = (world.next(), Variables::default());
        let command = match world.percent(70) {
            true => Command::PublishMessage(PublishMessage {
                tenant,
                name: Text::from(name.as_str()),
                correlation_key,
                message_id: Some(Text::from(format!("{id:x}"))),
                business_id: None,
                time_to_live_ms: TIME_TO_LIVE_MS,
                variables,
            }),
            false => Command::CorrelateMessage(CorrelateMessage {
                tenant,
                name: Text::from(name.as_str()),
                correlation_key,
                business_id: None,
                variables,
            }),
        };
        let key = world.percent(50).then(|| format!("message-{id:x}"));
        for _ in 0..3 {
            let outcome = run(world, command.clone(), key.clone()).await;
            world.note(|| format!("message {name} of entry {number}: {outcome:?}"));
            match outcome {
                Outcome::NotRun | Outcome::Unknown if key.is_some() => world.pause(50, 500).await,
                _ => break,
            }
        }
    }
}

pub(crate) async fn broadcast(world: &Arc<World>) {
    let command = Command::BroadcastSignal(BroadcastSignal {
        tenant: TenantId::default(),
        name: Text::from(SIGNAL),
        variables: Variables::default(),
    });
    let _ = run(world, command, None).await;
}

/// The instance of an entry, if that is known.
fn instance_of(world: &World, number: usize) -> Option<ProcessInstanceKey> {
    match world.ledger().entries.get(number)?.creation {
        Creation::Answered(instance) => Some(instance),
        _ => None,
    }
}

pub(crate) async fn set_variable(world: &Arc<World>, number: usize) {
    let Some(instance) = instance_of(world, number) else { return };
    let (name, value) = (format!("set_{:x}", world.next()), world.below(1_000).to_string());
    let mut variables = Variables::default();
    variables.set(name.as_str(), RawJson::new(value.as_str()));
    let scope = ElementInstanceKey(instance.0);
    let command = Command::SetVariables(SetVariables { scope, variables, is_local: false });
    if let Outcome::Answered(_) = run(world, command, None).await {
        world.ledger().entries[number].variables.push((name.clone(), value.clone()));
        let found = world.memory.values_of(&name);
        let is_deleted = world.ledger().may_be_deleted(instance);
        if !is_deleted && (found.is_empty() || found.iter().any(|found| *found != value)) {
            world
                .violation(format!("variable {name} of entry {number} was set to {value}, but is {found:?}"));
        }
    }
}

pub(crate) async fn cancel(world: &Arc<World>, number: usize) {
    let Some(instance) = instance_of(world, number) else { return };
    if world.ledger().entries[number].cancelling == Cancelling::Never {
        world.ledger().entries[number].cancelling = Cancelling::Tried;
    }
    let outcome = run(world, Command::CancelInstance(CancelInstance { instance }), None).await;
    world.note(|| format!("cancelling of entry {number}: {outcome:?}"));
    if let Outcome::Answered(_) = outcome {
        world.ledger().entries[number].cancelling = Cancelling::Answered;
    }
}

/// People take their tasks and complete them.
pub(crate) async fn complete_tasks(world: &Arc<World>) {
    let filter = Filter::default().is(UserTaskField::State, Test::Eq(Value::from("CREATED")));
    let Ok(found) = world.store().user_tasks(&Search::of(filter)).await else { return };
    for task in found.items {
        let key = world.percent(50).then(|| format!("task-{}", task.key.0));
        let complete = CompleteUserTask { task: task.key, variables: Variables::default(), action: None };
        let outcome = run(world, Command::CompleteUserTask(complete), key).await;
        world.note(|| format!("completion of task {} ({}): {outcome:?}", task.key.0, task.element_id));
        if !matches!(outcome, Outcome::Answered(_)) {
            continue;
        }
        match world.store().user_task(task.key).await {
            Ok(Some(view)) if view.state == UserTaskState::Completed => {}
            Ok(None) if world.ledger().may_be_deleted(task.instance) => {}
            other => {
                world.violation(format!("task {} was completed, but is {other:?}", task.key.0));
            }
        }
    }
}

/// Mends what workers have given up.
pub(crate) async fn resolve_incidents(world: &Arc<World>) {
    let filter = Filter::default().is(IncidentField::State, Test::Eq(Value::from("ACTIVE")));
    let Ok(found) = world.store().incidents(&Search::of(filter)).await else { return };
    for incident in found.items {
        world
            .note(|| format!("incident {} of {}: {}", incident.key.0, incident.element_id, incident.message));
        if let Some(job) = incident.job {
            let update = UpdateJob { job, retries: Some(2), timeout_ms: None, priority: None, lease: None };
            let _ = run(world, Command::UpdateJob(update), None).await;
        }
        let resolve = Command::ResolveIncident(ResolveIncident { incident: incident.key });
        match run(world, resolve, None).await {
            Outcome::Refused(rejection) if rejection.code == RejectionCode::InvalidArgument => {
                world.violation(format!("incident {} cannot be resolved: {rejection}", incident.key.0));
            }
            _ => {}
        }
    }
}

/// Deletes an instance that has ended. From then on nothing of it is found.
pub(crate) async fn delete_instance(world: &Arc<World>, number: usize) {
    let Some(instance) = instance_of(world, number) else { return };
    match world.store().process_instance(instance).await {
        Ok(Some(view)) if view.ended_at.is_some() => {}
        _ => return,
    }
    if world.ledger().entries[number].deleting == Deleting::Never {
        world.ledger().entries[number].deleting = Deleting::Tried;
    }
    let outcome = run(world, Command::DeleteInstance(DeleteInstance { instance }), None).await;
    world.note(|| format!("deletion of entry {number}: {outcome:?}"));
    if !matches!(outcome, Outcome::Answered(_)) {
        return;
    }
    world.ledger().entries[number].deleting = Deleting::Answered;
    world.ledger().counts.deletions += 1;
    let found = world.store().process_instance(instance).await;
    if !matches!(found, Ok(None)) {
        world.violation(format!("entry {number} was deleted, but is {found:?}"));
    }
}

/// Deletes a version of a process. Its instances go on, and new ones are of the version before.
pub(crate) async fn delete_version(world: &Arc<World>, deployed: &Deployed) {
    let Deployed { process_id, version, definition } = deployed;
    let note = |deleting| {
        let now_ms = world.now_ms();
        world.ledger().deletes(process_id, *version, deleting, now_ms);
    };
    note(Deleting::Tried);
    let delete = DeleteResource { key: ResourceKey(definition.0) };
    let outcome = run(world, Command::DeleteResource(delete), None).await;
    world.note(|| format!("deletion of {process_id} in version {version}: {outcome:?}"));
    if let Outcome::Answered(_) = outcome {
        note(Deleting::Answered);
        world.ledger().counts.deletions += 1;
    }
}
