//! The way to a timer loop.

use tidemill_timers::shard::{Answer, Batch, Request};
use tokio::sync::{mpsc, oneshot};

pub(super) struct TimerCall {
    pub(super) request: Request,
    pub(super) answer: oneshot::Sender<Answer>,
}

/// Clones lead to the same loop. It ends when the last of them is dropped.
#[derive(Clone)]
pub struct TimerHandle {
    calls: mpsc::Sender<TimerCall>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the timer loop has ended; nobody knows here whether the request was carried out")]
pub struct TimerError;

impl TimerHandle {
    pub(super) fn new(calls: mpsc::Sender<TimerCall>) -> TimerHandle {
        TimerHandle { calls }
    }

    /// Answered when the commit that carries it is durable. Waits while the loop has no room.
    pub async fn request(&self, request: Request) -> Result<Answer, TimerError> {
        let (answer, answered) = oneshot::channel();
        self.calls.send(TimerCall { request, answer }).await.map_err(|_| TimerError)?;
        answered.await.map_err(|_| TimerError)
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
