//! When a read is given up: its time is over, or whoever asked has left.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Of one connection; each read sets it anew.
#[derive(Default)]
pub(crate) struct Patience {
    read: Mutex<Option<Read>>,
}

struct Read {
    deadline: Option<Instant>,
    has_left: Arc<AtomicBool>,
}

impl Patience {
    pub(crate) fn begin(&self, limit_ms: Option<u64>, has_left: Arc<AtomicBool>) {
        let deadline = limit_ms.map(|limit_ms| Instant::now() + Duration::from_millis(limit_ms));
        *self.read.lock().expect("no holder panics") = Some(Read { deadline, has_left });
    }

    pub(crate) fn is_over(&self) -> bool {
        let read = self.read.lock().expect("no holder panics");
        read.as_ref().is_some_and(|read| {
            read.has_left.load(Ordering::Relaxed)
                || read.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        })
    }
}

/// Held by whoever waits for a read: when it is dropped, nobody does any more.
pub(crate) struct Waiting(pub(crate) Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
