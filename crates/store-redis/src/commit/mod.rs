//! Batches. Rust turns the changes into a list of writes; one function checks the fence and every condition and then writes.

mod changes;
mod deletions;
mod history;
mod index;
mod receipts;

use crate::entry::read;
use crate::error::{Failure, damaged, refusal};
use crate::keys::Keys;
use crate::store::RedisStore;
use crate::writes::{APPENDED, GOES, HASH, STREAM, STRING, Writes, number};
use crate::{library, timers};
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet};
use tidemill_model::{Change, Entity, EntityKind, PartitionId, ProcessInstanceKey, Timestamp};
use tidemill_store::{Batch, BatchId, Commit, Committed, Culprit, Error, Fence, HolderId, Result};

pub(crate) use deletions::Stored;
pub(crate) use history::count_field;
pub(crate) use index::forget_keys;
pub(crate) use receipts::answer_field;

#[async_trait]
impl Commit for RedisStore {
    async fn commit(&self, batch: Batch) -> Result<Committed> {
        self.check_writable()?;
        if let Some(hook) = &self.options.on_batch {
            hook(&batch);
        }
        let keys = self.keys(batch.partition())?;
        let woken: BTreeSet<PartitionId> = batch.outgoing.iter().map(|entry| entry.partition).collect();
        let mut list = List::new(self, keys, &batch);
        if let Some(fired) = &batch.fired {
            let fired = timers::members_in(self, keys, fired).await?;
            list.fired(&fired);
        }
        list.delete_stored(self).await?;
        list.all()?;
        if self.options.is_plain {
            return self.commit_plain(list.writes).await;
        }
        let fence = batch.fence.clone();
        let (keys, args) = list.into_call();
        // What frees memory is written although the server has reached its limit.
        let function = if frees(&batch) { "commit_freeing" } else { "commit" };
        let answer = library::run(&self.writes, &library::call(function, &keys, &args)).await;
        let answer = answer.map_err(|failure| failure.of_owner(&self.place, &fence))?;
        let (version, now): (String, String) = read(answer)?;
        woken.into_iter().for_each(|partition| self.notifiers.notify(partition));
        let parsed = |text: &str| text.parse::<i64>().map_err(|error| damaged("definitions-version", error));
        Ok(Committed {
            definitions_version: u64::try_from(parsed(&version)?).unwrap_or_default(),
            now: Timestamp(parsed(&now)?),
        })
    }

    async fn has_batch(&self, partition: PartitionId, batch: BatchId) -> Result<bool> {
        Ok(self.writer_of(partition, batch).await?.is_some())
    }

    async fn has_batch_of(&self, partition: PartitionId, batch: BatchId, writer: &HolderId) -> Result<bool> {
        Ok(self.writer_of(partition, batch).await?.as_deref() == Some(writer.as_str()))
    }

    async fn in_hand(&self, partition: PartitionId) -> Result<Option<Vec<u8>>> {
        read(self.read(redis::cmd("GET").arg(self.keys(partition)?.named("in-hand"))).await?)
    }

    async fn note_in_hand(&self, fence: &Fence, note: Option<Vec<u8>>) -> Result<()> {
        let keys = self.keys(fence.partition)?;
        let mut args = vec![fence.holder.as_bytes().to_vec(), number(fence.epoch)];
        args.extend(note);
        let call = library::call("note", &[keys.owner(), keys.named("in-hand")], &args);
        let noted = library::run(&self.writes, &call).await;
        noted.map(drop).map_err(|failure: Failure| failure.of_owner(&self.place, fence))
    }
}

impl RedisStore {
    /// For benchmarks.
    async fn commit_plain(&self, writes: Writes) -> Result<Committed> {
        let mut pipeline = redis::pipe();
        writes.into_plain(&mut pipeline);
        self.writes.ask_all(pipeline).await.map_err(|failure| failure.of_write(&self.place))?;
        Ok(Committed { definitions_version: 0, now: Timestamp(0) })
    }

    /// None if the batch is not there.
    async fn writer_of(&self, partition: PartitionId, batch: BatchId) -> Result<Option<String>> {
        let id = format!("{}-0", batch.0.max(0));
        let log = self.keys(partition)?.log();
        let found = self.read(redis::cmd("XRANGE").arg(log).arg(&id).arg(&id)).await?;
        Ok(crate::entry::entries(found)?.first().map(|entry| entry.text("writer").to_owned()))
    }
}

/// True if a batch ends or removes as many rows as it puts, or more. Leases are not counted: without one no job could end.
fn frees(batch: &Batch) -> bool {
    let grows =
        |change: &&Change| matches!(change, Change::Put(entity) if entity.kind() != EntityKind::JobLease);
    let puts = batch.changes.iter().filter(grows).count();
    2 * puts <= batch.changes.len() && batch.outgoing.len() <= batch.consumed.len()
}

/// The writes of one batch, as it grows.
pub(super) struct List<'b> {
    store: &'b RedisStore,
    keys: &'b Keys,
    batch: &'b Batch,
    writes: Writes,
    conditions: Vec<[Vec<u8>; 5]>,
    /// Rows for history, by instance.
    ended: BTreeMap<ProcessInstanceKey, Vec<Entity>>,
    /// Entries of the index by key.
    key_entries: BTreeMap<i64, Vec<u8>>,
    /// Changes of counts of ended elements, by their key and field.
    counts: BTreeMap<(String, String), i64>,
    /// Instances that this batch deletes.
    deleted: BTreeSet<ProcessInstanceKey>,
}

impl<'b> List<'b> {
    fn new(store: &'b RedisStore, keys: &'b Keys, batch: &'b Batch) -> List<'b> {
        let version = store.space.catalog().version();
        List {
            store,
            keys,
            batch,
            writes: Writes::new([(keys.owner(), HASH), (keys.log(), STREAM), (version, STRING)]),
            conditions: Vec::new(),
            ended: BTreeMap::new(),
            key_entries: BTreeMap::new(),
            counts: BTreeMap::new(),
            deleted: batch.deletions.iter().copied().collect(),
        }
    }

    fn all(&mut self) -> Result<()> {
        self.write_log();
        self.change_all()?;
        self.write_keys();
        self.write_history();
        self.write_receipts()?;
        for (n, entry) in self.batch.outgoing.iter().enumerate() {
            let Some(target) = self.store.space.of(entry.partition) else {
                let reason = format!("outgoing entry {n} is for a partition that does not exist");
                return Err(Error::Refused { culprit: None, reason });
            };
            let fields: [&[u8]; 5] =
                [b"0-*", b"at", &number(entry.received_at.0), b"payload", &entry.payload];
            self.writes.alone(APPENDED, "XADD", target.inbox(), fields);
        }
        let consumed = self.batch.consumed.iter().map(|position| crate::inbox::id_of(*position));
        let consumed: Vec<String> = consumed.collect();
        if !consumed.is_empty() {
            self.writes.add(GOES, "XDEL", self.keys.inbox(), consumed);
        }
        Ok(())
    }

    fn write_log(&mut self) {
        let Batch { fence, id, at, log, .. } = self.batch;
        let (entry, at) = (format!("{}-0", id.0), number(at.0));
        let fields: [&[u8]; 7] =
            [entry.as_bytes(), b"at", &at, b"writer", fence.holder.as_bytes(), b"log", log];
        self.writes.alone(APPENDED, "XADD", self.keys.log(), fields);
    }

    /// Timers that have fired, by their places in the schedule.
    fn fired(&mut self, members: &[String]) {
        for member in members {
            self.writes.add(GOES, "ZREM", self.keys.timers(), [member.as_str()]);
            if let Some((key, hash)) = crate::row::read_timer_member(member) {
                self.writes.add(GOES, "HDEL", self.keys.named(hash), [format!("timer:{key}")]);
            }
        }
    }

    /// The batch is refused if the field is there: at all, or with another value.
    fn condition(
        &mut self,
        hash: String,
        field: &[u8],
        other_than: Option<&str>,
        words: (Option<&Culprit>, &str),
    ) {
        let name: &[u8] = if other_than.is_some() { b"same" } else { b"absent" };
        let key = self.writes.key(hash, HASH);
        let refusal = refusal(words.0, words.1).into_bytes();
        let value = other_than.unwrap_or_default().as_bytes().to_vec();
        self.conditions.push([name.to_vec(), number(key), field.to_vec(), value, refusal]);
    }

    fn into_call(self) -> (Vec<String>, Vec<Vec<u8>>) {
        let Batch { fence, id, at, highest_key, .. } = self.batch;
        let mut args = vec![
            fence.holder.as_bytes().to_vec(),
            number(fence.epoch),
            number(id.0),
            number(at.0),
            number(highest_key),
            number(self.conditions.len()),
        ];
        args.extend(self.conditions.into_iter().flatten());
        self.writes.into_call(args)
    }
}
