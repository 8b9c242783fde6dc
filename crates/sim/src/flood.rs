//! A flood of timers holds up nobody: what comes to the inbox while thousands of timers are due runs before the last of them.

use crate::client::{Outcome, options, send};
use crate::world::World;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tidemill_bpmn::builder::{ModelBuilder, Timer};
use tidemill_model::command::{CreateInstance, DefinitionRef, Deploy, ResourceFile};
use tidemill_model::{Answer, Command, TenantId, Text, Variables};
use tidemill_server::broker::Broker;
use tidemill_store::{CommandOutcome, Inbox, Position};

/// It takes as long as a whole run, so only one in so many has a flood.
const SEEDS_PER_FLOOD: u64 = 32;
/// Timers of one instance. An instance that is larger would be loaded piece by piece.
const TIMERS_EACH: usize = 200;
/// All timers together fill more batches than an entry of the inbox has to wait for: two for the pages of the inbox, one for the rows that its
/// command needs, and one that is on its way already.
const INSTANCES: usize = 28;
/// While commits take so long, timers are due all the time.
const SLOW_MS: u64 = 400;
const LIMIT_MS: u64 = 60_000;
const FLOOD: &str = "flood";
const QUICK: &str = "quick";

pub(crate) fn is_wanted(seed: u64) -> bool {
    seed % SEEDS_PER_FLOOD == 1
}

pub(crate) async fn check(world: &Arc<World>) {
    if !is_answered(execute(world, deployment()).await) {
        return world.violation("the deployment of a flood fails although nothing goes wrong".to_owned());
    }
    for _ in 0..INSTANCES {
        if !is_answered(execute(world, create(FLOOD)).await) {
            return world.violation("a creation fails although nothing goes wrong".to_owned());
        }
    }
    // While the first batch of them is written, all others fall due.
    world.commit_delay_ms.store(SLOW_MS, Ordering::Relaxed);
    if !wait(world, |left| left < INSTANCES * TIMERS_EACH).await {
        return world.violation("the timers of a flood do not fire".to_owned());
    }
    look_at_inbox(world).await;
    world.commit_delay_ms.store(0, Ordering::Relaxed);
    if !wait(world, |left| left == 0).await {
        world.violation("a flood does not end".to_owned());
    }
}

async fn look_at_inbox(world: &Arc<World>) {
    let command = create(QUICK);
    let sent =
        send(world, 12_000, |node| Box::pin(async move { node.enqueue(command, options(None)).await }));
    let Outcome::Answered(receipt) = sent.await else {
        return world.violation("a command is not taken although nothing goes wrong".to_owned());
    };
    let end_ms = world.now_ms() + LIMIT_MS;
    while world.now_ms() < end_ms {
        let outcome = world.store().outcome(Position(receipt.position)).await;
        if matches!(outcome, Ok(CommandOutcome::Done { .. })) {
            if timers_left(world) == 0 {
                world.violation("an entry of the inbox has waited for all timers that were due".to_owned());
            }
            return;
        }
        world.pause(20, 20).await;
    }
    world.violation("an entry of the inbox does not run".to_owned());
}

fn timers_left(world: &World) -> usize {
    world.memory.live_rows().get("timers").copied().unwrap_or(0)
}

/// Waits until so many timers are left. False where that takes too long.
async fn wait(world: &World, is_enough: impl Fn(usize) -> bool) -> bool {
    let end_ms = world.now_ms() + LIMIT_MS;
    while !is_enough(timers_left(world)) {
        if world.now_ms() > end_ms {
            return false;
        }
        world.pause(20, 20).await;
    }
    true
}

async fn execute(world: &Arc<World>, command: Command) -> Outcome<Answer> {
    send(world, 12_000, |node| Box::pin(async move { node.execute(command, options(None)).await })).await
}

fn is_answered(outcome: Outcome<Answer>) -> bool {
    matches!(outcome, Outcome::Answered(_))
}

fn deployment() -> Command {
    let each = |inside: ModelBuilder| {
        inside.start("start_each").catch_timer("timer", Timer::duration("PT6S")).end("end_each")
    };
    let model = ModelBuilder::process(FLOOD).start("start").sub_process("each", each);
    let model = model.with_element("each", |options| options.multi_instance("=many", "item")).end("end");
    let model = model.and_process(QUICK).start("start_quick").end("end_quick");
    let file = ResourceFile { name: Text::from("flood.bpmn"), content: model.xml().into_bytes().into() };
    Command::Deploy(Deploy { tenant: TenantId::default(), files: vec![file] })
}

fn create(process_id: &str) -> Command {
    let items: Vec<String> = (0..TIMERS_EACH).map(|item| item.to_string()).collect();
    let many = if process_id == FLOOD { format!(r#"{{"many":[{}]}}"#, items.join(",")) } else { "{}".into() };
    Command::CreateInstance(Box::new(CreateInstance {
        definition: DefinitionRef::Latest(Text::from(process_id)),
        tenant: TenantId::default(),
        variables: Variables::parse(&many).unwrap_or_default(),
        start: Vec::new(),
        terminate_after: Vec::new(),
        tags: Vec::new(),
        business_id: None,
        is_unique: false,
    }))
}
