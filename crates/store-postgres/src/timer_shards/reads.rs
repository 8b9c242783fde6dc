//! Reads of service timers for those who search and operate.

use super::read::{block, damaged, place, recover, recovered};
use crate::PostgresStore;
use crate::call::{Call, Param};
use async_trait::async_trait;
use std::borrow::Cow;
use tidemill_model::PartitionId;
use tidemill_store::{BlockRange, LaneUse, Result, ShardState, SlotUse, TimerReads};
use tidemill_timers::Slot;
use tidemill_timers::block::{Kind, PlaceId};
use tidemill_timers::shard::{BlockRow, FailureId, FailureRow, Fence, Place};
use tokio_postgres::Row;

/// A page goes on behind the last block by its whole name: a slot has many blocks, and a batch may have written several of them. The order is
/// that of the primary key within one kind, so the limit ends the read.
const BLOCKS: &str = "SELECT level, slot, kind, batch_id, n, first_key, last_key, count, data FROM timer_blocks \
    WHERE partition_id = $1 AND level = $2 AND slot BETWEEN $3 AND $4 AND kind = $5 \
    AND (slot, batch_id, n) > ($6, $7, $8) AND batch_id > $9 ORDER BY slot, batch_id, n LIMIT $10";

/// `octet_length` reads the size of a value that is stored outside of its row without reading the value itself.
const SLOTS: &str = "SELECT level, slot, kind, count(*), sum(count)::bigint, sum(octet_length(data))::bigint \
    FROM timer_blocks WHERE partition_id = $1 AND (level, slot, kind) > ($2, $3, $4) \
    GROUP BY level, slot, kind ORDER BY level, slot, kind LIMIT $5";

/// As many as a screen can show: a client can make any number of lanes.
const LANES: &str = "SELECT lane, count(*), sum(count)::bigint FROM timer_deliveries WHERE partition_id = $1 \
    GROUP BY lane ORDER BY lane LIMIT 1000";

const FAILURES: &str = "SELECT key, generation, at, reason, data FROM timer_failures \
    WHERE partition_id = $1 AND (key, generation) > ($2, $3) ORDER BY key, generation LIMIT $4";

const PLACES: &str = "SELECT id, key, due_at, id_due_at, generation, state FROM timer_places \
    WHERE partition_id = $1 AND id = ANY($2)";

#[async_trait]
impl TimerReads for PostgresStore {
    async fn timer_shard(&self, partition: PartitionId) -> Result<ShardState> {
        let rows = self.loads.read(&recover(partition)).await?;
        let recovered = recovered(Fence { partition: u32::from(partition.0), epoch: 0 }, &rows)?;
        Ok(ShardState {
            last_batch: recovered.last_batch,
            highest_key: recovered.highest_key,
            mark: recovered.mark,
            namespaces: recovered.namespaces,
        })
    }

    async fn timer_blocks(&self, partition: PartitionId, range: BlockRange) -> Result<Vec<BlockRow>> {
        let after = range.after.map_or((i64::MIN, 0, 0), |id| (id.slot.number, id.batch, i64::from(id.n)));
        let params = [
            partition.into(),
            Param::Small(i16::from(range.level)),
            range.first_slot.into(),
            range.last_slot.into(),
            Param::Small(range.kind as i16),
            after.0.into(),
            after.1.into(),
            after.2.into(),
            range.batches_after.into(),
            (range.blocks_max as i64).into(),
        ];
        self.loads.read_one(Call::new(BLOCKS, params)).await?.iter().map(block).collect()
    }

    async fn timer_slots(
        &self,
        partition: PartitionId,
        after: Option<(Slot, Kind)>,
        rows_max: usize,
    ) -> Result<Vec<SlotUse>> {
        let (level, slot, kind) =
            after.map_or((-1, 0, 0), |(slot, kind)| (i16::from(slot.level), slot.number, kind as i16));
        let params = [
            partition.into(),
            Param::Small(level),
            slot.into(),
            Param::Small(kind),
            (rows_max as i64).into(),
        ];
        self.loads.read_one(Call::new(SLOTS, params)).await?.iter().map(slot_use).collect()
    }

    async fn timer_lanes(&self, partition: PartitionId) -> Result<Vec<LaneUse>> {
        let rows = self.loads.read_one(Call::new(LANES, [partition.into()])).await?;
        let lane = |row: &Row| LaneUse {
            lane: row.get::<_, i64>(0) as u32,
            rows: row.get::<_, i64>(1) as u64,
            entries: row.get::<_, i64>(2) as u64,
        };
        Ok(rows.iter().map(lane).collect())
    }

    async fn timer_failures(
        &self,
        partition: PartitionId,
        after: Option<FailureId>,
        rows_max: usize,
    ) -> Result<Vec<FailureRow>> {
        let (key, generation) = after.map_or((i64::MIN, 0), |id| (id.key, i64::from(id.generation)));
        let params = [partition.into(), key.into(), generation.into(), (rows_max as i64).into()];
        let rows = self.loads.read_one(Call::new(FAILURES, params)).await?;
        let failure = |row: &Row| FailureRow {
            key: row.get(0),
            generation: row.get::<_, i64>(1) as u32,
            at_ms: row.get(2),
            reason: row.get(3),
            data: row.get(4),
        };
        Ok(rows.iter().map(failure).collect())
    }

    async fn timer_places(&self, partition: PartitionId, ids: &[PlaceId]) -> Result<Vec<Place>> {
        let ids = ids.iter().map(|id| Cow::Owned(id.0.to_be_bytes().to_vec())).collect();
        let call = Call::new(PLACES, [partition.into(), Param::Blobs(ids)]);
        self.loads.read_one(call).await?.iter().map(place).collect()
    }
}

fn slot_use(row: &Row) -> Result<SlotUse> {
    let kind = Kind::from_code(row.get::<_, i16>(2) as u8);
    Ok(SlotUse {
        slot: Slot { level: row.get::<_, i16>(0) as u8, number: row.get(1) },
        kind: kind.ok_or_else(|| damaged("a block of timers has an unknown kind"))?,
        blocks: row.get::<_, i64>(3) as u64,
        entries: row.get::<_, i64>(4) as u64,
        bytes: row.get::<_, i64>(5) as u64,
    })
}
