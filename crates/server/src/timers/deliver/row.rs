//! Rows of deliveries that are in hand, and what became of their timers so far.

use super::reply::Verdict;
use crate::timers::id;
use crate::timers::spec::{Envelope, Origin, StoredTarget};
use std::sync::Arc;
use tidemill_model::PartitionId;
use tidemill_timers::block::{Entry, PlaceId};
use tidemill_timers::shard::{DeliveryId, Retry, Settle};
use tokio::sync::oneshot;

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
        // An envelope that cannot be read was written by a later version; its timer is told all the same.
        let (envelope, payload_at) = opened.unwrap_or((Envelope::default(), entry.payload.len()));
        Item { row, entry, envelope, payload_at }
    }

    pub(super) fn payload(&self) -> &[u8] {
        &self.entry.payload[self.payload_at..]
    }

    pub(super) fn origin(&self) -> Origin {
        self.envelope.origin_of(&self.entry)
    }

    /// The place of the id that its client knows.
    pub(super) fn place(&self) -> PlaceId {
        match &self.envelope.own_id {
            Some(own_id) => id::place_of_own(&self.entry.scope, own_id),
            None => {
                let Origin { key, due_ms } = self.origin();
                PlaceId::of_generated(key, due_ms)
            }
        }
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
    /// Those who wait for timers that were taken back: they hear of it when the row is settled.
    taken: Vec<oneshot::Sender<bool>>,
}

impl Row {
    pub(super) fn new(id: DeliveryId, entries: usize, bytes: usize) -> Row {
        let settle = Settle { row: id, retries: Vec::new(), failures: Vec::new(), returned: Vec::new() };
        Row { left: entries, entries, bytes, settle, taken: Vec::new() }
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
            Verdict::NextAt(due_ms) => {
                let (entry, of) = (item.again(0, due_ms, None), item.place());
                self.settle.retries.push(Retry { entry, due_ms, of });
            }
            Verdict::Retry { reason, not_before_ms } => {
                self.retry(item, target, &reason, not_before_ms, now_ms)
            }
            Verdict::GiveUp { reason } => self.give_up(item, reason),
        }
        self.left -= 1;
        (self.left == 0).then(|| Arc::new(self.settle.clone()))
    }

    /// Some of its timers are not wanted any more, and others go back to their lane: none of them was begun.
    pub(super) fn give_back(
        &mut self,
        unwanted: usize,
        returned: Vec<Item>,
        taken: oneshot::Sender<bool>,
    ) -> Option<Arc<Settle>> {
        self.left -= unwanted + returned.len();
        self.settle.returned.extend(returned.into_iter().map(|item| item.entry));
        self.taken.push(taken);
        (self.left == 0).then(|| Arc::new(self.settle.clone()))
    }

    pub(super) fn is_given_back(&self) -> bool {
        !self.taken.is_empty()
    }

    pub(super) fn was_settled(&mut self) {
        for taken in self.taken.drain(..) {
            // A caller that has gone away does not want the answer.
            let _ = taken.send(true);
        }
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
                self.settle.retries.push(Retry { entry, due_ms, of: item.place() });
            }
            None => self.give_up(item, format!("given up after try {}: {reason}", attempt.saturating_add(1))),
        }
    }

    fn give_up(&mut self, item: &Item, reason: String) {
        let entry = item.again(item.entry.attempt, item.entry.scheduled_ms, item.envelope.first_try_ms);
        self.settle.failures.push((entry, reason.into()));
    }
}
