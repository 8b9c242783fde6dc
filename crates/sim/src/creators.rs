//! Users who deploy processes and create instances.

use crate::client::{Outcome, options, send};
use crate::ledger::{Creation, Way};
use crate::models::{ITEMS, MANY, Model};
use crate::world::World;
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::command::{CreateInstance, DefinitionRef, Deploy, ResourceFile};
use tidemill_model::entity::InstanceState;
use tidemill_model::{
    Answer, Command, CreatedInstance, DefinitionKey, DeployedResource, ProcessInstanceKey, TenantId, Text,
    Variables,
};
use tidemill_server::broker::{Broker, EndedInstance};
use tidemill_store::query::Searches;

/// A client that waits for the end of an instance gives up after this.
const AWAIT_MS: u64 = 8_000;
const ANSWER_MS: u64 = 12_000;

/// A version that was deployed.
pub(crate) struct Deployed {
    pub(crate) process_id: Text,
    pub(crate) version: i32,
    pub(crate) definition: DefinitionKey,
}

/// Deploys a model, again and again until that is answered. Gives its own process, not those that it calls.
pub(crate) async fn deploy(world: &Arc<World>, model: &Model) -> Option<Deployed> {
    let name = Text::from(format!("{}.bpmn", model.process_id));
    let file = ResourceFile { name, content: model.xml.clone().into_bytes().into() };
    let command = Command::Deploy(Deploy { tenant: TenantId::default(), files: vec![file] });
    loop {
        let command = command.clone();
        let sent = send(world, ANSWER_MS, |node| {
            Box::pin(async move { node.execute(command, options(None)).await })
        });
        match sent.await {
            Outcome::Answered(Answer::Deployed(deployment)) => {
                let mut deployed = None;
                for resource in &deployment.resources {
                    let DeployedResource::Process(process) = resource else { continue };
                    let (process_id, version) = (process.process_id.clone(), process.version);
                    world.ledger().deployed(&process_id, version, world.now_ms());
                    if process_id == model.process_id {
                        deployed = Some(Deployed { process_id, version, definition: process.key });
                    }
                }
                return deployed;
            }
            Outcome::NotRun | Outcome::Unknown => world.pause(100, 1_000).await,
            Outcome::PutAside | Outcome::Unreadable => world.pause(1_000, 15_000).await,
            other => {
                world.violation(format!("a deployment ended with {other:?}"));
                return None;
            }
        }
    }
}

/// Creates an instance in one of the ways, and keeps the ledger.
pub(crate) async fn create(world: &Arc<World>, model: &Arc<Model>) {
    let way = match world.below(10) {
        0..=2 => Way::Keyed,
        3..=4 => Way::Plain,
        5 => Way::Await,
        6..=7 => Way::KeyedAwait,
        8 => Way::KeyedAsync,
        _ => Way::Async,
    };
    let now_ms = world.now_ms();
    let number = world.ledger().open(model.clone(), way, now_ms);
    // Any try may be the one that had its effect, so what was known at the first counts.
    let newest = world.ledger().known_version(&model.process_id, now_ms);
    loop {
        let outcome = try_once(world, number, way).await;
        world.note(|| format!("creation of entry {number} ({way:?}, {}): {outcome:?}", model.process_id));
        match outcome {
            Outcome::Answered(Created::Instance(created)) => {
                if created.version < newest {
                    world.violation(format!(
                        "entry {number} got version {} after {newest} was answered",
                        created.version
                    ));
                }
                if world.ledger().is_gone(&model.process_id, created.version, now_ms) {
                    world.violation(format!("entry {number} got version {}, which is gone", created.version));
                }
                return answered(world, number, created.instance).await;
            }
            Outcome::Answered(Created::Ended(ended)) => return has_ended(world, number, ended).await,
            Outcome::GoesOn(instance) => return answered(world, number, instance).await,
            Outcome::Answered(Created::Accepted(position)) => {
                world.ledger().entries[number].creation = Creation::Accepted(position);
                // Some send it once more, to be sure.
                if way == Way::KeyedAsync && world.percent(50) {
                    world.pause(0, 5_000).await;
                    let _ = try_once(world, number, way).await;
                }
                return;
            }
            Outcome::Unknown if !way.has_key() => {
                world.ledger().entries[number].creation = Creation::InDoubt;
                return;
            }
            Outcome::Unknown | Outcome::NotRun => world.pause(50, 1_000).await,
            Outcome::PutAside => world.pause(5_000, 30_000).await,
            Outcome::Unreadable => {
                // That answer is kept under the key.
                world.ledger().entries[number].attempt += 1;
                world.pause(1_000, 10_000).await;
            }
            Outcome::Refused(rejection) => {
                return world.violation(format!("the creation of entry {number} was refused: {rejection}"));
            }
        }
    }
}

#[derive(Debug)]
pub(crate) enum Created {
    Instance(CreatedInstance),
    Ended(EndedInstance),
    Accepted(i64),
}

pub(crate) async fn try_once(world: &Arc<World>, number: usize, way: Way) -> Outcome<Created> {
    let (process_id, attempt) = {
        let entry = &world.ledger().entries[number];
        (entry.model.process_id.clone(), entry.attempt)
    };
    let command = command(number, &process_id);
    let options = options(way.has_key().then(|| format!("create-{number}-{attempt}")));
    let limit = Duration::from_millis(AWAIT_MS);
    match way {
        Way::Keyed | Way::Plain => {
            let sent = send(world, ANSWER_MS, |node| {
                Box::pin(
                    async move { node.execute(Command::CreateInstance(Box::new(command)), options).await },
                )
            });
            match sent.await {
                Outcome::Answered(Answer::Created(created)) => Outcome::Answered(Created::Instance(created)),
                Outcome::Answered(other) => {
                    world.violation(format!("a creation was answered with {other:?}"));
                    Outcome::Unknown
                }
                other => without_answer(other),
            }
        }
        Way::Await | Way::KeyedAwait => {
            let sent = send(world, ANSWER_MS, move |node| {
                Box::pin(async move { node.create_and_await(command, options, limit).await })
            });
            match sent.await {
                Outcome::Answered(ended) => Outcome::Answered(Created::Ended(ended)),
                other => without_answer(other),
            }
        }
        Way::Async | Way::KeyedAsync => {
            let sent = send(world, ANSWER_MS, |node| {
                Box::pin(
                    async move { node.enqueue(Command::CreateInstance(Box::new(command)), options).await },
                )
            });
            match sent.await {
                Outcome::Answered(receipt) => Outcome::Answered(Created::Accepted(receipt.position)),
                other => without_answer(other),
            }
        }
    }
}

fn without_answer<A>(outcome: Outcome<A>) -> Outcome<Created> {
    match outcome {
        Outcome::Refused(rejection) => Outcome::Refused(rejection),
        Outcome::GoesOn(instance) => Outcome::GoesOn(instance),
        Outcome::NotRun => Outcome::NotRun,
        Outcome::PutAside => Outcome::PutAside,
        Outcome::Unreadable => Outcome::Unreadable,
        Outcome::Unknown | Outcome::Answered(_) => Outcome::Unknown,
    }
}

fn command(number: usize, process_id: &str) -> CreateInstance {
    let list = |count: usize| (1..=count).map(|item| item.to_string()).collect::<Vec<_>>().join(",");
    let variables = format!(r#"{{"key":"key-{number}","items":[{}],"many":[{}]}}"#, list(ITEMS), list(MANY));
    CreateInstance {
        definition: DefinitionRef::Latest(Text::from(process_id)),
        tenant: TenantId::default(),
        variables: Variables::parse(&variables).unwrap_or_default(),
        start: Vec::new(),
        terminate_after: Vec::new(),
        tags: Vec::new(),
        business_id: Some(Text::from(name(number))),
        is_unique: false,
    }
}

pub(crate) fn name(number: usize) -> String {
    format!("entry-{number}")
}

pub(crate) fn number(name: &str) -> Option<usize> {
    name.strip_prefix("entry-")?.parse().ok()
}

async fn answered(world: &World, number: usize, instance: ProcessInstanceKey) {
    world.ledger().entries[number].creation = Creation::Answered(instance);
    if !matches!(world.store().process_instance(instance).await, Ok(Some(_))) {
        world.violation(format!("entry {number} was answered and is not found"));
    }
}

async fn has_ended(world: &World, number: usize, ended: EndedInstance) {
    let instance = ended.created.instance;
    world.ledger().entries[number].creation = Creation::Answered(instance);
    match world.store().process_instance(instance).await {
        Ok(Some(view))
            if view.ended_at.is_some() && ended.is_completed == (view.state == InstanceState::Completed) => {}
        other => world.violation(format!("the end of entry {number} was answered, but it is {other:?}")),
    }
}
