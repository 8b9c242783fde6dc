//! The memory that the shard occupies, and the eviction of what is too much.

use super::open::BlockLimits;
use super::{Phase, Shard};
use crate::{Position, Slot};

/// The memory that an entry is taken to occupy when a page of blocks is asked for.
const ENTRY_BYTES: usize = 256;

impl Shard {
    /// An estimate of all memory that grows with load.
    pub fn bytes(&self) -> usize {
        let jobs = self.job.iter().chain(&self.unpark).map(super::job::Job::bytes).sum::<usize>();
        self.wheel.bytes() + self.waiting_bytes() + self.places.bytes() + jobs
    }

    /// The memory of what is on its way to the store, or waits to get there.
    pub(super) fn waiting_bytes(&self) -> usize {
        let in_flight = self.in_flight.as_ref().map_or(0, |in_flight| in_flight.bytes);
        self.open.bytes + in_flight + self.queue_bytes
    }

    pub(super) fn block_limits(&self) -> BlockLimits {
        let bytes_max = (self.config.memory_bytes_max / 16).clamp(4_096, 4 << 20);
        let entries_max = self.config.block_entries_max.clamp(1, crate::block::ENTRIES_MAX);
        BlockLimits { entries_max, bytes_max }
    }

    /// Entries that a page of blocks should have at most.
    pub(super) fn page_entries(&self) -> usize {
        (self.config.memory_bytes_max / 16 / ENTRY_BYTES).max(1)
    }

    /// Slots at the far end leave the wheel when it is over its budget. A slot that does not fit alone is fired block by
    /// block, once it is over.
    pub(super) fn keep_to_budget(&mut self) {
        if !self.wheel.is_over_budget() {
            return;
        }
        let Some(first) = self.wheel.first() else { return };
        let Some(horizon) = self.wheel.evict() else { return };
        let (first, last) = (Slot::of(first.due_ms, 0), Slot::of(horizon.due_ms, 0));
        self.wheel.drop_from(Position::begin_of(last.begin_ms()));
        self.frontier.unload_from(last.number);
        if first >= last {
            self.oversize = Some(last.number);
        }
        self.look_ahead_ms = (self.look_ahead_ms / 2).max(crate::window::LOOK_AHEAD_MS_MIN);
        self.job.take_if(|job| job.is_load_from(last.number));
    }

    /// Memory has become free: look further ahead again.
    pub(super) fn look_further(&mut self) {
        if self.wheel.bytes() < self.wheel.bytes_max() / 4 {
            self.look_ahead_ms = (self.look_ahead_ms * 2).min(self.config.look_ahead_ms_max);
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.wheel.is_empty() || self.wheel.bytes() < self.wheel.bytes_max() / 2
    }

    pub fn is_ready(&self) -> bool {
        matches!(self.phase, Phase::Ready)
    }
}
