//! `tidemill instances`: which instances there are.

use crate::client::{Listing, Paging, RemoteCommand, Session, newest_first};
use crate::output::{Column, cell, time};
use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;

/// List process instances, the newest first
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill instances                              those that run
  tidemill instances --state all --process order
  tidemill instances --incidents                  those that need help
  tidemill instances --business-id A-1
  tidemill instances --state all --page 2         the next 50
  tidemill instances --state all --all --json     every one of them, one a line
  tidemill instances --json | jq -r '.items[].processInstanceKey'")]
pub(crate) struct Instances {
    /// State to list
    #[arg(long, value_enum, default_value_t = State::Active)]
    state: State,

    /// Only of this process
    #[arg(long, value_name = "PROCESS_ID")]
    process: Option<String>,

    /// Only those with incidents
    #[arg(long)]
    incidents: bool,

    /// Only with this business id
    #[arg(long, value_name = "ID")]
    business_id: Option<String>,

    #[command(flatten)]
    paging: Paging,
}

#[derive(Clone, Copy, ValueEnum)]
enum State {
    Active,
    Completed,
    Terminated,
    All,
}

impl State {
    fn name(self) -> Option<&'static str> {
        match self {
            State::Active => Some("ACTIVE"),
            State::Completed => Some("COMPLETED"),
            State::Terminated => Some("TERMINATED"),
            State::All => None,
        }
    }
}

const COLUMNS: [Column<'_>; 8] = [
    ("KEY", |item| cell(item, "processInstanceKey")),
    ("PROCESS", |item| cell(item, "processDefinitionId")),
    ("VERSION", |item| cell(item, "processDefinitionVersion")),
    ("BUSINESS ID", |item| cell(item, "businessId")),
    ("STATE", |item| cell(item, "state")),
    ("INCIDENT", |item| cell(item, "hasIncident")),
    ("STARTED", |item| time(item, "startDate")),
    ("ENDED", |item| time(item, "endDate")),
];

impl RemoteCommand for Instances {
    fn run(self, session: &Session) -> Result<()> {
        let filter = json!({
            "state": self.state.name(),
            "processDefinitionId": self.process,
            "businessId": self.business_id,
            "hasIncident": self.incidents.then_some(true),
        });
        let sort = newest_first(&["startDate", "processInstanceKey"]);
        let listing = Listing {
            path: "/v2/process-instances/search",
            filter,
            sort,
            columns: &COLUMNS,
            things: "instances",
        };
        listing.print(session, &self.paging)
    }
}
