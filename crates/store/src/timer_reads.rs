//! Reads of service timers for those who search and operate. They go past the shards, straight to the rows.

use crate::Result;
use async_trait::async_trait;
use tidemill_model::PartitionId;
use tidemill_timers::block::{Kind, PlaceId, Scope};
use tidemill_timers::shard::{BlockId, BlockRow, FailureId, FailureRow, Pause, Place};
use tidemill_timers::{Position, Slot};

/// A shard as its last commit has left it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardState {
    pub last_batch: i64,
    pub highest_key: i64,
    /// Every timer up to here has fired, was cancelled or is parked.
    pub mark: Position,
    pub namespaces: Vec<(Scope, Pause)>,
}

/// Blocks of one level and kind in a range of slots, in the order of slot, batch and number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockRange {
    pub level: u8,
    pub kind: Kind,
    pub first_slot: i64,
    /// Part of the range.
    pub last_slot: i64,
    /// Only blocks of later batches than this.
    /// A search that has read a slot before looks once more for what was added since.
    pub batches_after: i64,
    /// Blocks behind this one.
    pub after: Option<BlockId>,
    pub blocks_max: usize,
}

/// The blocks of one kind in one slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SlotUse {
    pub slot: Slot,
    pub kind: Kind,
    pub blocks: u64,
    pub entries: u64,
    pub bytes: u64,
}

/// Deliveries that wait in a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneUse {
    pub lane: u32,
    pub rows: u64,
    pub entries: u64,
}

#[async_trait]
pub trait TimerReads: Send + Sync {
    async fn timer_shard(&self, partition: PartitionId) -> Result<ShardState>;

    async fn timer_blocks(&self, partition: PartitionId, range: BlockRange) -> Result<Vec<BlockRow>>;

    /// One row for each slot and kind, in order, behind this one.
    async fn timer_slots(
        &self,
        partition: PartitionId,
        after: Option<(Slot, Kind)>,
        rows_max: usize,
    ) -> Result<Vec<SlotUse>>;

    /// The lanes that have deliveries, in order; the first thousand of them.
    async fn timer_lanes(&self, partition: PartitionId) -> Result<Vec<LaneUse>>;

    /// Timers that were given up, in the order of their ids, behind this one.
    async fn timer_failures(
        &self,
        partition: PartitionId,
        after: Option<FailureId>,
        rows_max: usize,
    ) -> Result<Vec<FailureRow>>;

    /// The places of those ids that have one.
    async fn timer_places(&self, partition: PartitionId, ids: &[PlaceId]) -> Result<Vec<Place>>;
}
