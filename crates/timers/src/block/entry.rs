//! Entries of blocks: timers with all that their delivery needs, and cancellations.

use crate::Position;
use std::sync::Arc;

/// Whose timer it is. Part of every entry, target and delivery, so that tenants never meet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Scope {
    pub tenant: String,
    pub namespace: String,
}

/// The primary key of a place row. A timer with an id of its own has the hash of tenant, namespace and id, with the
/// highest bit set; one with a generated id has its key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlaceId(pub u128);

impl PlaceId {
    pub fn of_key(key: i64) -> PlaceId {
        PlaceId(u128::from(key as u64))
    }

    pub fn of_own_id(hash: u128) -> PlaceId {
        PlaceId(hash | 1 << 127)
    }

    /// True for a timer that a client has named.
    pub fn is_own(self) -> bool {
        self.0 >> 127 == 1
    }
}

/// Marks of a timer that the shard does not look at: they travel with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags(pub u32);

/// A timer in a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub key: i64,
    /// When it fires: the asked time, or later where the mark had passed that (rule 1).
    pub due_ms: i64,
    /// When it was meant to fire.
    pub scheduled_ms: i64,
    /// Rises with each move, pause and retry; a tombstone kills only lower ones (rule 2).
    pub generation: u32,
    pub attempt: u32,
    pub target: u32,
    pub flags: Flags,
    pub scope: Arc<Scope>,
    /// Of its row among the places, if it has one.
    pub place: Option<PlaceId>,
    pub payload: Box<[u8]>,
}

impl Entry {
    pub fn position(&self) -> Position {
        Position::new(self.due_ms, self.key)
    }

    /// Memory that it occupies, its share of the scope left out: that is shared by all of a block.
    pub fn bytes(&self) -> usize {
        size_of::<Entry>() + self.payload.len()
    }
}

/// The cancellation of a timer, stored in the slot of the timer that it kills.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tombstone {
    pub key: i64,
    pub due_ms: i64,
    /// Kills the generations of its key below this one.
    pub generation: u32,
}

impl Tombstone {
    pub fn kills(&self, entry: &Entry) -> bool {
        self.key == entry.key && entry.generation < self.generation
    }

    pub fn position(&self) -> Position {
        Position::new(self.due_ms, self.key)
    }
}
