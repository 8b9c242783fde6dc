//! Everything that is stored, behind one lock.

use crate::timer_shards::ShardRows;
use std::collections::BTreeMap;
use tidemill_model::{PartitionCount, PartitionId, TenantId, Text, Timestamp};
use tidemill_store::rows::Tables;
use tidemill_store::{
    BatchId, Error, Fence, HolderId, IdempotentAnswer, InboxEntry, LetterNumber, NewInboxEntry, NodeInfo,
    Position, Result, Retention, StoredLetter,
};

pub(crate) struct State {
    pub(crate) partitions: BTreeMap<PartitionId, Partition>,
    pub(crate) shards: BTreeMap<PartitionId, ShardRows>,
    pub(crate) nodes: BTreeMap<HolderId, Node>,
    pub(crate) inbox: BTreeMap<Position, (PartitionId, InboxEntry)>,
    pub(crate) last_position: i64,
    pub(crate) batches: BTreeMap<(PartitionId, BatchId), Logged>,
    pub(crate) results: BTreeMap<Position, (Timestamp, Vec<u8>)>,
    pub(crate) letters: BTreeMap<LetterNumber, StoredLetter>,
    pub(crate) last_letter: i64,
    pub(crate) answers: BTreeMap<(PartitionId, TenantId, Text), IdempotentAnswer>,
    pub(crate) live: Tables,
    /// Rows of entities that have ended, and rows that are written once.
    pub(crate) history: Tables,
    /// By how much timers were fired before the clock of the store showed their time, in milliseconds.
    pub(crate) fired_early_ms: Vec<i64>,
    pub(crate) definitions_version: u64,
    pub(crate) retention: Retention,
}

pub(crate) struct Partition {
    pub(crate) holder: Option<HolderId>,
    /// Grows each time that somebody takes the partition: by it commits of earlier owners are told apart, also of the same holder.
    pub(crate) epoch: u64,
    /// Keys below it are reserved for this owner or were for others.
    pub(crate) next_key: u64,
    pub(crate) expires_at: Option<Timestamp>,
    /// The last owner gave it up in good order. Its successor need not suspect what was in hand.
    pub(crate) was_released: bool,
    pub(crate) preferred: Option<HolderId>,
    /// The last owner took it although its predecessor had not released it.
    pub(crate) was_taken_over: bool,
    /// Notes that such owners have found. They are the evidence by which commands are put aside.
    pub(crate) inherited_notes: Vec<Vec<u8>>,
    /// The note of its owner about the commands that it was about to run.
    pub(crate) in_hand: Option<Vec<u8>>,
    /// Of the batch that was written last.
    pub(crate) last_batch_at: Option<Timestamp>,
}

pub(crate) struct Node {
    pub(crate) info: NodeInfo,
    pub(crate) expires_at: Timestamp,
}

/// A batch in the command log.
pub(crate) struct Logged {
    pub(crate) at: Timestamp,
    pub(crate) log: Vec<u8>,
}

impl State {
    pub(crate) fn new(partitions: PartitionCount) -> State {
        let fresh = |id| {
            let partition = Partition {
                holder: None,
                epoch: 0,
                next_key: 1,
                expires_at: None,
                was_released: true,
                preferred: None,
                was_taken_over: false,
                inherited_notes: Vec::new(),
                in_hand: None,
                last_batch_at: None,
            };
            (id, partition)
        };
        State {
            partitions: partitions.ids().map(fresh).collect(),
            shards: partitions.ids().map(|id| (id, ShardRows::default())).collect(),
            nodes: BTreeMap::new(),
            inbox: BTreeMap::new(),
            last_position: 0,
            batches: BTreeMap::new(),
            results: BTreeMap::new(),
            letters: BTreeMap::new(),
            last_letter: 0,
            answers: BTreeMap::new(),
            live: Tables::default(),
            history: Tables::default(),
            fired_early_ms: Vec::new(),
            definitions_version: 0,
            retention: Retention::default(),
        }
    }

    /// The partition, if this fence still holds.
    pub(crate) fn owned(&mut self, fence: &Fence) -> Result<&mut Partition> {
        let partition = self.partitions.get_mut(&fence.partition);
        partition
            .filter(|partition| {
                partition.epoch == fence.epoch && partition.holder.as_ref() == Some(&fence.holder)
            })
            .ok_or(Error::Fenced { partition: fence.partition, epoch: fence.epoch })
    }

    pub(crate) fn append(&mut self, entry: NewInboxEntry) -> Position {
        self.last_position += 1;
        let position = Position(self.last_position);
        let NewInboxEntry { partition, received_at, payload } = entry;
        self.inbox.insert(position, (partition, InboxEntry { position, received_at, payload }));
        position
    }
}
