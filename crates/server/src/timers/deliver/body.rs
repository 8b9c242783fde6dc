//! Bodies of callbacks: a timer as an object, or many of them as a list.

use super::row::Item;
use crate::gateway::JsonText;
use std::io::Write;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_timers::block::Scope;

/// The text of a generated id: its scope, partition, key and due time.
pub type IdOf = fn(&Scope, PartitionId, i64, i64) -> String;

/// Facts that a body tells besides the timer itself.
pub(super) struct Telling {
    pub(super) partition: PartitionId,
    pub(super) now_ms: i64,
    pub(super) id_of: IdOf,
}

impl Telling {
    pub(super) fn single(&self, item: &Item) -> Vec<u8> {
        let mut body = Vec::with_capacity(256 + item.payload().len());
        self.write(item, &mut body);
        body
    }

    /// As a text. Payloads are JSON; what is not is shown as far as it can be.
    pub(super) fn text(&self, item: &Item) -> String {
        String::from_utf8_lossy(&self.single(item)).into_owned()
    }

    pub(super) fn batch(&self, items: &[Item]) -> Vec<u8> {
        let payloads: usize = items.iter().map(|item| item.payload().len()).sum();
        let mut body = Vec::with_capacity(64 + 256 * items.len() + payloads);
        body.extend_from_slice(b"{\"timers\":[");
        for (nth, item) in items.iter().enumerate() {
            if nth > 0 {
                body.push(b',');
            }
            self.write(item, &mut body);
        }
        body.extend_from_slice(b"]}");
        body
    }

    pub(super) fn id(&self, item: &Item) -> String {
        let origin = item.origin();
        item.envelope
            .own_id
            .clone()
            .unwrap_or_else(|| (self.id_of)(&item.entry.scope, self.partition, origin.key, origin.due_ms))
    }

    fn write(&self, item: &Item, body: &mut Vec<u8>) {
        let (entry, payload) = (&item.entry, item.payload());
        let (tenant, namespace) = (JsonText(&entry.scope.tenant), JsonText(&entry.scope.namespace));
        // The clock here may be a little behind the one that it was fired by.
        let (scheduled_at, fired_at) =
            (Timestamp(entry.scheduled_ms), Timestamp(self.now_ms.max(entry.due_ms)));
        let (key, attempt) = (item.idempotency_key(self.partition), entry.attempt.saturating_add(1));
        // Written to memory, which never fails.
        let _ = write!(body, r#"{{"id":{},"idempotencyKey":"{key}""#, JsonText(&self.id(item)));
        let _ = write!(body, r#","tenantId":{tenant},"namespace":{namespace}"#);
        let _ = write!(body, r#","scheduledAt":"{scheduled_at}","firedAt":"{fired_at}""#);
        let _ = write!(body, r#","attempt":{attempt},"payload":"#);
        body.extend_from_slice(if payload.is_empty() { b"null" } else { payload });
        body.push(b'}');
    }
}
