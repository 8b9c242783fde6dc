//! The shards as operators see them: numbers, slots, and what is in a block.

use super::view::TimerView;
use super::{TimerFailure, TimerService, TimerState};
use crate::timers::LoopNumbers;
use crate::timers::spec::{LaneKind, lane_kind};
use serde_json::{Value, json};
use tidemill_model::PartitionId;
use tidemill_store::{BlockRange, ShardState};
use tidemill_timers::Slot;
use tidemill_timers::block::{self, Block, Kind};
use tidemill_timers::shard::{BlockId, BlockRow};
use tidemill_timers::slot::LEVELS;

/// Slots that are listed at most.
pub const SLOTS_MAX: usize = 10_000;
/// Entries of a block that are shown at most.
const ENTRIES_MAX: usize = 1_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartitionStats {
    pub partition: PartitionId,
    pub shard: ShardState,
    /// Stored timers; those count too that have fired or were cancelled, as long as their block is there.
    pub stored: u64,
    pub cancellations: u64,
    pub paused: u64,
    pub blocks: u64,
    pub bytes: u64,
    /// Deliveries that wait for callbacks, and in streams.
    pub callbacks: u64,
    pub streamed: u64,
    /// None where another node runs the loop.
    pub looped: Option<LoopNumbers>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotView {
    pub partition: PartitionId,
    pub used: tidemill_store::SlotUse,
}

#[derive(Clone, PartialEq, Debug)]
pub struct BlockView {
    pub name: String,
    pub first_key: i64,
    pub last_key: i64,
    pub count: u32,
    pub bytes: usize,
    /// The entries of the block, or the reason why it cannot be read.
    pub content: Result<Vec<Value>, String>,
    pub timers: Vec<TimerView>,
}

impl TimerService {
    pub async fn stats(&self) -> Result<Vec<PartitionStats>, TimerFailure> {
        let loops = self.node.timer_loops();
        let mut all = Vec::new();
        for partition in self.partitions() {
            let shard = self.node.timer_store().timer_shard(partition).await?;
            let looped = loops.iter().find(|(id, _)| *id == partition).map(|(_, numbers)| numbers.clone());
            let mut stats = PartitionStats {
                partition,
                shard,
                stored: 0,
                cancellations: 0,
                paused: 0,
                blocks: 0,
                bytes: 0,
                callbacks: 0,
                streamed: 0,
                looped,
            };
            for used in self.slot_uses(partition).await? {
                let number = match used.kind {
                    Kind::Entries => &mut stats.stored,
                    Kind::Tombstones => &mut stats.cancellations,
                    Kind::Paused => &mut stats.paused,
                };
                *number += used.entries;
                stats.blocks += used.blocks;
                stats.bytes += used.bytes;
            }
            for lane in self.node.timer_store().timer_lanes(partition).await? {
                match lane_kind(lane.lane) {
                    LaneKind::Stream => stats.streamed += lane.entries,
                    _ => stats.callbacks += lane.entries,
                }
            }
            all.push(stats);
        }
        Ok(all)
    }

    /// All slots that hold blocks, up to a number of them.
    pub async fn slots(&self) -> Result<Vec<SlotView>, TimerFailure> {
        let mut slots = Vec::new();
        for partition in self.partitions() {
            let used = self.slot_uses(partition).await?;
            slots.extend(used.into_iter().map(|used| SlotView { partition, used }));
        }
        slots.truncate(SLOTS_MAX);
        Ok(slots)
    }

    /// The names of the blocks of a slot: `PARTITION.LEVEL.SLOT.KIND.BATCH.N`.
    pub async fn block_names(&self, partition: PartitionId, slot: Slot) -> Result<Vec<String>, TimerFailure> {
        let mut names = Vec::new();
        for kind in [Kind::Tombstones, Kind::Entries, Kind::Paused] {
            let range = of_slot(slot, kind, None, SLOTS_MAX);
            let rows = self.node.timer_store().timer_blocks(partition, range).await?;
            names.extend(rows.iter().map(|row| name(partition, row.id)));
        }
        Ok(names)
    }

    pub async fn block(&self, name: &str) -> Result<BlockView, TimerFailure> {
        let unknown = || TimerFailure::NotFound(name.to_owned());
        let (partition, id) = read_name(name).ok_or_else(unknown)?;
        if !self.partitions().any(|known| known == partition) {
            return Err(unknown());
        }
        let before = match id.n.checked_sub(1) {
            Some(n) => BlockId { n, ..id },
            None => BlockId { batch: id.batch - 1, n: u32::MAX, ..id },
        };
        let range = of_slot(id.slot, id.kind, Some(before), 1);
        let rows = self.node.timer_store().timer_blocks(partition, range).await?;
        let row = rows.into_iter().find(|row| row.id == id).ok_or_else(unknown)?;
        self.block_view(partition, name, row).await
    }

    async fn block_view(
        &self,
        partition: PartitionId,
        name: &str,
        row: BlockRow,
    ) -> Result<BlockView, TimerFailure> {
        let mut timers = Vec::new();
        let content = match block::decode(&row.data) {
            Err(error) => Err(error.to_string()),
            Ok(Block::Tombstones(tombstones)) => Ok(tombstones
                .iter()
                .take(ENTRIES_MAX)
                .map(|t| json!({"key": t.key, "dueMs": t.due_ms, "generation": t.generation}))
                .collect()),
            Ok(Block::Entries(mut entries) | Block::Paused(mut entries)) => {
                entries.truncate(ENTRIES_MAX);
                let targets = self.targets(partition, entries.iter().map(|entry| entry.target)).await?;
                let state = match row.id.kind {
                    Kind::Paused => TimerState::Paused,
                    _ => TimerState::Scheduled,
                };
                let shown = |entry: &block::Entry| {
                    json!({
                        "key": entry.key,
                        "dueMs": entry.due_ms,
                        "generation": entry.generation,
                        "payloadBytes": entry.payload.len(),
                    })
                };
                let content = entries.iter().map(shown).collect();
                timers.extend(
                    entries.into_iter().map(|entry| TimerView::of(partition, entry, state, &targets)),
                );
                Ok(content)
            }
        };
        let (first_key, last_key, count, bytes) = (row.first_key, row.last_key, row.count, row.data.len());
        Ok(BlockView { name: name.to_owned(), first_key, last_key, count, bytes, content, timers })
    }
}

fn of_slot(slot: Slot, kind: Kind, after: Option<BlockId>, blocks_max: usize) -> BlockRange {
    BlockRange {
        level: slot.level,
        kind,
        first_slot: slot.number,
        last_slot: slot.number,
        batches_after: 0,
        after,
        blocks_max,
    }
}

fn name(partition: PartitionId, id: BlockId) -> String {
    let BlockId { slot, kind, batch, n } = id;
    format!("{partition}.{}.{}.{}.{batch}.{n}", slot.level, slot.number, kind as u8)
}

fn read_name(name: &str) -> Option<(PartitionId, BlockId)> {
    let words: Vec<&str> = name.split('.').collect();
    let [partition, level, slot, kind, batch, n] = words[..] else { return None };
    let level = level.parse().ok().filter(|level| *level < LEVELS + 2)?;
    let slot = Slot { level, number: slot.parse().ok()? };
    let kind = Kind::from_code(kind.parse().ok()?)?;
    let id = BlockId { slot, kind, batch: batch.parse().ok()?, n: n.parse().ok()? };
    Some((PartitionId(partition.parse().ok()?), id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_block_leads_back_to_it() {
        let slot = Slot { level: 3, number: 6_333 };
        let id = BlockId { slot, kind: Kind::Tombstones, batch: 12, n: 4 };
        assert_eq!(name(PartitionId(2), id), "2.3.6333.0.12.4");
        assert_eq!(read_name("2.3.6333.0.12.4"), Some((PartitionId(2), id)));
        for other in ["", "1.2.3", "2.9.6333.0.12.4", "2.3.6333.7.12.4", "2.3.x.0.12.4"] {
            assert_eq!(read_name(other), None, "{other}");
        }
    }
}
