//! `tidemill processes`: what is deployed, in which versions, and the files themselves.

use crate::client::{Listing, Paging, RemoteCommand, Session};
use crate::exit;
use crate::output::{Column, cell, say};
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::path::PathBuf;

const PATH: &str = "/v2/process-definitions/search";
const COLUMNS: [Column<'_>; 6] = [
    ("PROCESS", |item| cell(item, "processDefinitionId")),
    ("VERSION", |item| cell(item, "version")),
    ("TAG", |item| cell(item, "versionTag")),
    ("KEY", |item| cell(item, "processDefinitionKey")),
    ("NAME", |item| cell(item, "name")),
    ("FILE", |item| cell(item, "resourceName")),
];

/// List deployed processes, their versions, and show their files
///
/// Without a word behind it, the latest version of each process.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  tidemill processes                              the latest version of each
  tidemill processes versions order               all versions of one, the newest first
  tidemill processes xml order > order.bpmn       the file of the latest version
  tidemill processes xml order --version 2 -o order-2.bpmn"
)]
pub(crate) struct Processes {
    #[command(subcommand)]
    action: Option<Action>,

    #[command(flatten)]
    paging: Paging,
}

#[derive(Subcommand)]
enum Action {
    /// List the versions of a process, the newest first
    Versions {
        /// Id of the process, as in the model
        process_id: String,

        #[command(flatten)]
        paging: Paging,
    },
    /// Print the BPMN file of a process
    Xml(Xml),
}

#[derive(Args)]
struct Xml {
    /// Id of the process, or the key of one of its versions
    process: String,

    /// Version [default: the latest]
    #[arg(long, value_name = "N")]
    version: Option<i32>,

    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl RemoteCommand for Processes {
    fn run(self, session: &Session) -> Result<()> {
        match self.action {
            None => {
                let sort = json!([{"field": "processDefinitionId"}]);
                listing(json!({"isLatestVersion": true}), sort).print(session, &self.paging)
            }
            Some(Action::Versions { process_id, paging }) => {
                let sort = json!([{"field": "version", "order": "DESC"}]);
                listing(json!({"processDefinitionId": process_id}), sort).print(session, &paging)
            }
            Some(Action::Xml(xml)) => xml.run(session),
        }
    }
}

fn listing(filter: Value, sort: Value) -> Listing<'static> {
    Listing { path: PATH, filter, sort, columns: &COLUMNS, things: "processes" }
}

impl Xml {
    fn run(self, session: &Session) -> Result<()> {
        let key = self.key(session)?;
        let xml = session.client.download(&format!("/v2/process-definitions/{key}/xml"))?;
        match &self.output {
            Some(file) => {
                std::fs::write(file, &xml).with_context(|| format!("cannot write {}", file.display()))?;
                say!("{}", file.display());
            }
            None => say!("{}", xml.trim_end()),
        }
        Ok(())
    }

    /// Ids of processes begin with a letter, so a number is a key.
    fn key(&self, session: &Session) -> Result<String> {
        if self.process.parse::<i64>().is_ok() {
            return Ok(self.process.clone());
        }
        let filter = json!({
            "processDefinitionId": self.process,
            "version": self.version,
            "isLatestVersion": self.version.is_none().then_some(true),
        });
        let found = session.search(PATH, filter, json!([]), 1)?;
        let key = found["items"][0]["processDefinitionKey"].as_str().map(str::to_owned);
        let version = self.version.map_or(String::new(), |version| format!(" in version {version}"));
        key.ok_or_else(|| exit::Missing(format!("process '{}'{version}", self.process)).into())
    }
}
