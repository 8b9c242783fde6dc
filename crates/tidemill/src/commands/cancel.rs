//! `tidemill cancel`: instances that are no longer wanted.

use crate::client::{RemoteCommand, Session};
use anyhow::Result;
use clap::Args;
use serde_json::json;

/// Cancel process instances
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill cancel 2251799813685251
  tidemill instances --process order --json | jq -r '.items[].processInstanceKey' | xargs tidemill cancel")]
pub(crate) struct Cancel {
    /// Keys of the instances, see `tidemill instances`
    #[arg(required = true)]
    keys: Vec<i64>,
}

impl RemoteCommand for Cancel {
    /// Stops at the first that cannot be cancelled.
    fn run(self, session: &Session) -> Result<()> {
        for key in self.keys {
            let answer =
                session.client.post(&format!("/v2/process-instances/{key}/cancellation"), &json!({}))?;
            session.show(&answer, |_| println!("cancelled instance {key}"));
        }
        Ok(())
    }
}
