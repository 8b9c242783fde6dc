//! Clients and workers on keep-alive connections, all on one thread of their own. Closed loop: a new instance
//! starts when another has ended; or paced: instances start on a fixed schedule, whatever the server does.

use super::connection::Connection;
use super::model::{JOB_TYPE, Model, PROCESS_ID};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::task::{JoinSet, LocalSet};

/// Connections that wait for jobs.
const POLLERS: usize = 4;
/// How long a poll waits; short, so that the end of the load is not held up.
const POLL_MS: u64 = 500;
/// How long instances may take to end after the last was started.
const DRAIN_MAX: Duration = Duration::from_secs(30);

#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) address: SocketAddr,
    pub(super) model: Model,
    /// Connections that start instances, and as many that complete jobs.
    pub(super) clients: usize,
    /// Instances that are on their way at the same time.
    pub(super) in_flight: usize,
    /// Starts per second; none for a closed loop.
    pub(super) pace: Option<f64>,
}

/// A load that runs until it is stopped.
pub(super) struct Load {
    shared: Arc<Shared>,
    thread: JoinHandle<Result<Vec<Start>>>,
}

#[derive(Default)]
struct Shared {
    is_measured: AtomicBool,
    is_over: AtomicBool,
    started: AtomicU64,
    jobs_done: AtomicU64,
    refused: AtomicU64,
    /// Why nothing is asked of the server any more.
    fault: OnceLock<String>,
}

/// One start of an instance, as its client saw it.
pub(super) struct Start {
    pub(super) began: Instant,
    pub(super) latency_us: u32,
}

/// The results of a load.
pub(super) struct Experience {
    /// Each start while it was measured, the quickest first.
    pub(super) starts: Vec<Start>,
    pub(super) refused: u64,
}

impl Load {
    pub(super) fn begin(plan: Plan) -> Load {
        let shared = Arc::new(Shared::default());
        let for_thread = shared.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let outcome = LocalSet::new().block_on(&runtime, run(plan, for_thread.clone()));
            if let Err(error) = &outcome {
                for_thread.fault.get_or_init(|| format!("{error:#}"));
            }
            outcome
        });
        Load { shared, thread }
    }

    /// Latencies count from now on, or no longer.
    pub(super) fn measure(&self, is_measured: bool) {
        self.shared.is_measured.store(is_measured, Ordering::Relaxed);
    }

    pub(super) fn check(&self) -> Result<()> {
        match self.shared.fault.get() {
            Some(fault) => anyhow::bail!("the load has broken off: {fault}"),
            None => Ok(()),
        }
    }

    /// Starts no more instances and waits for the end of those that run.
    pub(super) fn end(self) -> Result<Experience> {
        self.shared.is_over.store(true, Ordering::Relaxed);
        let starts = self.thread.join().map_err(|_| anyhow::anyhow!("the load has panicked"))?;
        let mut starts = starts.context("the load has broken off")?;
        starts.sort_unstable_by_key(|start| start.latency_us);
        Ok(Experience { starts, refused: self.shared.refused.load(Ordering::Relaxed) })
    }
}

/// The parts that the tasks of the load's thread share.
struct Site {
    plan: Plan,
    shared: Arc<Shared>,
    /// One for each instance that may start.
    room: Semaphore,
    jobs: Mutex<mpsc::UnboundedReceiver<String>>,
}

async fn run(plan: Plan, shared: Arc<Shared>) -> Result<Vec<Start>> {
    let (found, jobs) = mpsc::unbounded_channel();
    let site = Rc::new(Site { plan, shared, room: Semaphore::new(plan.in_flight), jobs: Mutex::new(jobs) });
    let (mut starters, mut workers) = (JoinSet::new(), JoinSet::new());
    for number in 0..plan.clients {
        starters.spawn_local(start_instances(site.clone(), number));
        workers.spawn_local(complete_jobs(site.clone()));
    }
    for _ in 0..POLLERS {
        workers.spawn_local(poll(site.clone(), found.clone()));
    }
    drop(found);
    let mut starts = Vec::new();
    while let Some(ended) = starters.join_next().await {
        starts.append(&mut ended??);
    }
    // Pollers see that everything is done and end, and with them those who complete.
    while let Some(ended) = workers.join_next().await {
        ended??;
    }
    Ok(starts)
}

async fn start_instances(site: Rc<Site>, number: usize) -> Result<Vec<Start>> {
    let Plan { address, pace, clients, .. } = site.plan;
    let mut connection = Connection::open(address).await?;
    let body =
        format!("{{\"processDefinitionId\":\"{PROCESS_ID}\",\"variables\":{{\"orderId\":\"A-{number}\"}}}}");
    let period = pace.map(|pace| Duration::from_secs_f64(clients as f64 / pace));
    let mut due = Instant::now() + period.unwrap_or_default().mul_f64(number as f64 / clients as f64);
    let mut starts = Vec::new();
    while !site.shared.is_over.load(Ordering::Relaxed) {
        let began = match period {
            Some(period) => {
                // The wait for a late answer counts against the start it held up: nobody looks away. That the timer
                // of this process is coarse is not the server's doing.
                let is_held_up = Instant::now() > due;
                tokio::time::sleep_until(due.into()).await;
                let began = if is_held_up { due } else { Instant::now() };
                due += period;
                began
            }
            None => {
                site.room.acquire().await?.forget();
                Instant::now()
            }
        };
        if !connection.post("/v2/process-instances", &body).await?.is_taken()? {
            site.shared.refused.fetch_add(1, Ordering::Relaxed);
            site.room.add_permits(1);
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        }
        site.shared.started.fetch_add(1, Ordering::Relaxed);
        if site.shared.is_measured.load(Ordering::Relaxed) {
            let latency_us = u32::try_from(began.elapsed().as_micros()).unwrap_or(u32::MAX);
            starts.push(Start { began, latency_us });
        }
    }
    Ok(starts)
}

#[derive(Deserialize)]
struct Activated<'a> {
    #[serde(borrow)]
    jobs: Vec<Job<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Job<'a> {
    job_key: &'a str,
}

async fn poll(site: Rc<Site>, found: mpsc::UnboundedSender<String>) -> Result<()> {
    let mut connection = Connection::open(site.plan.address).await?;
    let body = format!(
        "{{\"type\":\"{JOB_TYPE}\",\"worker\":\"bench\",\"timeout\":60000,\"maxJobsToActivate\":128,\
         \"requestTimeout\":{POLL_MS}}}"
    );
    let mut over_since = None;
    while !site.is_done(&mut over_since) {
        let answer = connection.post("/v2/jobs/activation", &body).await?;
        if !answer.is_taken()? {
            site.shared.refused.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        }
        let activated: Activated<'_> = serde_json::from_slice(answer.body).context("jobs cannot be read")?;
        for job in activated.jobs {
            // Nobody listens any more when the load has broken off, which is told elsewhere.
            let _ = found.send(job.job_key.to_owned());
        }
    }
    Ok(())
}

async fn complete_jobs(site: Rc<Site>) -> Result<()> {
    let mut connection = Connection::open(site.plan.address).await?;
    let per_instance = site.plan.model.jobs_per_instance();
    loop {
        let next = site.jobs.lock().await.recv().await;
        let Some(key) = next else { return Ok(()) };
        if !connection.post(&format!("/v2/jobs/{key}/completion"), "{}").await?.is_taken()? {
            site.shared.refused.fetch_add(1, Ordering::Relaxed);
        }
        let done = site.shared.jobs_done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(per_instance) && site.plan.pace.is_none() {
            site.room.add_permits(1);
        }
    }
}

impl Site {
    /// All instances have ended, or it takes too long.
    fn is_done(&self, over_since: &mut Option<Instant>) -> bool {
        if !self.shared.is_over.load(Ordering::Relaxed) {
            return false;
        }
        let since = *over_since.get_or_insert_with(Instant::now);
        let jobs = self.shared.started.load(Ordering::Relaxed) * self.plan.model.jobs_per_instance();
        self.shared.jobs_done.load(Ordering::Relaxed) >= jobs || since.elapsed() > DRAIN_MAX
    }
}
