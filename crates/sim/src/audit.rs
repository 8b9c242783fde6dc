//! Compares the content of the store in the end with the ledger.

use crate::creators::number;
use crate::ledger::{Cancelling, Creation, Deleting, Entry};
use crate::operator::{self, Excuse};
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use tidemill_model::entity::{InstanceState, JobEvent};
use tidemill_model::{ProcessInstanceKey, Timestamp};
use tidemill_partition::KeptAnswer;
use tidemill_store::query::{Field, Page, PageStart, Search, Searches};
use tidemill_store::view::ProcessInstanceView;
use tidemill_store::{BatchId, CommandOutcome, Inbox, Inspect, LogRange, Position};

/// Clocks count whole milliseconds.
const EARLY_MS_MAX: i64 = 2;

/// The stored rows of one entry.
#[derive(Default)]
struct Found {
    roots: Vec<ProcessInstanceView>,
    elements: BTreeMap<String, usize>,
    jobs: BTreeMap<String, usize>,
}

fn everything<F: Field>() -> Search<F> {
    Search::default().page(Page { limit: u32::MAX, start: PageStart::Offset(0) })
}

pub(crate) async fn check(world: &World) {
    let found = find(world).await;
    let entries = world.ledger().entries.len();
    for number in 0..entries {
        let nothing = Found::default();
        if !found.contains_key(&number) && was_unreadable(world, number).await {
            continue;
        }
        let wrong = {
            let ledger = world.ledger();
            compare(&ledger.entries[number], found.get(&number).unwrap_or(&nothing))
        };
        wrong.into_iter().for_each(|text| world.violation(format!("entry {number}: {text}")));
    }
    check_tokens(world).await;
    check_messages(world).await;
    check_times(world).await;
    check_timers(world);
}

/// An owner fires a timer only when its time has come by the clock of the store. After that clock was set
/// back, durations go on by the time of the partition, and this cannot be said.
fn check_timers(world: &World) {
    let early_ms = world.memory.fired_early_ms().into_iter().max().unwrap_or(0);
    if early_ms > EARLY_MS_MAX && world.store_offset_ms() == 0 {
        world.violation(format!("a timer was fired {early_ms} ms before its time"));
    }
}

/// Nobody waits for such a command. Its result says that an older node could not read the definition.
async fn was_unreadable(world: &World, number: usize) -> bool {
    let Creation::Accepted(position) = world.ledger().entries[number].creation else { return false };
    let Ok(CommandOutcome::Done { answer, .. }) = world.store().outcome(Position(position)).await else {
        return false;
    };
    let kept: Option<KeptAnswer> = tidemill_store::unpack(&answer).ok();
    let Some(Err(rejection)) = kept.and_then(|kept| kept.result) else { return false };
    operator::excuse_of_refusal(world, &rejection) == Some(Excuse::Unreadable)
}

async fn find(world: &World) -> BTreeMap<usize, Found> {
    let (store, mut found) = (world.store(), BTreeMap::<usize, Found>::new());
    let mut entry_of: BTreeMap<ProcessInstanceKey, usize> = BTreeMap::new();
    for instance in store.process_instances(&everything()).await.map(|found| found.items).unwrap_or_default()
    {
        let Some(number) = instance.business_id.as_deref().and_then(number) else {
            world.violation(format!("an instance of nobody: {instance:?}"));
            continue;
        };
        entry_of.insert(instance.key, number);
        if instance.parent_instance.is_none() {
            found.entry(number).or_default().roots.push(instance);
        }
    }
    for element in store.element_instances(&everything()).await.map(|found| found.items).unwrap_or_default() {
        match entry_of.get(&element.instance) {
            Some(number) => {
                let elements = &mut found.entry(*number).or_default().elements;
                *elements.entry(element.element_id.to_string()).or_default() += 1;
            }
            None => world.violation(format!("an element of nobody: {element:?}")),
        }
    }
    for job in store.jobs(&everything()).await.map(|found| found.items).unwrap_or_default() {
        match entry_of.get(&job.instance) {
            Some(number) if job.state == JobEvent::Completed => {
                *found.entry(*number).or_default().jobs.entry(job.element_id.to_string()).or_default() += 1;
            }
            Some(_) => {}
            None => world.violation(format!("a job of nobody: {job:?}")),
        }
    }
    found
}

/// Everything that is wrong with an entry.
fn compare(entry: &Entry, found: &Found) -> Vec<String> {
    let keys: Vec<ProcessInstanceKey> = found.roots.iter().map(|root| root.key).collect();
    if entry.deleting != Deleting::Never && keys.is_empty() {
        return Vec::new();
    }
    if entry.deleting == Deleting::Answered {
        return vec![format!("it was deleted and exists as {keys:?}")];
    }
    let is_there = match entry.creation {
        Creation::Open => return vec!["it was never answered".to_owned()],
        Creation::InDoubt => keys.len() <= 1,
        Creation::Accepted(_) => keys.len() == 1,
        Creation::Answered(key) => keys == [key],
    };
    if !is_there {
        return vec![format!("it is {:?} ({:?}) and exists as {keys:?}", entry.creation, entry.way)];
    }
    let Some(root) = found.roots.first() else { return Vec::new() };
    let mut wrong = Vec::new();
    let is_cancelled = root.state == InstanceState::Terminated;
    let fits = match entry.cancelling {
        Cancelling::Never => !is_cancelled,
        Cancelling::Tried => true,
        Cancelling::Answered => is_cancelled,
    };
    if !fits {
        wrong.push(format!("it is {:?}, but cancelling was {:?}", root.state, entry.cancelling));
    }
    for (id, expected) in &entry.model.elements {
        let count = found.elements.get(id).copied().unwrap_or(0);
        let is_optional = id.starts_with("late_");
        if count > *expected || count < *expected && !is_cancelled && !is_optional {
            wrong.push(format!("{id} ran {count} times instead of {expected}"));
        }
    }
    for (id, job) in &entry.model.jobs {
        let count = found.jobs.get(id).copied().unwrap_or(0);
        if count > job.count || count < job.count && !is_cancelled && !job.is_optional {
            wrong.push(format!("{id} was completed {count} times instead of {}", job.count));
        }
    }
    wrong
}

/// Every answered completion has left its token, and no other one has.
async fn check_tokens(world: &World) {
    let mut tokens: BTreeMap<i64, BTreeSet<u64>> = BTreeMap::new();
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let variables = world.store().variables(&everything()).await.map(|found| found.items).unwrap_or_default();
    for variable in variables {
        let value = variable.value.as_str();
        match variable.name.strip_prefix("token_").and_then(|key| key.parse().ok()) {
            // Called instances get copies of variables and give copies back.
            Some(job) => tokens.entry(job).or_default().extend(value.parse::<u64>()),
            None => drop(values.entry(variable.name.to_string()).or_default().insert(value.to_owned())),
        }
    }
    let mut wrong = Vec::new();
    let ledger = world.ledger();
    for (job, note) in &ledger.jobs {
        let found = tokens.remove(job).unwrap_or_default();
        if ledger.entries[note.entry].deleting != Deleting::Never {
            continue;
        }
        let fits = match note.completed {
            Some(token) => found == BTreeSet::from([token]),
            None => found.len() <= 1 && found.iter().all(|token| note.tried.contains(token)),
        };
        if !fits {
            let (entry, tried) = (note.entry, &note.tried);
            wrong.push(format!(
                "job {job} of entry {entry}: answered {:?}, tried {tried:?}, stored {found:?}",
                note.completed
            ));
        }
    }
    wrong.extend(tokens.keys().map(|job| format!("job {job} was completed and never handed out")));
    let kept = ledger.entries.iter().enumerate().filter(|(_, entry)| entry.deleting == Deleting::Never);
    for (number, entry) in kept {
        for (name, value) in &entry.variables {
            if values.get(name).is_none_or(|stored| *stored != BTreeSet::from([value.clone()])) {
                wrong
                    .push(format!("entry {number}: {name} was set to {value} and is {:?}", values.get(name)));
            }
        }
    }
    drop(ledger);
    wrong.into_iter().for_each(|text| world.violation(text));
}

/// A message reaches one instance of a process at most.
async fn check_messages(world: &World) {
    let correlations = world.store().message_correlations(&everything()).await;
    let mut by_message: BTreeMap<i64, usize> = BTreeMap::new();
    for correlation in correlations.map(|found| found.items).unwrap_or_default() {
        *by_message.entry(correlation.message.0).or_default() += 1;
    }
    for (message, count) in by_message.into_iter().filter(|(_, count)| *count > 1) {
        world.violation(format!("message {message} was correlated {count} times"));
    }
}

/// The time of a partition never falls.
async fn check_times(world: &World) {
    let store = world.store();
    for partition in tidemill_store::Ownership::partition_count(&store).ids() {
        let range = LogRange {
            at: Timestamp(i64::MIN)..Timestamp(i64::MAX),
            ids: (BatchId(i64::MIN), BatchId(i64::MAX)),
            is_newest_first: false,
        };
        let log = store.log(partition, &range, usize::MAX).await.unwrap_or_default();
        for pair in log.windows(2).filter(|pair| pair[1].at < pair[0].at) {
            let by_ms = pair[0].at - pair[1].at;
            world.violation(format!("the time of partition {partition} has fallen by {by_ms} ms"));
        }
    }
}
