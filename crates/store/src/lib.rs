//! The contract of a store: small traits named for what they do, the batch that a partition commits,
//! the query language of searches and the views they give back. Every store passes `store-conformance`.

mod batch;
#[doc(hidden)]
pub mod codec;
mod commit;
mod dead_letters;
mod definitions;
mod envelope;
mod error;
mod events;
mod inbox;
mod inspect;
mod load;
mod maintenance;
mod ownership;
mod pool_meter;
pub mod query;
pub mod rows;
mod timer_reads;
mod timer_shards;
mod timers;
pub mod view;
mod wakeup;

pub use batch::{
    Batch, BatchId, CommandResult, Committed, DELETED_ROWS_MAX, DeadLetter, Fence, FiredTimers, HolderId,
    IdempotentAnswer,
};
pub use codec::{CodecError, Packed, pack, pack_commands, pack_entities, packed_len, unpack};
pub use commit::Commit;
pub use dead_letters::{DeadLetters, LetterNumber, StoredLetter};
pub use definitions::{Definitions, Lookup};
pub use envelope::{Envelope, KeptAnswer, StoredIdempotency};
pub use error::{Culprit, Error, Result};
pub use events::{EVENT_ROWS_MAX, Event, EventKind, Events, events};
pub use inbox::{CommandOutcome, Inbox, InboxEntry, NewInboxEntry, Position};
pub use inspect::{Amount, DAY_MS, Inspect, LAG_COUNT_MAX, Lag, LogRange, LoggedBatch, Purpose, Room};
pub use load::{INSTANCE_ENTITIES_MAX, LIST_ROWS_MAX, Load, Loaded};
pub use maintenance::{Kept, Maintenance, Retention};
pub use ownership::{KEYS_PER_BLOCK, KeyBlock, NodeInfo, Owned, Ownership, PartitionState};
pub use pool_meter::{Held, PoolMeter, PoolUse};
pub use query::{Query, Searches};
pub use timer_reads::{BlockRange, LaneUse, ShardState, SlotUse, TimerReads};
pub use timer_shards::{DeliveryPage, Supply, TIMER_BATCHES_KEPT, TimerBatch, TimerNeed, TimerShards};
pub use timers::{TimerPage, TimerPosition, TimerStore};
pub use wakeup::Wakeup;

/// All that a server needs; held as `Arc<dyn Store>`.
pub trait Store:
    Inbox
    + Commit
    + Load
    + Query
    + Definitions
    + TimerStore
    + TimerShards
    + TimerReads
    + Ownership
    + Wakeup
    + Maintenance
    + DeadLetters
    + Inspect
{
}

impl<S> Store for S where
    S: Inbox
        + Commit
        + Load
        + Query
        + Definitions
        + TimerStore
        + TimerShards
        + TimerReads
        + Ownership
        + Wakeup
        + Maintenance
        + DeadLetters
        + Inspect
{
}

#[cfg(test)]
mod tests {
    /// Compiles only while a server can hold any store behind a pointer.
    #[test]
    fn a_store_can_be_held_as_a_trait_object() {
        fn takes(_: Option<std::sync::Arc<dyn super::Store>>) {}
        takes(None);
    }
}
