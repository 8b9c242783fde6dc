//! The server's process as the bench sees it: questions, processor time, memory.

use super::limit::Limit;
use super::place::BenchStore;
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child as Process, ChildStdin, ChildStdout, Command, Stdio};

pub(super) struct Child {
    process: Process,
    words: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub(super) address: SocketAddr,
}

#[derive(Clone, Copy, Deserialize)]
pub(super) struct Counts {
    pub(super) commits: u64,
    pub(super) rows: u64,
    pub(super) instances: u64,
}

#[derive(Deserialize)]
struct Started {
    address: SocketAddr,
}

impl Child {
    /// With a secret, as one of several servers that share the store.
    pub(super) fn start(place: &BenchStore, partitions: u16, secret: Option<&str>) -> Result<Child> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(["bench", "server", "--partitions", &partitions.to_string()])
            .args(place.arguments())
            .args(secret.into_iter().flat_map(|secret| ["--secret", secret]))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the server cannot be started")?;
        let words = process.stdin.take().expect("it is piped");
        let mut answers = BufReader::new(process.stdout.take().expect("it is piped"));
        let started: Started = read(&mut answers)?;
        Ok(Child { process, words, answers, address: started.address })
    }

    pub(super) fn counts(&mut self) -> Result<Counts> {
        self.ask("counts")
    }

    /// Batches are kept from now on, or no longer.
    pub(super) fn record(&mut self, keeps: bool) -> Result<()> {
        self.ask::<Value>(if keeps { "record" } else { "enough" }).map(drop)
    }

    /// It counts for metrics from now on, or no longer.
    pub(super) fn count(&mut self, is_on: bool) -> Result<()> {
        self.ask::<Value>(if is_on { "metrics on" } else { "metrics off" }).map(drop)
    }

    /// Ends the server and measures the bare store with the batches that were kept.
    pub(super) fn limit(&mut self) -> Result<Limit> {
        self.ask("limit")
    }

    fn ask<T: for<'a> Deserialize<'a>>(&mut self, word: &str) -> Result<T> {
        writeln!(self.words, "{word}").context("the server has ended")?;
        read(&mut self.answers)
    }

    /// Processor time so far, in seconds.
    pub(super) fn cpu_seconds(&self) -> Result<f64> {
        /// Of Linux on every architecture: what the kernel tells user programs is in hundredths.
        const TICKS_PER_SECOND: f64 = 100.0;
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        // The name of the program stands in brackets and may hold anything.
        let (_, fields) = text.rsplit_once(')').context("the kernel tells no processor time")?;
        let ticks =
            fields.split_whitespace().skip(11).take(2).map(|field| field.parse::<f64>().unwrap_or(0.0));
        Ok(ticks.sum::<f64>() / TICKS_PER_SECOND)
    }

    /// The most memory that it has had so far.
    pub(super) fn peak_rss_mb(&self) -> Result<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        Ok(kilobytes.context("the kernel tells no memory")? / 1024.0)
    }
}

fn read<T: for<'a> Deserialize<'a>>(answers: &mut impl BufRead) -> Result<T> {
    let mut line = String::new();
    answers.read_line(&mut line)?;
    serde_json::from_str(&line).context("the server has ended early")
}

impl Drop for Child {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
