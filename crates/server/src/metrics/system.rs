//! Memory, processor time and open files of the process, by the names that all exporters use.

use super::text::Page;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// Linux counts processor time in these units; the kernel's interface fixes them.
const TICKS_PER_SECOND: f64 = 100.0;
const PAGE_BYTES: u64 = 4_096;

/// Nothing where the system does not tell.
pub(super) fn write(page: &mut Page) {
    if let Some((ticks, pages)) = stat() {
        page.family("process_cpu_seconds_total", "counter", "Processor time of the process.");
        page.line("process_cpu_seconds_total", &[], ticks as f64 / TICKS_PER_SECOND);
        page.gauge("process_resident_memory_bytes", "Memory of the process.", pages * PAGE_BYTES);
    }
    if let Ok(files) = fs::read_dir("/proc/self/fd") {
        page.gauge("process_open_fds", "Open files and connections.", files.count());
    }
}

/// Ticks of processor time, and resident pages.
fn stat() -> Option<(u64, u64)> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program stands in brackets and may hold anything.
    let after_name = stat.rsplit_once(')')?.1;
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field)?.parse::<u64>().ok();
    Some((number(11)? + number(12)?, number(21)?))
}

pub(super) fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
