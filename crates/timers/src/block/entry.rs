//! Entries of blocks: timers with all that their delivery needs, and cancellations.

use crate::Position;
use std::sync::Arc;

/// The tenant and the namespace of a timer. It is a part of every entry, target and delivery, so that tenants never meet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Scope {
    pub tenant: String,
    pub namespace: String,
}

/// The primary key of a place row. A timer with an id of its own has the hash of tenant, namespace and id, with the
/// highest bit set; one with a generated id has what that carries: its key, and above that the due time. So an entry that
/// was moved still tells its id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlaceId(pub u128);

impl PlaceId {
    pub fn of_generated(key: i64, id_due_ms: i64) -> PlaceId {
        PlaceId(u128::from(id_due_ms as u64 & (u64::MAX >> 1)) << 64 | u128::from(key as u64))
    }

    /// The key and the due time of a generated id; none for an own id.
    pub fn generated(self) -> Option<(i64, i64)> {
        (!self.is_own()).then_some((self.0 as u64 as i64, (self.0 >> 64) as u64 as i64))
    }

    pub fn of_own_id(hash: u128) -> PlaceId {
        PlaceId(hash | 1 << 127)
    }

    /// Where a delivery is found that has failed and is tried again: beside the place of its timer, and looked up like that of an own id,
    /// because there may be many.
    pub fn of_retry(id: PlaceId) -> PlaceId {
        let half = |seed| u128::from(twox_hash::XxHash64::oneshot(seed, &id.0.to_le_bytes()));
        PlaceId::of_own_id(half(4) << 64 | half(5))
    }

    /// True for a timer that a client has named.
    pub fn is_own(self) -> bool {
        self.0 >> 127 == 1
    }
}

/// Marks of a timer that travel with it. The shard looks at those named here; the others belong to whoever creates timers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags(pub u32);

impl Flags {
    /// It comes again: when it fires, `Config::on_fire` tells what becomes of it and when the next occurrence is due.
    pub const REPEATS: Flags = Flags(2);
    /// A timer that was given up and is tried again, beside another that may have its id by now. Its place tells its id only.
    pub const DETACHED: Flags = Flags(4);
    /// No timer: it takes the place of an own id away, which is kept for a while after its timer has fired.
    pub const FORGETS: Flags = Flags(8);
    /// A delivery that has failed and is tried again. Its place is beside that of its timer.
    pub const TRIED: Flags = Flags(16);

    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    pub fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }
}

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

    /// Of its place, whether that has a row or not.
    pub fn place_id(&self) -> PlaceId {
        self.place.unwrap_or_else(|| PlaceId::of_generated(self.key, self.due_ms))
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
