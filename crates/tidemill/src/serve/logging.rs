//! The log of a server: lines for people, or objects for machines.

use anyhow::{Context, Result};
use std::io::{IsTerminal, stderr};
use tracing_subscriber::EnvFilter;

pub(super) fn begin(filter: &str, is_json: bool) -> Result<()> {
    let filter =
        EnvFilter::try_new(filter).with_context(|| format!("'{filter}' is no filter for the log"))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    if is_json {
        log.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
    } else {
        log.with_target(false).with_ansi(stderr().is_terminal()).init();
    }
    Ok(())
}
