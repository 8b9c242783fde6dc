//! The memory that outlives a server, and a server's connection to it.

use crate::faults::Faults;
use crate::pace::Pace;
use crate::state::State;
use crate::wakeup::Notifiers;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use tidemill_model::{PartitionCount, Timestamp};

/// Tells the time by which leases expire.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The memory takes the place of the disk of other stores: it stays while servers come and go. Clones share it.
#[derive(Clone)]
pub struct Memory {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) partitions: PartitionCount,
    pub(crate) notifiers: Notifiers,
    pub(crate) faults: Faults,
    clock: Clock,
    state: Mutex<State>,
}

/// One server's way to a `Memory`.
pub struct MemoryStore {
    pub(crate) shared: Arc<Shared>,
    pub(crate) pace: Option<Arc<dyn Pace>>,
}

impl Memory {
    /// With the time of the system.
    pub fn new(partitions: PartitionCount) -> Memory {
        Memory::with_clock(partitions, Arc::new(system_time))
    }

    pub fn with_clock(partitions: PartitionCount, clock: Clock) -> Memory {
        let shared = Shared {
            partitions,
            notifiers: Notifiers::new(partitions),
            faults: Faults::default(),
            clock,
            state: Mutex::new(State::new(partitions)),
        };
        Memory { shared: Arc::new(shared) }
    }

    pub fn open(&self) -> MemoryStore {
        MemoryStore { shared: self.shared.clone(), pace: None }
    }

    /// For a server whose calls take their time on the way, and may get lost.
    pub fn open_at(&self, pace: Arc<dyn Pace>) -> MemoryStore {
        MemoryStore { shared: self.shared.clone(), pace: Some(pace) }
    }

    /// To break commits with.
    pub fn faults(&self) -> Faults {
        self.shared.faults.clone()
    }
}

impl MemoryStore {
    /// A panic while the lock is held can only come before anything was changed, so what is there counts.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.shared.clock)()
    }
}

fn system_time() -> Timestamp {
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
}
