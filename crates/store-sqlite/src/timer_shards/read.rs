//! The reads that a shard asks for.

use crate::error::{Fault, Outcome};
use rusqlite::{Connection, OptionalExtension, Row, params};
use tidemill_model::PartitionId;
use tidemill_store::{DeliveryPage, Error, Supply, TimerNeed};
use tidemill_timers::block::{Kind, PlaceId, Scope};
use tidemill_timers::shard::{
    BlockId, BlockRow, DeliveryId, DeliveryRow, Fence, Pause, Place, PlaceState, Recovered, TargetRow,
};
use tidemill_timers::slot::LEVEL_MAX;
use tidemill_timers::{Position, Slot};

/// Places that one read gives at most.
/// A new owner reads all places of generated ids, of which there may be millions: pages keep each read short.
const PLACES_PER_PAGE: usize = 10_000;
pub(super) const BLOCK: &str = "level, slot, kind, batch_id, n, first_key, last_key, count, data";
pub(super) const PLACE: &str = "id, key, due_at, id_due_at, generation, state";

pub(super) fn supply(connection: &Connection, partition: PartitionId, need: TimerNeed) -> Outcome<Supply> {
    match need {
        TimerNeed::Recover | TimerNeed::Settle { .. } => {
            Err(damaged("a read that begins a new epoch writes"))
        }
        TimerNeed::Places { after } => places(connection, partition, after),
        TimerNeed::Place(id) => {
            let sql = format!("SELECT {PLACE} FROM timer_places WHERE partition_id = ?1 AND id = ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![partition.0, id.0.to_be_bytes()])?;
            Ok(Supply::Place(rows.next()?.map(place).transpose()?))
        }
        // One step in the index skips all empty slots, however far away the next timer is.
        TimerNeed::First { level, from } => {
            let sql = "SELECT slot FROM timer_blocks WHERE partition_id = ?1 AND level = ?2 AND slot >= ?3 \
                       ORDER BY slot LIMIT 1";
            let mut statement = connection.prepare_cached(sql)?;
            let first =
                statement.query_row(params![partition.0, level, from], |row| row.get(0)).optional()?;
            Ok(Supply::First(first))
        }
        // `up_to_batch` leaves out blocks that were written after the work on the slot began: that work
        // deletes exactly the blocks it has read, so a later one would be lost or handled twice.
        TimerNeed::Blocks { slot, after, up_to_batch, entries_max } => {
            let after =
                after.map_or((-1, 0, 0), |after| (after.kind as i64, after.batch, i64::from(after.n)));
            let sql = format!(
                "SELECT {BLOCK} FROM timer_blocks WHERE partition_id = ?1 AND level = ?2 AND slot = ?3 \
                 AND (kind, batch_id, n) > (?4, ?5, ?6) AND batch_id <= ?7 ORDER BY kind, batch_id, n"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query(params![
                partition.0,
                slot.level,
                slot.number,
                after.0,
                after.1,
                after.2,
                up_to_batch
            ])?;
            let (rows, is_last) = page(rows, entries_max, block, |row| row.count)?;
            Ok(Supply::Blocks { rows, is_last })
        }
        TimerNeed::Find { position, after, entries_max } => {
            find(connection, partition, position, after, entries_max)
        }
    }
}

/// Level by level from the coarsest, because timers move only to finer ones.
/// A timer that is being moved to a finer level meanwhile is met in one of the two: the finer level is read later.
fn find(
    connection: &Connection,
    partition: PartitionId,
    position: Position,
    after: Option<BlockId>,
    entries_max: usize,
) -> Outcome<Supply> {
    let sql = format!(
        "SELECT {BLOCK} FROM timer_blocks WHERE partition_id = ?1 AND level = ?2 AND slot = ?3 \
         AND (kind, batch_id, n) > (?4, ?5, ?6) AND first_key <= ?7 AND last_key >= ?7 ORDER BY kind, batch_id, n"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let (mut found, mut entries) = (Vec::new(), 0);
    let coarsest = after.map_or(LEVEL_MAX, |after| after.slot.level);
    for level in (0..=coarsest).rev() {
        let slot = Slot::of(position.due_ms, level);
        let behind = after.filter(|after| after.slot == slot);
        let behind = behind.map_or((-1, 0, 0), |id| (id.kind as i64, id.batch, i64::from(id.n)));
        // The limit holds over all levels, because memory does. `page` gives one row at least, so a find always gets on.
        let left = entries_max.saturating_sub(entries);
        let rows = statement.query(params![
            partition.0,
            level,
            slot.number,
            behind.0,
            behind.1,
            behind.2,
            position.key
        ])?;
        let (rows, is_last) = page(rows, left, block, |row| row.count)?;
        entries += rows.iter().map(|row| row.count as usize).sum::<usize>();
        found.extend(rows);
        if !is_last || entries >= entries_max && level > 0 {
            return Ok(Supply::Blocks { rows: found, is_last: false });
        }
    }
    Ok(Supply::Blocks { rows: found, is_last: true })
}

fn places(connection: &Connection, partition: PartitionId, after: Option<PlaceId>) -> Outcome<Supply> {
    let sql = format!(
        "SELECT {PLACE} FROM timer_places WHERE partition_id = ?1 AND id > ?2 AND id < ?3 ORDER BY id LIMIT ?4"
    );
    // Only places of generated ids are listed. Those of own ids are looked up one at a time, because there is
    // no limit to their number. An empty blob comes before all others; own ids have the highest bit.
    let after: Vec<u8> = after.map(|after| after.0.to_be_bytes().to_vec()).unwrap_or_default();
    let own = (1u128 << 127).to_be_bytes();
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = statement.query(params![partition.0, after, own, PLACES_PER_PAGE as i64])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push(place(row)?);
    }
    Ok(Supply::Places { is_last: rows.len() < PLACES_PER_PAGE, rows })
}

/// Only the last batch counts: its mark and its highest key are where the predecessor has ended.
pub(super) fn recover(connection: &Connection, fence: Fence) -> Outcome<Recovered> {
    let partition = fence.partition;
    let last = connection
        .prepare_cached(
            "SELECT batch_id, highest_key, mark_due, mark_key FROM timer_batches WHERE partition_id = ?1 \
             ORDER BY batch_id DESC LIMIT 1",
        )?
        .query_row([partition], |row| Ok((row.get(0)?, row.get(1)?, Position::new(row.get(2)?, row.get(3)?))))
        .optional()?;
    // A shard that has never written begins with nothing fired.
    let (last_batch, highest_key, mark) = last.unwrap_or((0, 0, Position::MIN));
    let mut statement = connection.prepare_cached(
        "SELECT tenant, namespace, since_due, since_key, is_resuming FROM timer_namespaces WHERE partition_id = ?1",
    )?;
    let namespaces = statement.query_map([partition], |row| {
        let scope = Scope { tenant: row.get(0)?, namespace: row.get(1)? };
        Ok((scope, Pause { since: Position::new(row.get(2)?, row.get(3)?), is_resuming: row.get(4)? }))
    })?;
    let namespaces = namespaces.collect::<rusqlite::Result<_>>()?;
    let mut statement = connection
        .prepare_cached("SELECT target_id, hash, lane FROM timer_targets WHERE partition_id = ?1")?;
    // The data of targets, which may be long, stays in the store until a delivery needs it.
    let targets = statement
        .query_map([partition], |row| Ok((row.get(0)?, u128::from_be_bytes(row.get(1)?), row.get(2)?)))?;
    let targets = targets.collect::<rusqlite::Result<_>>()?;
    Ok(Recovered { fence, last_batch, highest_key, mark, namespaces, targets })
}

/// Rows of old batches are deleted, but the one that is asked for is the last: one is in flight at a time.
pub(super) fn has_batch(connection: &Connection, partition: PartitionId, batch: i64) -> Outcome<bool> {
    let sql = "SELECT 1 FROM timer_batches WHERE partition_id = ?1 AND batch_id = ?2";
    Ok(connection.prepare_cached(sql)?.exists(params![partition.0, batch])?)
}

pub(super) fn deliveries(
    connection: &Connection,
    partition: PartitionId,
    lane: u32,
    after: Option<DeliveryId>,
    entries_max: usize,
) -> Outcome<DeliveryPage> {
    // The order of the index is that of firing, so deliveries leave in the order in which they fell due.
    let (batch, n) = after.map_or((i64::MIN, 0), |after| (after.batch, i64::from(after.n)));
    let mut statement = connection.prepare_cached(
        "SELECT batch_id, n, first_key, count, data FROM timer_deliveries \
         WHERE partition_id = ?1 AND lane = ?2 AND (batch_id, n) > (?3, ?4) ORDER BY batch_id, n",
    )?;
    let rows = statement.query(params![partition.0, lane, batch, n])?;
    let delivery = |row: &Row<'_>| -> Outcome<DeliveryRow> {
        let id = DeliveryId { lane, batch: row.get(0)?, n: row.get(1)? };
        Ok(DeliveryRow { id, first_key: row.get(2)?, count: row.get(3)?, data: row.get(4)? })
    };
    let (rows, is_last) = page(rows, entries_max, delivery, |row| row.count)?;
    Ok(DeliveryPage { rows, is_last })
}

pub(super) fn next_lane(connection: &Connection, partition: PartitionId, from: u32) -> Outcome<Option<u32>> {
    let sql =
        "SELECT lane FROM timer_deliveries WHERE partition_id = ?1 AND lane >= ?2 ORDER BY lane LIMIT 1";
    Ok(connection.prepare_cached(sql)?.query_row(params![partition.0, from], |row| row.get(0)).optional()?)
}

pub(super) fn targets(
    connection: &Connection,
    partition: PartitionId,
    ids: &[u32],
) -> Outcome<Vec<TargetRow>> {
    let sql = "SELECT hash, lane, data FROM timer_targets WHERE partition_id = ?1 AND target_id = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut targets = Vec::new();
    for id in ids {
        let found = statement
            .query_row(params![partition.0, id], |row| {
                let hash = u128::from_be_bytes(row.get(0)?);
                Ok(TargetRow { id: *id, hash, lane: row.get(1)?, data: row.get(2)? })
            })
            .optional()?;
        targets.extend(found);
    }
    Ok(targets)
}

/// Rows until they have so many entries, but one at least; and whether these were all.
fn page<T>(
    mut rows: rusqlite::Rows<'_>,
    entries_max: usize,
    read: impl Fn(&Row<'_>) -> Outcome<T>,
    count: impl Fn(&T) -> u32,
) -> Outcome<(Vec<T>, bool)> {
    let (mut page, mut entries) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let row = read(row)?;
        entries += count(&row) as usize;
        // A page has one row at least, however many entries that has: an empty page would be taken for the end.
        if !page.is_empty() && entries > entries_max {
            return Ok((page, false));
        }
        page.push(row);
    }
    Ok((page, true))
}

pub(super) fn block(row: &Row<'_>) -> Outcome<BlockRow> {
    let slot = Slot { level: row.get(0)?, number: row.get(1)? };
    let kind =
        Kind::from_code(row.get(2)?).ok_or_else(|| damaged("a block of timers has an unknown kind"))?;
    Ok(BlockRow {
        id: BlockId { slot, kind, batch: row.get(3)?, n: row.get(4)? },
        first_key: row.get(5)?,
        last_key: row.get(6)?,
        count: row.get(7)?,
        data: row.get(8)?,
    })
}

pub(super) fn place(row: &Row<'_>) -> Outcome<Place> {
    let state = PlaceState::from_code(row.get(5)?);
    Ok(Place {
        id: PlaceId(u128::from_be_bytes(row.get(0)?)),
        key: row.get(1)?,
        due_ms: row.get(2)?,
        id_due_ms: row.get(3)?,
        generation: row.get(4)?,
        state: state.ok_or_else(|| damaged("the place of a timer has an unknown state"))?,
    })
}

/// The error is not `Corrupt`, which would stop the writer for all partitions: one slot that cannot be read
/// must not take processes with it.
pub(super) fn damaged(reason: &str) -> Fault {
    Fault::Store(Error::Failed { place: "the timers".into(), reason: reason.into() })
}
