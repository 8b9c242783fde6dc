//! Timers through the REST API of a whole node, one by one or in bulk, to a receiver on loopback.

use super::sink::{PROCESS, Receiver, Sink};
use super::through::{Lateness, Load, Maker, Through, now_ms};
use super::usage::{Usage, peak_rss_mb};
use crate::bench::place::{BatchHook, BenchStore};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tidemill_model::PartitionCount;
use tidemill_server::gateway::{Gateway, GatewayConfig};
use tidemill_server::timers::FiredHook;
use tidemill_server::timers::service::TimerService;
use tidemill_server::{Node, NodeConfig};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Timers of one request in bulk.
const LINES: u64 = 5_000;
/// Clients that send at the same time.
const BULK_CLIENTS: u64 = 4;
const SINGLE_CLIENTS: u64 = 32;
/// Timers in all where their number is not given.
const DEFAULT_COUNT: u64 = 1_000_000;
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
    let receiver = Receiver::start(load.sink).await?;
    let store = place.open(PartitionCount::ONE, counts_commands(&receiver, load.sink)).await?;
    let target = receiver.spec.as_ref().context("a node tells somebody of each timer")?.to_json();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let (lateness, commits) = (Arc::<Mutex<Lateness>>::default(), Arc::<AtomicU64>::default());
    let (noted, counted) = (lateness.clone(), commits.clone());
    let on_fired = FiredHook::new(move |fired| {
        counted.fetch_add(1, Ordering::Relaxed);
        noted.lock().expect("no holder panics").note(fired, false);
    });
    let callbacks = Some(super::sink::settings()?);
    let config = NodeConfig { callbacks, on_fired: Some(on_fired), ..NodeConfig::default() };
    let node = Node::start(store.clone(), config).await?;
    let gateway = Gateway::new(node.clone(), store.clone(), store, GatewayConfig::default())
        .with_timers(TimerService::new(node.clone()));
    let serving = tokio::spawn(gateway.serve(listener, std::future::pending()));
    if load.sink == Sink::Process {
        let at = url.clone();
        tokio::task::spawn_blocking(move || deploy(&at)).await??;
    }
    let count = load.count.unwrap_or(DEFAULT_COUNT);
    let (before, began) = (Usage::now(place).await?, Instant::now());
    send_all(&url, &target, load, count, via).await?;
    let created_after = began.elapsed();
    wait_for_all(&receiver, load, count).await?;
    let all_after = began.elapsed();
    let used = Usage::now(place).await?.since(&before);
    serving.abort();
    node.stop().await;
    Ok(Through {
        count,
        is_steady: false,
        created_per_s: count as f64 / created_after.as_secs_f64(),
        fired_per_s: count as f64 / all_after.as_secs_f64(),
        lateness: std::mem::take(&mut *lateness.lock().expect("no holder panics")),
        commits: commits.load(Ordering::Relaxed),
        used,
        peak_rss_mb: peak_rss_mb()?,
    })
}

/// Starts of processes are commands: they have arrived when the partition has run them.
fn counts_commands(receiver: &Receiver, sink: Sink) -> Option<BatchHook> {
    let arrived = receiver.counter();
    let count = move |batch: &tidemill_store::Batch| {
        arrived.fetch_add(batch.consumed.len() as u64, Ordering::Relaxed);
    };
    (sink == Sink::Process).then(|| Arc::new(count) as BatchHook)
}

fn deploy(url: &str) -> Result<()> {
    let model = format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="bench">
             <process id="{PROCESS}" isExecutable="true">
               <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/>
             </process>
           </definitions>"#
    );
    let body = format!(
        "--part\r\ncontent-disposition: form-data; name=\"resources\"; filename=\"bench.bpmn\"\r\n\r\n{model}\r\n--part--\r\n"
    );
    let agent = ureq::Agent::new_with_defaults();
    send(&agent, &format!("{url}/v2/deployments"), "multipart/form-data; boundary=part", &body)
}

/// Clients take their share until nothing is left.
async fn send_all(url: &str, target: &Value, load: &Load, count: u64, via: Via) -> Result<()> {
    let left = Arc::new(AtomicU64::new(count));
    let (clients, at_a_time) = if via == Via::Bulk { (BULK_CLIENTS, LINES) } else { (SINGLE_CLIENTS, 1) };
    let mut sending = JoinSet::new();
    for client in 0..clients {
        let (left, url, target) = (left.clone(), url.to_owned(), target.to_string());
        let mut maker = Maker::new(load).of_client(client);
        let sink = load.sink;
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
                    let id = create.own_id.map(|id| format!("\"id\":\"{:032x}\",", id.0)).unwrap_or_default();
                    let payload = match (sink, create.payload.is_empty()) {
                        (Sink::Process, _) => String::new(),
                        (_, true) => String::new(),
                        _ => format!(",\"payload\":{}", json!(payload)),
                    };
                    format!("{{{id}\"delay\":{delay},\"target\":{target}{payload}}}\n")
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

async fn wait_for_all(receiver: &Receiver, load: &Load, count: u64) -> Result<()> {
    let (mut seen, mut moved_at) = (0, Instant::now());
    loop {
        let arrived = receiver.arrived().unwrap_or(0);
        if arrived >= count {
            return Ok(());
        }
        if arrived > seen {
            (seen, moved_at) = (arrived, Instant::now());
        }
        if moved_at.elapsed() > load.spread + PATIENCE {
            bail!("{arrived} of {count} timers have arrived");
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
