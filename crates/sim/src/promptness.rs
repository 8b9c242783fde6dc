//! When nothing goes wrong any more, nobody waits for what is there: every job that is created reaches one of the workers that
//! wait for it, wherever they ask, whatever else is claimed at the same moment, and however many timers tick meanwhile.

use crate::client::{Outcome, options, send};
use crate::executor::OUTSIDE;
use crate::world::World;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tidemill_bpmn::builder::{ModelBuilder, Timer};
use tidemill_model::command::{
    ActivateJobs, CompleteJob, CreateInstance, DefinitionRef, Deploy, ResourceFile,
};
use tidemill_model::{ActivatedJob, Command, TenantId, Text, Variables};
use tidemill_server::broker::Broker;

const ROUNDS: u64 = 6;
/// Jobs and workers of a round, at most.
const JOBS_MAX: u64 = 6;
/// The time that a worker waits for a job. A job that is looked for only now and then would come within it.
const WAIT_MS: u64 = 9_000;
/// The longest time that a job may take to a worker after its creation was answered.
const PROMPT_MS: u64 = 2_000;
const PROCESS: &str = "prompt";
/// A process whose timers tick while the others are watched.
const TICKER: &str = "ticker";
const TICKERS: u64 = 3;

pub(crate) async fn check(world: &Arc<World>) {
    if !deploy(world).await {
        return world.violation("a deployment fails although nothing goes wrong".to_owned());
    }
    for _ in 0..TICKERS {
        create(world, TICKER).await;
    }
    for _ in 0..ROUNDS {
        round(world).await;
    }
}

/// As many workers as jobs: each gets one.
async fn round(world: &Arc<World>) {
    let count = world.between(1, JOBS_MAX) as usize;
    let (waiting, created) = (Arc::new(AtomicUsize::new(count)), Arc::new(AtomicUsize::new(0)));
    for worker in 0..count {
        let (world_of_worker, waiting) = (world.clone(), waiting.clone());
        world.spawn(OUTSIDE, async move {
            let jobs = take(&world_of_worker, worker).await;
            waiting.fetch_sub(1, Ordering::Relaxed);
            for job in jobs {
                complete(&world_of_worker, &job).await;
            }
        });
    }
    world.pause(0, 40).await;
    for _ in 0..count {
        let (world_of_user, created) = (world.clone(), created.clone());
        world.spawn(OUTSIDE, async move {
            world_of_user.pause(0, 20).await;
            create(&world_of_user, PROCESS).await;
            created.fetch_add(1, Ordering::Relaxed);
        });
    }
    while created.load(Ordering::Relaxed) < count {
        world.pause(1, 1).await;
    }
    let created_ms = world.now_ms();
    while waiting.load(Ordering::Relaxed) > 0 && world.now_ms() < created_ms + PROMPT_MS {
        world.pause(5, 5).await;
    }
    let left = waiting.load(Ordering::Relaxed);
    if left > 0 {
        let text = format!("{left} of {count} workers wait {PROMPT_MS} ms after jobs for all were created");
        world.violation(text);
    }
    while waiting.load(Ordering::Relaxed) > 0 {
        world.pause(50, 50).await;
    }
}

async fn deploy(world: &Arc<World>) -> bool {
    let model = ModelBuilder::process(PROCESS).start("start");
    let model = model.service_task("job", |task| task.job_type(PROCESS)).end("end");
    // Nobody takes this job: it ticks until its time is over.
    let model =
        model.and_process(TICKER).start("start_ticker").service_task("hold", |task| task.job_type(TICKER));
    let model =
        model.boundary_timer("tick", "hold", Timer::cycle("R/PT0.1S")).non_interrupting().end("ticked");
    let model = model.boundary_timer("over", "hold", Timer::duration("PT2S")).end("end_ticker");
    let file = ResourceFile { name: Text::from("prompt.bpmn"), content: model.xml().into_bytes().into() };
    let command = Command::Deploy(Deploy { tenant: TenantId::default(), files: vec![file] });
    let sent =
        send(world, 12_000, |node| Box::pin(async move { node.execute(command, options(None)).await }));
    matches!(sent.await, Outcome::Answered(_))
}

async fn create(world: &Arc<World>, process_id: &str) {
    let command = Command::CreateInstance(Box::new(CreateInstance {
        definition: DefinitionRef::Latest(Text::from(process_id)),
        tenant: TenantId::default(),
        variables: Variables::default(),
        start: Vec::new(),
        terminate_after: Vec::new(),
        tags: Vec::new(),
        business_id: None,
        is_unique: false,
    }));
    let sent =
        send(world, 12_000, |node| Box::pin(async move { node.execute(command, options(None)).await }));
    let outcome = sent.await;
    if !matches!(outcome, Outcome::Answered(_)) {
        world.violation(format!("a creation got {outcome:?} although nothing goes wrong"));
    }
}

async fn take(world: &Arc<World>, worker: usize) -> Vec<ActivatedJob> {
    let command = ActivateJobs {
        job_type: Text::from(PROCESS),
        worker: Text::from(format!("prompt-{worker}")),
        timeout_ms: 60_000,
        jobs_max: 1,
        fetch_variables: Vec::new(),
        tenants: vec![TenantId::default()],
        with_lease: false,
    };
    let sent = send(world, WAIT_MS + 5_000, |node| {
        Box::pin(
            async move { node.activate_jobs(command, options(None), Duration::from_millis(WAIT_MS)).await },
        )
    });
    match sent.await {
        Outcome::Answered(jobs) => jobs,
        _ => Vec::new(),
    }
}

async fn complete(world: &Arc<World>, job: &ActivatedJob) {
    let command = Command::CompleteJob(CompleteJob {
        business_id: None,
        job: job.job.key,
        variables: Variables::default(),
        lease: None,
    });
    let sent =
        send(world, 12_000, |node| Box::pin(async move { node.execute(command, options(None)).await }));
    let outcome = sent.await;
    if !matches!(outcome, Outcome::Answered(_)) {
        world.violation(format!("a completion got {outcome:?} although nothing goes wrong"));
    }
}
