//! Watches the batches that a server commits: counts them always, keeps them while asked to.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tidemill_model::{Change, Entity};
use tidemill_store::Batch;

/// Changes that are kept at most, so that the memory is not used up.
const CHANGES_MAX: u64 = 2_000_000;

#[derive(Default)]
pub(super) struct Recorder {
    commits: AtomicU64,
    rows: AtomicU64,
    instances: AtomicU64,
    keeps: AtomicBool,
    kept_changes: AtomicU64,
    kept: Mutex<Vec<Batch>>,
}

/// The commits so far.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    pub(super) commits: u64,
    pub(super) rows: u64,
    pub(super) instances: u64,
}

impl Recorder {
    pub(super) fn note(&self, batch: &Batch) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows(batch), Ordering::Relaxed);
        self.instances.fetch_add(ended_instances(batch), Ordering::Relaxed);
        if self.keeps.load(Ordering::Relaxed)
            && self.kept_changes.fetch_add(batch.changes.len() as u64, Ordering::Relaxed) < CHANGES_MAX
        {
            self.kept.lock().expect("no holder panics").push(batch.clone());
        }
    }

    pub(super) fn counts(&self) -> Counts {
        Counts {
            commits: self.commits.load(Ordering::Relaxed),
            rows: self.rows.load(Ordering::Relaxed),
            instances: self.instances.load(Ordering::Relaxed),
        }
    }

    pub(super) fn keep(&self, keeps: bool) {
        self.keeps.store(keeps, Ordering::Relaxed);
    }

    pub(super) fn take(&self) -> Vec<Batch> {
        std::mem::take(&mut *self.kept.lock().expect("no holder panics"))
    }
}

/// Rows that a batch inserts, changes or deletes. A row that has ended is deleted in one table and inserted in another.
pub(super) fn rows(batch: &Batch) -> u64 {
    let moved = batch.changes.iter().filter(|change| matches!(change, Change::End { was_stored: true, .. }));
    let answers = batch.answers.len() + batch.late_answers.len() + batch.results.len();
    let others = batch.consumed.len() + batch.outgoing.len() + answers;
    (1 + batch.changes.len() + moved.count() + others) as u64
}

pub(super) fn ended_instances(batch: &Batch) -> u64 {
    let is_end = |change: &&Change| matches!(change, Change::End { entity: Entity::ProcessInstance(_), .. });
    batch.changes.iter().filter(is_end).count() as u64
}
