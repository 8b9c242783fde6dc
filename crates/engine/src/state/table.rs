//! Rows of one kind in memory, with an undo journal per command and net changes per batch.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use tidemill_model::{Change, Entity, Stored};

/// Room for changes that is kept from batch to batch.
const BATCH_ROWS_KEPT: usize = 4_096;

/// All rows of one kind that are in memory.
///
/// Commands change rows in place. The journal puts back what a failed command has changed, and `dirty` remembers each row as the store
/// knows it, so that a row that was changed ten times in a batch is written once, and one that came and went is not written at all.
pub(crate) struct Table<R: Stored> {
    rows: FxHashMap<R::Key, Slot<R>>,
    /// Counts commands: a slot with the current stamp is already in the journal.
    stamp: u64,
    /// Rows as they were before the current command, in the order of its first touch. They are put back if the command fails.
    journal: Vec<(R::Key, Option<Arc<R>>)>,
    /// Rows as they were before the current command patched them in memory only.
    patched: Vec<(R::Key, Arc<R>)>,
    /// Rows that the current command ended.
    ended: Vec<Arc<R>>,
    /// Rows that this batch has taken away and the store still has.
    gone: FxHashSet<R::Key>,
    /// Rows as they were before the current batch. The difference to the present state is the net change that is written.
    dirty: FxHashMap<R::Key, Option<Arc<R>>>,
    /// Rows that the current batch ended.
    history: FxHashMap<R::Key, Arc<R>>,
}

struct Slot<R> {
    /// Shared with whoever has read it: a change copies the row only if somebody else still holds it.
    row: Arc<R>,
    stamp: u64,
}

impl<R: Stored> Default for Table<R> {
    fn default() -> Self {
        Table {
            rows: FxHashMap::default(),
            // Rows that were only loaded have the stamp 0, so the first command must have another one.
            stamp: 1,
            journal: Vec::new(),
            patched: Vec::new(),
            ended: Vec::new(),
            gone: FxHashSet::default(),
            dirty: FxHashMap::default(),
            history: FxHashMap::default(),
        }
    }
}

impl<R: Stored> Table<R> {
    pub(crate) fn get(&self, key: R::Key) -> Option<&Arc<R>> {
        self.rows.get(&key).map(|slot| &slot.row)
    }

    /// For changes: remembers what was there before.
    pub(crate) fn get_mut(&mut self, key: R::Key) -> Option<&mut R> {
        let slot = self.rows.get_mut(&key)?;
        if slot.stamp != self.stamp {
            // Only the first touch by a command is remembered: later ones would put back a state in the middle of it.
            slot.stamp = self.stamp;
            self.journal.push((key, Some(slot.row.clone())));
        }
        Some(Arc::make_mut(&mut slot.row))
    }

    pub(crate) fn insert(&mut self, row: R) {
        let key = row.key();
        let before = self.rows.insert(key, Slot { row: Arc::new(row), stamp: self.stamp });
        // A second row under a key would overwrite the first in the store without a trace.
        assert!(before.is_none(), "keys are never used twice");
        self.journal.push((key, None));
    }

    /// Takes the row out; it leaves nothing behind.
    pub(crate) fn remove(&mut self, key: R::Key) -> Option<Arc<R>> {
        let slot = self.rows.remove(&key)?;
        if slot.stamp != self.stamp {
            self.journal.push((key, Some(slot.row.clone())));
        }
        // The store still shows the row. Without this note, a load would bring it back.
        self.gone.insert(key);
        Some(slot.row)
    }

    /// Takes the row out and keeps it as history.
    pub(crate) fn end(&mut self, key: R::Key) -> Option<Arc<R>> {
        let row = self.remove(key)?;
        self.ended.push(row.clone());
        Some(row)
    }

    /// Writes history without a live row.
    pub(crate) fn log(&mut self, row: R) {
        // The journal makes it a change of the batch, although there never is a live row.
        self.journal.push((row.key(), None));
        self.ended.push(Arc::new(row));
    }

    /// Puts in what the store has, without a change to write.
    /// False if memory has the row already, or has taken it away.
    pub(crate) fn load(&mut self, row: Arc<R>) -> bool {
        let key = row.key();
        // Memory is newer than the store: it holds changes of this batch that were not written yet.
        if self.rows.contains_key(&key) || self.is_gone(key) {
            return false;
        }
        self.rows.insert(key, Slot { row, stamp: 0 });
        true
    }

    /// Forgets a row that is unchanged in this batch.
    pub(crate) fn unload(&mut self, key: R::Key) -> Option<Arc<R>> {
        debug_assert!(!self.dirty.contains_key(&key), "a changed row must be written first");
        self.rows.remove(&key).map(|slot| slot.row)
    }

    /// Changes a row in memory only, because the truth of what changes stands in another row. Undone like
    /// any change, but not written.
    pub(crate) fn patch(&mut self, key: R::Key, change: impl FnOnce(&mut R)) {
        if let Some(slot) = self.rows.get_mut(&key) {
            // The journal would make the row dirty, and dirty rows are written: so patches are kept apart.
            self.patched.push((key, slot.row.clone()));
            change(Arc::make_mut(&mut slot.row));
        }
    }

    /// Number of rows that the current command has changed so far.
    pub(crate) fn touched_count(&self) -> usize {
        self.journal.len() + self.patched.len()
    }

    /// True if this batch has taken the row away, of which the store does not know yet.
    pub(crate) fn is_gone(&self, key: R::Key) -> bool {
        self.gone.contains(&key)
    }

    /// True if this batch writes the row anyway.
    pub(crate) fn is_dirty(&self, key: R::Key) -> bool {
        self.dirty.contains_key(&key) || self.rows.get(&key).is_some_and(|slot| slot.stamp == self.stamp)
    }

    /// The rows that the current batch has changed before this command.
    pub(crate) fn dirty_keys(&self) -> impl Iterator<Item = R::Key> + '_ {
        self.dirty.keys().copied()
    }

    /// The rows that the current command has changed, in memory only or to be written.
    pub(crate) fn touched(&self) -> impl Iterator<Item = R::Key> + '_ {
        let patched = self.patched.iter().map(|(key, _)| *key);
        self.journal.iter().map(|(key, _)| *key).chain(patched)
    }

    /// The rows that the current command will have written, as they are now.
    pub(crate) fn written(&self) -> impl Iterator<Item = &Arc<R>> {
        self.journal.iter().filter_map(|(key, _)| self.get(*key)).chain(&self.ended)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &Arc<R>> {
        self.rows.values().map(|slot| &slot.row)
    }

    /// The command succeeded: its changes become the batch's.
    pub(crate) fn keep(&mut self) {
        self.stamp += 1;
        self.patched.clear();
        for (key, before) in self.journal.drain(..) {
            // The first command of the batch that touched the row has seen it as the store has it; later ones must not replace that.
            self.dirty.entry(key).or_insert(before);
        }
        for row in self.ended.drain(..) {
            self.history.insert(row.key(), row);
        }
    }

    /// The command failed: everything is as it was. Tells which rows came back and which went.
    pub(crate) fn undo(&mut self, mut restored: impl FnMut(&R), mut removed: impl FnMut(&R)) {
        self.stamp += 1;
        self.ended.clear();
        // From the last change back to the first, so that a row that was changed and then removed comes back as it was.
        while let Some((key, before)) = self.journal.pop() {
            self.gone.remove(&key);
            match before {
                Some(row) => {
                    let now = self.rows.insert(key, Slot { row: row.clone(), stamp: 0 });
                    if now.is_none() {
                        restored(&row);
                    }
                }
                None => {
                    if let Some(slot) = self.rows.remove(&key) {
                        removed(&slot.row);
                    }
                }
            }
        }
        while let Some((key, before)) = self.patched.pop() {
            if let Some(slot) = self.rows.get_mut(&key) {
                slot.row = before;
            }
        }
    }

    /// The net changes since they were last taken, in the order of the keys.
    pub(crate) fn take_changes(&mut self, changes: &mut Vec<Change>)
    where
        Entity: From<Arc<R>>,
    {
        debug_assert!(self.journal.is_empty(), "changes are taken between commands");
        if self.dirty.is_empty() {
            return;
        }
        let mut dirty: Vec<_> = self.dirty.drain().collect();
        // Hash tables have no order, and the same commands must give the same batch. Rows that come by key
        // also land at the end of their tables, where writing is cheapest.
        dirty.sort_unstable_by_key(|(key, _)| *key);
        for (key, before) in dirty {
            let ended = self.history.remove(&key);
            match (self.rows.get(&key), ended, before) {
                (Some(slot), _, _) => changes.push(Change::Put(slot.row.clone().into())),
                (None, Some(row), before) => {
                    changes.push(Change::End { entity: row.into(), was_stored: before.is_some() })
                }
                (None, None, Some(before)) => changes.push(Change::Remove(before.into())),
                // It came and went within the batch: the store never hears of it.
                (None, None, None) => {}
            }
        }
        self.begin_batch();
    }

    /// Room that one large batch has made would have to be cleared by every small one after it.
    fn begin_batch(&mut self) {
        self.gone.clear();
        if self.dirty.capacity() > BATCH_ROWS_KEPT {
            self.dirty = FxHashMap::default();
            self.history = FxHashMap::default();
            self.gone = FxHashSet::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemill_model::entity::MessageStartLock;
    use tidemill_model::{ProcessInstanceKey, TenantId, Text};

    fn lock(instance: i64, process_id: &str) -> MessageStartLock {
        MessageStartLock {
            tenant: TenantId::default(),
            process_id: Text::from(process_id),
            correlation_key: Text::from("k"),
            instance: ProcessInstanceKey(instance),
        }
    }

    fn changes(table: &mut Table<MessageStartLock>) -> Vec<Change> {
        let mut changes = Vec::new();
        table.take_changes(&mut changes);
        changes
    }

    #[test]
    fn a_row_changed_twice_in_a_batch_is_written_once() {
        let mut table = Table::default();
        table.insert(lock(1, "a"));
        table.keep();
        table.get_mut(ProcessInstanceKey(1)).expect("there").process_id = Text::from("b");
        table.keep();
        assert_eq!(changes(&mut table), [Change::Put(Arc::new(lock(1, "b")).into())]);
        assert_eq!(changes(&mut table), []);
    }

    #[test]
    fn what_a_command_writes_is_known_before_it_counts() {
        let mut table = Table::default();
        table.load(Arc::new(lock(1, "a")));
        table.load(Arc::new(lock(2, "b")));
        table.load(Arc::new(lock(3, "c")));
        table.get_mut(ProcessInstanceKey(1)).expect("there").process_id = Text::from("d");
        table.end(ProcessInstanceKey(2));
        table.remove(ProcessInstanceKey(3));
        let written: Vec<_> = table.written().map(|row| row.process_id.as_str()).collect();
        assert_eq!(written, ["d", "b"], "what is only taken away has nothing to write");
        table.keep();
        assert_eq!(table.written().count(), 0);
    }

    #[test]
    fn a_failed_command_leaves_nothing_behind() {
        let mut table = Table::default();
        table.load(Arc::new(lock(1, "a")));
        table.get_mut(ProcessInstanceKey(1)).expect("there").process_id = Text::from("b");
        table.insert(lock(2, "c"));
        table.end(ProcessInstanceKey(1));
        let (mut restored, mut removed) = (0, 0);
        table.undo(|_| restored += 1, |_| removed += 1);
        assert_eq!((restored, removed), (1, 1));
        assert_eq!(table.get(ProcessInstanceKey(1)).map(|row| row.process_id.as_str()), Some("a"));
        table.keep();
        assert_eq!(changes(&mut table), []);
    }

    #[test]
    fn what_starts_and_ends_in_one_batch_goes_straight_to_history() {
        let mut table = Table::default();
        table.insert(lock(1, "a"));
        table.keep();
        table.end(ProcessInstanceKey(1));
        table.keep();
        let entity = Arc::new(lock(1, "a")).into();
        assert_eq!(changes(&mut table), [Change::End { entity, was_stored: false }]);
    }

    #[test]
    fn what_appears_and_vanishes_in_one_batch_is_no_change() {
        let mut table = Table::default();
        table.insert(lock(1, "a"));
        table.keep();
        table.remove(ProcessInstanceKey(1));
        table.keep();
        assert_eq!(changes(&mut table), []);
    }
}
