//! The reads of the core: those it wants and those it waits for. Each read is handed out once and answered by one event.

use crate::answers::Key;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use tidemill_engine::{Missing, ReadProcess};
use tidemill_model::{DefinitionKey, Need, ProcessInstanceKey, Remains, Timestamp};
use tidemill_store::{BatchId, IdempotentAnswer, InboxEntry, KeyBlock, Loaded, TimerPage, TimerPosition};

/// Something that the driver shall read, or write outside of a batch. It answers with [`Event::Read`](crate::Event),
/// or with `Event::Failed`.
#[derive(Debug)]
pub enum Read {
    /// Live rows for commands, in one round trip.
    Rows(Vec<Need>),
    /// Counts the rows that are left of ended instances that are to be deleted.
    Remains(Vec<ProcessInstanceKey>),
    /// The next block of at least so many keys.
    Keys(u64),
    /// Reads the answers to earlier requests under these idempotency keys.
    Answers(Vec<Key>),
    /// Reads the notes of an earlier owner about callers who wait for the late answers with these numbers.
    LateNotes(Vec<u64>),
    /// Asks which of these instances have ended.
    Ends(Vec<ProcessInstanceKey>),
    Inbox {
        limit: usize,
    },
    Timers {
        id: u64,
        after: Option<TimerPosition>,
        until: Timestamp,
        limit: usize,
    },
    /// Notes what is about to run, for the next owner if this one dies of it. `is_alone`: nothing else may run in
    /// this process meanwhile; none where nothing is about to run.
    Note {
        note: Option<Vec<u8>>,
        is_alone: Option<bool>,
    },
    /// Takes the partition again, which waits for whatever is in flight, and finds out whether this batch was written.
    Recovery {
        batch: Option<BatchId>,
    },
}

/// The result of a read.
#[derive(Debug)]
pub enum Brought {
    Rows {
        rows: Vec<(Need, Loaded)>,
        /// The compiled processes of definitions among the rows. Where none is given, the file is.
        processes: Vec<(DefinitionKey, ReadProcess)>,
    },
    Remains(Vec<(ProcessInstanceKey, Remains)>),
    Keys(KeyBlock),
    Answers(Vec<Key>, Vec<Option<IdempotentAnswer>>),
    LateNotes(Vec<(u64, Option<IdempotentAnswer>)>),
    /// The instances that have ended, each with whether it was completed.
    Ends(Vec<tidemill_engine::InstanceEnd>),
    Inbox {
        entries: Vec<InboxEntry>,
        limit: usize,
    },
    Timers {
        id: u64,
        page: TimerPage,
    },
    Noted,
}

/// Rows and keys that commands wait for. They are gathered until the next read may begin, so that one round trip brings what many commands
/// need.
#[derive(Default)]
pub(crate) struct Wanted {
    needs: Vec<Need>,
    /// Many commands miss the same rows, such as those of one instance; each need is read once.
    known: FxHashSet<Need>,
    remains: BTreeSet<ProcessInstanceKey>,
    keys: u64,
    /// Reads of rows that are under way. Until they have come nothing is written that they may or may not see.
    pub(crate) rows_under_way: u32,
    /// A block must not arrive while another is being asked for: the second would replace the first.
    pub(crate) keys_under_way: bool,
    /// Definitions have changed since the read of rows began: what it brings of them may be old.
    pub(crate) definitions_have_moved: bool,
}

impl Wanted {
    pub(crate) fn want(&mut self, missing: Missing) {
        self.rows(missing.rows);
        self.remains.extend(missing.remains);
        self.keys(missing.keys);
    }

    pub(crate) fn rows(&mut self, needs: impl IntoIterator<Item = Need>) {
        for need in needs {
            if self.known.insert(need.clone()) {
                self.needs.push(need);
            }
        }
    }

    pub(crate) fn keys(&mut self, keys_min: u64) {
        self.keys = self.keys.max(keys_min);
    }

    pub(crate) fn has_rows(&self) -> bool {
        !self.needs.is_empty() || !self.remains.is_empty()
    }

    pub(crate) fn take_rows(&mut self) -> Vec<Read> {
        // There is one round at a time, so that the needs of all commands that wait gather for the next.
        if self.rows_under_way > 0 {
            return Vec::new();
        }
        let mut reads = Vec::new();
        if !self.needs.is_empty() {
            // Commands that miss something from here on must ask again: the read that begins now may be too early for them.
            self.known.clear();
            self.definitions_have_moved = false;
            reads.push(Read::Rows(std::mem::take(&mut self.needs)));
        }
        if !self.remains.is_empty() {
            reads.push(Read::Remains(std::mem::take(&mut self.remains).into_iter().collect()));
        }
        self.rows_under_way = reads.len() as u32;
        reads
    }

    pub(crate) fn take_keys(&mut self) -> Option<u64> {
        if self.keys_under_way || self.keys == 0 {
            return None;
        }
        self.keys_under_way = true;
        Some(std::mem::take(&mut self.keys))
    }
}
