//! Requests to timers of other nodes, and their answers, as they travel.

use crate::broker::CommandError;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tidemill_timers::block::{self, Block, Entry, Flags, PlaceId, Scope};
use tidemill_timers::shard::{
    Address, Answer, Create, DeliveryId, FailureId, Mode, Place, PlaceState, Request, Settle, Target,
};

#[derive(Serialize, Deserialize, Clone, Debug)]
pub(crate) enum WireRequest {
    Create(WireCreate),
    CreateAll(Vec<WireCreate>),
    Act {
        act: Act,
        address: WireAddress,
        scope: WireScope,
    },
    Revive {
        entry: Vec<u8>,
        due_ms: i64,
    },
    Bury {
        key: i64,
        generation: u32,
    },
    Namespace {
        scope: WireScope,
        is_paused: bool,
    },
    /// A row of a stream was read. The entries of others in it are kept, as a block.
    Read {
        lane: u32,
        batch: i64,
        n: u32,
        kept: Option<Vec<u8>>,
    },
}

#[derive(Serialize, Deserialize, Clone, Copy, Debug)]
pub(crate) enum Act {
    Cancel,
    Get,
    Move { due_ms: i64 },
    Pause,
    Resume,
    Trigger,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
pub(crate) struct WireScope {
    tenant: String,
    namespace: String,
}

#[derive(Serialize, Deserialize, Clone, Copy, Debug)]
pub(crate) enum WireAddress {
    Generated { key: i64, due_ms: i64 },
    Own(u64, u64),
}

#[derive(Serialize, Deserialize, Clone, Debug)]
pub(crate) struct WireCreate {
    own_id: Option<(u64, u64)>,
    mode: u8,
    scope: WireScope,
    due_ms: i64,
    scheduled_ms: Option<i64>,
    lane: u32,
    target: Vec<u8>,
    flags: u32,
    payload: Vec<u8>,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
pub(crate) enum WireAnswer {
    Created { key: i64, due_ms: i64 },
    All(Vec<WireAnswer>),
    Exists { id: (u64, u64), key: i64, due_ms: i64, id_due_ms: i64, generation: u32, state: u8 },
    Found { entry: Vec<u8>, is_paused: bool },
    Done,
    Gone,
    NotFound,
    Refused(String),
    Moved,
    Unknown,
}

fn halves(id: PlaceId) -> (u64, u64) {
    ((id.0 >> 64) as u64, id.0 as u64)
}

fn whole((high, low): (u64, u64)) -> PlaceId {
    PlaceId(u128::from(high) << 64 | u128::from(low))
}

fn unreadable(what: &str) -> CommandError {
    CommandError::Internal(format!("Expected to understand another node, but {what} cannot be read"))
}

/// As a block with one entry.
pub(crate) fn pack_entry(entry: Entry) -> Option<Vec<u8>> {
    block::encode(&mut Block::Entries(vec![entry])).ok()
}

pub(crate) fn unpack_entry(bytes: &[u8]) -> Option<Entry> {
    match block::decode(bytes).ok()? {
        Block::Entries(mut entries) | Block::Paused(mut entries) => entries.pop(),
        Block::Tombstones(_) => None,
    }
}

impl From<&Scope> for WireScope {
    fn from(scope: &Scope) -> WireScope {
        WireScope { tenant: scope.tenant.clone(), namespace: scope.namespace.clone() }
    }
}

impl WireScope {
    fn read(self) -> Arc<Scope> {
        Arc::new(Scope { tenant: self.tenant, namespace: self.namespace })
    }
}

impl WireAddress {
    fn of(address: Address) -> WireAddress {
        match address {
            Address::Generated { key, due_ms } => WireAddress::Generated { key, due_ms },
            Address::Own(id) => WireAddress::Own(halves(id).0, halves(id).1),
        }
    }

    fn read(self) -> Address {
        match self {
            WireAddress::Generated { key, due_ms } => Address::Generated { key, due_ms },
            WireAddress::Own(high, low) => Address::Own(whole((high, low))),
        }
    }
}

const MODES: [Mode; 3] = [Mode::Replace, Mode::Keep, Mode::Fail];

impl WireCreate {
    fn of(create: &Create) -> WireCreate {
        let mode = MODES.iter().position(|mode| *mode == create.mode).unwrap_or_default() as u8;
        WireCreate {
            own_id: create.own_id.map(halves),
            mode,
            scope: (&*create.scope).into(),
            due_ms: create.due_ms,
            scheduled_ms: create.scheduled_ms,
            lane: create.target.lane,
            target: create.target.data.to_vec(),
            flags: create.flags.0,
            payload: create.payload.to_vec(),
        }
    }

    fn read(self) -> Result<Create, CommandError> {
        let mode = MODES.get(usize::from(self.mode)).copied();
        Ok(Create {
            own_id: self.own_id.map(whole),
            mode: mode.ok_or_else(|| unreadable("the mode of a timer"))?,
            scope: self.scope.read(),
            due_ms: self.due_ms,
            scheduled_ms: self.scheduled_ms,
            target: Target { lane: self.lane, data: self.target.into() },
            flags: Flags(self.flags),
            payload: self.payload.into(),
        })
    }
}

impl WireRequest {
    /// None for what only the owner of a partition asks of its own timers.
    pub(crate) fn of(request: &Request) -> Option<WireRequest> {
        let nobody = Arc::<Scope>::default();
        let act = |act, address: &Address, scope: &Arc<Scope>| WireRequest::Act {
            act,
            address: WireAddress::of(*address),
            scope: (&**scope).into(),
        };
        Some(match request {
            Request::Create(create) => WireRequest::Create(WireCreate::of(create)),
            Request::CreateAll(creates) => {
                WireRequest::CreateAll(creates.iter().map(WireCreate::of).collect())
            }
            Request::Cancel { address, scope } => act(Act::Cancel, address, scope),
            Request::Get { address, scope } => act(Act::Get, address, scope),
            Request::Move { address, due_ms } => act(Act::Move { due_ms: *due_ms }, address, &nobody),
            Request::Pause { address } => act(Act::Pause, address, &nobody),
            Request::Resume { address } => act(Act::Resume, address, &nobody),
            Request::Trigger { address } => act(Act::Trigger, address, &nobody),
            Request::Revive { entry, due_ms } => {
                WireRequest::Revive { entry: pack_entry(Entry::clone(entry))?, due_ms: *due_ms }
            }
            Request::Bury(FailureId { key, generation }) => {
                WireRequest::Bury { key: *key, generation: *generation }
            }
            Request::PauseNamespace(scope) => {
                WireRequest::Namespace { scope: (&**scope).into(), is_paused: true }
            }
            Request::ResumeNamespace(scope) => {
                WireRequest::Namespace { scope: (&**scope).into(), is_paused: false }
            }
            Request::Settle(settle) if settle.retries.is_empty() && settle.failures.is_empty() => {
                let kept = match settle.returned.is_empty() {
                    true => None,
                    false => Some(block::encode(&mut Block::Entries(settle.returned.clone())).ok()?),
                };
                let DeliveryId { lane, batch, n } = settle.row;
                WireRequest::Read { lane, batch, n, kept }
            }
            _ => return None,
        })
    }

    pub(crate) fn read(self) -> Result<Request, CommandError> {
        Ok(match self {
            WireRequest::Create(create) => Request::Create(create.read()?),
            WireRequest::CreateAll(creates) => {
                let creates: Result<Vec<Create>, CommandError> =
                    creates.into_iter().map(WireCreate::read).collect();
                Request::CreateAll(creates?.into())
            }
            WireRequest::Act { act, address, scope } => {
                let (address, scope) = (address.read(), scope.read());
                match act {
                    Act::Cancel => Request::Cancel { address, scope },
                    Act::Get => Request::Get { address, scope },
                    Act::Move { due_ms } => Request::Move { address, due_ms },
                    Act::Pause => Request::Pause { address },
                    Act::Resume => Request::Resume { address },
                    Act::Trigger => Request::Trigger { address },
                }
            }
            WireRequest::Revive { entry, due_ms } => {
                let entry = unpack_entry(&entry).ok_or_else(|| unreadable("a timer"))?;
                Request::Revive { entry: Box::new(entry), due_ms }
            }
            WireRequest::Bury { key, generation } => Request::Bury(FailureId { key, generation }),
            WireRequest::Read { lane, batch, n, kept } => {
                let returned = match kept.map(|bytes| block::decode(&bytes)) {
                    None => Vec::new(),
                    Some(Ok(Block::Entries(entries))) => entries,
                    Some(_) => return Err(unreadable("a row of deliveries")),
                };
                let row = DeliveryId { lane, batch, n };
                let (retries, failures) = (Vec::new(), Vec::new());
                Request::Settle(Arc::new(Settle { row, retries, failures, returned }))
            }
            WireRequest::Namespace { scope, is_paused: true } => Request::PauseNamespace(scope.read()),
            WireRequest::Namespace { scope, is_paused: false } => Request::ResumeNamespace(scope.read()),
        })
    }
}

impl WireAnswer {
    pub(crate) fn of(answer: Answer) -> Result<WireAnswer, CommandError> {
        Ok(match answer {
            Answer::Created { key, due_ms } => WireAnswer::Created { key, due_ms },
            Answer::All(answers) => {
                WireAnswer::All(answers.into_iter().map(WireAnswer::of).collect::<Result<_, _>>()?)
            }
            Answer::Exists(Place { id, key, due_ms, id_due_ms, generation, state }) => {
                let (id, state) = (halves(id), state.code());
                WireAnswer::Exists { id, key, due_ms, id_due_ms, generation, state }
            }
            Answer::Found { entry, is_paused } => {
                let entry = pack_entry(*entry).ok_or_else(|| unreadable("a timer"))?;
                WireAnswer::Found { entry, is_paused }
            }
            Answer::Done => WireAnswer::Done,
            Answer::Gone => WireAnswer::Gone,
            Answer::NotFound => WireAnswer::NotFound,
            Answer::Refused(reason) => WireAnswer::Refused(reason.into_owned()),
            Answer::Moved => WireAnswer::Moved,
            Answer::Unknown => WireAnswer::Unknown,
        })
    }

    pub(crate) fn read(self) -> Result<Answer, CommandError> {
        Ok(match self {
            WireAnswer::Created { key, due_ms } => Answer::Created { key, due_ms },
            WireAnswer::All(answers) => {
                Answer::All(answers.into_iter().map(WireAnswer::read).collect::<Result<_, _>>()?)
            }
            WireAnswer::Exists { id, key, due_ms, id_due_ms, generation, state } => {
                let state = PlaceState::from_code(state).ok_or_else(|| unreadable("the state of a timer"))?;
                Answer::Exists(Place { id: whole(id), key, due_ms, id_due_ms, generation, state })
            }
            WireAnswer::Found { entry, is_paused } => {
                let entry = unpack_entry(&entry).ok_or_else(|| unreadable("a timer"))?;
                Answer::Found { entry: Box::new(entry), is_paused }
            }
            WireAnswer::Done => Answer::Done,
            WireAnswer::Gone => Answer::Gone,
            WireAnswer::NotFound => Answer::NotFound,
            WireAnswer::Refused(reason) => Answer::Refused(reason.into()),
            WireAnswer::Moved => Answer::Moved,
            WireAnswer::Unknown => Answer::Unknown,
        })
    }
}
