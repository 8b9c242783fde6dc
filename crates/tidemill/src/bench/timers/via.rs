//! Timers through the REST API of a whole node, one by one or in bulk, to a receiver on loopback.

use super::client::{Share, send_all};
use super::sink::{PROCESS, Receiver, Sink};
use super::steady::{Moment, STEADY, sample};
use super::through::{Lateness, Load, Through};
use super::usage::{Usage, peak_rss_mb};
use crate::bench::place::{BatchHook, BenchStore};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tidemill_model::PartitionCount;
use tidemill_server::gateway::{Gateway, GatewayConfig};
use tidemill_server::timers::FiredHook;
use tidemill_server::timers::service::TimerService;
use tidemill_server::{Node, NodeConfig};
use tokio::net::TcpListener;

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
    let (before, began) = (Usage::now(place).await?, Instant::now());
    let (created, arrived) = (Arc::<AtomicU64>::default(), receiver.counter());
    let counted = created.clone();
    let look = move || Moment::now(counted.load(Ordering::Relaxed), arrived.load(Ordering::Relaxed));
    let sampled = sample(look.clone(), began + load.spread);
    let share = Share::new(load.count, began + load.spread + STEADY);
    send_all(&url, &target, load, via, share, &created).await?;
    let end = look();
    let count = created.load(Ordering::Relaxed);
    let steady = match sampled.is_finished() {
        true => sampled.await?.filter(|begin| begin.is_long_before(&end)),
        false => None,
    };
    wait_for_all(&receiver, load, count).await?;
    let whole = |after: Duration| count as f64 / after.as_secs_f64();
    let (created_per_s, fired_per_s) = match &steady {
        Some(begin) => begin.rates_until(&end),
        None => (whole(end.at - began), whole(began.elapsed())),
    };
    let used = Usage::now(place).await?.since(&before);
    serving.abort();
    node.stop().await;
    Ok(Through {
        count,
        is_steady: steady.is_some(),
        created_per_s,
        fired_per_s,
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
    let request = ureq::post(format!("{url}/v2/deployments"));
    request.header("content-type", "multipart/form-data; boundary=part").send(&body)?;
    Ok(())
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
