//! Timers as a service: makes, finds and changes timers wherever their partition is. Protocols such as REST stand before it.

mod counts;
mod dead_letters;
mod new_timer;
mod plain_line;
mod search;
mod stats;
mod streams;
mod tombstones;
mod view;

pub use counts::{Counts, SlotCount};
pub use dead_letters::{DeadLetter, LetterId};
pub use new_timer::{
    Circumstances, DEFAULT_NAMESPACE, LastLine, NAMESPACE_BYTES_MAX, NewTimer, PAYLOAD_BYTES_MAX, read_move,
};
pub use search::{PayloadTest, Search, SearchPage};
pub use stats::{BlockView, PartitionStats, SLOTS_MAX, SlotView};
pub use view::{TimerState, TimerView};

use crate::broker::CommandError;
use crate::node::Node;
use crate::timers::id::{self, TimerAddress};
use futures_util::future::{join_all, try_join_all};
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::PartitionId;
use tidemill_timers::block::Scope;
use tidemill_timers::shard::{Address, Answer, Create, Mode, Request};

/// Bytes of timers that go to a partition together. A shard takes an eighth of its memory at once.
const BULK_BYTES_MAX: usize = 100 << 10;
const BULK_TIMERS_MAX: usize = 2_000;

#[derive(Clone)]
pub struct TimerService {
    node: Arc<Node>,
}

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum TimerFailure {
    #[error("Expected a timer with id '{0}', but there is none")]
    NotFound(String),
    #[error("Expected to change timer '{0}', but its time has passed: it has fired or was cancelled")]
    Gone(String),
    #[error("Expected no timer with id '{0}', but there is one")]
    Exists(String),
    #[error("Expected to carry it out, but {0}")]
    Refused(String),
    #[error("Expected a cursor of an earlier answer, but it cannot be read")]
    BadCursor,
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Store(#[from] tidemill_store::Error),
}

/// A timer that was made, or was there already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    pub id: String,
    /// When it is due.
    pub due_ms: i64,
    /// False where a timer of this id was there already and was kept.
    pub is_new: bool,
}

/// The outcome of a cancellation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cancelled {
    Cancelled,
    /// Its time has passed.
    Fired,
    /// There is no timer of this id.
    Absent,
}

/// A change of a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Move { due_ms: i64 },
    Pause,
    Resume,
    Trigger,
}

impl TimerService {
    pub fn new(node: Arc<Node>) -> TimerService {
        TimerService { node }
    }

    /// The store's time.
    pub fn now_ms(&self) -> i64 {
        self.node.timer_now().0
    }

    pub async fn create(&self, timer: NewTimer) -> Result<Made, TimerFailure> {
        let mut made = self.create_all(vec![timer]).await;
        made.pop().unwrap_or_else(|| Err(TimerFailure::Refused("nothing was answered".to_owned())))
    }

    /// Makes many timers, each with its own outcome, in the order in which they were given. Those with generated ids go to one
    /// partition together.
    pub async fn create_all(&self, timers: Vec<NewTimer>) -> Vec<Result<Made, TimerFailure>> {
        let mut outcomes: Vec<Option<Result<Made, TimerFailure>>> = timers.iter().map(|_| None).collect();
        let (mut generated, mut own) = (Vec::new(), Vec::new());
        for (nth, timer) in timers.into_iter().enumerate() {
            match &timer.own_id {
                Some(_) => own.push((nth, timer)),
                None => generated.push((nth, timer)),
            }
        }
        let own = join_all(own.into_iter().map(async |(nth, timer)| (nth, self.create_own(timer).await)));
        let bulks = join_all(bulks(generated).into_iter().map(|bulk| self.create_bulk(bulk)));
        let (own, bulks) = futures_util::future::join(own, bulks).await;
        for (nth, outcome) in own.into_iter().chain(bulks.into_iter().flatten()) {
            outcomes[nth] = Some(outcome);
        }
        let missing = || Err(TimerFailure::Refused("nothing was answered".to_owned()));
        outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(missing)).collect()
    }

    async fn create_own(&self, timer: NewTimer) -> Result<Made, TimerFailure> {
        let id = timer.own_id.clone().unwrap_or_default();
        let TimerAddress { partition, address } = id::own(&timer.scope, &id, self.node.timer_partitions());
        let Address::Own(place) = address else { return Err(TimerFailure::NotFound(id)) };
        let mode = timer.mode;
        let create = Create { own_id: Some(place), ..to_create(timer) };
        match self.node.ask_timers(partition, Request::Create(create)).await? {
            Answer::Created { due_ms, .. } => Ok(Made { id, due_ms, is_new: true }),
            Answer::Exists(_) if mode == Mode::Fail => Err(TimerFailure::Exists(id)),
            Answer::Exists(place) => Ok(Made { id, due_ms: place.due_ms, is_new: false }),
            other => Err(unexpected(id, other)),
        }
    }

    async fn create_bulk(&self, bulk: Vec<(usize, NewTimer)>) -> Vec<(usize, Result<Made, TimerFailure>)> {
        let partition = self.node.any_timer_partition();
        let scopes: Vec<(usize, Arc<Scope>)> =
            bulk.iter().map(|(nth, timer)| (*nth, timer.scope.clone())).collect();
        let creates: Arc<[Create]> = bulk.into_iter().map(|(_, timer)| to_create(timer)).collect();
        let answers = match self.node.ask_timers(partition, Request::CreateAll(creates)).await {
            Ok(Answer::All(answers)) => answers,
            Ok(other) => {
                let failed = |(nth, _): (usize, _)| (nth, Err(unexpected(String::new(), other.clone())));
                return scopes.into_iter().map(failed).collect();
            }
            Err(error) => {
                let failed = |(nth, _): (usize, _)| (nth, Err(TimerFailure::Command(error.clone())));
                return scopes.into_iter().map(failed).collect();
            }
        };
        let made = |((nth, scope), answer): ((usize, Arc<Scope>), Answer)| match answer {
            Answer::Created { key, due_ms } => {
                let id = id::generated(&scope, partition, key, due_ms);
                (nth, Ok(Made { id, due_ms, is_new: true }))
            }
            other => (nth, Err(unexpected(String::new(), other))),
        };
        scopes.into_iter().zip(answers).map(made).collect()
    }

    pub async fn get(&self, scope: &Arc<Scope>, id: &str) -> Result<TimerView, TimerFailure> {
        let TimerAddress { partition, address } = self.find(scope, id)?;
        let request = Request::Get { address, scope: scope.clone() };
        match self.node.ask_timers(partition, request).await? {
            Answer::Found { entry, is_paused } => {
                let state = if is_paused { TimerState::Paused } else { TimerState::Scheduled };
                let targets = self.targets(partition, [entry.target]).await?;
                Ok(TimerView::of(partition, *entry, state, &targets))
            }
            other => Err(unexpected(id.to_owned(), other)),
        }
    }

    pub async fn cancel(&self, scope: &Arc<Scope>, id: &str) -> Result<Cancelled, TimerFailure> {
        let Ok(TimerAddress { partition, address }) = self.find(scope, id) else {
            return Ok(Cancelled::Absent);
        };
        let request = Request::Cancel { address, scope: scope.clone() };
        match self.node.ask_timers(partition, request).await? {
            Answer::Done => Ok(Cancelled::Cancelled),
            Answer::Gone => Ok(Cancelled::Fired),
            Answer::NotFound => Ok(Cancelled::Absent),
            other => Err(unexpected(id.to_owned(), other)),
        }
    }

    pub async fn change(&self, scope: &Arc<Scope>, id: &str, change: Change) -> Result<(), TimerFailure> {
        let TimerAddress { partition, address } = self.find(scope, id)?;
        let request = match change {
            Change::Move { due_ms } => Request::Move { address, due_ms },
            Change::Pause => Request::Pause { address },
            Change::Resume => Request::Resume { address },
            Change::Trigger => Request::Trigger { address },
        };
        match self.node.ask_timers(partition, request).await? {
            Answer::Done => Ok(()),
            other => Err(unexpected(id.to_owned(), other)),
        }
    }

    /// Timers of the namespace that fall due meanwhile wait, and fire when it is resumed.
    pub async fn pause_namespace(&self, scope: &Arc<Scope>, is_paused: bool) -> Result<(), TimerFailure> {
        let request = match is_paused {
            true => Request::PauseNamespace(scope.clone()),
            false => Request::ResumeNamespace(scope.clone()),
        };
        let asked = self.partitions().map(|partition| self.node.ask_timers(partition, request.clone()));
        for answer in try_join_all(asked).await? {
            if answer != Answer::Done {
                return Err(unexpected(String::new(), answer));
            }
        }
        Ok(())
    }

    /// The namespaces of a tenant that are paused.
    pub async fn paused_namespaces(&self, tenant: &str) -> Result<Vec<String>, TimerFailure> {
        let store = self.node.timer_store();
        let mut names = BTreeMap::new();
        for partition in self.partitions() {
            for (scope, pause) in store.timer_shard(partition).await?.namespaces {
                if scope.tenant == tenant && !pause.is_resuming {
                    names.insert(scope.namespace, ());
                }
            }
        }
        Ok(names.into_keys().collect())
    }

    fn partitions(&self) -> impl Iterator<Item = PartitionId> {
        self.node.timer_partitions().ids()
    }

    fn find(&self, scope: &Scope, id: &str) -> Result<TimerAddress, TimerFailure> {
        id::find(scope, id, self.node.timer_partitions()).ok_or_else(|| TimerFailure::NotFound(id.to_owned()))
    }
}

fn to_create(timer: NewTimer) -> Create {
    let NewTimer { scope, mode, due_ms, scheduled_ms, target, flags, payload, .. } = timer;
    Create { own_id: None, mode, scope, due_ms, scheduled_ms: Some(scheduled_ms), target, flags, payload }
}

fn unexpected(id: String, answer: Answer) -> TimerFailure {
    match answer {
        Answer::NotFound => TimerFailure::NotFound(id),
        Answer::Gone => TimerFailure::Gone(id),
        Answer::Refused(reason) => TimerFailure::Refused(reason.into_owned()),
        other => TimerFailure::Refused(format!("the shard has answered something else: {other:?}")),
    }
}

/// Parts that a shard takes at once.
fn bulks(timers: Vec<(usize, NewTimer)>) -> Vec<Vec<(usize, NewTimer)>> {
    let (mut bulks, mut bytes) = (Vec::<Vec<(usize, NewTimer)>>::new(), 0);
    for (nth, timer) in timers {
        let own = size_of::<Create>() + timer.payload.len();
        bytes += own;
        match bulks.last_mut().filter(|bulk| bytes <= BULK_BYTES_MAX && bulk.len() < BULK_TIMERS_MAX) {
            Some(bulk) => bulk.push((nth, timer)),
            None => {
                bytes = own;
                bulks.push(vec![(nth, timer)]);
            }
        }
    }
    bulks
}
