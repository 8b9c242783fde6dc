//! Places in the life of a commit where a test can step in: to die, or to look at the files.

use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A transaction has begun; nothing is written yet.
    Begun,
    /// One group of rows of a batch is written, not committed.
    RowsWritten,
    /// Everything is written, not committed.
    Written,
    /// The transaction is durable; nobody has been told.
    Committed,
    /// A checkpoint is about to copy pages into the file.
    CheckpointBegun,
    CheckpointEnded,
}

/// Called on the thread that hands over a batch.
pub type BatchHook = Arc<dyn Fn(&tidemill_store::Batch) + Send + Sync>;

/// Called on the thread that takes the step.
pub type StepHook = Arc<dyn Fn(Step) + Send + Sync>;

/// Does nothing unless a test has given a hook.
#[derive(Clone, Default)]
pub(crate) struct Steps(pub(crate) Option<StepHook>);

impl Steps {
    pub(crate) fn take(&self, step: Step) {
        if let Some(hook) = &self.0 {
            hook(step);
        }
    }
}
