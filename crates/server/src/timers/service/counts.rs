//! How many timers are due when: by minutes for the next hour, by slots beyond it.

use super::{TimerFailure, TimerService};
use std::collections::BTreeMap;
use tidemill_model::PartitionId;
use tidemill_store::{BlockRange, SlotUse};
use tidemill_timers::block::{self, Block, Entry, Flags, Kind, Scope};
use tidemill_timers::slot::LEVELS;
use tidemill_timers::{Position, Slot};

const MINUTES: i64 = 60;
const MINUTE_MS: i64 = 60_000;
const BLOCKS_PER_READ: usize = 8;
/// Blocks that are unpacked for the minutes of one partition; what is more is only counted by slots.
const BLOCKS_MAX: usize = 512;
const SLOTS_PER_READ: usize = 1_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// The beginning of the first minute, and the timers due in each; what is overdue counts to the first.
    pub begin_ms: i64,
    pub minutes: Vec<u64>,
    /// False where there was too much to unpack.
    pub is_exact: bool,
    /// Timers of all namespaces behind the last minute. Cancelled ones count until their slot is split.
    pub slots: Vec<SlotCount>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotCount {
    pub begin_ms: i64,
    pub end_ms: i64,
    pub timers: u64,
}

impl TimerService {
    /// Of one namespace, by minutes.
    pub async fn counts(&self, scope: &Scope) -> Result<Counts, TimerFailure> {
        let begin_ms = self.now_ms() / MINUTE_MS * MINUTE_MS;
        let end_ms = begin_ms + MINUTES * MINUTE_MS;
        let mut counts =
            Counts { begin_ms, minutes: vec![0; MINUTES as usize], is_exact: true, slots: Vec::new() };
        let mut slots: BTreeMap<(i64, i64), u64> = BTreeMap::new();
        for partition in self.partitions() {
            let mark = self.node.timer_store().timer_shard(partition).await?.mark;
            self.count_minutes(partition, mark, scope, &mut counts, &mut slots).await?;
            for used in self.slot_uses(partition).await? {
                let is_later = used.slot.level < LEVELS && used.slot.begin_ms() >= end_ms;
                if is_later && used.kind == Kind::Entries {
                    let slot = (used.slot.begin_ms(), used.slot.end_ms());
                    *slots.entry(slot).or_default() += used.entries;
                }
            }
        }
        let slot = |((begin_ms, end_ms), timers)| SlotCount { begin_ms, end_ms, timers };
        counts.slots = slots.into_iter().map(slot).collect();
        Ok(counts)
    }

    async fn count_minutes(
        &self,
        partition: PartitionId,
        mark: Position,
        scope: &Scope,
        counts: &mut Counts,
        slots: &mut BTreeMap<(i64, i64), u64>,
    ) -> Result<(), TimerFailure> {
        let (begin_ms, end_ms) = (counts.begin_ms, counts.begin_ms + MINUTES * MINUTE_MS);
        let mut unpacked = 0;
        for level in 0..LEVELS {
            let last_slot = Slot::of(end_ms - 1, level).number;
            let (kind, blocks_max) = (Kind::Entries, BLOCKS_PER_READ);
            let mut range = BlockRange {
                level,
                kind,
                first_slot: 0,
                last_slot,
                batches_after: 0,
                after: None,
                blocks_max,
            };
            loop {
                let rows = self.node.timer_store().timer_blocks(partition, range).await?;
                let is_last = rows.len() < BLOCKS_PER_READ;
                range.after = rows.last().map(|row| row.id).or(range.after);
                for row in rows {
                    unpacked += 1;
                    if unpacked > BLOCKS_MAX {
                        counts.is_exact = false;
                        return Ok(());
                    }
                    let Ok(Block::Entries(mut entries)) = block::decode(&row.data) else { continue };
                    entries.retain(|entry| !entry.flags.has(Flags::FORGETS));
                    // A slot may begin within the hour and end behind it.
                    let later = entries.iter().filter(|entry| entry.due_ms >= end_ms).count();
                    if later > 0 {
                        *slots.entry((end_ms, row.id.slot.end_ms())).or_default() += later as u64;
                    }
                    let is_it = |entry: &Entry| {
                        *entry.scope == *scope && entry.due_ms < end_ms && entry.position() > mark
                    };
                    let entries = entries.into_iter().filter(is_it).collect();
                    for entry in self.without_cancelled(partition, row.id.slot, entries).await? {
                        let minute = (entry.due_ms - begin_ms).max(0) / MINUTE_MS;
                        counts.minutes[minute as usize] += 1;
                    }
                }
                if is_last {
                    break;
                }
            }
        }
        Ok(())
    }

    pub(super) async fn slot_uses(&self, partition: PartitionId) -> Result<Vec<SlotUse>, TimerFailure> {
        let mut all: Vec<SlotUse> = Vec::new();
        loop {
            let after = all.last().map(|used| (used.slot, used.kind));
            let page = self.node.timer_store().timer_slots(partition, after, SLOTS_PER_READ).await?;
            let is_last = page.len() < SLOTS_PER_READ;
            all.extend(page);
            if is_last {
                return Ok(all);
            }
        }
    }
}
