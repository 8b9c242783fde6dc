//! The use that a run makes of the store and of the machine.

use crate::bench::place::BenchStore;
use anyhow::{Context, Result};

#[derive(Clone, Copy)]
pub(super) struct Usage {
    pub(super) statements: u64,
    /// Of Postgres its log of changes, of Redis its file; of the embedded store all that this process writes.
    pub(super) wal_bytes: u64,
    pub(super) cpu_seconds: f64,
}

impl Usage {
    pub(super) async fn now(place: &BenchStore) -> Result<Usage> {
        let (statements, wal_bytes) = match (place.wal_bytes().await?, place.redis_figures().await?) {
            (Some(wal_bytes), _) => (tidemill_store_postgres::PostgresStore::statements(), wal_bytes),
            (None, Some(redis)) => (redis.commands, redis.file_bytes),
            (None, None) => (tidemill_store_sqlite::SqliteStore::timer_statements(), written_bytes()?),
        };
        Ok(Usage { statements, wal_bytes, cpu_seconds: cpu_seconds()? })
    }

    pub(super) fn since(&self, before: &Usage) -> Usage {
        Usage {
            statements: self.statements - before.statements,
            wal_bytes: self.wal_bytes.saturating_sub(before.wal_bytes),
            cpu_seconds: self.cpu_seconds - before.cpu_seconds,
        }
    }
}

fn written_bytes() -> Result<u64> {
    let io = std::fs::read_to_string("/proc/self/io")?;
    let line =
        io.lines().find_map(|line| line.strip_prefix("wchar:")).context("no wchar in /proc/self/io")?;
    Ok(line.trim().parse()?)
}

/// Processor time of this process, user and system.
fn cpu_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0);
    // Behind the name, utime and stime are the 12th and 13th field, in hundredths of a second.
    Ok((ticks(11) + ticks(12)) / 100.0)
}

/// Memory of this process now, and at most so far.
pub(super) fn rss_mb() -> Result<f64> {
    status_mb("VmRSS:")
}

pub(super) fn peak_rss_mb() -> Result<f64> {
    status_mb("VmHWM:")
}

fn status_mb(name: &str) -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .with_context(|| format!("no {name} in /proc/self/status"))?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}
