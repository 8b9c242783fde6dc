//! `tidemill instances`: which instances there are.

use crate::client::{RemoteCommand, Session, newest_first};
use crate::output::{cell, print_page, time};
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

    /// Rows at most
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
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

impl RemoteCommand for Instances {
    fn run(self, session: &Session) -> Result<()> {
        let filter = json!({
            "state": self.state.name(),
            "processDefinitionId": self.process,
            "hasIncident": self.incidents.then_some(true),
        });
        let order = newest_first(&["startDate", "processInstanceKey"]);
        let answer = session.search("/v2/process-instances/search", filter, order, self.limit)?;
        session.show(&answer, |answer| {
            let columns: [crate::output::Column<'_>; 7] = [
                ("KEY", |item| cell(item, "processInstanceKey")),
                ("PROCESS", |item| cell(item, "processDefinitionId")),
                ("VERSION", |item| cell(item, "processDefinitionVersion")),
                ("STATE", |item| cell(item, "state")),
                ("INCIDENT", |item| cell(item, "hasIncident")),
                ("STARTED", |item| time(item, "startDate")),
                ("ENDED", |item| time(item, "endDate")),
            ];
            print_page(&columns, answer, "instances");
        });
        Ok(())
    }
}
