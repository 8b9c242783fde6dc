//! How soon an owner has worked off what was appended through another server, seen from outside: by a worker that
//! waits for the job.

use super::super::connection::Connection;
use super::super::model::{JOB_TYPE, PROCESS_ID};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::LocalSet;

/// After so long without work an owner sleeps deeply.
const ASLEEP_AFTER: Duration = Duration::from_millis(300);
/// Work comes so often that an owner does not.
const AWAKE_EVERY: Duration = Duration::from_millis(17);
/// Connections are opened, statements prepared and definitions read before anything counts.
const WARM_UP_ROUNDS_MAX: u32 = 50;

/// Sorted.
pub(super) struct Wakes {
    pub(super) asleep_us: Vec<u32>,
    pub(super) awake_us: Vec<u32>,
    pub(super) at_owner_us: Vec<u32>,
}

pub(super) fn measure(owner: SocketAddr, other: SocketAddr, count: u32) -> Result<Wakes> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async {
        let (found, mut jobs) = mpsc::unbounded_channel();
        let worker = tokio::task::spawn_local(work(owner, found));
        let warm_up = count.min(WARM_UP_ROUNDS_MAX);
        rounds(other, &mut jobs, warm_up, AWAKE_EVERY).await?;
        rounds(owner, &mut jobs, warm_up, AWAKE_EVERY).await?;
        let asleep_us = rounds(other, &mut jobs, count / 8, ASLEEP_AFTER).await?;
        let awake_us = rounds(other, &mut jobs, count, AWAKE_EVERY).await?;
        let at_owner_us = rounds(owner, &mut jobs, count, AWAKE_EVERY).await?;
        worker.abort();
        Ok(Wakes { asleep_us, awake_us, at_owner_us })
    })
}

async fn rounds(
    address: SocketAddr,
    jobs: &mut mpsc::UnboundedReceiver<Instant>,
    count: u32,
    pause: Duration,
) -> Result<Vec<u32>> {
    let mut connection = Connection::open(address).await?;
    let body = format!("{{\"processDefinitionId\":\"{PROCESS_ID}\"}}");
    let mut latencies = Vec::new();
    for round in 0..count {
        // Not in step with anything that the owner does at regular times.
        tokio::time::sleep(pause + Duration::from_micros(u64::from(round) * 137 % 5_000)).await;
        let began = Instant::now();
        connection.post_async("/v2/process-instances", &body).await?.is_taken()?;
        let ended = jobs.recv().await.context("the worker has ended")?;
        latencies.push(u32::try_from(ended.duration_since(began).as_micros()).unwrap_or(u32::MAX));
    }
    latencies.sort_unstable();
    Ok(latencies)
}

#[derive(Deserialize)]
struct Activated {
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Job {
    job_key: String,
}

/// Says when it has a job, and completes it.
async fn work(owner: SocketAddr, found: mpsc::UnboundedSender<Instant>) -> Result<()> {
    let mut connection = Connection::open(owner).await?;
    let poll = format!(
        "{{\"type\":\"{JOB_TYPE}\",\"worker\":\"bench\",\"timeout\":60000,\"maxJobsToActivate\":1,\
         \"requestTimeout\":10000}}"
    );
    loop {
        let answer = connection.post("/v2/jobs/activation", &poll).await?;
        answer.is_taken()?;
        let activated: Activated = serde_json::from_slice(answer.body).context("jobs cannot be read")?;
        for job in activated.jobs {
            found.send(Instant::now())?;
            let path = format!("/v2/jobs/{}/completion", job.job_key);
            connection.post(&path, "{}").await?.is_taken()?;
        }
    }
}
