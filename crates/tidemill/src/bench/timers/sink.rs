//! The receiver of the bench's timers: nobody, a server on loopback, or a consumer of a stream. Both count what has arrived.

use super::through::now_ms;
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tidemill_model::PartitionId;
use tidemill_server::timers::deliver::{
    AllowRules, CallbackSettings, Callbacks, Deliveries, DeliveryContext, StreamCursor, Streams,
};
use tidemill_server::timers::spec::{HttpTarget, ProcessTarget, RetryPolicy, StoredTarget, TargetSpec};
use tidemill_server::timers::{LaneBell, TimerHandle, id};
use tidemill_store::Store;
use tidemill_timers::block::Scope;
use tidemill_timers::shard::{LANE_OF_NOBODY, Target};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// Timers of one call, and of one read of a stream.
const BATCH: u32 = 1_000;
const STREAM_PAGE: usize = 10_000;
/// A text that a call has once for each timer.
const MARK: &[u8] = b"\"idempotencyKey\"";

/// The process that timers start.
pub(super) const PROCESS: &str = "started";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum Sink {
    /// Nobody
    None,
    /// A callback for each timer
    Http,
    /// Callbacks with up to 1,000 timers each
    Batch,
    /// A stream with one consumer
    Stream,
    /// A process, of which each timer starts an instance; by REST only
    Process,
}

pub(super) fn scope() -> Scope {
    Scope { tenant: "<default>".into(), namespace: "bench".into() }
}

/// The receiver is on this machine.
pub(super) fn settings() -> Result<CallbackSettings> {
    let allow = AllowRules(vec!["127.0.0.1".parse().map_err(anyhow::Error::msg)?]);
    Ok(CallbackSettings { allow, ..CallbackSettings::default() })
}

/// The receiver, which lives as long as this.
pub(super) struct Receiver {
    pub(super) target: Target,
    /// The same as clients write it; none where nobody is told.
    pub(super) spec: Option<TargetSpec>,
    arrived: Arc<AtomicU64>,
    tasks: JoinSet<Result<()>>,
    deliveries: Option<Deliveries>,
    sink: Sink,
}

impl Receiver {
    pub(super) async fn start(sink: Sink) -> Result<Receiver> {
        let (arrived, mut tasks) = (Arc::<AtomicU64>::default(), JoinSet::new());
        let spec = match sink {
            Sink::None => None,
            Sink::Stream => Some(TargetSpec::Stream),
            Sink::Process => {
                let process_definition_id = PROCESS.to_owned();
                Some(TargetSpec::Process(ProcessTarget { process_definition_id, version: None }))
            }
            Sink::Http | Sink::Batch => {
                let listener = TcpListener::bind("127.0.0.1:0").await?;
                let url = format!("http://{}/", listener.local_addr()?);
                tasks.spawn(listen(listener, arrived.clone()));
                let batch = (sink == Sink::Batch).then_some(BATCH);
                let http =
                    HttpTarget { url, headers: Vec::new(), timeout_ms: 60_000, batch, signing_key: None };
                Some(TargetSpec::Http(http))
            }
        };
        let nobody = || Target { lane: LANE_OF_NOBODY, data: Arc::from(&b"nobody"[..]) };
        let target = spec.as_ref().map_or_else(nobody, stored);
        Ok(Receiver { target, spec, arrived, tasks, deliveries: None, sink })
    }

    /// Begins to take what the loop fires.
    pub(super) fn take_from(
        &mut self,
        store: Arc<dyn Store>,
        timers: &TimerHandle,
        bell: Arc<LaneBell>,
    ) -> Result<()> {
        match self.sink {
            Sink::None | Sink::Process => {}
            Sink::Stream => {
                let streams = Streams { store, id_of: id::generated };
                self.tasks.spawn(consume(streams, timers.clone(), bell, self.arrived.clone()));
            }
            Sink::Http | Sink::Batch => {
                let context = DeliveryContext {
                    store,
                    partition: PartitionId::FIRST,
                    timers: timers.clone(),
                    callbacks: Callbacks::new(&settings()?)?,
                    now_ms: Arc::new(now_ms),
                    id_of: id::generated,
                };
                self.deliveries = Some(Deliveries::start(context, bell));
            }
        }
        Ok(())
    }

    /// Counts what has arrived.
    pub(super) fn counter(&self) -> Arc<AtomicU64> {
        self.arrived.clone()
    }

    /// Timers that have arrived; none where nobody is told.
    pub(super) fn arrived(&self) -> Option<u64> {
        (self.sink != Sink::None).then(|| self.arrived.load(Ordering::Relaxed))
    }
}

fn stored(spec: &TargetSpec) -> Target {
    StoredTarget::split(&scope(), spec, RetryPolicy::default()).0.to_target()
}

async fn listen(listener: TcpListener, arrived: Arc<AtomicU64>) -> Result<()> {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        connections.spawn(answer(stream, arrived.clone()));
        while connections.try_join_next().is_some() {}
    }
}

/// As little of HTTP as a receiver can do with, so that it takes little of the machine.
async fn answer(stream: TcpStream, arrived: Arc<AtomicU64>) -> Result<()> {
    let mut stream = BufReader::with_capacity(64 << 10, stream);
    let (mut line, mut body) = (String::new(), Vec::new());
    let mark = memchr::memmem::Finder::new(MARK);
    loop {
        let mut length = 0;
        loop {
            line.clear();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(bytes) = line.strip_prefix("content-length:") {
                length = bytes.trim().parse().context("a length")?;
            }
        }
        body.resize(length, 0);
        stream.read_exact(&mut body).await?;
        let timers = mark.find_iter(&body).count();
        arrived.fetch_add(timers as u64, Ordering::Relaxed);
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await?;
    }
}

/// Reads the stream as far as it goes, acknowledges that, and waits for more.
async fn consume(
    streams: Streams,
    timers: TimerHandle,
    bell: Arc<LaneBell>,
    arrived: Arc<AtomicU64>,
) -> Result<()> {
    let (scope, mut cursor) = (scope(), StreamCursor::default());
    loop {
        let rung = bell.next_in_streams();
        let page = streams.read(&[PartitionId::FIRST], &scope, &cursor, STREAM_PAGE, now_ms()).await?;
        if page.timers.is_empty() {
            // A bell that was rung between the read and this is heard late, so nobody waits for long.
            let _ = tokio::time::timeout(std::time::Duration::from_millis(20), rung).await;
            continue;
        }
        cursor = page.cursor;
        arrived.fetch_add(page.timers.len() as u64, Ordering::Relaxed);
        if let Some(position) = cursor.0.get(&PartitionId::FIRST.0) {
            let ask = |request| timers.request(request);
            streams.acknowledge(PartitionId::FIRST, ask, &scope, *position).await??;
        }
    }
}
