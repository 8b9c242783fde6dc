//! The way to a timer loop.

use super::bell::LaneBell;
use super::health::LoopHealth;
use std::sync::Arc;
use tidemill_timers::shard::{Answer, Batch, Request};
use tokio::sync::{mpsc, oneshot};

pub(super) enum TimerCall {
    Request {
        request: Request,
        answer: oneshot::Sender<Answer>,
    },
    /// Answers what it has taken, and ends.
    Stop,
}

/// Clones lead to the same loop. It ends when it is told to stop, or when the last of them is dropped.
#[derive(Clone)]
pub struct TimerHandle {
    calls: mpsc::Sender<TimerCall>,
    health: Arc<LoopHealth>,
    bell: Arc<LaneBell>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the timer loop has ended; nobody knows here whether the request was carried out")]
pub struct TimerError;

impl TimerHandle {
    pub(super) fn new(
        calls: mpsc::Sender<TimerCall>,
        health: Arc<LoopHealth>,
        bell: Arc<LaneBell>,
    ) -> TimerHandle {
        TimerHandle { calls, health, bell }
    }

    /// Answered when the commit that carries it is durable. Waits while the loop has no room.
    pub async fn request(&self, request: Request) -> Result<Answer, TimerError> {
        let (answer, answered) = oneshot::channel();
        // A loop that has stopped has not begun it.
        if self.calls.send(TimerCall::Request { request, answer }).await.is_err() {
            return Ok(Answer::Moved);
        }
        answered.await.map_err(|_| TimerError)
    }

    /// Tells the loop to answer what it has taken, and to end.
    pub(crate) async fn stop(&self) {
        // One that has ended cannot be told any more.
        let _ = self.calls.send(TimerCall::Stop).await;
    }

    /// Rung after each commit that has written deliveries.
    pub fn bell(&self) -> Arc<LaneBell> {
        self.bell.clone()
    }

    pub fn health(&self) -> &LoopHealth {
        &self.health
    }
}

/// Hears of each commit that fires timers.
#[derive(Clone)]
pub struct FiredHook(pub(crate) Arc<dyn Fn(&FiredBatch) + Send + Sync>);

impl FiredHook {
    pub fn new(hook: impl Fn(&FiredBatch) + Send + Sync + 'static) -> FiredHook {
        FiredHook(Arc::new(hook))
    }
}

impl std::fmt::Debug for FiredHook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FiredHook")
    }
}

/// Timers that have fired with one commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FiredBatch {
    pub count: usize,
    pub first_due_ms: i64,
    /// The store's time at the commit.
    pub landed_ms: i64,
}

impl FiredBatch {
    pub(super) fn of(batch: &Batch) -> Option<FiredBatch> {
        let first_due_ms = batch.first_due_ms?;
        Some(FiredBatch { count: batch.fired, first_due_ms, landed_ms: batch.at_ms })
    }
}
