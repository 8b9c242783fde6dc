//! The data of a shard as a store sees it: opaque blocks and a few plain rows. A store needs no more than to keep these, to write a
//! batch as one transaction behind its fence, and to answer the reads of `Need`.

use crate::block::{Entry, Kind, PlaceId, Scope};
use crate::{Position, Slot};

/// The primary key of a block, besides its partition (rule 3). Its order is that in which a slot is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId {
    pub slot: Slot,
    pub kind: Kind,
    pub batch: i64,
    pub n: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockRow {
    pub id: BlockId,
    /// No key in the block lies outside of these, so that one timer is found without reading all blocks of its slot.
    pub first_key: i64,
    pub last_key: i64,
    pub count: u32,
    pub data: Vec<u8>,
}

/// Where a timer is that has an id of its own, or that was moved, paused or retried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub id: PlaceId,
    pub key: i64,
    pub due_ms: i64,
    /// The due time that its generated id carries: a finished timer is remembered until the mark has passed it.
    pub id_due_ms: i64,
    pub generation: u32,
    pub state: PlaceState,
}

/// The numbers are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PlaceState {
    Scheduled = 0,
    Paused = 1,
    /// Fired or cancelled.
    Done = 2,
}

impl PlaceState {
    pub fn code(self) -> u8 {
        self as u8
    }

    pub fn from_code(code: u8) -> Option<PlaceState> {
        let all = [PlaceState::Scheduled, PlaceState::Paused, PlaceState::Done];
        all.into_iter().find(|state| state.code() == code)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaceChange {
    Put(Place),
    /// Deletes the row if it is still of this key: the id may have been given to another timer since.
    Delete {
        id: PlaceId,
        key: i64,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetRow {
    pub id: u32,
    pub hash: u128,
    pub lane: u32,
    pub data: Vec<u8>,
}

/// Deliveries of a lane never wait for those of another. Timers of this one are told to nobody.
pub const LANE_OF_NOBODY: u32 = 0;
/// Timers of this lane become commands in the commit that fires them, so that they take effect exactly once.
pub const LANE_OF_COMMANDS: u32 = 1;
/// Deliveries of this lane and all behind it are kept in rows until somebody has taken them.
pub const FIRST_KEPT_LANE: u32 = 2;

/// The primary key of a row of deliveries, besides its partition. Its order within a lane is that of firing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DeliveryId {
    pub lane: u32,
    pub batch: i64,
    pub n: u32,
}

/// Timers that have fired, packed as a block of entries; one row for each lane and batch, or more if they are many.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeliveryRow {
    pub id: DeliveryId,
    pub first_key: i64,
    pub count: u32,
    pub data: Vec<u8>,
}

/// A timer whose delivery was given up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailureRow {
    pub key: i64,
    pub generation: u32,
    pub at_ms: i64,
    pub reason: String,
    /// A block with the timer as its only entry.
    pub data: Vec<u8>,
}

/// The primary key of a failure, besides its partition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FailureId {
    pub key: i64,
    pub generation: u32,
}

/// A namespace that was paused. Timers that fall due meanwhile are parked (rule 6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pause {
    /// Timers up to here had fired before.
    pub since: Position,
    /// Timers that were parked are being fired.
    pub is_resuming: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fence {
    pub partition: u32,
    pub epoch: u64,
}

/// All that one commit writes; nothing of it without the rest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    pub fence: Fence,
    pub id: i64,
    pub at_ms: i64,
    pub highest_key: i64,
    /// Every timer up to here has fired, was cancelled or is parked.
    pub mark: Position,
    pub block_inserts: Vec<BlockRow>,
    pub block_deletes: Vec<BlockId>,
    pub places: Vec<PlaceChange>,
    pub targets: Vec<TargetRow>,
    pub deliveries: Vec<DeliveryRow>,
    pub delivery_deletes: Vec<DeliveryId>,
    /// Timers that fire as commands. The driver writes the commands of their targets with this batch.
    pub commands: Vec<Entry>,
    pub failures: Vec<FailureRow>,
    /// Written before `failures`.
    pub failure_deletes: Vec<FailureId>,
    /// The number of timers that fire with this batch, in all lanes.
    pub fired: usize,
    /// The earliest due time of those.
    pub first_due_ms: Option<i64>,
    pub namespaces: Vec<(Scope, Option<Pause>)>,
}

/// The rows that a new owner reads first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recovered {
    pub fence: Fence,
    pub last_batch: i64,
    pub highest_key: i64,
    pub mark: Position,
    pub namespaces: Vec<(Scope, Pause)>,
    /// Id, hash and lane of each target.
    pub targets: Vec<(u32, u128, u32)>,
}

/// Something that the shard must know. The driver asks the store and hands the answer in under the same number; it
/// tries again by itself when the store fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// The last batch, namespaces and targets. Answered by `Supply::Recovered`.
    Recover,
    /// Asks whether a batch was written, after no older transaction of this owner can land any more. Answered by `Settled`.
    Settle { batch: i64 },
    /// Places of generated ids behind this one, in order. Answered by `Supply::Places`.
    Places { after: Option<PlaceId> },
    /// The place of an id. Answered by `Supply::Place`.
    Place(PlaceId),
    /// The first slot of a level, from this number on, that has a block. Answered by `Supply::First`.
    First { level: u8, from: i64 },
    /// Blocks of a slot in the order of their ids, behind `after`, not of later batches than `up_to_batch`; as many as
    /// have `entries_max` entries, but one at least. Answered by `Supply::Blocks`.
    Blocks { slot: Slot, after: Option<BlockId>, up_to_batch: i64, entries_max: usize },
    /// The blocks of all levels whose slot contains the due time and whose keys may include the key. The coarsest level
    /// comes first, because timers move only to finer ones; then in the order of ids. Answered by `Supply::Blocks`.
    Find { position: Position, after: Option<BlockId>, entries_max: usize },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Supply {
    Recovered(Recovered),
    Settled { was_written: bool, fence: Fence },
    Places { rows: Vec<Place>, is_last: bool },
    Place(Option<Place>),
    First(Option<i64>),
    Blocks { rows: Vec<BlockRow>, is_last: bool },
}

/// The fate of a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Commit {
    Written,
    NotWritten,
    /// The connection was lost: the store must be asked.
    Unknown,
    /// Another owner has taken over.
    Fenced,
}
