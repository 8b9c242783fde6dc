//! Reads of service timers for those who search and operate.

use super::read::{BLOCK, PLACE, block, damaged, place, recover};
use crate::SqliteStore;
use crate::error::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, params};
use tidemill_model::PartitionId;
use tidemill_store::{BlockRange, LaneUse, Result, ShardState, SlotUse, TimerReads};
use tidemill_timers::Slot;
use tidemill_timers::block::{Kind, PlaceId};
use tidemill_timers::shard::{BlockRow, FailureId, FailureRow, Fence, Place};

#[async_trait]
impl TimerReads for SqliteStore {
    async fn timer_shard(&self, partition: PartitionId) -> Result<ShardState> {
        // No fence is needed to look: the epoch 0 is never a real one, so nothing could be written with it.
        let fence = Fence { partition: u32::from(partition.0), epoch: 0 };
        let read = move |connection: &Connection| {
            let recovered = recover(connection, fence)?;
            Ok(ShardState {
                last_batch: recovered.last_batch,
                highest_key: recovered.highest_key,
                mark: recovered.mark,
                namespaces: recovered.namespaces,
            })
        };
        self.loads.read(read).await
    }

    async fn timer_blocks(&self, partition: PartitionId, range: BlockRange) -> Result<Vec<BlockRow>> {
        self.loads.read(move |connection| blocks(connection, partition, range)).await
    }

    async fn timer_slots(
        &self,
        partition: PartitionId,
        after: Option<(Slot, Kind)>,
        rows_max: usize,
    ) -> Result<Vec<SlotUse>> {
        self.loads.read(move |connection| slots(connection, partition, after, rows_max)).await
    }

    async fn timer_lanes(&self, partition: PartitionId) -> Result<Vec<LaneUse>> {
        self.loads.read(move |connection| lanes(connection, partition)).await
    }

    async fn timer_failures(
        &self,
        partition: PartitionId,
        after: Option<FailureId>,
        rows_max: usize,
    ) -> Result<Vec<FailureRow>> {
        self.loads.read(move |connection| failures(connection, partition, after, rows_max)).await
    }

    async fn timer_places(&self, partition: PartitionId, ids: &[PlaceId]) -> Result<Vec<Place>> {
        let ids = ids.to_vec();
        self.loads.read(move |connection| places(connection, partition, &ids)).await
    }
}

fn blocks(connection: &Connection, partition: PartitionId, range: BlockRange) -> Outcome<Vec<BlockRow>> {
    // Pages go on behind the last block by its whole name: a slot has many blocks, and a batch may have written several of them.
    let after = range.after.map_or((i64::MIN, 0, 0), |id| (id.slot.number, id.batch, i64::from(id.n)));
    let sql = format!(
        "SELECT {BLOCK} FROM timer_blocks WHERE partition_id = ?1 AND level = ?2 AND slot BETWEEN ?3 AND ?4 \
         AND kind = ?5 AND (slot, batch_id, n) > (?6, ?7, ?8) AND batch_id > ?9 \
         ORDER BY slot, batch_id, n LIMIT ?10"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![
        partition.0,
        range.level,
        range.first_slot,
        range.last_slot,
        range.kind as u8,
        after.0,
        after.1,
        after.2,
        range.batches_after,
        range.blocks_max as i64
    ])?;
    let mut blocks = Vec::new();
    while let Some(row) = rows.next()? {
        blocks.push(block(row)?);
    }
    Ok(blocks)
}

fn slots(
    connection: &Connection,
    partition: PartitionId,
    after: Option<(Slot, Kind)>,
    rows_max: usize,
) -> Outcome<Vec<SlotUse>> {
    // The groups are a beginning of the primary key, so they are read in its order and the limit ends the read.
    let sql = "SELECT level, slot, kind, count(*), sum(count), sum(length(data)) FROM timer_blocks \
               WHERE partition_id = ?1 AND (level, slot, kind) > (?2, ?3, ?4) \
               GROUP BY level, slot, kind ORDER BY level, slot, kind LIMIT ?5";
    // Levels begin with 0, so this comes before all of them.
    let after = after.map_or((-1, 0, 0), |(slot, kind)| (i64::from(slot.level), slot.number, kind as i64));
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![partition.0, after.0, after.1, after.2, rows_max as i64])?;
    let mut slots = Vec::new();
    while let Some(row) = rows.next()? {
        let kind =
            Kind::from_code(row.get(2)?).ok_or_else(|| damaged("a block of timers has an unknown kind"))?;
        slots.push(SlotUse {
            slot: Slot { level: row.get(0)?, number: row.get(1)? },
            kind,
            blocks: row.get(3)?,
            entries: row.get(4)?,
            bytes: row.get(5)?,
        });
    }
    Ok(slots)
}

fn lanes(connection: &Connection, partition: PartitionId) -> Outcome<Vec<LaneUse>> {
    // As many as a screen can show: a client can make any number of lanes.
    let sql = "SELECT lane, count(*), sum(count) FROM timer_deliveries WHERE partition_id = ?1 \
               GROUP BY lane ORDER BY lane LIMIT 1000";
    let mut statement = connection.prepare_cached(sql)?;
    let lanes = statement.query_map(params![partition.0], |row| {
        Ok(LaneUse { lane: row.get(0)?, rows: row.get(1)?, entries: row.get(2)? })
    })?;
    Ok(lanes.collect::<rusqlite::Result<_>>()?)
}

fn failures(
    connection: &Connection,
    partition: PartitionId,
    after: Option<FailureId>,
    rows_max: usize,
) -> Outcome<Vec<FailureRow>> {
    let sql = "SELECT key, generation, at, reason, data FROM timer_failures \
               WHERE partition_id = ?1 AND (key, generation) > (?2, ?3) ORDER BY key, generation LIMIT ?4";
    let after = after.map_or((i64::MIN, 0), |after| (after.key, after.generation));
    let mut statement = connection.prepare_cached(sql)?;
    let failures = statement.query_map(params![partition.0, after.0, after.1, rows_max as i64], |row| {
        Ok(FailureRow {
            key: row.get(0)?,
            generation: row.get(1)?,
            at_ms: row.get(2)?,
            reason: row.get(3)?,
            data: row.get(4)?,
        })
    })?;
    Ok(failures.collect::<rusqlite::Result<_>>()?)
}

fn places(connection: &Connection, partition: PartitionId, ids: &[PlaceId]) -> Outcome<Vec<Place>> {
    let sql = format!("SELECT {PLACE} FROM timer_places WHERE partition_id = ?1 AND id = ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut places = Vec::new();
    // One by one: ids are hashes, so they lie apart and a list of them would read no less.
    for id in ids {
        let mut rows = statement.query(params![partition.0, id.0.to_be_bytes()])?;
        if let Some(row) = rows.next()? {
            places.push(place(row)?);
        }
    }
    Ok(places)
}
