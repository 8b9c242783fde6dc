//! Measures the limits of this machine, which no server can beat: how late a thread that only sleeps is
//! woken, and how long the disk takes to sync a page. A latency is to be read next to them.

use super::load::Start;
use super::report::percentile_ms;
use anyhow::Result;
use serde::Serialize;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

const NAP: Duration = Duration::from_millis(1);
/// Between two syncs; seldom enough to cost the server nothing.
const SYNC_EVERY: Duration = Duration::from_millis(10);
/// A pause of the machine that is longer than this holds up every server on it.
const STALL_MIN: Duration = Duration::from_millis(10);
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
    #[serde(skip)]
    stalls: Vec<Range<Instant>>,
}

impl Machine {
    /// True if nothing stalled while this start was on its way.
    pub(super) fn left_alone(&self, start: &Start) -> bool {
        let ended = start.began + Duration::from_micros(start.latency_us.into());
        self.stalls.iter().all(|stall| ended < stall.start || stall.end < start.began)
    }
}

impl Pulse {
    /// Syncs a file of its own in the directory, which vanishes with it.
    pub(super) fn begin(directory: &Path) -> Result<Pulse> {
        let file = tempfile::tempfile_in(directory)?;
        let wakes = Probe::begin(|| {
            let due = Instant::now() + NAP;
            sleep(NAP);
            Ok(Beat { began: due, took: due.elapsed() })
        });
        let syncs = Probe::begin(move || {
            sleep(SYNC_EVERY);
            let began = Instant::now();
            file.write_all_at(&PAGE, 0)?;
            file.sync_data()?;
            Ok(Beat { began, took: began.elapsed() })
        });
        Ok(Pulse { wakes, syncs })
    }

    pub(super) fn end(self) -> Result<Machine> {
        let (wakes, syncs) = (self.wakes.end()?, self.syncs.end()?);
        let stalls = wakes.iter().chain(&syncs).filter_map(Beat::as_stall).collect();
        let (wakes, syncs) = (times_us(&wakes), times_us(&syncs));
        Ok(Machine {
            machine_wakes_late_p99_ms: percentile_ms(&wakes, 99.0),
            machine_wakes_late_max_ms: percentile_ms(&wakes, 100.0),
            machine_sync_p99_ms: percentile_ms(&syncs, 99.0),
            machine_sync_max_ms: percentile_ms(&syncs, 100.0),
            stalls,
        })
    }
}

struct Beat {
    began: Instant,
    took: Duration,
}

impl Beat {
    /// Work that piles up meanwhile takes as long again to be done: a server at half load has half of its speed left.
    fn as_stall(&self) -> Option<Range<Instant>> {
        (self.took > STALL_MIN).then(|| self.began..self.began + self.took * 2)
    }
}

/// Sorted.
fn times_us(beats: &[Beat]) -> Vec<u32> {
    let us = |beat: &Beat| u32::try_from(beat.took.as_micros()).unwrap_or(u32::MAX);
    let mut times: Vec<u32> = beats.iter().map(us).collect();
    times.sort_unstable();
    times
}

/// Measures one thing again and again, on a thread of its own.
struct Probe {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<std::io::Result<Vec<Beat>>>,
}

impl Probe {
    fn begin(mut measure: impl FnMut() -> std::io::Result<Beat> + Send + 'static) -> Probe {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen_by_thread = is_over.clone();
        let thread = std::thread::spawn(move || {
            let mut beats = Vec::new();
            while !seen_by_thread.load(Ordering::Relaxed) {
                beats.push(measure()?);
            }
            Ok(beats)
        });
        Probe { is_over, thread }
    }

    fn end(self) -> Result<Vec<Beat>> {
        self.is_over.store(true, Ordering::Relaxed);
        Ok(self.thread.join().expect("it does not panic")?)
    }
}
