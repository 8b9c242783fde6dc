//! When the counts of ended elements are folded: every so many commits of a partition.

use std::sync::atomic::{AtomicU32, Ordering};
use tidemill_model::{PartitionCount, PartitionId};

/// Rows that a statistic reads at most per partition are this many times the elements of a batch.
const COMMITS_PER_FOLD: u32 = 256;

/// Commits insert counts and never update them, because each update would leave an old version of its row
/// behind. A fold adds up the inserted rows now and then, so that a statistic reads few of them.
pub(crate) struct CountFolds(Vec<AtomicU32>);

impl CountFolds {
    pub(crate) fn new(partitions: PartitionCount) -> CountFolds {
        CountFolds(partitions.ids().map(|_| AtomicU32::new(0)).collect())
    }

    pub(crate) fn is_due(&self, partition: PartitionId) -> bool {
        let commits = &self.0[usize::from(partition.0) - 1];
        commits.fetch_add(1, Ordering::Relaxed) % COMMITS_PER_FOLD == COMMITS_PER_FOLD - 1
    }
}
