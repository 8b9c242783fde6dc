//! Log first, tables follow. A commit writes one redo record (`redo.rs`); the tables get the net effect of many of them at once
//! (`net.rs`, `apply.rs`), soon after by the owner or at once by whoever wants to read (`current.rs`).

mod apply;
mod current;
mod net;
mod plain;
mod redo;
mod window;

use crate::connect::Pool;
use crate::counts::CountFolds;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_store::{Batch, Error, Result};
use window::{Pending, Window};

pub(crate) use net::{EndedElements, Group, Net};
pub(crate) use redo::Redo;

pub(crate) const INSERT: &str = "INSERT INTO redo (partition_id, data) VALUES ($1, $2) RETURNING number";

/// While somebody reads now and then, less is left for a reader to wait for.
const WINDOW_WHILE_READ: Duration = Duration::from_millis(20);
/// A read within so many milliseconds counts for that.
const READ_LATELY_MS: u64 = 10_000;
/// After a try that failed.
const PAUSE: Duration = Duration::from_millis(100);

pub(crate) struct Follower {
    windows: Vec<Arc<Window>>,
    pool: Pool,
    counts: CountFolds,
    /// How long a batch waits before it reaches the tables, if nobody asks for it; at 0 nothing waits.
    window: Duration,
    began: Instant,
    /// When a reader last found that the tables were behind, in milliseconds since the beginning.
    last_read_ms: AtomicU64,
}

/// How a batch is to be written.
pub(crate) enum Way {
    /// By its redo record.
    Logged { redo: Redo },
    /// To the tables: there is nothing outstanding before it, and what it says of stored rows is true of the tables.
    InPlace { redo: Redo },
}

impl Follower {
    pub(crate) fn new(pool: Pool, partitions: PartitionCount, window: Duration) -> Arc<Follower> {
        Arc::new(Follower {
            windows: partitions.ids().map(|_| Arc::default()).collect(),
            pool,
            counts: CountFolds::new(partitions),
            window,
            began: Instant::now(),
            last_read_ms: AtomicU64::new(u64::MAX),
        })
    }

    fn note_read(&self) {
        self.last_read_ms.store(self.began.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// How long changes may wait now.
    fn current_window(&self) -> Duration {
        let now_ms = self.began.elapsed().as_millis() as u64;
        match self.last_read_ms.load(Ordering::Relaxed) {
            u64::MAX => self.window,
            at_ms if now_ms.saturating_sub(at_ms) > READ_LATELY_MS => self.window,
            _ => self.window.min(WINDOW_WHILE_READ),
        }
    }

    fn of(&self, partition: PartitionId) -> &Arc<Window> {
        &self.windows[usize::from(partition.0) - 1]
    }

    /// This process has taken the partition. What its predecessor has left reaches the tables before anything is read.
    pub(crate) async fn begin(
        self: &Arc<Self>,
        partition: PartitionId,
        epoch: u64,
        first_key: u64,
    ) -> Result<()> {
        self.of(partition).lose();
        self.round(partition).await?;
        self.of(partition).begin(epoch, first_key);
        Ok(())
    }

    pub(crate) fn lose(&self, partition: PartitionId) {
        self.of(partition).lose();
    }

    /// Decides how a batch is written, takes its changes, and waits for what has to come before it.
    pub(crate) async fn prepare(self: &Arc<Self>, batch: &mut Batch) -> Result<Way> {
        let (partition, window) = (batch.partition(), self.of(batch.partition()));
        let known_key = window.begin_commit(batch.fence.epoch);
        let mut redo = Redo::take_from(batch, known_key.unwrap_or(u64::MAX));
        let is_logged = known_key.is_some()
            && self.window > Duration::ZERO
            && batch.deletions.is_empty()
            && plain::are_plain(&redo.changes);
        if is_logged {
            while window.is_overfull() {
                self.round_or_lose(partition).await?;
            }
            return Ok(Way::Logged { redo });
        }
        if window.is_empty() != Some(true) {
            self.round_or_lose(partition).await?;
        }
        redo.known_key = u64::MAX;
        Ok(Way::InPlace { redo })
    }

    async fn round_or_lose(self: &Arc<Self>, partition: PartitionId) -> Result<()> {
        let done = self.round(partition).await;
        if done.is_err() {
            self.lose(partition);
        }
        done
    }

    /// A commit is over. Where nobody knows whether it was written, the store alone knows what is outstanding.
    pub(crate) fn end(&self, batch: &Batch, error: Option<&Error>) {
        match error {
            None => {}
            Some(Error::OutcomeUnknown { .. }) => self.lose(batch.partition()),
            Some(_) => self.of(batch.partition()).end_commit(batch.fence.epoch, 0, None),
        }
    }

    /// A batch was written to the tables.
    pub(crate) fn written(&self, batch: &Batch, redo: &Redo) {
        let highest = redo.highest_key(batch.partition()).max(batch.highest_key);
        self.of(batch.partition()).end_commit(batch.fence.epoch, highest, None);
    }

    /// The redo record of a batch was written under this number.
    pub(crate) fn logged(self: &Arc<Self>, batch: &Batch, redo: Redo, record: Option<(i64, usize)>) {
        let (partition, window) = (batch.partition(), self.of(batch.partition()));
        let highest = redo.highest_key(partition).max(batch.highest_key);
        if record.is_none() && !redo.is_empty() {
            // The store alone knows this record.
            return window.lose();
        }
        let redo = Arc::new(redo);
        let pending = record.map(|(number, bytes)| Pending { number, redo, bytes });
        window.end_commit(batch.fence.epoch, highest, pending);
        if window.wants_follower() {
            tokio::spawn(look_after(Arc::downgrade(self), partition, window.clone(), self.current_window()));
        }
    }
}

/// Brings what is pending to the tables when its time has come, for as long as there is something. A store that was closed leaves
/// the rest to whoever opens it next.
async fn look_after(
    follower: Weak<Follower>,
    partition: PartitionId,
    window: Arc<Window>,
    mut patience: Duration,
) {
    while !window.is_done() {
        // In time or full, the changes go now.
        let _ = tokio::time::timeout(patience, window.is_full.notified()).await;
        let Some(follower) = follower.upgrade() else { return };
        patience = follower.current_window();
        if let Err(error) = follower.round(partition).await {
            tracing::warn!(%partition, %error, "changes have not reached the tables yet");
            patience = PAUSE.max(patience);
        }
    }
}
