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
    /// None for reads of the engine: it cannot go on without them, so they are not given up for being slow.
    deadline: Option<Instant>,
    has_left: Arc<AtomicBool>,
}

impl Patience {
    pub(crate) fn begin(&self, limit_ms: Option<u64>, has_left: Arc<AtomicBool>) {
        let deadline = limit_ms.map(|limit_ms| Instant::now() + Duration::from_millis(limit_ms));
        *self.read.lock().expect("no holder panics") = Some(Read { deadline, has_left });
    }

    /// Until the returned value is dropped, a part of the read has less time than the whole.
    pub(crate) fn shorten(&self, limit_ms: u64) -> Shortened<'_> {
        let until = Instant::now() + Duration::from_millis(limit_ms);
        let mut read = self.read.lock().expect("no holder panics");
        let before = read.as_ref().and_then(|read| read.deadline);
        if let Some(read) = read.as_mut() {
            // A part never gets more time than what is left of the whole.
            read.deadline = Some(before.map_or(until, |before| before.min(until)));
        }
        Shortened { patience: self, before, until }
    }

    pub(crate) fn is_over(&self) -> bool {
        let read = self.read.lock().expect("no holder panics");
        // Relaxed will do, because nothing else is read on the strength of this flag, and a look that comes late only costs time.
        read.as_ref().is_some_and(|read| {
            read.has_left.load(Ordering::Relaxed)
                || read.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        })
    }
}

pub(crate) struct Shortened<'p> {
    patience: &'p Patience,
    before: Option<Instant>,
    until: Instant,
}

impl Shortened<'_> {
    /// The time of the part is over, that of the whole read is not.
    pub(crate) fn was_cut_short(&self) -> bool {
        let now = Instant::now();
        let has_left =
            |read: &Option<Read>| read.as_ref().is_some_and(|read| read.has_left.load(Ordering::Relaxed));
        now >= self.until
            && self.before.is_none_or(|before| now < before)
            && !has_left(&self.patience.read.lock().expect("no holder panics"))
    }
}

impl Drop for Shortened<'_> {
    fn drop(&mut self) {
        if let Some(read) = self.patience.read.lock().expect("no holder panics").as_mut() {
            read.deadline = self.before;
        }
    }
}

/// Held by whoever waits for a read: when it is dropped, nobody does any more.
pub(crate) struct Waiting(pub(crate) Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
