//! The lanes of a partition that have deliveries: each is worked on by a task of its own, as long as there is something to do.

use super::body::{IdOf, Telling};
use super::callbacks::Callbacks;
use super::lane::Lane;
use super::take_back::TakeBacks;
use crate::timers::bell::LaneBell;
use crate::timers::handle::{TimerError, TimerHandle};
use crate::timers::spec::{LaneKind, StoredTarget, lane_kind};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tidemill_model::PartitionId;
use tidemill_store::Store;
use tidemill_timers::block::PlaceId;
use tidemill_timers::shard::FIRST_KEPT_LANE;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};

/// Rows that nobody has rung for, such as those of a commit whose outcome was unknown, are found after this time.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// Before the store is asked again after it has failed.
pub(super) const TRY_AGAIN: Duration = Duration::from_millis(500);
/// Memory for the rows of all lanes of a partition.
const ROWS_BYTES_MAX: usize = 128 << 20;

/// The parts that deliveries of a partition need.
#[derive(Clone)]
pub struct DeliveryContext {
    pub store: Arc<dyn Store>,
    pub partition: PartitionId,
    pub timers: TimerHandle,
    pub callbacks: Arc<Callbacks>,
    /// The time by which retries wait.
    pub now_ms: Arc<dyn Fn() -> i64 + Send + Sync>,
    pub id_of: IdOf,
}

/// Delivers until it is dropped. The next owner delivers again what was begun and not settled by then.
pub struct Deliveries {
    running: JoinHandle<()>,
    shared: Arc<Shared>,
}

/// The way to deliveries that wait. It may outlive them, and then finds nobody.
pub(crate) struct Waiting {
    shared: Weak<Shared>,
}

impl Waiting {
    /// True if the delivery of this timer had not begun, and never will.
    pub(crate) async fn take_back(self, place: PlaceId) -> Result<bool, TimerError> {
        let shared = self.shared.upgrade().ok_or(TimerError)?;
        shared.take_back(place).await
    }
}

impl Deliveries {
    pub fn start(context: DeliveryContext, bell: Arc<LaneBell>) -> Deliveries {
        let shared = Arc::new(Shared {
            context,
            targets: Mutex::default(),
            signals: Mutex::default(),
            row_bytes: AtomicUsize::new(0),
            take_backs: TakeBacks::default(),
            bell: bell.clone(),
        });
        Deliveries { running: tokio::spawn(run(shared.clone(), bell)), shared }
    }

    pub(crate) fn waiting(&self) -> Waiting {
        Waiting { shared: Arc::downgrade(&self.shared) }
    }
}

impl Drop for Deliveries {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// Common to the lanes of a partition.
pub(super) struct Shared {
    pub(super) context: DeliveryContext,
    targets: Mutex<HashMap<u32, Arc<StoredTarget>>>,
    /// Of the lanes that are being worked on.
    signals: Mutex<HashMap<u32, Arc<Signal>>>,
    row_bytes: AtomicUsize,
    pub(super) take_backs: TakeBacks,
    pub(super) bell: Arc<LaneBell>,
}

#[derive(Default)]
pub(super) struct Signal {
    was_rung: AtomicBool,
    pub(super) notify: Notify,
}

const UNPOISONED: &str = "nobody panics while holding it";

async fn run(shared: Arc<Shared>, bell: Arc<LaneBell>) {
    // Dropped with this task, and all lanes with it.
    let mut lanes = JoinSet::new();
    loop {
        look_around(&shared, &mut lanes).await;
        let look = tokio::time::sleep(LOOK_EVERY);
        tokio::pin!(look);
        loop {
            tokio::select! {
                biased;
                rung = bell.rung() => rung.into_iter().for_each(|lane| wake(&shared, &mut lanes, lane)),
                Some(_) = lanes.join_next() => {}
                () = &mut look => break,
            }
        }
    }
}

async fn look_around(shared: &Arc<Shared>, lanes: &mut JoinSet<()>) {
    let (store, partition) = (&shared.context.store, shared.context.partition);
    let mut from = FIRST_KEPT_LANE;
    loop {
        match store.next_lane(partition, from).await {
            Ok(Some(lane)) if lane_kind(lane) == LaneKind::Callbacks => {
                wake(shared, lanes, lane);
                from = lane + 1;
            }
            // Streams come last, and are read by their consumers.
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(%partition, %error, "lanes of deliveries could not be read; they are read again");
                tokio::time::sleep(TRY_AGAIN).await;
            }
        }
    }
}

fn wake(shared: &Arc<Shared>, lanes: &mut JoinSet<()>, lane: u32) {
    let mut signals = shared.signals.lock().expect(UNPOISONED);
    if let Some(signal) = signals.get(&lane) {
        signal.was_rung.store(true, Ordering::Release);
        signal.notify.notify_one();
        return;
    }
    let signal = Arc::<Signal>::default();
    signals.insert(lane, signal.clone());
    lanes.spawn(Lane::new(shared.clone(), lane, signal).run());
}

impl Shared {
    /// True if nobody has rung since the lane was read to its end: its task may end.
    pub(super) fn leave(&self, lane: u32, signal: &Signal) -> bool {
        let mut signals = self.signals.lock().expect(UNPOISONED);
        if signal.was_rung.swap(false, Ordering::AcqRel) {
            return false;
        }
        signals.remove(&lane);
        true
    }

    pub(super) fn telling(&self) -> Telling {
        let DeliveryContext { partition, id_of, now_ms, .. } = &self.context;
        Telling { partition: *partition, now_ms: now_ms(), id_of: *id_of }
    }

    /// Targets that are there and can be read.
    pub(super) async fn targets(
        &self,
        mut ids: Vec<u32>,
    ) -> tidemill_store::Result<HashMap<u32, Arc<StoredTarget>>> {
        let mut found = HashMap::new();
        {
            let known = self.targets.lock().expect(UNPOISONED);
            ids.retain(|id| match known.get(id) {
                Some(target) => {
                    found.insert(*id, target.clone());
                    false
                }
                None => true,
            });
        }
        if ids.is_empty() {
            return Ok(found);
        }
        for row in self.context.store.timer_targets(self.context.partition, &ids).await? {
            match StoredTarget::decode(&row.data) {
                Ok(target) => {
                    let target = Arc::new(target);
                    self.targets.lock().expect(UNPOISONED).insert(row.id, target.clone());
                    found.insert(row.id, target);
                }
                Err(error) => tracing::error!(target = row.id, %error, "a target of timers cannot be read"),
            }
        }
        Ok(found)
    }

    /// Rows of a lane that waits for its receiver must leave memory for other lanes.
    pub(super) fn has_room(&self, lane_bytes: usize) -> bool {
        let free = ROWS_BYTES_MAX.saturating_sub(self.row_bytes.load(Ordering::Relaxed));
        lane_bytes == 0 || lane_bytes < free
    }

    pub(super) fn took(&self, bytes: usize) {
        self.row_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn gave_back(&self, bytes: usize) {
        self.row_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}
