//! The loops that run in this process.

use crate::partition::{PartitionCall, PartitionHandle};
use crate::timers::TimerHandle;
use crate::timers::deliver::{Deliveries, Waiting};
use std::collections::BTreeMap;
use std::sync::RwLock;
use std::time::Duration;
use tidemill_model::PartitionId;
use tokio::sync::oneshot;
use tokio::time::Instant;

enum Slot {
    /// Somebody is about to take it.
    Opening,
    Running {
        handle: PartitionHandle,
        opened_at: Instant,
        /// None while somebody waits for its end.
        end: Option<oneshot::Receiver<()>>,
        timers: RunningTimers,
    },
}

/// The timer loop of a partition.
pub(super) struct RunningTimers {
    pub(super) handle: TimerHandle,
    pub(super) end: Option<oneshot::Receiver<()>>,
    /// None where this node sends no callbacks. Dropped, they end.
    pub(super) deliveries: Option<Deliveries>,
}

/// How long a timer loop may take to write what it has taken, when its partition is given up.
const TIMERS_LIMIT: Duration = Duration::from_secs(3);

#[derive(Default)]
pub(super) struct Loops {
    slots: RwLock<BTreeMap<PartitionId, Slot>>,
    /// When a loop has ended, or could not be opened, last.
    forgotten: RwLock<BTreeMap<PartitionId, Instant>>,
}

const UNPOISONED: &str = "nobody panics while holding it";

impl Loops {
    pub(super) fn get(&self, id: PartitionId) -> Option<PartitionHandle> {
        match self.slots.read().expect(UNPOISONED).get(&id) {
            Some(Slot::Running { handle, .. }) => Some(handle.clone()),
            _ => None,
        }
    }

    pub(super) fn timers(&self, id: PartitionId) -> Option<TimerHandle> {
        match self.slots.read().expect(UNPOISONED).get(&id) {
            Some(Slot::Running { timers, .. }) => Some(timers.handle.clone()),
            _ => None,
        }
    }

    /// Deliveries of a partition that wait, where this node sends them.
    pub(super) fn waiting_deliveries(&self, id: PartitionId) -> Option<Waiting> {
        match self.slots.read().expect(UNPOISONED).get(&id) {
            Some(Slot::Running { timers, .. }) => timers.deliveries.as_ref().map(Deliveries::waiting),
            _ => None,
        }
    }

    pub(super) fn all(&self) -> Vec<PartitionHandle> {
        let slots = self.slots.read().expect(UNPOISONED);
        let running = slots.values().filter_map(|slot| match slot {
            Slot::Running { handle, .. } => Some(handle.clone()),
            Slot::Opening => None,
        });
        running.collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.read().expect(UNPOISONED).is_empty()
    }

    pub(super) fn is_known(&self, id: PartitionId) -> bool {
        self.slots.read().expect(UNPOISONED).contains_key(&id)
    }

    /// It does not run, and did not at this moment either: rows that were read since then know that it has ended.
    pub(super) fn is_gone_since(&self, id: PartitionId, moment: Instant) -> bool {
        let forgotten_at = self.forgotten.read().expect(UNPOISONED).get(&id).copied();
        !self.is_known(id) && forgotten_at.is_none_or(|at| at < moment)
    }

    /// False when somebody else is at it already.
    pub(super) fn begin_opening(&self, id: PartitionId) -> bool {
        let mut slots = self.slots.write().expect(UNPOISONED);
        if slots.contains_key(&id) {
            return false;
        }
        slots.insert(id, Slot::Opening);
        true
    }

    /// The thread forgets the loop when that ends, so it may begin only when the loop is known.
    pub(super) fn opened(
        &self,
        handle: PartitionHandle,
        timers: RunningTimers,
        begin: impl FnOnce() -> oneshot::Receiver<()>,
    ) {
        let mut slots = self.slots.write().expect(UNPOISONED);
        let (id, opened_at) = (handle.id, Instant::now());
        slots.insert(id, Slot::Running { handle, opened_at, end: Some(begin()), timers });
    }

    /// Loops that run since before this moment.
    pub(super) fn opened_before(&self, moment: Instant) -> Vec<PartitionId> {
        let slots = self.slots.read().expect(UNPOISONED);
        let old = slots.iter().filter_map(|(id, slot)| match slot {
            Slot::Running { opened_at, .. } if *opened_at < moment => Some(*id),
            _ => None,
        });
        old.collect()
    }

    /// It could not be opened, or has ended.
    pub(super) fn forget(&self, id: PartitionId) {
        self.forgotten.write().expect(UNPOISONED).insert(id, Instant::now());
        self.slots.write().expect(UNPOISONED).remove(&id);
    }

    /// Finishes what runs, releases the partition and waits for that. False when it is being stopped already.
    pub(super) async fn stop(&self, id: PartitionId) -> bool {
        let taken = match self.slots.write().expect(UNPOISONED).get_mut(&id) {
            Some(Slot::Running { handle, end, timers, .. }) => {
                // The next owner delivers again what was begun here and is not settled.
                drop(timers.deliveries.take());
                end.take().map(|end| (handle.clone(), end, timers.handle.clone(), timers.end.take()))
            }
            _ => None,
        };
        let Some((handle, end, timers, timers_end)) = taken else { return false };
        // Its last commit must not meet a partition that was released already.
        timers.stop().await;
        if let Some(timers_end) = timers_end {
            let _ = tokio::time::timeout(TIMERS_LIMIT, timers_end).await;
        }
        // A partition that has stopped by itself cannot be told any more.
        let _ = handle.send_surely(PartitionCall::Stop).await;
        let _ = end.await;
        true
    }
}
