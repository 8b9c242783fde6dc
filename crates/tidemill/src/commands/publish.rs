//! `tidemill publish`: a message for whoever waits for it, now or later.

use crate::client::{RemoteCommand, Session, VariablesArgument};
use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};

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
}

impl RemoteCommand for Publish {
    fn run(self, session: &Session) -> Result<()> {
        let mut body = Map::new();
        body.insert("name".to_owned(), json!(self.name));
        body.insert("correlationKey".to_owned(), json!(self.key));
        body.insert("variables".to_owned(), self.variables.read()?);
        if self.correlate {
            let answer = session.client.post("/v2/messages/correlation", &Value::Object(body))?;
            session.show(&answer, |answer| {
                println!("{}", answer["processInstanceKey"].as_str().unwrap_or_default())
            });
            return Ok(());
        }
        body.insert("timeToLive".to_owned(), json!(self.ttl.saturating_mul(1_000)));
        if let Some(id) = self.id {
            body.insert("messageId".to_owned(), json!(id));
        }
        let answer = session.client.post("/v2/messages/publication", &Value::Object(body))?;
        session.show(&answer, |answer| println!("{}", answer["messageKey"].as_str().unwrap_or_default()));
        Ok(())
    }
}
