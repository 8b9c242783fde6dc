//! What all commands that talk to a server share: where it is, and how answers are shown.

use super::{Client, Failure};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

/// A command with the options that all of them have.
#[derive(Args)]
pub(crate) struct Remote<C: Args> {
    #[command(flatten)]
    command: C,

    /// The server's address
    #[arg(
        long,
        env = "TIDEMILL_URL",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL",
        help_heading = "Server and output"
    )]
    url: String,

    /// Print the server's answer as JSON
    #[arg(long, help_heading = "Server and output")]
    json: bool,
}

pub(crate) trait RemoteCommand: Args {
    fn run(self, session: &Session) -> Result<()>;
}

impl<C: RemoteCommand> Remote<C> {
    pub(crate) fn run(self) -> Result<()> {
        let session = Session { client: Client::new(&self.url), json: self.json };
        self.command.run(&session)
    }
}

pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) json: bool,
}

impl Session {
    /// Shows an answer: as it came for programs, by `show` for people.
    pub(crate) fn show(&self, answer: &Value, show: impl FnOnce(&Value)) {
        if self.json { println!("{answer:#}") } else { show(answer) }
    }

    /// Searches with the members of the filter that are set.
    pub(crate) fn search(
        &self,
        path: &str,
        filter: Value,
        sort: Value,
        limit: u32,
    ) -> Result<Value, Failure> {
        let filter: Value = match filter {
            Value::Object(members) => {
                Value::Object(members.into_iter().filter(|(_, value)| !value.is_null()).collect())
            }
            other => other,
        };
        self.client.post(path, &json!({"filter": filter, "sort": sort, "page": {"limit": limit}}))
    }
}
