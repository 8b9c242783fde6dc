//! Clients of the REST API that send timers as fast as they are answered. They take little of the machine, so that the server is what is
//! measured: lines are written into one buffer, and answers are counted without being read into trees.

use super::sink::Sink;
use super::through::{Load, Maker, now_ms};
use super::via::Via;
use anyhow::{Result, bail};
use serde_json::Value;
use std::fmt::Write;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tidemill_timers::shard::Create;
use tokio::task::JoinSet;

/// Timers of one request in bulk.
const LINES: u64 = 5_000;
/// Clients that send at the same time.
const BULK_CLIENTS: u64 = 4;
const SINGLE_CLIENTS: u64 = 32;

/// How much is sent: a number of timers, or as many as are answered until then.
#[derive(Clone)]
pub(super) struct Share {
    left: Arc<AtomicU64>,
    until: Option<Instant>,
}

impl Share {
    pub(super) fn new(count: Option<u64>, until: Instant) -> Share {
        let until = count.is_none().then_some(until);
        Share { left: Arc::new(AtomicU64::new(count.unwrap_or(u64::MAX))), until }
    }

    fn take(&self, at_a_time: u64) -> u64 {
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return 0;
        }
        let take = |left: u64| Some(left.saturating_sub(at_a_time));
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).unwrap_or(0);
        before.min(at_a_time)
    }
}

/// Clients take their share until nothing is left. Each timer that was answered is counted.
pub(super) async fn send_all(
    url: &str,
    target: &Value,
    load: &Load,
    via: Via,
    share: Share,
    created: &Arc<AtomicU64>,
) -> Result<()> {
    let (clients, at_a_time, path, media_type) = match via {
        Via::Bulk => (BULK_CLIENTS, LINES, "/v1/timers/bulk?namespace=bench", "application/x-ndjson"),
        _ => (SINGLE_CLIENTS, 1, "/v1/timers", "application/json"),
    };
    let mut sending = JoinSet::new();
    for nth in 0..clients {
        let mut client = Client {
            agent: ureq::Agent::new_with_defaults(),
            url: format!("{url}{path}"),
            media_type,
            maker: Maker::new(load).of_client(nth),
            target: target.to_string(),
            has_payload: load.sink != Sink::Process,
            body: String::new(),
            answer: Vec::new(),
        };
        let (share, created) = (share.clone(), created.clone());
        sending.spawn_blocking(move || {
            loop {
                let count = share.take(at_a_time);
                if count == 0 {
                    return anyhow::Ok(());
                }
                client.send(count)?;
                created.fetch_add(count, Ordering::Relaxed);
            }
        });
    }
    while let Some(ended) = sending.join_next().await {
        ended??;
    }
    Ok(())
}

struct Client {
    agent: ureq::Agent,
    url: String,
    media_type: &'static str,
    maker: Maker,
    target: String,
    has_payload: bool,
    body: String,
    answer: Vec<u8>,
}

impl Client {
    /// Every timer must be answered, and none may be refused.
    fn send(&mut self, count: u64) -> Result<()> {
        let now_ms = now_ms();
        self.body.clear();
        for create in self.maker.make(count, now_ms) {
            self.write(&create, now_ms);
        }
        let request = self.agent.post(&self.url).header("content-type", self.media_type);
        let mut response = request.send(self.body.as_str())?;
        self.answer.clear();
        response.body_mut().as_reader().read_to_end(&mut self.answer)?;
        let lines = memchr::memchr_iter(b'\n', self.answer.trim_ascii_end()).count() as u64 + 1;
        if lines != count || memchr::memmem::find(&self.answer, b"\"error\"").is_some() {
            let text = String::from_utf8_lossy(&self.answer);
            let line = text.lines().find(|line| line.contains("\"error\"")).unwrap_or_default();
            bail!("{count} timers were sent, but {lines} answered; refused: {line}");
        }
        Ok(())
    }

    fn write(&mut self, create: &Create, now_ms: i64) {
        self.body.push('{');
        if let Some(id) = create.own_id {
            // Written to a text, which never fails.
            let _ = write!(self.body, "\"id\":\"{:032x}\",", id.0);
        }
        let _ = write!(self.body, "\"delay\":{},\"target\":", create.due_ms - now_ms);
        self.body.push_str(&self.target);
        if self.has_payload && !create.payload.is_empty() {
            self.body.push_str(",\"payload\":\"");
            self.body.extend(create.payload.iter().map(|byte| char::from(b'a' + byte % 26)));
            self.body.push('"');
        }
        self.body.push_str("}\n");
    }
}
