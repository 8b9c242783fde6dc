//! Appends through REST: instances that are started with `Prefer: respond-async` on keep-alive connections.

use super::super::child::Child;
use super::super::connection::Connection;
use super::super::model::{Model, PROCESS_ID};
use super::super::place::BenchStore;
use crate::client::{Client, NewFile};
use anyhow::Result;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::task::{JoinSet, LocalSet};

const WARM_UP: Duration = Duration::from_secs(1);

pub(super) struct Experience {
    /// Sorted.
    pub(super) latencies_us: Vec<u32>,
    pub(super) refused: u64,
    pub(super) seconds: f64,
}

pub(super) fn measure(place: &BenchStore, clients: usize, time: Duration) -> Result<Experience> {
    let child = Child::start(place, 1, None)?;
    let model = NewFile { name: "bench.bpmn".to_owned(), content: Model::OneTask.xml().into_bytes() };
    Client::new(&format!("http://{}", child.address)).deploy(&[model])?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, run(child.address, clients, time))
}

async fn run(address: SocketAddr, clients: usize, time: Duration) -> Result<Experience> {
    let begin = Instant::now() + WARM_UP;
    let mut tasks = JoinSet::new();
    for _ in 0..clients {
        tasks.spawn_local(start_instances(address, begin, begin + time));
    }
    let mut all = Experience { latencies_us: Vec::new(), refused: 0, seconds: time.as_secs_f64() };
    while let Some(ended) = tasks.join_next().await {
        let (mut latencies, refused) = ended??;
        all.latencies_us.append(&mut latencies);
        all.refused += refused;
    }
    all.latencies_us.sort_unstable();
    Ok(all)
}

async fn start_instances(address: SocketAddr, begin: Instant, end: Instant) -> Result<(Vec<u32>, u64)> {
    let mut connection = Connection::open(address).await?;
    let body = format!("{{\"processDefinitionId\":\"{PROCESS_ID}\",\"variables\":{{\"orderId\":\"A-1\"}}}}");
    let (mut latencies, mut refused) = (Vec::new(), 0);
    loop {
        let sent = Instant::now();
        let is_taken = connection.post_async("/v2/process-instances", &body).await?.is_taken()?;
        let now = Instant::now();
        if now >= end {
            return Ok((latencies, refused));
        }
        if !is_taken {
            refused += 1;
            tokio::time::sleep(Duration::from_millis(10)).await;
        } else if now >= begin {
            latencies.push(u32::try_from((now - sent).as_micros()).unwrap_or(u32::MAX));
        }
    }
}
