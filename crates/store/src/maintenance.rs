//! Forgetting: what has served its time. Each purge does a bounded piece and tells how much, so that it never
//! holds up commits; call again until it gives 0.

use crate::{Error, Result};
use async_trait::async_trait;
use std::path::Path;
use std::time::Duration;
use tidemill_model::{ProcessInstanceKey, Timestamp};

/// What became of the wish to delete an instance's history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deletion {
    Deleted,
    StillActive,
    NotFound,
}

/// How long something is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    Forever,
    For(Duration),
}

impl Kept {
    /// What is older may go; none where nothing may.
    pub fn since(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Kept::Forever => None,
            Kept::For(_) => Some(Timestamp(now.0.saturating_sub(self.to_millis()))),
        }
    }

    /// As a number for stores: milliseconds, or -1 for ever.
    pub fn to_millis(self) -> i64 {
        match self {
            Kept::Forever => -1,
            Kept::For(age) => i64::try_from(age.as_millis()).unwrap_or(i64::MAX),
        }
    }

    pub fn from_millis(millis: i64) -> Kept {
        u64::try_from(millis).map_or(Kept::Forever, |millis| Kept::For(Duration::from_millis(millis)))
    }
}

/// What operators have set in the store; where they have not, each server keeps to what it was started with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retention {
    /// Of ended instances.
    pub history: Option<Kept>,
    /// Of the command log.
    pub log: Option<Kept>,
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

    async fn retention(&self) -> Result<Retention>;

    async fn set_retention(&self, retention: Retention) -> Result<()>;

    /// Writes everything as it is at one moment to a new file, while work goes on. Only for a store that is a file
    /// itself; others have tools of their own.
    async fn back_up(&self, file: &Path) -> Result<()> {
        let place = file.display().to_string();
        let reason = "the store is no file; back it up with the tools of its database, such as pg_dump";
        Err(Error::Failed { place, reason: reason.to_owned() })
    }
}
