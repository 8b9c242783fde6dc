//! Service timers: blocks and deliveries are a sorted set of heads and a hash with their data; the rest are hashes.

mod batch;

use crate::entry::read;
use crate::error::fenced;
use crate::keys::Keys;
use crate::library;
use crate::store::RedisStore;
use crate::timer_rows::*;
use crate::writes::{APPENDED, HASH, SORTED_SET, Writes, number};
use async_trait::async_trait;
use batch::{frees, head_of, write};
use std::collections::HashMap;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{
    DeliveryPage, HolderId, Result, ShardState, Supply, TimerBatch, TimerNeed, TimerShards, unpack,
};
use tidemill_timers::shard::{BlockId, DeliveryId, Fence, Place, Recovered, TargetRow};
use tidemill_timers::slot::LEVELS;
use tidemill_timers::{Position, Slot};

/// Places that one read gives at most.
const PLACES_PER_PAGE: usize = 1_000;

#[async_trait]
impl TimerShards for RedisStore {
    async fn commit_timers(&self, timers: TimerBatch) -> Result<Timestamp> {
        self.check_writable()?;
        let (partition, epoch) = (timers.partition(), timers.batch.fence.epoch);
        let keys = self.keys(partition)?;
        let args = head_of(&timers);
        let function = if frees(&timers) { "commit_timers_freeing" } else { "commit_timers" };
        let mut writes = Writes::new([(keys.shard(), HASH), (keys.named("shard-batches"), SORTED_SET)]);
        write(&mut writes, keys, timers.batch);
        for entry in &timers.outgoing {
            let fields: [&[u8]; 5] =
                [b"0-*", b"at", &number(entry.received_at.0), b"payload", &entry.payload];
            writes.alone(APPENDED, "XADD", self.keys(entry.partition)?.inbox(), fields);
        }
        let (names, args) = writes.into_call(args);
        match library::run(&self.writes, &library::call(function, &names, &args)).await {
            Ok(now) => {
                timers.outgoing.iter().for_each(|entry| self.notifiers.notify(entry.partition));
                Ok(Timestamp(read(now)?))
            }
            Err(failure) if failure.is_fenced() => Err(fenced(partition, epoch)),
            Err(failure) => Err(failure.of_write(&self.place)),
        }
    }

    async fn supply_timers(
        &self,
        partition: PartitionId,
        holder: &HolderId,
        need: TimerNeed,
    ) -> Result<Supply> {
        let keys = self.keys(partition)?;
        Ok(match need {
            TimerNeed::Recover => Supply::Recovered(self.recovered(partition, holder).await?),
            TimerNeed::Settle { batch } => {
                let fence = self.begin_epoch(partition, holder).await?;
                let score = redis::cmd("ZSCORE").arg(keys.named("shard-batches")).arg(batch).to_owned();
                let was_written = self.read(&score).await? != redis::Value::Nil;
                Supply::Settled { was_written, fence }
            }
            TimerNeed::Places { after } => self.generated_places(keys, after.map(place_field)).await?,
            TimerNeed::Place(id) => Supply::Place(self.places(keys, &[place_field(id)]).await?.pop()),
            TimerNeed::First { level, from } => {
                let begin = slot_text(Slot { level, number: from });
                let end = format!("{}{BEHIND}", level_text(level));
                let first = self.members(keys, "blocks", &begin, &end, Some(1)).await?;
                let first = first.first().map(|text| BlockHead::parse(text)).transpose()?;
                Supply::First(first.map(|head| head.id.slot.number))
            }
            TimerNeed::Blocks { slot, after, up_to_batch, entries_max } => {
                let heads = self.heads_in(keys, slot, after).await?;
                let heads = heads.into_iter().filter(|head| head.id.batch <= up_to_batch).collect();
                self.page_of_blocks(keys, heads, entries_max).await?
            }
            TimerNeed::Find { position, after, entries_max } => {
                let heads = self.covering(keys, position, after).await?;
                self.page_of_blocks(keys, heads, entries_max).await?
            }
        })
    }

    async fn deliveries(
        &self,
        partition: PartitionId,
        lane: u32,
        after: Option<DeliveryId>,
        entries_max: usize,
    ) -> Result<DeliveryPage> {
        let keys = self.keys(partition)?;
        let begin = after.map_or_else(|| lane_text(lane), |after| behind(&delivery_text(&after)));
        let end = format!("{}{BEHIND}", lane_text(lane));
        let texts = self.members(keys, "deliveries", &begin, &end, None).await?;
        let heads = texts.iter().map(|text| DeliveryHead::parse(text)).collect::<Result<Vec<_>>>()?;
        let (heads, is_last) = page(heads, entries_max, |head| head.count);
        let fields = heads.iter().map(|head| delivery_text(&head.id)).collect::<Vec<_>>();
        let data = self.data(keys.named("delivery-data"), &fields).await?;
        let rows = heads.into_iter().zip(data).filter_map(|(head, data)| Some(head.with(data?)));
        Ok(DeliveryPage { rows: rows.collect(), is_last })
    }

    async fn next_lane(&self, partition: PartitionId, from: u32) -> Result<Option<u32>> {
        let end = BEHIND.to_string();
        let first =
            self.members(self.keys(partition)?, "deliveries", &lane_text(from), &end, Some(1)).await?;
        first.first().map(|text| Ok(DeliveryHead::parse(text)?.id.lane)).transpose()
    }

    async fn timer_targets(&self, partition: PartitionId, ids: &[u32]) -> Result<Vec<TargetRow>> {
        let hash = self.keys(partition)?.named("timer-targets");
        let fields: Vec<String> = ids.iter().map(u32::to_string).collect();
        let data = self.data(hash, &fields).await?;
        ids.iter().zip(data).filter_map(|(id, data)| Some(target(*id, &data?))).collect()
    }
}

/// The beginning of what comes behind the head with this id.
pub(crate) fn behind(id: &str) -> String {
    format!("{id};")
}

/// Rows until they have so many entries, but one at least; and whether these were all.
fn page<T>(rows: Vec<T>, entries_max: usize, count: impl Fn(&T) -> u32) -> (Vec<T>, bool) {
    let (all, mut entries, mut page) = (rows.len(), 0, Vec::new());
    for row in rows {
        entries += count(&row) as usize;
        if !page.is_empty() && entries > entries_max {
            break;
        }
        page.push(row);
    }
    let is_last = page.len() == all;
    (page, is_last)
}

fn target(id: u32, data: &[u8]) -> Result<TargetRow> {
    let damaged = |reason: String| crate::error::damaged("timer-targets", reason);
    let StoredTarget { hash, lane, data } = unpack(data).map_err(|error| damaged(error.to_string()))?;
    let hash = u128::from_str_radix(&hash, 16).map_err(|error| damaged(error.to_string()))?;
    Ok(TargetRow { id, hash, lane, data })
}

impl RedisStore {
    /// Heads from one text to another, the second not included.
    pub(crate) async fn members(
        &self,
        keys: &Keys,
        set: &str,
        begin: &str,
        end: &str,
        limit: Option<usize>,
    ) -> Result<Vec<String>> {
        let mut question = redis::cmd("ZRANGEBYLEX");
        question.arg(keys.named(set)).arg(format!("[{begin}")).arg(format!("({end}"));
        if let Some(limit) = limit {
            question.arg("LIMIT").arg(0).arg(limit);
        }
        read(self.read(&question).await?)
    }

    pub(crate) async fn data(&self, hash: String, fields: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        if fields.is_empty() {
            return Ok(Vec::new());
        }
        read(self.read(redis::cmd("HMGET").arg(hash).arg(fields)).await?)
    }

    pub(crate) async fn heads_in(
        &self,
        keys: &Keys,
        slot: Slot,
        after: Option<BlockId>,
    ) -> Result<Vec<BlockHead>> {
        let begin = after.map_or_else(|| slot_text(slot), |after| behind(&block_text(&after)));
        let end = format!("{}{BEHIND}", slot_text(slot));
        let texts = self.members(keys, "blocks", &begin, &end, None).await?;
        texts.iter().map(|text| BlockHead::parse(text)).collect()
    }

    /// The blocks that may have a timer, the coarsest level first.
    async fn covering(
        &self,
        keys: &Keys,
        position: Position,
        after: Option<BlockId>,
    ) -> Result<Vec<BlockHead>> {
        let mut heads = Vec::new();
        for level in (0..LEVELS).rev() {
            let slot = Slot::of(position.due_ms, level);
            let after = match after {
                Some(after) if after.slot.level < level => continue,
                after => after.filter(|after| after.slot == slot),
            };
            let of_slot = self.heads_in(keys, slot, after).await?;
            let covers = |head: &BlockHead| (head.first_key..=head.last_key).contains(&position.key);
            heads.extend(of_slot.into_iter().filter(covers));
        }
        Ok(heads)
    }

    async fn page_of_blocks(&self, keys: &Keys, heads: Vec<BlockHead>, entries_max: usize) -> Result<Supply> {
        let (heads, is_last) = page(heads, entries_max, |head| head.count);
        let fields = heads.iter().map(|head| block_text(&head.id)).collect::<Vec<_>>();
        let data = self.data(keys.named("block-data"), &fields).await?;
        let rows = heads.into_iter().zip(data).filter_map(|(head, data)| Some(head.with(data?)));
        Ok(Supply::Blocks { rows: rows.collect(), is_last })
    }

    async fn begin_epoch(&self, partition: PartitionId, holder: &HolderId) -> Result<Fence> {
        let call = library::call("begin", &[self.keys(partition)?.shard()], &[holder.as_bytes()]);
        match library::run(&self.writes, &call).await {
            Ok(epoch) => Ok(Fence { partition: u32::from(partition.0), epoch: read(epoch)? }),
            Err(failure) if failure.is_fenced() => Err(fenced(partition, 0)),
            Err(failure) => Err(failure.of_write(&self.place)),
        }
    }

    async fn recovered(&self, partition: PartitionId, holder: &HolderId) -> Result<Recovered> {
        let fence = self.begin_epoch(partition, holder).await?;
        let ShardState { last_batch, highest_key, mark, namespaces } = self.shard_state(partition).await?;
        let hash = self.keys(partition)?.named("timer-targets");
        let rows: Vec<(u32, Vec<u8>)> = read(self.read(redis::cmd("HGETALL").arg(hash)).await?)?;
        let mut targets = Vec::with_capacity(rows.len());
        for (id, data) in rows {
            let row = target(id, &data)?;
            targets.push((row.id, row.hash, row.lane));
        }
        targets.sort_unstable();
        Ok(Recovered { fence, last_batch, highest_key, mark, namespaces, targets })
    }

    pub(crate) async fn shard_state(&self, partition: PartitionId) -> Result<ShardState> {
        let keys = self.keys(partition)?;
        let mut pipeline = redis::pipe();
        pipeline.cmd("HGETALL").arg(keys.shard()).cmd("HGETALL").arg(keys.named("timer-namespaces"));
        let mut answers = self.read_all(pipeline).await?.into_iter();
        let mut next = || answers.next().unwrap_or(redis::Value::Nil);
        let shard: HashMap<String, String> = read(next())?;
        let number = |name: &str| shard.get(name).and_then(|text| text.parse::<i64>().ok());
        let mut namespaces = Vec::new();
        for (field, pause) in read::<Vec<(String, String)>>(next())? {
            namespaces.push((read_scope(&field)?, read_pause(&pause)?));
        }
        namespaces.sort_by(|a, b| a.0.cmp(&b.0));
        let mark = number("mark_due").zip(number("mark_key"));
        Ok(ShardState {
            last_batch: number("batch").unwrap_or_default(),
            highest_key: number("highest_key").unwrap_or_default(),
            mark: mark.map_or(Position::MIN, |(due_ms, key)| Position::new(due_ms, key)),
            namespaces,
        })
    }

    async fn generated_places(&self, keys: &Keys, after: Option<String>) -> Result<Supply> {
        let begin = after.map_or_else(String::new, |after| format!("{after}\0"));
        let ids = self.members(keys, "place-ids", &begin, &BEHIND.to_string(), Some(PLACES_PER_PAGE)).await?;
        let is_last = ids.len() < PLACES_PER_PAGE;
        Ok(Supply::Places { rows: self.places(keys, &ids).await?, is_last })
    }

    pub(crate) async fn places(&self, keys: &Keys, fields: &[String]) -> Result<Vec<Place>> {
        let data = self.data(keys.named("places"), fields).await?;
        let place = |(field, data): (&String, Option<Vec<u8>>)| {
            let text = String::from_utf8(data?).unwrap_or_default();
            Some(read_place(field, &text))
        };
        fields.iter().zip(data).filter_map(place).collect()
    }
}
