//! Timers that fire with the open batch, by the lane in which they are delivered.

use super::open::{BlockLimits, chunks, encode, key_range};
use super::rows::{DeliveryId, DeliveryRow, FIRST_KEPT_LANE, LANE_OF_COMMANDS};
use crate::block::{Block, Entry};
use rustc_hash::FxHashMap;

#[derive(Default)]
pub(super) struct Fired {
    /// In all lanes; what goes back to its lane has fired before.
    pub(super) count: usize,
    pub(super) first_due_ms: Option<i64>,
    lanes: FxHashMap<u32, Vec<Entry>>,
}

impl Fired {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0 && self.lanes.is_empty()
    }

    /// Counts a timer. Nothing is kept of those that are told to nobody.
    pub(super) fn note(&mut self, due_ms: i64) {
        self.count += 1;
        self.first_due_ms = Some(self.first_due_ms.map_or(due_ms, |first_ms| first_ms.min(due_ms)));
    }

    /// A delivery, for the first time or once more.
    pub(super) fn keep(&mut self, lane: u32, entry: Entry) {
        self.lanes.entry(lane).or_default().push(entry);
    }

    /// Rows of deliveries, one for each lane or more if they are many, and the timers that become commands.
    pub(super) fn pack(mut self, batch: i64, limits: BlockLimits) -> (Vec<DeliveryRow>, Vec<Entry>) {
        let commands = self.lanes.remove(&LANE_OF_COMMANDS).unwrap_or_default();
        let mut lanes: Vec<_> = self.lanes.into_iter().filter(|(lane, _)| *lane >= FIRST_KEPT_LANE).collect();
        lanes.sort_unstable_by_key(|(lane, _)| *lane);
        let mut deliveries = Vec::new();
        for (lane, entries) in lanes {
            for (n, entries) in (0..).zip(chunks(entries, limits, Entry::bytes)) {
                let (count, mut block) = (entries.len() as u32, Block::Entries(entries));
                let (first_key, _) = key_range(&block);
                let id = DeliveryId { lane, batch, n };
                deliveries.push(DeliveryRow { id, first_key, count, data: encode(&mut block) });
            }
        }
        (deliveries, commands)
    }
}
