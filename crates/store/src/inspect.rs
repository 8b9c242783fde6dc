//! Reads for operators: the command log, the backlog of a partition, and the amount of stored data.

use crate::{BatchId, PoolUse, Result};
use async_trait::async_trait;
use std::ops::Range;
use tidemill_model::{PartitionId, Timestamp};

/// A batch as the command log keeps it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedBatch {
    pub partition: PartitionId,
    pub id: BatchId,
    pub at: Timestamp,
    /// The commands, as they were packed.
    pub log: Vec<u8>,
}

/// A stretch of the log of one partition. Times never fall along the ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogRange {
    pub at: Range<Timestamp>,
    /// Only ids within this, both ends included.
    pub ids: (BatchId, BatchId),
    /// From the end of the range backwards.
    pub is_newest_first: bool,
}

/// The backlog of a partition. Counts stop at `LAG_COUNT_MAX`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lag {
    /// Commands in the inbox, and when the oldest of them came.
    pub waiting: u64,
    pub oldest_received_at: Option<Timestamp>,
    /// Timers that should have fired, and when the first of them was due.
    pub timers_due: u64,
    pub oldest_due_at: Option<Timestamp>,
    pub last_batch: Option<(BatchId, Timestamp)>,
}

/// Days are counted in these.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Counting further would slow down what works a backlog off, and "too many" is all that an operator has to know.
pub const LAG_COUNT_MAX: u64 = 100_000;

/// The purpose for which something is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    History,
    Log,
}

/// The amount of one kind of stored data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Amount {
    pub purpose: Purpose,
    /// The store's name for it.
    pub name: String,
    /// Counted from 1970; none for what lies outside the days, or where it is not split by days.
    pub day: Option<i64>,
    /// None where nobody has counted yet; an estimate on a store that does not count.
    pub rows: Option<u64>,
    /// None where the store cannot tell.
    pub bytes: Option<u64>,
}

/// How much room a store has left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Room {
    Enough,
    /// History has to go before its time, the oldest first.
    Crowded,
    /// Nothing new should begin. What runs can still end, and what has ended can be purged.
    Full,
}

#[async_trait]
pub trait Inspect: Send + Sync {
    async fn log(&self, partition: PartitionId, range: &LogRange, limit: usize) -> Result<Vec<LoggedBatch>>;

    async fn lag(&self, partition: PartitionId, now: Timestamp) -> Result<Lag>;

    /// The oldest days first.
    async fn amounts(&self) -> Result<Vec<Amount>>;

    /// The connections of this process, by the kind of work that they are for. Asks no database.
    fn pools(&self) -> Vec<PoolUse> {
        Vec::new()
    }

    /// Troubles that operators should know of although the store works, as of the last beat.
    fn troubles(&self) -> Vec<String> {
        Vec::new()
    }

    /// As of the last beat.
    fn room(&self) -> Room {
        Room::Enough
    }
}
