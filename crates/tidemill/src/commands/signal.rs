//! `tidemill signal`: something for everybody who waits for it.

use crate::client::{RemoteCommand, Session, VariablesArgument};
use anyhow::Result;
use clap::Args;
use serde_json::json;

/// Broadcast a signal to everybody who waits for it
#[derive(Args)]
#[command(after_help = "\
Example:
  tidemill signal shop-closed --variables '{\"reason\": \"holiday\"}'")]
pub(crate) struct Signal {
    /// Name of the signal, as in the model
    name: String,

    #[command(flatten)]
    variables: VariablesArgument,
}

impl RemoteCommand for Signal {
    fn run(self, session: &Session) -> Result<()> {
        let body = json!({"signalName": self.name, "variables": self.variables.read()?});
        let answer = session.client.post("/v2/signals/broadcast", &body)?;
        session.show(&answer, |answer| println!("{}", answer["signalKey"].as_str().unwrap_or_default()));
        Ok(())
    }
}
