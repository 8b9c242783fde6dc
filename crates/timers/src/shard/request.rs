//! Requests of clients to a shard, and its answers.

use super::rows::{DeliveryId, FailureId, Place};
use crate::block::{Entry, Flags, PlaceId, Scope};
use std::borrow::Cow;
use std::sync::Arc;

/// Names the receiver of an answer; the driver chooses it.
pub type Ticket = u64;

/// The name of a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    /// A generated id carries the key and the due time at which the timer was stored.
    Generated {
        key: i64,
        due_ms: i64,
    },
    Own(PlaceId),
}

impl Address {
    pub fn place_id(self) -> PlaceId {
        match self {
            Address::Generated { key, due_ms } => PlaceId::of_generated(key, due_ms),
            Address::Own(id) => id,
        }
    }
}

/// Where deliveries go: opaque but for the lane, which keeps slow receivers from holding up others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub lane: u32,
    pub data: Arc<[u8]>,
}

/// The fate of a timer that has the same id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Replace,
    Keep,
    Fail,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Create {
    pub own_id: Option<PlaceId>,
    pub mode: Mode,
    pub scope: Arc<Scope>,
    pub due_ms: i64,
    /// When it is meant to fire, if that is not the due time.
    pub scheduled_ms: Option<i64>,
    pub target: Target,
    pub flags: Flags,
    pub payload: Box<[u8]>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    Create(Create),
    /// Many timers with generated ids: far cheaper than one by one. Answered by `Answer::All`.
    CreateAll(Arc<[Create]>),
    Cancel {
        address: Address,
        scope: Arc<Scope>,
    },
    /// Answered by `Answer::Found`.
    Get {
        address: Address,
        scope: Arc<Scope>,
    },
    Move {
        address: Address,
        due_ms: i64,
    },
    Pause {
        address: Address,
    },
    Resume {
        address: Address,
    },
    Trigger {
        address: Address,
    },
    /// A row of deliveries was taken by its receiver as a whole.
    Delivered(DeliveryId),
    /// A row of deliveries is done with. Answered by `Answer::All`, with the key of each retry.
    Settle(Arc<Settle>),
    /// A timer that was given up is tried again, from its first attempt on and under a new key: its id may be another
    /// timer's by now.
    Revive {
        entry: Box<Entry>,
        due_ms: i64,
    },
    /// A timer that was given up is forgotten.
    Bury(FailureId),
    PauseNamespace(Arc<Scope>),
    ResumeNamespace(Arc<Scope>),
}

/// The outcome of a row of deliveries, in one commit: a crash repeats all of it or nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settle {
    pub row: DeliveryId,
    pub retries: Vec<Retry>,
    /// Deliveries that have failed for good.
    pub failures: Vec<(Entry, Arc<str>)>,
    /// Entries that nobody has begun to deliver: they go to the end of their lane.
    pub returned: Vec<Entry>,
}

/// A delivery that is tried again at another time. It comes back under a new key: the timer itself has fired, and its next occurrence
/// may be waiting already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Retry {
    /// The timer as it shall be then.
    pub entry: Entry,
    pub due_ms: i64,
    /// The id of its timer, by which it can be found and cancelled until then, unless another timer has that id.
    pub of: PlaceId,
}

impl Settle {
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        let retries = self.retries.iter().map(|retry| &retry.entry);
        retries.chain(self.failures.iter().map(|(entry, _)| entry)).chain(&self.returned)
    }
}

impl Request {
    /// Requests about the same timer run one after another.
    pub(super) fn about(&self) -> Option<PlaceId> {
        match self {
            Request::Create(create) => create.own_id,
            Request::Cancel { address, .. }
            | Request::Get { address, .. }
            | Request::Move { address, .. }
            | Request::Pause { address }
            | Request::Resume { address }
            | Request::Trigger { address } => Some(address.place_id()),
            Request::CreateAll(_)
            | Request::Delivered(_)
            | Request::Revive { .. }
            | Request::Bury(_)
            | Request::Settle(_)
            | Request::PauseNamespace(_)
            | Request::ResumeNamespace(_) => None,
        }
    }

    pub(super) fn is_bulk(&self) -> bool {
        matches!(self, Request::CreateAll(_))
    }

    pub(super) fn bytes(&self) -> usize {
        let heap = match self {
            Request::Create(create) => create.payload.len(),
            Request::CreateAll(creates) => {
                creates.iter().map(|create| size_of::<Create>() + create.payload.len()).sum()
            }
            Request::Revive { entry, .. } => entry.bytes(),
            Request::Settle(settle) => settle.entries().map(Entry::bytes).sum(),
            _ => 0,
        };
        size_of::<Request>() + heap
    }
}

/// A request and who sent it. If a commit fails, works run again in the order of their arrival.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) arrival: u64,
    pub(super) ticket: Ticket,
    pub(super) request: Request,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The key, and the due time that its id carries.
    Created {
        key: i64,
        due_ms: i64,
    },
    /// One answer for each of many.
    All(Vec<Answer>),
    /// A timer of this id is there already.
    Exists(Place),
    /// The timer, and whether it is paused: alone or with its namespace.
    Found {
        entry: Box<Entry>,
        is_paused: bool,
    },
    Done,
    /// Its time has passed: it has fired, is being fired, or was cancelled before.
    Gone,
    NotFound,
    /// It is in a state in which this cannot be done.
    Refused(Cow<'static, str>),
    /// Another owner has taken over before this was begun: it may be sent there.
    Moved,
    /// Another owner has taken over while this was being written: nobody knows here.
    Unknown,
}

impl Answer {
    pub(super) fn found(entry: Entry, is_paused: bool) -> Answer {
        Answer::Found { entry: Box::new(entry), is_paused }
    }
}

/// Too much is waiting; the client should come back later.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("Expected room for another request, but the shard's memory is in use; try again later")]
pub struct Busy;
