//! How late the machine wakes a thread that only sleeps: what no server on it could do better. A latency is to be
//! read next to it.

use super::report::percentile_ms;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const BEAT: Duration = Duration::from_millis(1);

pub(super) struct Pulse {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Vec<u32>>,
}

pub(super) struct Delays {
    pub(super) p99_ms: f64,
    pub(super) max_ms: f64,
}

impl Pulse {
    pub(super) fn begin() -> Pulse {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen_by_thread = is_over.clone();
        let thread = std::thread::spawn(move || {
            let mut delays_us = Vec::new();
            while !seen_by_thread.load(Ordering::Relaxed) {
                let due = Instant::now() + BEAT;
                std::thread::sleep(BEAT);
                delays_us.push(u32::try_from(due.elapsed().as_micros()).unwrap_or(u32::MAX));
            }
            delays_us
        });
        Pulse { is_over, thread }
    }

    pub(super) fn end(self) -> Delays {
        self.is_over.store(true, Ordering::Relaxed);
        let mut delays_us = self.thread.join().expect("it does not panic");
        delays_us.sort_unstable();
        Delays { p99_ms: percentile_ms(&delays_us, 99.0), max_ms: percentile_ms(&delays_us, 100.0) }
    }
}
