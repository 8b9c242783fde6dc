//! Options of all commands that talk to a server: where it is, and how answers are shown.

use super::{Client, Failure};
use crate::output::{self, say};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

pub(crate) const URL_DEFAULT: &str = "http://127.0.0.1:8080";

// A command with the options that all of them have. No doc comment: it would be shown as the help of each of them.
#[derive(Args)]
pub(crate) struct Remote<C: Args> {
    #[command(flatten)]
    command: C,

    /// The server's address
    #[arg(
        long,
        env = "TIDEMILL_URL",
        default_value = URL_DEFAULT,
        value_name = "URL",
        help_heading = "Server and output",
        global = true
    )]
    url: String,

    /// For https: file with the authorities that may vouch for the server, as PEM [default: those of the system]
    #[arg(long, env = "TIDEMILL_CA", value_name = "FILE", help_heading = "Server and output", global = true)]
    ca: Option<PathBuf>,

    /// Print the server's answer as JSON
    #[arg(long, help_heading = "Server and output", global = true)]
    json: bool,
}

pub(crate) trait RemoteCommand: Args {
    fn run(self, session: &Session) -> Result<()>;
}

impl<C: RemoteCommand> Remote<C> {
    pub(crate) fn run(self) -> Result<()> {
        self.run_with(None)
    }

    /// With what the server may want to see first.
    pub(crate) fn run_with(self, token: Option<&str>) -> Result<()> {
        if self.json {
            output::report_failures_as_json();
        }
        let client = Client::connect(&self.url, self.ca.as_deref())?.with_token(token);
        let session = Session { client, json: self.json };
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
        if self.json { say!("{answer:#}") } else { show(answer) }
    }

    /// The same in one line, for commands that do the same to many things.
    pub(crate) fn show_line(&self, answer: &Value, show: impl FnOnce(&Value)) {
        if self.json { say!("{answer}") } else { show(answer) }
    }

    /// Searches with the members of the filter that are set.
    pub(crate) fn search(
        &self,
        path: &str,
        filter: Value,
        sort: Value,
        limit: u32,
    ) -> Result<Value, Failure> {
        self.search_page(path, filter, &sort, json!({"limit": limit}))
    }

    pub(super) fn search_page(
        &self,
        path: &str,
        filter: Value,
        sort: &Value,
        page: Value,
    ) -> Result<Value, Failure> {
        let filter: Value = match filter {
            Value::Object(members) => {
                Value::Object(members.into_iter().filter(|(_, value)| !value.is_null()).collect())
            }
            other => other,
        };
        self.client.post(path, &json!({"filter": filter, "sort": sort, "page": page}))
    }
}

/// The order of a list: keys count within their partition only, so a time comes before them.
pub(crate) fn newest_first(fields: &[&str]) -> Value {
    fields.iter().map(|field| json!({"field": field, "order": "DESC"})).collect()
}
