//! The way to a timer loop.

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
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the timer loop has ended; nobody knows here whether the request was carried out")]
pub struct TimerError;

impl TimerHandle {
    pub(super) fn new(calls: mpsc::Sender<TimerCall>, health: Arc<LoopHealth>) -> TimerHandle {
        TimerHandle { calls, health }
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

    pub fn health(&self) -> &LoopHealth {
        &self.health
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
