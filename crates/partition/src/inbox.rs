//! The durable inbox: which of its entries are in hand.

use crate::box_order::BoxOrder;
use crate::letters::letter;
use crate::queued::{CommandSource, QueuedCommand};
use std::collections::{BTreeSet, VecDeque};
use tidemill_store::{DeadLetter, Envelope, InboxEntry, Position};

/// Entries that one read brings at most.
pub(crate) const ENTRIES_PER_READ_MAX: usize = 512;

/// Which entries of the inbox are in hand. An entry leaves the store with the commit that carries its effects, so a page
/// that was read before that commit still shows it.
#[derive(Default)]
pub(crate) struct InboxReader {
    waiting: VecDeque<QueuedCommand>,
    /// Taken from a page and not yet committed.
    in_hand: BTreeSet<Position>,
    /// Committed since the read that is under way began.
    committed: BTreeSet<Position>,
    /// The inbox may hold entries that were not read yet. Wake-ups set it, which are only hints, and every page that was cut.
    is_dirty: bool,
    is_reading: bool,
    /// The last page was cut, or a batch had no room for all of it.
    is_long: bool,
}

impl InboxReader {
    pub(crate) fn len(&self) -> usize {
        self.in_hand() + self.committed.len()
    }

    /// Entries that were read and are not committed.
    pub(crate) fn in_hand(&self) -> usize {
        self.in_hand.len().max(self.waiting.len())
    }

    pub(crate) fn has_grown(&mut self) {
        self.is_dirty = true;
    }

    /// A read begins if one is due. Entries in hand are read before new ones are asked for.
    pub(crate) fn begin_read(&mut self) -> Option<usize> {
        if self.is_reading || !self.is_dirty || !self.waiting.is_empty() {
            return None;
        }
        self.is_reading = true;
        self.is_dirty = false;
        // Entries in hand that are not committed come first in the page, so the page must be longer by their number.
        Some(ENTRIES_PER_READ_MAX + self.in_hand.len())
    }

    /// A page has come. Entries that cannot be unpacked are given back as dead letters.
    pub(crate) fn arrived(
        &mut self,
        entries: Vec<InboxEntry>,
        limit: usize,
        box_order: &mut BoxOrder,
    ) -> Vec<DeadLetter> {
        self.is_reading = false;
        self.is_long = entries.len() >= limit;
        self.is_dirty |= self.is_long;
        let committed = std::mem::take(&mut self.committed);
        let mut letters = Vec::new();
        for entry in entries {
            // The page may be older than a commit that has consumed the entry, or show one that is in hand.
            if committed.contains(&entry.position) || !self.in_hand.insert(entry.position) {
                continue;
            }
            match Envelope::unpack(&entry.payload) {
                Ok(Envelope { command, keeps_result, is_own, idempotency }) => {
                    let position = entry.position;
                    let source = CommandSource::Inbox { position, keeps_result, is_own, idempotency };
                    let queued = QueuedCommand::new(command, source);
                    box_order.arrived(&queued);
                    self.waiting.push_back(queued);
                }
                Err(error) => letters.push(letter(Some(entry.position), entry.payload, &error.to_string())),
            }
        }
        if !self.is_long {
            box_order.inbox_was_read_to_its_end();
        }
        letters
    }

    pub(crate) fn pop(&mut self) -> Option<QueuedCommand> {
        self.waiting.pop_front()
    }

    /// It was taken and not run.
    pub(crate) fn put_back(&mut self, queued: QueuedCommand) {
        self.is_long = true;
        self.waiting.push_front(queued);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Entries that were appended before now may not have been admitted. Requests wait for them, unless there are more than a
    /// batch takes: then the kinds take turns.
    pub(crate) fn holds_up_requests(&self) -> bool {
        !self.is_long && (self.is_dirty || self.is_reading || !self.waiting.is_empty())
    }

    /// There are more entries than fit into a batch.
    pub(crate) fn is_long(&self) -> bool {
        self.is_long
    }

    /// These entries have left the store.
    pub(crate) fn committed(&mut self, consumed: &[Position]) {
        for position in consumed {
            self.in_hand.remove(position);
        }
        if self.is_reading {
            self.committed.extend(consumed);
        }
    }

    /// Everything is read again, but for entries that stay in hand.
    pub(crate) fn reset(&mut self, in_hand: impl Iterator<Item = Position>) {
        // The inbox counts as dirty, because nobody knows what a predecessor has left in it.
        *self = InboxReader { in_hand: in_hand.collect(), is_dirty: true, ..InboxReader::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemill_model::command::CancelInstance;
    use tidemill_model::{Command, ProcessInstanceKey, Timestamp};

    fn entries(positions: std::ops::Range<i64>) -> Vec<InboxEntry> {
        let entry = |position| InboxEntry {
            position: Position(position),
            received_at: Timestamp(0),
            payload: Envelope::internal(Command::CancelInstance(CancelInstance {
                instance: ProcessInstanceKey(position),
            }))
            .pack(),
        };
        positions.map(entry).collect()
    }

    fn taken(reader: &mut InboxReader) -> Vec<i64> {
        std::iter::from_fn(|| reader.pop()).filter_map(|queued| queued.position()).map(|at| at.0).collect()
    }

    #[test]
    fn an_entry_is_taken_once_however_often_it_is_read() {
        let mut reader = InboxReader::default();
        reader.has_grown();
        let limit = reader.begin_read().expect("a read is due");
        assert!(reader.begin_read().is_none(), "one read at a time");
        assert!(reader.arrived(entries(1..4), limit, &mut BoxOrder::default()).is_empty());
        assert_eq!(taken(&mut reader), [1, 2, 3]);
        reader.has_grown();
        let limit = reader.begin_read().expect("a read is due");
        reader.committed(&[Position(1)]);
        reader.arrived(entries(1..6), limit, &mut BoxOrder::default());
        assert_eq!(taken(&mut reader), [4, 5], "1 was committed during the read, 2 and 3 are in hand");
    }

    #[test]
    fn a_page_that_was_cut_is_followed_by_the_next() {
        let mut reader = InboxReader::default();
        reader.has_grown();
        let limit = reader.begin_read().expect("a read is due");
        reader.arrived(entries(0..limit as i64), limit, &mut BoxOrder::default());
        assert!(reader.begin_read().is_none(), "what was read comes first");
        assert_eq!(taken(&mut reader).len(), limit);
        assert_eq!(reader.begin_read(), Some(2 * limit), "those in hand are still in the store");
    }

    #[test]
    fn what_cannot_be_unpacked_is_put_aside() {
        let mut reader = InboxReader::default();
        reader.has_grown();
        let limit = reader.begin_read().expect("a read is due");
        let entry = InboxEntry { position: Position(7), received_at: Timestamp(0), payload: vec![1, 2, 3] };
        let letters = reader.arrived(vec![entry], limit, &mut BoxOrder::default());
        assert_eq!(letters[0].position, Some(Position(7)));
        assert!(taken(&mut reader).is_empty());
    }
}
