//! The values that are counted: a few atomics each, changed without a lock from any thread.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Only grows.
#[derive(Default, Debug)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Goes up and down.
#[derive(Default, Debug)]
pub(crate) struct Gauge(AtomicI64);

impl Gauge {
    pub(crate) fn set(&self, value: i64) {
        self.0.store(value, Relaxed);
    }

    pub(crate) fn add(&self, change: i64) {
        self.0.fetch_add(change, Relaxed);
    }

    pub(crate) fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }
}

/// Upper bounds of the buckets of times, in microseconds; the last bucket has none.
pub(crate) const TIME_BOUNDS_US: [u64; 15] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 10_000_000,
];
/// Upper bounds of the buckets of numbers of commands.
pub(crate) const COUNT_BOUNDS: [u64; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];

/// How values are spread over buckets. `N` bounds make `N` buckets and one for what is above.
#[derive(Debug)]
pub(crate) struct Histogram<const N: usize> {
    bounds: [u64; N],
    within: [AtomicU64; N],
    above: AtomicU64,
    sum: AtomicU64,
}

impl<const N: usize> Histogram<N> {
    fn over(bounds: [u64; N]) -> Histogram<N> {
        let within = std::array::from_fn(|_| AtomicU64::new(0));
        Histogram { bounds, within, above: AtomicU64::new(0), sum: AtomicU64::new(0) }
    }

    pub(crate) fn observe(&self, value: u64) {
        self.observe_many(value, 1);
    }

    /// The same value so many times.
    pub(crate) fn observe_many(&self, value: u64, times: u64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        self.within.get(bucket).unwrap_or(&self.above).fetch_add(times, Relaxed);
        self.sum.fetch_add(value.saturating_mul(times), Relaxed);
    }

    /// The bounds, each with how many values lie at or below it; then the number of all values, and their sum.
    pub(super) fn read(&self) -> ([(u64, u64); N], u64, u64) {
        let mut below = 0;
        let buckets = std::array::from_fn(|bucket| {
            below += self.within[bucket].load(Relaxed);
            (self.bounds[bucket], below)
        });
        (buckets, below + self.above.load(Relaxed), self.sum.load(Relaxed))
    }
}

pub(crate) type Times = Histogram<15>;
pub(crate) type Counts = Histogram<11>;

impl Default for Times {
    fn default() -> Times {
        Histogram::over(TIME_BOUNDS_US)
    }
}

impl Default for Counts {
    fn default() -> Counts {
        Histogram::over(COUNT_BOUNDS)
    }
}

impl Times {
    pub(crate) fn note(&self, time: Duration) {
        self.note_many(time, 1);
    }

    pub(crate) fn note_many(&self, time: Duration, times: u64) {
        self.observe_many(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), times);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_counts_in_its_bucket_and_in_those_above() {
        let counts = Counts::default();
        counts.observe(1);
        counts.observe_many(3, 2);
        counts.observe(5_000);
        let (buckets, count, sum) = counts.read();
        assert_eq!(buckets[..3], [(1, 1), (2, 1), (4, 3)]);
        assert_eq!(buckets[10], (1_024, 3));
        assert_eq!((count, sum), (4, 5_007));
    }
}
