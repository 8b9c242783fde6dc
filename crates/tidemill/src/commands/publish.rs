//! `tidemill publish`: a message for whoever waits for it, now or later.

use crate::client::{Once, RemoteCommand, Session, VariablesArgument};
use crate::output::say;
use anyhow::Result;
use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;

/// Publish a message
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill publish payment-received --key A-1 --variables '{\"amount\": 12.5}'
  tidemill publish payment-received --key A-1 --ttl 3600      keep it for an hour if nobody waits yet
  tidemill publish payment-received --key A-1 --correlate     fail with exit code 4 if nobody waits")]
pub(crate) struct Publish {
    /// Name of the message, as in the model
    name: String,

    /// Correlation key: which of the waiting instances is meant
    #[arg(long, value_name = "KEY", default_value = "")]
    key: String,

    /// Seconds to keep the message while nobody waits for it
    #[arg(long, value_name = "SECONDS", default_value_t = 0, conflicts_with = "correlate")]
    ttl: u64,

    /// Id of the message: a second one with the same id is refused while the first is kept
    #[arg(long, value_name = "ID", conflicts_with = "correlate")]
    id: Option<String>,

    /// Find somebody who waits for it now, and tell who
    #[arg(long)]
    correlate: bool,

    #[command(flatten)]
    variables: VariablesArgument,

    /// Only instances with this business id get it; one that it starts has it
    #[arg(long, value_name = "ID")]
    business_id: Option<String>,

    #[command(flatten)]
    once: Once,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    name: String,
    correlation_key: String,
    variables: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_to_live: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    business_id: Option<String>,
}

impl RemoteCommand for Publish {
    fn run(self, session: &Session) -> Result<()> {
        let (path, key) = match self.correlate {
            true => ("/v2/messages/correlation", "processInstanceKey"),
            false => ("/v2/messages/publication", "messageKey"),
        };
        let message = Message {
            name: self.name,
            correlation_key: self.key,
            variables: self.variables.read()?,
            time_to_live: (!self.correlate).then(|| self.ttl.saturating_mul(1_000)),
            message_id: self.id,
            business_id: self.business_id,
        };
        let answer = session.client.post_once(path, self.once.key(), &message)?;
        session.show(&answer, |answer| say!("{}", answer[key].as_str().unwrap_or_default()));
        Ok(())
    }
}
