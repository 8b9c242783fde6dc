//! One commit of one partition: everything a batch of commands has changed, all or nothing.

use crate::{NewInboxEntry, Position, TimerPosition};
use tidemill_model::{Change, PartitionId, ProcessInstanceKey, TenantId, Text, Timestamp};

/// Unique per process start, so that a restarted server is a stranger to its own past.
pub type HolderId = Text;

/// Names a batch for the question "did it commit?"; unique within its partition.
/// The core makes it from the epoch of its fence and a counter, so two owners never use the same one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BatchId(pub i64);

/// The right to write to a partition. Checked inside every commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fence {
    pub partition: PartitionId,
    pub holder: HolderId,
    /// It grows whenever the partition is taken, also by the same holder, so that a commit of an earlier owner fails.
    pub epoch: u64,
}

/// Rows that one commit deletes of one ended instance, at most: of all kinds together, or of each kind. A commit that
/// deleted a large instance as a whole would hold up its partition.
pub const DELETED_ROWS_MAX: usize = 1_000;

#[derive(Clone, PartialEq, Debug)]
pub struct Batch {
    pub fence: Fence,
    pub id: BatchId,
    /// The partition's time of this batch; never falls.
    pub at: Timestamp,
    /// The commands of the batch, packed: kept as audit. State is stored and not replayed, so purging the log loses none of it.
    pub log: Vec<u8>,
    /// Inbox entries whose effects are here; they are removed.
    pub consumed: Vec<Position>,
    /// The net effect on each entity; an entity appears once, but for a timer that moves: `Remove` with the old
    /// due time and `Put` with the new one.
    pub changes: Vec<Change>,
    /// Instances of this partition that have ended, in this batch or before it. After `changes`, the row of each goes,
    /// so that it is no longer shown, and of what belonged to it so many rows as one commit deletes
    /// (`DELETED_ROWS_MAX`). Naming an instance again deletes the next rows.
    pub deletions: Vec<ProcessInstanceKey>,
    /// Timers that fired, deleted as a range. They need no `Remove` of their own.
    pub fired: Option<FiredTimers>,
    /// A store refuses a second answer under the same key: it would mean that a command has run twice.
    pub answers: Vec<IdempotentAnswer>,
    /// Of commands whose answer comes with another command: who waits is written first, the answer replaces it.
    pub late_answers: Vec<IdempotentAnswer>,
    pub results: Vec<CommandResult>,
    /// Commands for other partitions, and follow-ups of this one that the batch did not get to.
    pub outgoing: Vec<NewInboxEntry>,
    /// The highest key counter that this partition has used; lies within its reserved block.
    pub highest_key: u64,
    pub dead_letters: Vec<DeadLetter>,
}

impl Batch {
    /// A batch that changes nothing yet.
    pub fn empty(fence: Fence, id: BatchId, at: Timestamp) -> Batch {
        Batch {
            fence,
            id,
            at,
            log: Vec::new(),
            consumed: Vec::new(),
            changes: Vec::new(),
            deletions: Vec::new(),
            fired: None,
            answers: Vec::new(),
            late_answers: Vec::new(),
            results: Vec::new(),
            outgoing: Vec::new(),
            highest_key: 0,
            dead_letters: Vec::new(),
        }
    }

    pub fn partition(&self) -> PartitionId {
        self.fence.partition
    }
}

/// All timers in `(after, up_to]`; from the beginning where `after` is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FiredTimers {
    pub after: Option<TimerPosition>,
    pub up_to: TimerPosition,
}

/// The answer that a retry with the same idempotency key gets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdempotentAnswer {
    pub tenant: TenantId,
    pub key: Text,
    /// Of the request body: another body under the same key is an error of the caller.
    pub body_hash: i64,
    pub answer: Vec<u8>,
    /// The row is purged by this time. Keys of requests between nodes are dated back, because they are needed for minutes only.
    pub created_at: Timestamp,
}

/// The result of an appended command, kept for clients that ask later. A later result of the same position replaces it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandResult {
    pub position: Position,
    pub answer: Vec<u8>,
}

/// A command that cannot be run and must not be tried again by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadLetter {
    /// None for a command that did not come through the inbox.
    pub position: Option<Position>,
    pub payload: Vec<u8>,
    pub reason: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Committed {
    /// Moves with every deployment anywhere: when it moved, "latest" must be looked up again.
    pub definitions_version: u64,
    /// The store's clock during the commit.
    pub now: Timestamp,
}
