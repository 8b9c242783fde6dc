//! Timers through the REST API of a whole node, one by one or in bulk, to a receiver on loopback.

use super::sink::Receiver;
use super::through::{Lateness, Load, Maker, Through, now_ms};
use super::usage::{Usage, peak_rss_mb};
use crate::bench::place::BenchStore;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tidemill_model::PartitionCount;
use tidemill_server::gateway::{Gateway, GatewayConfig};
use tidemill_server::timers::service::TimerService;
use tidemill_server::{Node, NodeConfig};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Timers of one request in bulk.
const LINES: u64 = 5_000;
/// Clients that send at the same time.
const BULK_CLIENTS: u64 = 4;
const SINGLE_CLIENTS: u64 = 32;
/// Without another timer for so long, the rest will not come.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum Via {
    /// The timer loop itself, within this process
    Loop,
    /// A request for each timer
    Rest,
    /// Requests with thousands of lines
    Bulk,
}

pub(super) fn measure(place: &BenchStore, load: &Load, via: Via) -> Result<Through> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(place, load, via))
}

async fn run(place: &BenchStore, load: &Load, via: Via) -> Result<Through> {
    let store = place.open(PartitionCount::ONE, None).await?;
    let receiver = Receiver::start(load.sink).await?;
    let target = receiver.spec.as_ref().context("a node tells somebody of each timer")?.to_json();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let config = NodeConfig { callbacks: Some(super::sink::settings()?), ..NodeConfig::default() };
    let node = Node::start(store.clone(), config).await?;
    let gateway = Gateway::new(node.clone(), store.clone(), store, GatewayConfig::default())
        .with_timers(TimerService::new(node.clone()));
    let serving = tokio::spawn(gateway.serve(listener, std::future::pending()));
    let (before, began) = (Usage::now(place).await?, Instant::now());
    send_all(&url, &target, load, via).await?;
    let created_after = began.elapsed();
    wait_for_all(&receiver, load).await?;
    let all_after = began.elapsed();
    let used = Usage::now(place).await?.since(&before);
    serving.abort();
    node.stop().await;
    Ok(Through {
        created_per_s: load.count as f64 / created_after.as_secs_f64(),
        fired_per_s: load.count as f64 / all_after.as_secs_f64(),
        lateness: Lateness::default(),
        commits: 0,
        used,
        peak_rss_mb: peak_rss_mb()?,
    })
}

/// Clients take their share until nothing is left.
async fn send_all(url: &str, target: &Value, load: &Load, via: Via) -> Result<()> {
    let left = Arc::new(AtomicU64::new(load.count));
    let (clients, at_a_time) = if via == Via::Bulk { (BULK_CLIENTS, LINES) } else { (SINGLE_CLIENTS, 1) };
    let mut sending = JoinSet::new();
    for client in 0..clients {
        let (left, url, target) = (left.clone(), url.to_owned(), target.to_string());
        let mut maker = Maker::new(load).of_client(client);
        sending.spawn_blocking(move || {
            let agent = ureq::Agent::new_with_defaults();
            let take = |left: u64| Some(left.saturating_sub(at_a_time));
            loop {
                let before = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).unwrap_or(0);
                let count = before.min(at_a_time);
                if count == 0 {
                    return anyhow::Ok(());
                }
                let now = now_ms();
                let lines = maker.make(count, now).into_iter().map(|create| {
                    let payload: String =
                        create.payload.iter().map(|byte| char::from(b'a' + byte % 26)).collect();
                    let delay = create.due_ms - now;
                    format!("{{\"delay\":{delay},\"target\":{target},\"payload\":{}}}\n", json!(payload))
                });
                let body: String = lines.collect();
                match via {
                    Via::Bulk => {
                        send(&agent, &format!("{url}/v1/timers/bulk"), "application/x-ndjson", &body)?
                    }
                    _ => send(&agent, &format!("{url}/v1/timers"), "application/json", &body)?,
                }
            }
        });
    }
    while let Some(ended) = sending.join_next().await {
        ended??;
    }
    Ok(())
}

fn send(agent: &ureq::Agent, url: &str, media_type: &str, body: &str) -> Result<()> {
    let mut response = agent.post(url).header("content-type", media_type).send(body)?;
    let text = response.body_mut().with_config().limit(64 << 20).read_to_string()?;
    match text.lines().find(|line| line.contains("\"error\"")) {
        Some(line) => bail!("a timer was refused: {line}"),
        None => Ok(()),
    }
}

async fn wait_for_all(receiver: &Receiver, load: &Load) -> Result<()> {
    let (mut seen, mut moved_at) = (0, Instant::now());
    loop {
        let arrived = receiver.arrived().unwrap_or(0);
        if arrived >= load.count {
            return Ok(());
        }
        if arrived > seen {
            (seen, moved_at) = (arrived, Instant::now());
        }
        if moved_at.elapsed() > load.spread + PATIENCE {
            bail!("{arrived} of {} timers have arrived", load.count);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
