//! One run: nodes start, users come, faults strike and cease, everything comes to its end and is compared with the ledger.

use crate::creators::{self, Created};
use crate::executor::OUTSIDE;
use crate::ledger::{Counts, Creation, Deleting, Way};
use crate::models::{self, FIRST_VERSION, Model};
use crate::trace::{Trace, Tracing};
use crate::world::World;
use crate::{audit, client, faults, fleet, flood, memory, operator, others, panics, promptness, workers};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tidemill_model::PartitionCount;

/// All instances end within this time after the last fault.
const DRAIN_MS: u64 = 240_000;
/// The last pauses and restarts are over by then.
const CALM_MS_MAX: u64 = 60_000;
/// After this time nothing is left of what was asked.
const SETTLING_MS: u64 = 12_000;
const STARTING_MS: u64 = 60_000;
/// Tasks that a node may have when nobody asks for anything.
const IDLE_TASKS_MAX: usize = 60;

#[derive(Debug)]
pub struct Outcome {
    pub violations: Vec<String>,
    pub counts: Counts,
    /// The same for two runs of one seed, where it was asked for.
    pub trace_hash: u64,
    /// How much time went by in the run.
    pub simulated_ms: u64,
}

/// Runs one seed.
pub fn run(seed: u64, tracing: Tracing) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime without threads");
    panics::listen();
    runtime.block_on(async {
        let nodes = 3 + (seed / 3 % 2) as usize;
        // A flood is for one partition.
        let partitions = if flood::is_wanted(seed) { 1 } else { 2 + (seed % 3) as u16 };
        let partitions = PartitionCount(partitions);
        let world = World::new(seed, partitions, Trace::new(tracing));
        fleet::prepare(&world, nodes);
        let is_over = Arc::new(AtomicBool::new(false));
        let (director, over) = (world.clone(), is_over.clone());
        world.spawn(OUTSIDE, async move {
            direct(&director, seed).await;
            over.store(true, Ordering::Relaxed);
        });
        if let Err(reason) = world.tasks.run(&world.dice, || is_over.load(Ordering::Relaxed)).await {
            world.violation(reason);
        }
        for panic in panics::take() {
            world.violation(format!("something panicked: {panic}"));
        }
        let (violations, counts) = {
            let mut ledger = world.ledger();
            (std::mem::take(&mut ledger.violations), ledger.counts)
        };
        let outcome =
            Outcome { violations, counts, trace_hash: world.trace_hash(), simulated_ms: world.now_ms() };
        // Tasks hold the world, and the world holds them.
        for member in 0..nodes {
            fleet::kill(&world, member);
        }
        world.tasks.kill(OUTSIDE);
        outcome
    })
}

/// The parts that the users of a run share.
struct Users {
    world: Arc<World>,
    models: Vec<Arc<Model>>,
    /// Entries that are still to be created.
    left: AtomicUsize,
    creators: AtomicUsize,
    is_over: AtomicBool,
}

async fn direct(world: &Arc<World>, seed: u64) {
    let nodes = world.members().len();
    (0..nodes).for_each(|member| fleet::start(world, member));
    while world.members().iter().any(|member| member.node.is_none()) {
        if world.now_ms() > STARTING_MS {
            return world.violation("the nodes do not start".to_owned());
        }
        world.pause(50, 50).await;
    }
    let count = world.between(2, 4) as usize;
    let models: Vec<Arc<Model>> = (0..count).map(|number| Arc::new(models::random(world, number))).collect();
    for model in &models {
        creators::deploy(world, model).await;
    }
    let instances = world.between(20, 40) as usize;
    let users = Arc::new(Users {
        world: world.clone(),
        models,
        left: AtomicUsize::new(instances),
        creators: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    });
    world.roughness.store(world.between(0, 100), Ordering::Relaxed);
    world.is_rough.store(true, Ordering::Relaxed);
    begin(&users);
    let end_ms = world.now_ms() + world.between(20_000, 45_000);
    faults::strike_until(world, end_ms).await;
    world.note(|| "no more faults".to_owned());
    faults::heal(world);
    let healed_ms = world.now_ms();
    drain(&users).await;
    calm_down(world, healed_ms).await;
    repeat_keyed(world).await;
    users.is_over.store(true, Ordering::Relaxed);
    audit::check(world).await;
    promptness::check(world).await;
    if flood::is_wanted(seed) {
        flood::check(world).await;
    }
    settle(world).await;
}

fn begin(users: &Arc<Users>) {
    let world = users.world.clone();
    for _ in 0..6 {
        let creator = users.clone();
        users.creators.fetch_add(1, Ordering::Relaxed);
        world.spawn(OUTSIDE, async move { create_all(&creator).await });
    }
    for worker in 0..4 {
        let users = users.clone();
        world.spawn(OUTSIDE, async move {
            while !users.is_over.load(Ordering::Relaxed) {
                workers::work(&users.world, worker).await;
            }
        });
    }
    for _ in 0..2 {
        let users = users.clone();
        world.spawn(OUTSIDE, async move { meddle(&users).await });
    }
    let users = users.clone();
    world.spawn(OUTSIDE, async move {
        while !users.is_over.load(Ordering::Relaxed) {
            operator::run_letters_again(&users.world).await;
            others::resolve_incidents(&users.world).await;
            others::complete_tasks(&users.world).await;
            if users.models.iter().any(|model| model.waits_for_signal) {
                others::broadcast(&users.world).await;
            }
            users.world.pause(500, 2_500).await;
        }
    });
}

async fn create_all(users: &Users) {
    let take = |left: usize| left.checked_sub(1);
    while users.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
        let model = &users.models[users.world.below(users.models.len() as u64) as usize];
        creators::create(&users.world, model).await;
        users.world.pause(0, 6_000).await;
    }
    users.creators.fetch_sub(1, Ordering::Relaxed);
}

/// Messages for those that are under way, and now and then something else.
async fn meddle(users: &Users) {
    let world = &users.world;
    while !users.is_over.load(Ordering::Relaxed) {
        let active: Vec<usize> = active(world).into_iter().collect();
        if !active.is_empty() {
            let number = active[world.below(active.len() as u64) as usize];
            others::send_message(world, number).await;
            let is_rough = world.is_rough.load(Ordering::Relaxed);
            match world.below(100) {
                0..30 => others::set_variable(world, number).await,
                30..36 if is_rough => others::cancel(world, number).await,
                36..40 if is_rough => {
                    let model = &users.models[world.below(users.models.len() as u64) as usize];
                    let deployed = creators::deploy(world, &next_version(world, model)).await;
                    if let Some(deployed) = deployed.filter(|_| world.percent(50)) {
                        world.pause(0, 3_000).await;
                        others::delete_version(world, &deployed).await;
                    }
                }
                40..50 if is_rough => {
                    let entries = world.ledger().entries.len() as u64;
                    others::delete_instance(world, world.below(entries) as usize).await;
                }
                _ => {}
            }
        }
        world.pause(50, 500).await;
    }
}

/// The same process as another version.
fn next_version(world: &World, model: &Model) -> Model {
    let number = world.between(2, 1_000_000);
    Model {
        process_id: model.process_id.clone(),
        xml: model.xml.replace(FIRST_VERSION, &format!("_{number}\"")),
        jobs: std::collections::BTreeMap::new(),
        elements: std::collections::BTreeMap::new(),
        messages: Vec::new(),
        waits_for_signal: model.waits_for_signal,
        timers: model.timers,
    }
}

/// Entries whose instances have not ended.
fn active(world: &World) -> BTreeSet<usize> {
    world.memory.live_business_ids().iter().filter_map(|name| creators::number(name)).collect()
}

/// Lets all instances come to their end.
async fn drain(users: &Users) {
    let world = &users.world;
    let began_ms = world.now_ms();
    loop {
        let left = world.memory.live_rows();
        if left.is_empty() && users.creators.load(Ordering::Relaxed) == 0 {
            return;
        }
        // Commands that were in hand at deaths are refused for a while.
        let end_ms = began_ms.max(world.ledger().refused_until_ms) + DRAIN_MS;
        if world.now_ms() > end_ms {
            let active = active(world);
            return world.violation(format!("not everything ends: {left:?}, entries {active:?}"));
        }
        world.pause(500, 500).await;
    }
}

/// Nothing has happened for a while that could make somebody wait.
fn is_calm(world: &World, healed_ms: u64) -> bool {
    let now_ms = world.now_ms();
    let leases_last_until_ms = world.leases_last_until_ms.load(Ordering::Relaxed);
    let last_ms = healed_ms.max(world.ledger().last_taken_ms).max(leases_last_until_ms);
    last_ms + fleet::CALM_MS < now_ms && world.members().iter().all(|member| member.is_calm(now_ms))
}

/// Waits until all nodes are up, go on and have their partitions.
async fn calm_down(world: &Arc<World>, healed_ms: u64) {
    let end_ms = world.now_ms() + CALM_MS_MAX;
    while !is_calm(world, healed_ms) {
        if world.now_ms() > end_ms {
            return world.violation("a node does not start again".to_owned());
        }
        world.pause(500, 500).await;
    }
}

/// A retry of what was answered long ago gets the same answer.
async fn repeat_keyed(world: &Arc<World>) {
    let count = world.ledger().entries.len();
    for number in 0..count {
        let (way, creation, deleting) = {
            let entry = &world.ledger().entries[number];
            (entry.way, entry.creation, entry.deleting)
        };
        let Creation::Answered(before) = creation else { continue };
        // Nobody can tell any more how an instance ended that was deleted.
        if !way.has_key() || way == Way::KeyedAwait && deleting != Deleting::Never {
            continue;
        }
        let mut began_ms = world.now_ms();
        let mut outcome = creators::try_once(world, number, way).await;
        while matches!(outcome, client::Outcome::PutAside) {
            world.pause(60_000, 60_000).await;
            began_ms = world.now_ms();
            outcome = creators::try_once(world, number, way).await;
        }
        let instance = match &outcome {
            client::Outcome::Answered(Created::Instance(created)) if way == Way::Keyed => {
                Some(created.instance)
            }
            client::Outcome::Answered(Created::Ended(ended)) => Some(ended.created.instance),
            _ => None,
        };
        if instance != Some(before) || world.now_ms() > began_ms + 2_000 {
            let took_ms = world.now_ms() - began_ms;
            world.violation(format!(
                "a retry of entry {number} ({way:?}), which is {before:?}, got {outcome:?} after {took_ms} ms"
            ));
        }
    }
}

/// Nothing is left of what was asked, in no node.
async fn settle(world: &Arc<World>) {
    world.pause(SETTLING_MS, SETTLING_MS).await;
    let left = world.memory.live_rows();
    if !left.is_empty() {
        world.violation(format!("left behind: {left:?}"));
    }
    let groups: Vec<_> = world.members().iter().filter_map(|member| member.group).collect();
    for group in groups {
        let tasks = world.tasks.tasks_of(group);
        if tasks > IDLE_TASKS_MAX {
            world.violation(format!("a node that has nothing to do has {tasks} tasks"));
        }
    }
    memory::check(world).await;
    let timers = count_timers(world).await;
    world.ledger().counts.timers += timers;
}

async fn count_timers(world: &World) -> u64 {
    let ledger = world.ledger();
    ledger.entries.iter().map(|entry| entry.model.timers as u64).sum()
}
