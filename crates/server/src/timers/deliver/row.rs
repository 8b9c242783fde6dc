//! Rows of deliveries that are in hand, and what became of their timers so far.

use super::reply::Verdict;
use crate::timers::spec::{Envelope, Origin, StoredTarget};
use std::sync::Arc;
use tidemill_model::PartitionId;
use tidemill_timers::block::Entry;
use tidemill_timers::shard::{DeliveryId, Settle};

/// A timer that is to be told.
pub(super) struct Item {
    pub(super) row: DeliveryId,
    pub(super) entry: Entry,
    pub(super) envelope: Envelope,
    payload_at: usize,
}

impl Item {
    pub(super) fn new(row: DeliveryId, entry: Entry) -> Item {
        let opened =
            Envelope::open(&entry).map(|(envelope, payload)| (envelope, entry.payload.len() - payload.len()));
        // What cannot be read was written by a later version; its timer is told all the same.
        let (envelope, payload_at) = opened.unwrap_or((Envelope::default(), entry.payload.len()));
        Item { row, entry, envelope, payload_at }
    }

    pub(super) fn payload(&self) -> &[u8] {
        &self.entry.payload[self.payload_at..]
    }

    pub(super) fn origin(&self) -> Origin {
        self.envelope.origin_of(&self.entry)
    }

    /// The same for each try of one occurrence, and for no other.
    pub(super) fn idempotency_key(&self, partition: PartitionId) -> String {
        format!("{}-{}-{}", partition.0, self.origin().key, self.entry.scheduled_ms)
    }

    /// The timer as it comes back: its id stays, but it repeats no more, because its next occurrence waits already.
    fn again(&self, attempt: u32, scheduled_ms: i64, first_try_ms: Option<i64>) -> Entry {
        let origin = Some(self.origin());
        let envelope = Envelope { origin, first_try_ms, repeat: None, ..self.envelope.clone() };
        let (flags, payload) = envelope.wrap(self.payload());
        Entry { attempt, scheduled_ms, flags, payload, ..self.entry.clone() }
    }
}

pub(super) struct Row {
    left: usize,
    pub(super) entries: usize,
    pub(super) bytes: usize,
    settle: Settle,
}

impl Row {
    pub(super) fn new(id: DeliveryId, entries: usize, bytes: usize) -> Row {
        let settle = Settle { row: id, retries: Vec::new(), failures: Vec::new(), returned: Vec::new() };
        Row { left: entries, entries, bytes, settle }
    }

    /// Notes what became of one of its timers. Gives what to tell the shard once that is known of all.
    pub(super) fn note(
        &mut self,
        item: &Item,
        target: Option<&StoredTarget>,
        verdict: Verdict,
        now_ms: i64,
    ) -> Option<Arc<Settle>> {
        match verdict {
            Verdict::Done => {}
            Verdict::NextAt(due_ms) => self.settle.retries.push((item.again(0, due_ms, None), due_ms)),
            Verdict::Retry { reason, not_before_ms } => {
                self.retry(item, target, &reason, not_before_ms, now_ms)
            }
            Verdict::GiveUp { reason } => self.give_up(item, reason),
        }
        self.left -= 1;
        (self.left == 0).then(|| Arc::new(self.settle.clone()))
    }

    fn retry(
        &mut self,
        item: &Item,
        target: Option<&StoredTarget>,
        reason: &str,
        not_before_ms: Option<i64>,
        now_ms: i64,
    ) {
        let policy = target.map(|target| target.retry).unwrap_or_default();
        let attempt = item.entry.attempt;
        let first_try_ms = item.envelope.first_try_ms.unwrap_or(now_ms);
        let seed = item.origin().key as u64;
        match policy.next_try_ms(attempt, first_try_ms, now_ms, not_before_ms, seed) {
            Some(due_ms) => {
                let entry =
                    item.again(attempt.saturating_add(1), item.entry.scheduled_ms, Some(first_try_ms));
                self.settle.retries.push((entry, due_ms));
            }
            None => self.give_up(item, format!("given up after try {}: {reason}", attempt.saturating_add(1))),
        }
    }

    fn give_up(&mut self, item: &Item, reason: String) {
        let entry = item.again(item.entry.attempt, item.entry.scheduled_ms, item.envelope.first_try_ms);
        self.settle.failures.push((entry, reason.into()));
    }
}
