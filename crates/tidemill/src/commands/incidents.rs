//! `tidemill incidents`: what is stuck, and why.

use crate::client::{Listing, Paging, RemoteCommand, Session, newest_first};
use crate::output::{Column, cell, time};
use anyhow::Result;
use clap::Args;
use serde_json::json;

/// List incidents, the newest first
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill incidents                              those that wait for help
  tidemill incidents --process order --all
  tidemill incidents --instance 2251799813685251 --state all
  tidemill incidents --json | jq -r '.items[].incidentKey' | xargs -n1 tidemill resolve")]
pub(crate) struct Incidents {
    /// Only of this process
    #[arg(long, value_name = "PROCESS_ID")]
    process: Option<String>,

    /// Only of this process instance
    #[arg(long, value_name = "KEY")]
    instance: Option<i64>,

    /// Only of this kind: JOB_NO_RETRIES, IO_MAPPING_ERROR, CONDITION_ERROR, ...
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,

    /// ACTIVE, RESOLVED, or all
    #[arg(long, default_value = "ACTIVE")]
    state: String,

    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: [Column<'_>; 7] = [
    ("KEY", |item| cell(item, "incidentKey")),
    ("KIND", |item| cell(item, "errorType")),
    ("STATE", |item| cell(item, "state")),
    ("INSTANCE", |item| cell(item, "processInstanceKey")),
    ("ELEMENT", |item| cell(item, "elementId")),
    ("CREATED", |item| time(item, "creationTime")),
    ("MESSAGE", |item| cell(item, "errorMessage")),
];

impl RemoteCommand for Incidents {
    fn run(self, session: &Session) -> Result<()> {
        let state = self.state.to_ascii_uppercase();
        let filter = json!({
            "processDefinitionId": self.process,
            "processInstanceKey": self.instance.map(|key| key.to_string()),
            "errorType": self.kind.map(|kind| kind.to_ascii_uppercase()),
            "state": (state != "ALL").then_some(state),
        });
        let sort = newest_first(&["creationTime", "incidentKey"]);
        let listing =
            Listing { path: "/v2/incidents/search", filter, sort, columns: &COLUMNS, things: "incidents" };
        listing.print(session, &self.paging)
    }
}
