//! Reading the schedule.

use crate::MemoryStore;
use async_trait::async_trait;
use std::ops::Bound;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::rows::TimerId;
use tidemill_store::{FiredTimers, Result, TimerPage, TimerPosition, TimerStore};

#[async_trait]
impl TimerStore for MemoryStore {
    async fn timers(
        &self,
        partition: PartitionId,
        after: Option<TimerPosition>,
        until: Timestamp,
        limit: usize,
    ) -> Result<TimerPage> {
        self.paced("timers", || {
            let up_to = TimerPosition::end_of(until);
            let state = self.state();
            let due = state.live.timers.range(range(partition, &FiredTimers { after, up_to }));
            let timers: Vec<_> = due.take(limit).map(|(_, timer)| timer.clone()).collect();
            let horizon = match timers.last() {
                Some(last) if timers.len() >= limit => TimerPosition::of(last),
                _ => up_to,
            };
            Ok(TimerPage { timers, horizon })
        })
        .await
    }
}

/// Where such timers stand in their table; nowhere if `after` lies behind `up_to`.
pub(crate) fn range(partition: PartitionId, timers: &FiredTimers) -> (Bound<TimerId>, Bound<TimerId>) {
    let id = |position: TimerPosition| (partition.0, position.due_at.0, position.key.0);
    let from = match timers.after {
        None => Bound::Included((partition.0, i64::MIN, i64::MIN)),
        Some(after) => Bound::Excluded(id(after.min(timers.up_to))),
    };
    (from, Bound::Included(id(timers.up_to)))
}
