//! What no server on this machine could do better: how late a thread that only sleeps is woken, and how long the disk
//! takes to sync a page. A latency is to be read next to them.

use super::report::percentile_ms;
use anyhow::Result;
use serde::Serialize;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

const NAP: Duration = Duration::from_millis(1);
/// Between two syncs; seldom enough to cost the server nothing.
const SYNC_EVERY: Duration = Duration::from_millis(10);
const PAGE: [u8; 4096] = [0; 4096];

pub(super) struct Pulse {
    wakes: Probe,
    syncs: Probe,
}

#[derive(Serialize)]
pub(super) struct Machine {
    pub(super) machine_wakes_late_p99_ms: f64,
    pub(super) machine_wakes_late_max_ms: f64,
    pub(super) machine_sync_p99_ms: f64,
    pub(super) machine_sync_max_ms: f64,
}

impl Pulse {
    /// Syncs a file of its own in the directory, which vanishes with it.
    pub(super) fn begin(directory: &Path) -> Result<Pulse> {
        let file = tempfile::tempfile_in(directory)?;
        let wakes = Probe::begin(|| {
            let due = Instant::now() + NAP;
            sleep(NAP);
            Ok(due.elapsed())
        });
        let syncs = Probe::begin(move || {
            sleep(SYNC_EVERY);
            let began = Instant::now();
            file.write_all_at(&PAGE, 0)?;
            file.sync_data()?;
            Ok(began.elapsed())
        });
        Ok(Pulse { wakes, syncs })
    }

    pub(super) fn end(self) -> Result<Machine> {
        let (wakes, syncs) = (self.wakes.end()?, self.syncs.end()?);
        Ok(Machine {
            machine_wakes_late_p99_ms: percentile_ms(&wakes, 99.0),
            machine_wakes_late_max_ms: percentile_ms(&wakes, 100.0),
            machine_sync_p99_ms: percentile_ms(&syncs, 99.0),
            machine_sync_max_ms: percentile_ms(&syncs, 100.0),
        })
    }
}

/// Measures one thing again and again, on a thread of its own.
struct Probe {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<std::io::Result<Vec<u32>>>,
}

impl Probe {
    fn begin(mut measure: impl FnMut() -> std::io::Result<Duration> + Send + 'static) -> Probe {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen_by_thread = is_over.clone();
        let thread = std::thread::spawn(move || {
            let mut times_us = Vec::new();
            while !seen_by_thread.load(Ordering::Relaxed) {
                times_us.push(u32::try_from(measure()?.as_micros()).unwrap_or(u32::MAX));
            }
            Ok(times_us)
        });
        Probe { is_over, thread }
    }

    /// Sorted.
    fn end(self) -> Result<Vec<u32>> {
        self.is_over.store(true, Ordering::Relaxed);
        let mut times_us = self.thread.join().expect("it does not panic")?;
        times_us.sort_unstable();
        Ok(times_us)
    }
}
