//! Reads that the core asks for, done on the store.

use super::lease::Lease;
use crate::definitions::DefinitionCache;
use crate::metrics::Metrics;
use std::sync::Arc;
use std::time::Duration;
use tidemill_engine::InstanceEnd;
use tidemill_model::entity::InstanceState;
use tidemill_model::{DefinitionKey, Need, PartitionId, ProcessInstanceKey};
use tidemill_partition::{Brought, Event, LOOK_MS_MAX, Opened, Read, Recovered, noted_batch};
use tidemill_store::query::{Filter, Page, ProcessInstanceField, Search, Test, Value};
use tidemill_store::view::ProcessInstanceView;
use tidemill_store::{BatchId, Error, Fence, HolderId, LIST_ROWS_MAX, Owned, Result, Store};
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};
use tokio::time::Instant;

/// Pause between tries to reach a store that does not answer.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Times that a new owner looks at the store's clock again, because the answers took too long.
const LOOKS_MAX: usize = 5;

/// Held while commands run. A suspect runs while nothing else does in this process: who dies then has died of it.
pub(crate) type CommandLock = Arc<RwLock<()>>;

#[expect(dead_code, reason = "a guard is there to be held")]
pub(super) enum CommandGuard {
    Shared(OwnedRwLockReadGuard<()>),
    Alone(OwnedRwLockWriteGuard<()>),
}

/// The event that a read has led to, and the lock that was taken for it.
pub(super) struct Finished {
    pub(super) event: Event,
    /// Held until the commands that were noted are written.
    pub(super) guard: Option<CommandGuard>,
}

/// The store and the facts of the partition that reads need.
#[derive(Clone)]
pub(super) struct Reader {
    pub(super) store: Arc<dyn Store>,
    pub(super) definitions: Arc<DefinitionCache>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) id: PartitionId,
    pub(super) holder: HolderId,
    pub(super) lease: Arc<Lease>,
    pub(super) lease_ms: u64,
    pub(super) command_lock: CommandLock,
}

impl Reader {
    pub(super) async fn read(self, fence: Fence, read: Read) -> Finished {
        if let Read::Recovery { batch } = read {
            return Finished { event: self.recover(batch).await, guard: None };
        }
        let mut guard = None;
        let (name, began) = (name(&read), Instant::now());
        let event = match self.try_read(&fence, read, &mut guard).await {
            Ok(brought) => Event::Read(brought),
            Err(error) => Event::Failed(error),
        };
        self.metrics.store.call_times.with([name]).note(began.elapsed());
        if name == ROWS {
            self.metrics.engine.stage_times.with(["load"]).note(began.elapsed());
        }
        Finished { event, guard }
    }

    /// Takes processes that were deployed here into the cache, from where all partitions of the node have them.
    pub(super) async fn share_deployed(self, keys: Vec<DefinitionKey>) -> Finished {
        let mut processes = Vec::with_capacity(keys.len());
        for key in keys {
            // A process that cannot be read now is read when somebody needs it.
            let process = self.definitions.process(key).await.ok().flatten();
            processes.push((key, process));
        }
        Finished { event: Event::ProcessesShared(processes), guard: None }
    }

    async fn try_read(&self, fence: &Fence, read: Read, guard: &mut Option<CommandGuard>) -> Result<Brought> {
        let store = &self.store;
        Ok(match read {
            Read::Rows(needs) => {
                let answered = self.definitions.load(self.id, needs).await?;
                Brought::Rows { rows: answered.rows, processes: answered.processes }
            }
            Read::Remains(instances) => {
                let remains = store.remains(&instances).await?;
                Brought::Remains(instances.into_iter().zip(remains).collect())
            }
            Read::Keys(keys_min) => Brought::Keys(store.reserve_keys(fence, keys_min).await?),
            Read::Answers(keys) => {
                let answers = store.answers(self.id, &keys).await?;
                Brought::Answers(keys, answers)
            }
            Read::LateNotes(numbers) => {
                let keys: Vec<_> =
                    numbers.iter().map(|number| tidemill_partition::late_note_key(*number)).collect();
                let notes = store.answers(self.id, &keys).await?;
                Brought::LateNotes(numbers.into_iter().zip(notes).collect())
            }
            Read::Ends(instances) => Brought::Ends(self.ends(&instances).await?),
            Read::Inbox { limit } => Brought::Inbox { entries: store.waiting(self.id, limit).await?, limit },
            Read::Timers { id, after, until, limit } => {
                Brought::Timers { id, page: store.timers(self.id, after, until, limit).await? }
            }
            Read::Note { note, is_alone } => {
                *guard = self.lock(is_alone).await;
                store.note_in_hand(fence, note).await?;
                Brought::Noted
            }
            Read::Recovery { .. } => unreachable!("a recovery is tried until it succeeds"),
        })
    }

    async fn lock(&self, is_alone: Option<bool>) -> Option<CommandGuard> {
        let lock = self.command_lock.clone();
        Some(match is_alone? {
            true => CommandGuard::Alone(lock.write_owned().await),
            false => CommandGuard::Shared(lock.read_owned().await),
        })
    }

    async fn ends(&self, instances: &[ProcessInstanceKey]) -> Result<Vec<InstanceEnd>> {
        let keys = instances.iter().map(|instance| Value::from(instance.0)).collect();
        let filter = Filter::default().is(ProcessInstanceField::Key, Test::In(keys));
        let limit = u32::try_from(instances.len()).unwrap_or(u32::MAX);
        let search = Search::of(filter).page(Page { limit, ..Page::default() });
        let found = self.store.process_instances(&search).await?;
        let ended = found.items.into_iter().filter(|instance| instance.ended_at.is_some());
        let end = |instance: ProcessInstanceView| InstanceEnd {
            instance: instance.key,
            is_completed: instance.state == InstanceState::Completed,
        };
        Ok(ended.map(end).collect())
    }

    /// Takes the partition; none when another node holds it.
    pub(super) async fn open(&self) -> Result<Option<Opened>> {
        let Some(owned) = self.acquire().await? else { return Ok(None) };
        let note = self.store.in_hand(self.id).await?;
        let noted_batch_is_there = match note.as_deref().and_then(noted_batch) {
            Some(batch) => self.store.has_batch(self.id, batch).await?,
            None => false,
        };
        let (count, leases) = (self.store.partition_count(), self.leases().await?);
        Ok(Some(Opened { count, owned, leases, note, noted_batch_is_there }))
    }

    async fn acquire(&self) -> Result<Option<Owned>> {
        let asked_at = Instant::now();
        let owned = self.store.acquire(self.id, &self.holder, self.lease_ms).await?;
        if let Some(owned) = &owned {
            self.lease.renewed(asked_at);
            self.lease.told(owned.now, asked_at);
            self.look_at_clock(&owned.fence, asked_at).await?;
        }
        Ok(owned)
    }

    /// An owner that knows the store's time only roughly would begin with a time that is far ahead, and its successor would
    /// have to go on from there. So the store is asked again where its answer took long.
    async fn look_at_clock(&self, fence: &Fence, mut asked_at: Instant) -> Result<()> {
        for _ in 0..LOOKS_MAX {
            if asked_at.elapsed() <= Duration::from_millis(LOOK_MS_MAX) {
                break;
            }
            asked_at = Instant::now();
            let Some(now) = self.store.renew(std::slice::from_ref(fence), self.lease_ms).await? else {
                break;
            };
            self.lease.renewed(asked_at);
            self.lease.told(now, asked_at);
        }
        Ok(())
    }

    /// The leases on jobs that the store knows.
    async fn leases(&self) -> Result<Vec<tidemill_model::Entity>> {
        let loaded = self.store.load(self.id, &[Need::Leases], LIST_ROWS_MAX).await?;
        Ok(loaded.into_iter().next().unwrap_or_default().entities)
    }

    /// Tries to take the partition again until that is done or in vain.
    async fn recover(&self, batch: Option<BatchId>) -> Event {
        loop {
            match self.try_recover(batch).await {
                Ok(Some(recovered)) => return Event::Recovered(Box::new(recovered)),
                Ok(None) => return self.lost(batch).await,
                Err(error) if error.is_fatal() => return lost_in_doubt(error),
                Err(Error::Fenced { .. }) => return self.lost(batch).await,
                Err(error) => {
                    // The node tells once that the store is gone.
                    tracing::debug!(partition = %self.id, %error, "waiting for the store");
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }

    async fn try_recover(&self, batch: Option<BatchId>) -> Result<Option<Recovered>> {
        let Some(owned) = self.acquire().await? else { return Ok(None) };
        let batch_is_there = match batch {
            Some(batch) => self.store.has_batch_of(self.id, batch, &self.holder).await?,
            None => false,
        };
        let definitions_version = self.store.definitions_version().await?;
        self.definitions.note_version(definitions_version);
        Ok(Some(Recovered { owned, leases: self.leases().await?, batch_is_there, definitions_version }))
    }

    /// Another node owns the partition. It has waited for what was in flight, so the fate of the last batch is settled.
    async fn lost(&self, batch: Option<BatchId>) -> Event {
        let error = Error::Fenced { partition: self.id, epoch: 0 };
        let Some(batch) = batch else {
            return Event::Lost { error, batch_is_there: Some(false), definitions_version: None };
        };
        loop {
            match self.fate(batch).await {
                Ok((is_there, version)) => {
                    let (batch_is_there, definitions_version) = (Some(is_there), Some(version));
                    return Event::Lost { error, batch_is_there, definitions_version };
                }
                Err(failed) if failed.is_fatal() => return lost_in_doubt(failed),
                Err(failed) => {
                    tracing::debug!(partition = %self.id, error = %failed, "waiting for the store");
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }
    /// Tells whether a batch was written, and the version of the definitions after it.
    async fn fate(&self, batch: BatchId) -> Result<(bool, u64)> {
        Ok((
            self.store.has_batch_of(self.id, batch, &self.holder).await?,
            self.store.definitions_version().await?,
        ))
    }
}

const ROWS: &str = "load_rows";

/// The name of a read in metrics.
fn name(read: &Read) -> &'static str {
    match read {
        Read::Rows(_) => ROWS,
        Read::Remains(_) => "count_remains",
        Read::Keys(_) => "reserve_keys",
        Read::Answers(_) | Read::LateNotes(_) => "read_answers",
        Read::Ends(_) => "read_ends",
        Read::Inbox { .. } => "read_inbox",
        Read::Timers { .. } => "read_timers",
        Read::Note { .. } => "note_in_hand",
        Read::Recovery { .. } => "recover",
    }
}

/// Nobody can tell what became of the last batch.
fn lost_in_doubt(error: Error) -> Event {
    Event::Lost { error, batch_is_there: None, definitions_version: None }
}
