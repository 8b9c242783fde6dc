//! `tidemill cancel`: instances that are no longer wanted.

use crate::client::{Failure, Once, RemoteCommand, Session};
use crate::exit;
use crate::output::say;
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

/// Cancel process instances
///
/// All of them are tried; the exit code is that of the last that could not be cancelled.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill cancel 2251799813685251
  tidemill instances --process order --json | jq -r '.items[].processInstanceKey' | xargs tidemill cancel")]
pub(crate) struct Cancel {
    /// Keys of the instances, see `tidemill instances`
    #[arg(required = true)]
    keys: Vec<i64>,

    #[command(flatten)]
    once: Once,
}

/// A name stands for one command, so it is told apart by the instance.
fn cancel(session: &Session, key: i64, once: &Once) -> Result<Value, Failure> {
    let name = once.key().map(|name| format!("{name}-{key}"));
    session.client.post_once(
        &format!("/v2/process-instances/{key}/cancellation"),
        name.as_deref(),
        &json!({}),
    )
}

impl RemoteCommand for Cancel {
    fn run(self, session: &Session) -> Result<()> {
        let mut last = None;
        for key in self.keys {
            match cancel(session, key, &self.once) {
                Ok(_) => {
                    let done = json!({"processInstanceKey": key.to_string(), "cancelled": true});
                    session.show_line(&done, |_| say!("cancelled instance {key}"));
                }
                Err(failure) => {
                    let failure = anyhow::Error::from(failure);
                    if let Some(earlier) = last.replace(failure) {
                        exit::tell(&earlier);
                    }
                }
            }
        }
        last.map_or(Ok(()), Err)
    }
}
