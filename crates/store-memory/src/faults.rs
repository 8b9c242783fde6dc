//! Faults on demand: what can happen to a commit, put before the commits that come next.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// The fault that meets one commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Nothing: a commit between two faults.
    None,
    /// Nothing is written, and nobody knows.
    LostBeforeCommit,
    /// All is written, and nobody knows.
    LostAfterCommit,
    /// It waits for `Faults::let_go` before it begins. A caller that stops waiting for it has written nothing.
    Slow,
    /// Another holder takes the partition for a moment, just before.
    Fenced,
    /// No space is left: nothing is written, and nothing will be until somebody makes room.
    Full,
    /// There is no room just now: nothing is written.
    FullForNow,
}

/// A handle to the faults of a `Memory`. Clones share them.
#[derive(Clone)]
pub struct Faults {
    next: Arc<Mutex<VecDeque<Fault>>>,
    passes: Arc<Semaphore>,
}

impl Default for Faults {
    fn default() -> Faults {
        Faults { next: Arc::default(), passes: Arc::new(Semaphore::new(0)) }
    }
}

impl Faults {
    /// One fault for each of the commits that come next, behind those that are planned already. Commits of all
    /// partitions take from the same list.
    pub fn plan(&self, faults: impl IntoIterator<Item = Fault>) {
        self.planned().extend(faults);
    }

    /// Nothing goes wrong from now on.
    pub fn forget(&self) {
        self.planned().clear();
    }

    /// Number of planned faults that have not met a commit yet.
    pub fn left(&self) -> usize {
        self.planned().len()
    }

    /// Lets one slow commit begin: the one that has waited longest, or the next that comes.
    pub fn let_go(&self) {
        self.passes.add_permits(1);
    }

    pub(crate) fn take(&self) -> Fault {
        self.planned().pop_front().unwrap_or(Fault::None)
    }

    pub(crate) async fn wait(&self) {
        // The semaphore is never closed.
        if let Ok(pass) = self.passes.acquire().await {
            pass.forget();
        }
    }

    fn planned(&self) -> MutexGuard<'_, VecDeque<Fault>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
