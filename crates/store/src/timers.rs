//! Reading timers in the order in which they fall due.

use crate::Result;
use async_trait::async_trait;
use std::sync::Arc;
use tidemill_model::entity::Timer;
use tidemill_model::{PartitionId, TimerKey, Timestamp};

/// A place in the order of the schedule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TimerPosition {
    pub due_at: Timestamp,
    /// Many timers may be due in the same millisecond, and a page must be able to end between two of them.
    pub key: TimerKey,
}

impl TimerPosition {
    pub fn of(timer: &Timer) -> TimerPosition {
        TimerPosition { due_at: timer.due_at, key: timer.key }
    }

    /// Behind every timer that is due at this time.
    pub fn end_of(due_at: Timestamp) -> TimerPosition {
        TimerPosition { due_at, key: TimerKey(i64::MAX) }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct TimerPage {
    pub timers: Vec<Arc<Timer>>,
    /// Every stored timer up to here, the place included, has been read: the last row where the limit cut the
    /// read, the end of the asked time otherwise.
    pub horizon: TimerPosition,
}

#[async_trait]
pub trait TimerStore: Send + Sync {
    /// Timers behind `after` that are due at `until` or before.
    async fn timers(
        &self,
        partition: PartitionId,
        after: Option<TimerPosition>,
        until: Timestamp,
        limit: usize,
    ) -> Result<TimerPage>;
}
