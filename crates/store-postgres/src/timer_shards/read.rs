//! The reads that a shard asks for.

use crate::call::{Call, Param};
use crate::connect::Pool;
use tidemill_model::PartitionId;
use tidemill_store::{Error, Result, Supply, TimerNeed};
use tidemill_timers::block::{Kind, PlaceId, Scope};
use tidemill_timers::shard::{
    BlockId, BlockRow, DeliveryId, Fence, Pause, Place, PlaceState, Recovered, TargetRow,
};
use tidemill_timers::slot::LEVEL_MAX;
use tidemill_timers::{Position, Slot};
use tokio_postgres::Row;

/// Places that one read gives at most.
const PLACES_PER_PAGE: usize = 10_000;

const LAST_BATCH: &str = "SELECT batch_id, highest_key, mark_due, mark_key FROM timer_batches \
    WHERE partition_id = $1 ORDER BY batch_id DESC LIMIT 1";
const NAMESPACES: &str = "SELECT tenant, namespace, since_due, since_key, is_resuming FROM timer_namespaces \
    WHERE partition_id = $1";
const TARGETS: &str = "SELECT target_id, hash, lane FROM timer_targets WHERE partition_id = $1";

const PLACES: &str = "SELECT id, key, due_at, id_due_at, generation, state FROM timer_places \
    WHERE partition_id = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4";
const PLACE: &str = "SELECT id, key, due_at, id_due_at, generation, state FROM timer_places \
    WHERE partition_id = $1 AND id = $2";

const FIRST: &str = "SELECT slot FROM timer_blocks WHERE partition_id = $1 AND level = $2 AND slot >= $3 \
    ORDER BY slot LIMIT 1";

/// Rows until those before them have so many entries, and two at least: one that is always taken, and one that tells whether
/// there are others. `page` takes away what is too much.
const BLOCKS: &str = "SELECT level, slot, kind, batch_id, n, first_key, last_key, count, data FROM ( \
    SELECT *, sum(count) OVER w - count AS before, row_number() OVER w AS nth FROM timer_blocks \
    WHERE partition_id = $1 AND level = $2 AND slot = $3 AND (kind, batch_id, n) > ($4, $5, $6) \
    AND batch_id <= $7 AND first_key <= $8 AND last_key >= $9 WINDOW w AS (ORDER BY kind, batch_id, n) \
    ORDER BY kind, batch_id, n LIMIT $10) b WHERE before <= $11 OR nth <= 2 ORDER BY kind, batch_id, n";

const DELIVERIES: &str = "SELECT batch_id, n, first_key, count, data FROM ( \
    SELECT *, sum(count) OVER w - count AS before, row_number() OVER w AS nth FROM timer_deliveries \
    WHERE partition_id = $1 AND lane = $2 AND (batch_id, n) > ($3, $4) WINDOW w AS (ORDER BY batch_id, n) \
    ORDER BY batch_id, n LIMIT $5) d WHERE before <= $6 OR nth <= 2 ORDER BY batch_id, n";

/// Rows that one read looks at, at most: they would all be sorted and summed up.
const ROWS_PER_PAGE: usize = 1_000;

pub(super) fn recover<'c>(partition: PartitionId) -> [Call<'c>; 3] {
    [LAST_BATCH, NAMESPACES, TARGETS].map(|sql| Call::new(sql, [partition.into()]))
}

pub(super) fn recovered(fence: Fence, rows: &[Vec<Row>]) -> Result<Recovered> {
    let [batches, namespaces, targets] = rows else {
        return Err(damaged("a recovery got other answers than it asked for"));
    };
    let last = batches.first();
    let namespace = |row: &Row| {
        let scope = Scope { tenant: row.get(0), namespace: row.get(1) };
        (scope, Pause { since: Position::new(row.get(2), row.get(3)), is_resuming: row.get(4) })
    };
    let target = |row: &Row| -> Result<(u32, u128, u32)> {
        Ok((row.get::<_, i64>(0) as u32, word(row.get(1))?, row.get::<_, i64>(2) as u32))
    };
    Ok(Recovered {
        fence,
        last_batch: last.map_or(0, |row| row.get(0)),
        highest_key: last.map_or(0, |row| row.get(1)),
        mark: last.map_or(Position::MIN, |row| Position::new(row.get(2), row.get(3))),
        namespaces: namespaces.iter().map(namespace).collect(),
        targets: targets.iter().map(target).collect::<Result<_>>()?,
    })
}

pub(super) async fn supply(pool: &Pool, partition: PartitionId, need: TimerNeed) -> Result<Supply> {
    match need {
        TimerNeed::Recover | TimerNeed::Settle { .. } => {
            Err(damaged("a read that begins a new epoch writes"))
        }
        TimerNeed::Places { after } => {
            // An empty value comes before all others; own ids have the highest bit.
            let after = after.map(|after| after.0.to_be_bytes().to_vec()).unwrap_or_default();
            let own = (1u128 << 127).to_be_bytes().to_vec();
            let limit = PLACES_PER_PAGE as i64;
            let params =
                [partition.into(), Param::Bytes(after.into()), Param::Bytes(own.into()), limit.into()];
            let rows = pool.read_one(Call::new(PLACES, params)).await?;
            let rows: Vec<Place> = rows.iter().map(place).collect::<Result<_>>()?;
            Ok(Supply::Places { is_last: rows.len() < PLACES_PER_PAGE, rows })
        }
        TimerNeed::Place(id) => {
            let id = Param::Bytes(id.0.to_be_bytes().to_vec().into());
            let rows = pool.read_one(Call::new(PLACE, [partition.into(), id])).await?;
            Ok(Supply::Place(rows.first().map(place).transpose()?))
        }
        TimerNeed::First { level, from } => {
            let params = [partition.into(), Param::Small(i16::from(level)), from.into()];
            let rows = pool.read_one(Call::new(FIRST, params)).await?;
            Ok(Supply::First(rows.first().map(|row| row.get(0))))
        }
        TimerNeed::Blocks { slot, after, up_to_batch, entries_max } => {
            let call = blocks(partition, slot, after, up_to_batch, None, entries_max);
            let (rows, is_last) = page(pool.read_one(call).await?, entries_max, 7);
            Ok(Supply::Blocks { rows: rows.iter().map(block).collect::<Result<_>>()?, is_last })
        }
        TimerNeed::Find { position, after, entries_max } => {
            find(pool, partition, position, after, entries_max).await
        }
    }
}

/// Level by level from the coarsest, because timers move only to finer ones.
async fn find(
    pool: &Pool,
    partition: PartitionId,
    position: Position,
    after: Option<BlockId>,
    entries_max: usize,
) -> Result<Supply> {
    let (mut found, mut entries) = (Vec::new(), 0);
    let coarsest = after.map_or(LEVEL_MAX, |after| after.slot.level);
    for level in (0..=coarsest).rev() {
        let slot = Slot::of(position.due_ms, level);
        let behind = after.filter(|after| after.slot == slot);
        let left = entries_max.saturating_sub(entries);
        let call = blocks(partition, slot, behind, i64::MAX, Some(position.key), left);
        let (rows, is_last) = page(pool.read_one(call).await?, left, 7);
        let rows: Vec<BlockRow> = rows.iter().map(block).collect::<Result<_>>()?;
        entries += rows.iter().map(|row| row.count as usize).sum::<usize>();
        found.extend(rows);
        if !is_last || entries >= entries_max && level > 0 {
            return Ok(Supply::Blocks { rows: found, is_last: false });
        }
    }
    Ok(Supply::Blocks { rows: found, is_last: true })
}

/// Blocks of a slot behind one of it; with a key, only those that may have it.
fn blocks<'c>(
    partition: PartitionId,
    slot: Slot,
    after: Option<BlockId>,
    up_to_batch: i64,
    key: Option<i64>,
    entries_max: usize,
) -> Call<'c> {
    let (kind, batch, n) = after.map_or((-1, 0, 0), |id| (id.kind as i64, id.batch, i64::from(id.n)));
    let params = [
        partition.into(),
        Param::Small(i16::from(slot.level)),
        slot.number.into(),
        kind.into(),
        batch.into(),
        n.into(),
        up_to_batch.into(),
        key.unwrap_or(i64::MAX).into(),
        key.unwrap_or(i64::MIN).into(),
        (ROWS_PER_PAGE as i64).into(),
        (entries_max as i64).into(),
    ];
    Call::new(BLOCKS, params)
}

pub(super) async fn deliveries(
    pool: &Pool,
    partition: PartitionId,
    lane: u32,
    after: Option<DeliveryId>,
    entries_max: usize,
) -> Result<(Vec<Row>, bool)> {
    let (batch, n) = after.map_or((i64::MIN, 0), |after| (after.batch, i64::from(after.n)));
    let params = [
        partition.into(),
        i64::from(lane).into(),
        batch.into(),
        n.into(),
        (ROWS_PER_PAGE as i64).into(),
        (entries_max as i64).into(),
    ];
    let rows = pool.read_one(Call::new(DELIVERIES, params)).await?;
    Ok(page(rows, entries_max, 3))
}

/// Cuts what was read one row too far, and says whether these were all.
fn page(mut rows: Vec<Row>, entries_max: usize, count: usize) -> (Vec<Row>, bool) {
    let (mut entries, read) = (0, rows.len());
    let fits = |row: &Row| {
        entries += row.get::<_, i64>(count) as usize;
        entries <= entries_max
    };
    let kept = rows.iter().map(fits).take_while(|fits| *fits).count().max(1).min(read);
    rows.truncate(kept);
    (rows, kept == read && read < ROWS_PER_PAGE)
}

pub(super) fn block(row: &Row) -> Result<BlockRow> {
    let slot = Slot { level: row.get::<_, i16>(0) as u8, number: row.get(1) };
    let kind = Kind::from_code(row.get::<_, i16>(2) as u8);
    let kind = kind.ok_or_else(|| damaged("a block of timers has an unknown kind"))?;
    Ok(BlockRow {
        id: BlockId { slot, kind, batch: row.get(3), n: row.get::<_, i64>(4) as u32 },
        first_key: row.get(5),
        last_key: row.get(6),
        count: row.get::<_, i64>(7) as u32,
        data: row.get(8),
    })
}

pub(super) fn place(row: &Row) -> Result<Place> {
    let state = PlaceState::from_code(row.get::<_, i16>(5) as u8);
    Ok(Place {
        id: PlaceId(word(row.get(0))?),
        key: row.get(1),
        due_ms: row.get(2),
        id_due_ms: row.get(3),
        generation: row.get::<_, i64>(4) as u32,
        state: state.ok_or_else(|| damaged("the place of a timer has an unknown state"))?,
    })
}

pub(super) fn target(row: &Row) -> Result<TargetRow> {
    Ok(TargetRow {
        id: row.get::<_, i64>(0) as u32,
        hash: word(row.get(1))?,
        lane: row.get::<_, i64>(2) as u32,
        data: row.get(3),
    })
}

fn word(bytes: &[u8]) -> Result<u128> {
    bytes.try_into().map(u128::from_be_bytes).map_err(|_| damaged("a number of 16 bytes has another length"))
}

pub(super) fn damaged(reason: &str) -> Error {
    Error::Failed { place: "the timers".into(), reason: reason.into() }
}
