//! `tidemill start`: a new instance, with or without waiting for its end.

use crate::client::{Once, RemoteCommand, Session, VariablesArgument};
use crate::json_text::pretty;
use crate::output::say;
use anyhow::{Context, Result};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use ureq::http::Method;

/// Start an instance of a process
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill start order --variables '{\"orderId\": \"A-1\", \"quantity\": 3}'
  tidemill start order --variable orderId=A-1 --variable quantity=3 --business-id A-1
  tidemill start order --variables @order.json
  tidemill start order --idempotency-key mail-4711   once, however often this is tried
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

    /// A name of your own for the instance, at most 256 characters
    #[arg(long, value_name = "ID")]
    business_id: Option<String>,

    /// Tag of the instance, at most 100 characters; may be given up to ten times
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    #[command(flatten)]
    once: Once,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Creation {
    process_definition_id: String,
    variables: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process_definition_version: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    business_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    await_completion: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_timeout: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    process_instance_key: String,
    variables: Box<RawValue>,
}

impl RemoteCommand for Start {
    fn run(self, session: &Session) -> Result<()> {
        let creation = Creation {
            process_definition_id: self.process_id,
            variables: self.variables.read()?,
            process_definition_version: self.version,
            business_id: self.business_id,
            tags: self.tag,
            await_completion: self.r#await,
            request_timeout: self.r#await.then(|| self.timeout.saturating_mul(1_000)),
        };
        let answer: Box<RawValue> =
            session.client.command(Method::POST, "/v2/process-instances", self.once.key(), &creation)?;
        if session.json {
            say!("{}", pretty(answer.get()));
            return Ok(());
        }
        let created: Created =
            serde_json::from_str(answer.get()).context("the server's answer has no key")?;
        match self.r#await {
            true => say!("{}", pretty(created.variables.get())),
            false => say!("{}", created.process_instance_key),
        }
        Ok(())
    }
}
