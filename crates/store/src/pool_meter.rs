//! The counts that a store keeps of its connections, for the metrics. Counting costs a few atomics, and asking for the counts asks no database.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The connections that share one kind of work. A single writer is a pool of one.
pub struct PoolMeter {
    name: &'static str,
    connections: u64,
    in_use: AtomicU64,
    waiting: AtomicU64,
    calls: AtomicU64,
    call_us: AtomicU64,
}

/// The state of a pool at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolUse {
    pub name: &'static str,
    /// As many as there may be.
    pub connections: u64,
    pub in_use: u64,
    /// Work that waits for a connection.
    pub waiting: u64,
    /// Statements that have ended, or groups of statements that went to the database together.
    pub calls: u64,
    /// The time that they took, all in all.
    pub call_us: u64,
}

impl PoolMeter {
    pub fn new(name: &'static str, connections: usize) -> PoolMeter {
        PoolMeter {
            name,
            connections: connections as u64,
            in_use: AtomicU64::new(0),
            waiting: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            call_us: AtomicU64::new(0),
        }
    }

    /// Something waits for a connection until the guard is dropped.
    pub fn waits(&self) -> Held<'_> {
        Held::of(&self.waiting)
    }

    /// A connection is in use until the guard is dropped.
    pub fn uses(&self) -> Held<'_> {
        Held::of(&self.in_use)
    }

    /// For work that crosses threads: `false` when it no longer waits.
    pub fn note_waiting(&self, has_begun: bool) {
        if has_begun {
            self.waiting.fetch_add(1, Relaxed);
        } else {
            self.waiting.fetch_sub(1, Relaxed);
        }
    }

    /// A call to the database that began then has ended.
    pub fn called(&self, began: Instant) {
        self.note(began.elapsed());
    }

    fn note(&self, time: Duration) {
        self.calls.fetch_add(1, Relaxed);
        self.call_us.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Relaxed);
    }

    pub fn read(&self) -> PoolUse {
        PoolUse {
            name: self.name,
            connections: self.connections,
            in_use: self.in_use.load(Relaxed),
            waiting: self.waiting.load(Relaxed),
            calls: self.calls.load(Relaxed),
            call_us: self.call_us.load(Relaxed),
        }
    }
}

/// Counts for as long as it lives, also when the work that it counts is given up.
pub struct Held<'m>(&'m AtomicU64);

impl Held<'_> {
    fn of(count: &AtomicU64) -> Held<'_> {
        count.fetch_add(1, Relaxed);
        Held(count)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_counts_until_it_is_dropped() {
        let meter = PoolMeter::new("writes", 2);
        let (waits, uses) = (meter.waits(), meter.uses());
        assert_eq!((meter.read().waiting, meter.read().in_use), (1, 1));
        drop(waits);
        drop(uses);
        meter.note(Duration::from_micros(7));
        let expected =
            PoolUse { name: "writes", connections: 2, in_use: 0, waiting: 0, calls: 1, call_us: 7 };
        assert_eq!(meter.read(), expected);
    }
}
