//! Being told to stop: by Ctrl-C, or by SIGTERM as service managers do it.

use anyhow::{Context, Result};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// Between two looks at whether the work is done.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// True when a signal came, false when the work was done before.
pub(crate) async fn told_to_stop_or(is_done: impl Fn() -> bool) -> Result<bool> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen to signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen to signals")?;
    while !is_done() {
        tokio::select! {
            _ = terminate.recv() => return Ok(true),
            _ = interrupt.recv() => return Ok(true),
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
    Ok(false)
}
