//! Forgetting: what has served its time. Each purge does a bounded piece and tells how much, so that it never
//! holds up commits; call again until it gives 0.

use crate::Result;
use async_trait::async_trait;
use tidemill_model::{ProcessInstanceKey, Timestamp};

/// What became of the wish to delete an instance's history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deletion {
    Deleted,
    StillActive,
    NotFound,
}

#[async_trait]
pub trait Maintenance: Send + Sync {
    /// An ended instance with everything that belonged to it.
    async fn delete_instance(&self, instance: ProcessInstanceKey) -> Result<Deletion>;

    /// Instances that ended before this time, with everything that belonged to them. Counts instances.
    async fn purge_history(&self, ended_before: Timestamp, limit: usize) -> Result<usize>;

    /// Results of async commands. Dead letters stay until somebody has dealt with them.
    async fn purge_results(&self, before: Timestamp, limit: usize) -> Result<usize>;

    async fn purge_idempotency(&self, before: Timestamp, limit: usize) -> Result<usize>;

    /// The command log; the last batch of each partition stays.
    async fn purge_batches(&self, before: Timestamp, limit: usize) -> Result<usize>;
}
