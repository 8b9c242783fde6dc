//! `tidemill tasks`: what waits for people.

use crate::client::{RemoteCommand, Session, newest_first};
use crate::output::{Column, cell, print_page, time};
use anyhow::Result;
use clap::Args;
use serde_json::json;

/// List user tasks, the newest first
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill tasks
  tidemill tasks --assignee ada
  tidemill tasks --group warehouse --state all")]
pub(crate) struct Tasks {
    /// Only of this person
    #[arg(long, value_name = "USER")]
    assignee: Option<String>,

    /// Only those that this group may take
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,

    /// Only of this process instance
    #[arg(long, value_name = "KEY")]
    instance: Option<i64>,

    /// CREATED, COMPLETED, CANCELED, ... or all
    #[arg(long, default_value = "CREATED")]
    state: String,

    /// Rows at most
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

impl RemoteCommand for Tasks {
    fn run(self, session: &Session) -> Result<()> {
        let state = self.state.to_ascii_uppercase();
        let filter = json!({
            "assignee": self.assignee,
            "candidateGroup": self.group,
            "processInstanceKey": self.instance.map(|key| key.to_string()),
            "state": (state != "ALL").then_some(state),
        });
        let order = newest_first(&["creationDate"]);
        let answer = session.search("/v2/user-tasks/search", filter, order, self.limit)?;
        session.show(&answer, |answer| {
            let columns: [Column<'_>; 7] = [
                ("KEY", |item| cell(item, "userTaskKey")),
                ("TASK", |item| cell(item, if item["name"].is_null() { "elementId" } else { "name" })),
                ("STATE", |item| cell(item, "state")),
                ("ASSIGNEE", |item| cell(item, "assignee")),
                ("PROCESS", |item| cell(item, "processDefinitionId")),
                ("INSTANCE", |item| cell(item, "processInstanceKey")),
                ("CREATED", |item| time(item, "creationDate")),
            ];
            print_page(&columns, answer, "tasks");
        });
        Ok(())
    }
}
