//! `tidemill start`: a new instance, with or without waiting for its end.

use crate::client::{RemoteCommand, Session, VariablesArgument};
use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};

/// Start an instance of a process
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill start order --variables '{\"orderId\": \"A-1\", \"quantity\": 3}'
  tidemill start order --variables @order.json
  tidemill start price --await --timeout 60          wait for the end, print the variables
  KEY=$(tidemill start order)                        prints the key of the instance")]
pub(crate) struct Start {
    /// Id of the process, as in the model
    process_id: String,

    /// Version to start [default: the latest]
    #[arg(long, value_name = "N")]
    version: Option<i32>,

    #[command(flatten)]
    variables: VariablesArgument,

    /// Wait for the end of the instance and print its variables
    #[arg(long)]
    r#await: bool,

    /// Seconds to wait; the instance goes on when they are over
    #[arg(long, value_name = "SECONDS", default_value_t = 30, requires = "await")]
    timeout: u64,

    /// A name of your own for the instance
    #[arg(long, value_name = "ID")]
    business_id: Option<String>,

    /// Tag of the instance; may be given several times
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
}

impl RemoteCommand for Start {
    fn run(self, session: &Session) -> Result<()> {
        let mut body = Map::new();
        body.insert("processDefinitionId".to_owned(), json!(self.process_id));
        body.insert("variables".to_owned(), self.variables.read()?);
        if let Some(version) = self.version {
            body.insert("processDefinitionVersion".to_owned(), json!(version));
        }
        if let Some(id) = self.business_id {
            body.insert("businessId".to_owned(), json!(id));
        }
        if !self.tag.is_empty() {
            body.insert("tags".to_owned(), json!(self.tag));
        }
        if self.r#await {
            body.insert("awaitCompletion".to_owned(), json!(true));
            body.insert("requestTimeout".to_owned(), json!(self.timeout.saturating_mul(1_000)));
        }
        let answer = session.client.post("/v2/process-instances", &Value::Object(body))?;
        session.show(&answer, |answer| {
            if self.r#await {
                println!("{:#}", answer["variables"]);
            } else {
                println!("{}", answer["processInstanceKey"].as_str().unwrap_or_default());
            }
        });
        Ok(())
    }
}
