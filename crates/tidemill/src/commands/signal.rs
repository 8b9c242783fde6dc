//! `tidemill signal`: something for everybody who waits for it.

use crate::client::{Once, RemoteCommand, Session, VariablesArgument};
use crate::output::say;
use anyhow::Result;
use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;

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

    #[command(flatten)]
    once: Once,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Broadcast {
    signal_name: String,
    variables: Box<RawValue>,
}

impl RemoteCommand for Signal {
    fn run(self, session: &Session) -> Result<()> {
        let body = Broadcast { signal_name: self.name, variables: self.variables.read()? };
        let answer = session.client.post_once("/v2/signals/broadcast", self.once.key(), &body)?;
        session.show(&answer, |answer| say!("{}", answer["signalKey"].as_str().unwrap_or_default()));
        Ok(())
    }
}
