//! The durable inbox: commands that wait for the owner of their partition.

use crate::Result;
use async_trait::async_trait;
use tidemill_model::{PartitionId, Timestamp};

/// Where a command stands in the inbox. Later appends have higher positions, but on a store with several
/// writers a lower one may become visible after a higher one: entries are gone when consumed, never skipped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position(pub i64);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewInboxEntry {
    pub partition: PartitionId,
    pub received_at: Timestamp,
    /// A packed command with whatever must travel with it.
    pub payload: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InboxEntry {
    pub position: Position,
    pub received_at: Timestamp,
    pub payload: Vec<u8>,
}

/// The fate of an appended command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommandOutcome {
    Waiting,
    /// It ran; the packed answer or rejection.
    Done {
        at: Timestamp,
        answer: Vec<u8>,
    },
    /// It could not be run and was put aside.
    DeadLetter {
        at: Timestamp,
        reason: String,
    },
    /// Never appended, or forgotten.
    Unknown,
}

#[async_trait]
pub trait Inbox: Send + Sync {
    /// Durable when it returns. Positions come in the order of the entries. Without a fence: anybody may append, and
    /// the owner of the partition decides what comes of it.
    async fn append(&self, entries: Vec<NewInboxEntry>) -> Result<Vec<Position>>;

    /// The entries that wait for a partition, lowest positions first.
    /// There is no cursor: an entry is gone when it was consumed, and one with a lower position may have become visible since.
    async fn waiting(&self, partition: PartitionId, limit: usize) -> Result<Vec<InboxEntry>>;

    async fn outcome(&self, position: Position) -> Result<CommandOutcome>;
}
