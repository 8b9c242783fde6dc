//! `tidemill timers bulk`: many timers from lines of JSON.

use super::{Namespace, encoded};
use crate::client::{RemoteCommand, Session};
use crate::output::say;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;
use std::io::{BufRead, BufReader};

/// Lines of one request, and their bytes: its answers are read when it was sent.
const LINES_AT_A_TIME: usize = 2_000;
const BYTES_AT_A_TIME: usize = 8 << 20;

/// Make or cancel many timers, from lines of JSON
///
/// Each line is a timer as POST /v1/timers takes it, or with --cancel an id. Every line has its own outcome; those that
/// failed are told, with their number.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill timers bulk timers.ndjson
  tidemill timers bulk timers.ndjson --stream import-1     run it again after a failure: no line is made twice
  tidemill timers list --all --json | jq -c '.items[].id' | tidemill timers bulk - --cancel

A line:
  {\"delay\": \"PT1H\", \"payload\": {\"n\": 1}, \"target\": {\"type\": \"http\", \"url\": \"https://example.com/hook\"}}")]
pub(super) struct Bulk {
    /// File with the lines; - for standard input
    file: String,

    /// Name of this run: a line without an id gets one of this and its number, so it can be sent again
    #[arg(long, value_name = "NAME", conflicts_with = "cancel")]
    stream: Option<String>,

    /// The lines are ids, and their timers are cancelled
    #[arg(long)]
    cancel: bool,

    #[command(flatten)]
    namespace: Namespace,
}

impl RemoteCommand for Bulk {
    fn run(self, session: &Session) -> Result<()> {
        let mut input: Box<dyn BufRead> = match self.file.as_str() {
            "-" => Box::new(std::io::stdin().lock()),
            file => {
                let opened = std::fs::File::open(file).with_context(|| format!("cannot read {file}"))?;
                Box::new(BufReader::new(opened))
            }
        };
        let mut path = format!(
            "/v1/timers/{}?{}",
            if self.cancel { "bulk-cancel" } else { "bulk" },
            self.namespace.query()
        );
        if let Some(stream) = &self.stream {
            path = format!("{path}&stream={}", encoded(stream));
        }
        let (mut sent, mut failed) = (0u64, 0u64);
        loop {
            let (lines, count) = take(&mut *input)?;
            if count == 0 {
                break;
            }
            let answers = session.client.post_lines(&format!("{path}&firstLine={}", sent + 1), &lines)?;
            sent += count;
            for line in answers.lines() {
                let outcome: Value = serde_json::from_str(line).context("the answer is no JSON")?;
                let is_failed = outcome["error"].is_object();
                failed += u64::from(is_failed);
                if session.json {
                    say!("{line}");
                } else if is_failed {
                    say!(
                        "line {}: {}",
                        outcome["line"],
                        outcome["error"]["detail"].as_str().unwrap_or_default()
                    );
                }
            }
        }
        if !session.json {
            say!("{} lines done, {failed} failed", sent - failed.min(sent));
        }
        if failed > 0 {
            bail!("{failed} of {sent} lines failed");
        }
        Ok(())
    }
}

fn take(input: &mut dyn BufRead) -> Result<(String, u64)> {
    let (mut lines, mut count) = (String::new(), 0);
    while (count as usize) < LINES_AT_A_TIME && lines.len() < BYTES_AT_A_TIME {
        if input.read_line(&mut lines).context("cannot read the lines")? == 0 {
            break;
        }
        count += 1;
    }
    Ok((lines, count))
}
