//! Cancellations that wait for their timer: a timer in a block counts only if none of them kills it.

use super::{TimerFailure, TimerService};
use std::collections::BTreeMap;
use tidemill_model::PartitionId;
use tidemill_store::BlockRange;
use tidemill_timers::Slot;
use tidemill_timers::block::{self, Block, Entry, Kind};
use tidemill_timers::slot::{LEVELS, length_ms};

/// Blocks of cancellations that are read at a time.
const BLOCKS_PER_READ: usize = 32;

impl TimerService {
    /// Leaves out those that were cancelled. All are of this slot; a cancellation may lie in a finer slot than its timer.
    pub(super) async fn without_cancelled(
        &self,
        partition: PartitionId,
        slot: Slot,
        entries: Vec<Entry>,
    ) -> Result<Vec<Entry>, TimerFailure> {
        if entries.is_empty() {
            return Ok(entries);
        }
        let mut kills: BTreeMap<(i64, i64), u32> =
            entries.iter().map(|entry| ((entry.key, entry.due_ms), 0)).collect();
        let is_beside = slot.level >= LEVELS;
        for level in if is_beside { slot.level..=slot.level } else { 0..=slot.level } {
            let (first_slot, last_slot) = match is_beside {
                true => (slot.number, slot.number),
                false => {
                    let last_ms = slot.begin_ms().saturating_add(length_ms(slot.level) - 1);
                    (Slot::of(slot.begin_ms(), level).number, Slot::of(last_ms, level).number)
                }
            };
            let (kind, after, blocks_max) = (Kind::Tombstones, None, BLOCKS_PER_READ);
            let batches_after = 0;
            let mut range =
                BlockRange { level, kind, first_slot, last_slot, batches_after, after, blocks_max };
            loop {
                let rows = self.node.timer_store().timer_blocks(partition, range).await?;
                let is_last = rows.len() < BLOCKS_PER_READ;
                range.after = rows.last().map(|row| row.id).or(range.after);
                for row in rows {
                    // A damaged block is told by the loop that must read it.
                    let Ok(Block::Tombstones(tombstones)) = block::decode(&row.data) else { continue };
                    for tombstone in tombstones {
                        if let Some(kill) = kills.get_mut(&(tombstone.key, tombstone.due_ms)) {
                            *kill = tombstone.generation.max(*kill);
                        }
                    }
                }
                if is_last {
                    break;
                }
            }
        }
        let lives = |entry: &Entry| entry.generation >= kills[&(entry.key, entry.due_ms)];
        Ok(entries.into_iter().filter(lives).collect())
    }
}
