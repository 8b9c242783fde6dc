//! Purges: they delete what has served its time. Each purge does a bounded piece and tells how much, so that
//! it never holds up commits; call again until it gives 0.
//!
//! A purge carries no fence, because it needs no owner: it removes only what no owner will read or change
//! again, and every node that purges removes the same rows. Deletions at the wish of a client go through the
//! owner's loop instead (`Batch::deletions`). Both may meet in the rows of one instance; each row goes once, and is counted once.

use crate::{Error, Result};
use async_trait::async_trait;
use std::path::Path;
use std::time::Duration;
use tidemill_model::Timestamp;

/// The time for which something is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    Forever,
    For(Duration),
}

impl Kept {
    /// The moment before which everything may go; none where everything is kept.
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

    /// Every negative number means for ever: a value that nobody wrote must not delete anything.
    pub fn from_millis(millis: i64) -> Kept {
        u64::try_from(millis).map_or(Kept::Forever, |millis| Kept::For(Duration::from_millis(millis)))
    }
}

/// The retention that operators have set in the store. Where they have set none, each server keeps to its own settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retention {
    /// Of ended instances.
    pub history: Option<Kept>,
    /// Of the command log.
    pub log: Option<Kept>,
}

#[async_trait]
pub trait Maintenance: Send + Sync {
    /// Instances that ended before this time, with everything that belonged to them. Counts instances. Without a fence:
    /// an instance that has ended is not changed again, whoever owns its partition.
    async fn purge_history(&self, ended_before: Timestamp, limit: usize) -> Result<usize>;

    /// Results of async commands. Without a fence: the age that callers are promised is over, so no retry counts on
    /// them; the same holds for answers under idempotency keys. Dead letters stay until somebody has dealt with them.
    async fn purge_results(&self, before: Timestamp, limit: usize) -> Result<usize>;

    async fn purge_idempotency(&self, before: Timestamp, limit: usize) -> Result<usize>;

    /// The command log; the last batch of each partition stays, because an owner may still have to find out whether it
    /// was written. Without a fence: nobody else reads older ones but operators.
    async fn purge_batches(&self, before: Timestamp, limit: usize) -> Result<usize>;

    async fn retention(&self) -> Result<Retention>;

    /// Without a fence: a setting belongs to no partition, and the last one counts.
    async fn set_retention(&self, retention: Retention) -> Result<()>;

    /// Writes everything as it is at one moment to a new file, while work goes on. Only for a store that is a file
    /// itself; others have tools of their own.
    async fn back_up(&self, file: &Path) -> Result<()> {
        let place = file.display().to_string();
        let reason = "the store is no file; back it up with the tools of its database, such as pg_dump";
        Err(Error::Failed { place, reason: reason.to_owned() })
    }
}
