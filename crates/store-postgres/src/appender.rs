//! Appends in groups: what has gathered while one group was on its way is the next one, so many appends share
//! a transaction and a sync.

use crate::call::Call;
use crate::commit::append_call;
use crate::connect::Pool;
use crate::error;
use crate::wakeup::Notifiers;
use std::sync::Arc;
use tidemill_model::PartitionId;
use tidemill_store::{Error, NewInboxEntry, Position, Result};
use tokio::sync::{Mutex, mpsc, oneshot};

/// Entries that share a transaction at most.
/// A larger group would make its first member wait for the last, and one refused entry fails all of them.
const GROUP_MAX: usize = 4_000;
/// Appends that may wait; more hold their senders back.
/// Without a bound, a store that is slow would let the memory of its clients grow.
const QUEUE_MAX: usize = 10_000;
/// While one group is on its way to the disk, another can be written.
const WORKERS: usize = 2;

struct Append {
    entries: Vec<NewInboxEntry>,
    answer: oneshot::Sender<Result<Vec<Position>>>,
}

/// A transaction of its own for each append would cost a sync each. Appends of all callers share one, whichever partition they are for.
pub(crate) struct Appender {
    queue: mpsc::Sender<Append>,
}

impl Appender {
    pub(crate) fn start(pool: Arc<Pool>, notifiers: Arc<Notifiers>) -> Appender {
        let (queue, waiting) = mpsc::channel(QUEUE_MAX);
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..WORKERS {
            let worker =
                Worker { pool: pool.clone(), notifiers: notifiers.clone(), waiting: waiting.clone() };
            tokio::spawn(worker.run());
        }
        Appender { queue }
    }

    pub(crate) async fn append(&self, entries: Vec<NewInboxEntry>) -> Result<Vec<Position>> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let closed = || Error::Closed("the appender has ended".into());
        let (answer, answered) = oneshot::channel();
        self.queue.send(Append { entries, answer }).await.map_err(|_| closed())?;
        answered.await.unwrap_or_else(|_| Err(closed()))
    }
}

struct Worker {
    pool: Arc<Pool>,
    notifiers: Arc<Notifiers>,
    waiting: Arc<Mutex<mpsc::Receiver<Append>>>,
}

impl Worker {
    async fn run(self) {
        loop {
            let group = self.gather().await;
            if group.is_empty() {
                return;
            }
            self.write(group).await;
        }
    }

    /// Takes what waits, without waiting for more: under load a group fills up while the one before it is written. Empty when the store is
    /// gone.
    async fn gather(&self) -> Vec<Append> {
        let mut waiting = self.waiting.lock().await;
        let mut group: Vec<Append> = waiting.recv().await.into_iter().collect();
        let mut entries = group.first().map_or(0, |append| append.entries.len());
        while !group.is_empty() && entries < GROUP_MAX {
            let Ok(append) = waiting.try_recv() else { break };
            entries += append.entries.len();
            group.push(append);
        }
        group
    }

    async fn write(&self, group: Vec<Append>) {
        let (entries, answers): (Vec<_>, Vec<_>) =
            group.into_iter().map(|append| (append.entries, append.answer)).unzip();
        let counts: Vec<usize> = entries.iter().map(Vec::len).collect();
        let entries: Vec<NewInboxEntry> = entries.into_iter().flatten().collect();
        let written = self.write_entries(&entries).await;
        let mut positions = written.as_ref().map(|positions| positions.iter().copied()).ok();
        for (answer, count) in answers.into_iter().zip(counts) {
            let told = match (&mut positions, &written) {
                (Some(positions), _) => Ok(positions.take(count).collect()),
                // Every member of the group hears the same failure: nobody can tell which of them caused it.
                (None, error) => Err(error.as_ref().expect_err("no positions").again()),
            };
            // The caller may have gone away.
            let _ = answer.send(told);
        }
    }

    async fn write_entries(&self, entries: &[NewInboxEntry]) -> std::result::Result<Vec<Position>, Failure> {
        let mut partitions: Vec<PartitionId> = entries.iter().map(|entry| entry.partition).collect();
        // One notification per partition is enough, however many entries there are for it.
        partitions.sort_unstable();
        partitions.dedup();
        let append = [append_call(entries)];
        // The notification follows the commit in the same flush: an owner that is woken earlier would find nothing.
        let after: Vec<Call<'_>> = self.notifiers.notification(&partitions).into_iter().collect();
        let mut lease = self.pool.take().await.map_err(|error| Failure::Unavailable(error.to_string()))?;
        let flushed = lease.transact("BEGIN", &append, "COMMIT", &after).await;
        let mut rows = flushed.into_rows().map_err(|error| match error::is_connection(&error) {
            // The COMMIT may have arrived. A caller that appends again may append twice, so it must know.
            true => Failure::Unknown(error::told(&error)),
            false => Failure::Refused(error::told(&error)),
        })?;
        self.notifiers.notify_here(&partitions);
        Ok(rows.swap_remove(0).iter().map(|row| Position(row.get(0))).collect())
    }
}

/// Why a group was not appended; told to each of its members.
enum Failure {
    /// Nothing was sent.
    Unavailable(String),
    /// The connection was lost before the answer came.
    Unknown(String),
    Refused(String),
}

impl Failure {
    fn again(&self) -> Error {
        match self {
            Failure::Unavailable(reason) => {
                Error::Unavailable { place: "the inbox".into(), reason: reason.clone() }
            }
            Failure::Unknown(reason) => Error::OutcomeUnknown { reason: reason.clone() },
            Failure::Refused(reason) => Error::Refused { culprit: None, reason: reason.clone() },
        }
    }
}
