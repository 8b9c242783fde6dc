//! `tidemill tasks`: what waits for people, and who takes it.

mod assignment;

use crate::client::{Listing, Paging, RemoteCommand, Session, newest_first};
use crate::output::{Column, cell, time};
use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;

/// List user tasks, the newest first; assign or claim them
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  tidemill tasks
  tidemill tasks --assignee ada
  tidemill tasks --group warehouse --state all
  tidemill tasks claim 2251799813685262           take one that nobody has
  tidemill tasks assign 2251799813685262 ada      give it to somebody
  tidemill complete-task 2251799813685262         it is done"
)]
pub(crate) struct Tasks {
    #[command(subcommand)]
    action: Option<Action>,

    /// Only of this person
    #[arg(long, value_name = "USER")]
    assignee: Option<String>,

    /// Only those that this group may take
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,

    /// Only of this process instance
    #[arg(long, value_name = "KEY")]
    instance: Option<i64>,

    /// Only of instances with this business id
    #[arg(long, value_name = "ID")]
    business_id: Option<String>,

    /// CREATED, COMPLETED, CANCELED, ... or all
    #[arg(long, default_value = "CREATED")]
    state: String,

    #[command(flatten)]
    paging: Paging,
}

#[derive(Subcommand)]
enum Action {
    Assign(assignment::Assign),
    Claim(assignment::Claim),
    Unassign(assignment::Unassign),
}

const COLUMNS: [Column<'_>; 7] = [
    ("KEY", |item| cell(item, "userTaskKey")),
    ("TASK", |item| cell(item, if item["name"].is_null() { "elementId" } else { "name" })),
    ("STATE", |item| cell(item, "state")),
    ("ASSIGNEE", |item| cell(item, "assignee")),
    ("PROCESS", |item| cell(item, "processDefinitionId")),
    ("INSTANCE", |item| cell(item, "processInstanceKey")),
    ("CREATED", |item| time(item, "creationDate")),
];

impl RemoteCommand for Tasks {
    fn run(self, session: &Session) -> Result<()> {
        match self.action {
            Some(Action::Assign(assign)) => return assign.run(session),
            Some(Action::Claim(claim)) => return claim.run(session),
            Some(Action::Unassign(unassign)) => return unassign.run(session),
            None => {}
        }
        let state = self.state.to_ascii_uppercase();
        let filter = json!({
            "assignee": self.assignee,
            "candidateGroup": self.group,
            "processInstanceKey": self.instance.map(|key| key.to_string()),
            "businessId": self.business_id,
            "state": (state != "ALL").then_some(state),
        });
        let sort = newest_first(&["creationDate"]);
        let listing =
            Listing { path: "/v2/user-tasks/search", filter, sort, columns: &COLUMNS, things: "tasks" };
        listing.print(session, &self.paging)
    }
}
