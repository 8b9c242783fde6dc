//! `tidemill jobs`: what waits for workers.

use crate::client::{Listing, Paging, RemoteCommand, Session, newest_first};
use crate::output::{Column, cell, time};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

/// List jobs, the newest first
///
/// Without --state, those that have not ended, whatever has happened to them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill jobs --type check-stock
  tidemill jobs --state FAILED
  tidemill jobs --instance 2251799813685251 --state all")]
pub(crate) struct Jobs {
    /// Only of this type
    #[arg(long = "type", value_name = "TYPE")]
    job_type: Option<String>,

    /// open, all, or a state: CREATED, FAILED, COMPLETED, CANCELED, ERROR_THROWN, TIMED_OUT, ...
    #[arg(long, default_value = "open")]
    state: String,

    /// Only of this process instance
    #[arg(long, value_name = "KEY")]
    instance: Option<i64>,

    #[command(flatten)]
    paging: Paging,
}

const COLUMNS: [Column<'_>; 9] = [
    ("KEY", |item| cell(item, "jobKey")),
    ("TYPE", |item| cell(item, "type")),
    ("STATE", |item| cell(item, "state")),
    ("RETRIES", |item| cell(item, "retries")),
    ("HELD BY", |item| if is_held(item) { cell(item, "worker") } else { "-".to_owned() }),
    ("UNTIL", |item| if is_held(item) { time(item, "deadline") } else { "-".to_owned() }),
    ("INSTANCE", |item| cell(item, "processInstanceKey")),
    ("ELEMENT", |item| cell(item, "elementId")),
    ("CREATED", |item| time(item, "creationTime")),
];

impl RemoteCommand for Jobs {
    fn run(self, session: &Session) -> Result<()> {
        let state = self.state.to_ascii_uppercase();
        let filter = json!({
            "type": self.job_type,
            "endTime": (state == "OPEN").then(|| json!({"$exists": false})),
            "state": (!matches!(state.as_str(), "ALL" | "OPEN")).then_some(state),
            "processInstanceKey": self.instance.map(|key| key.to_string()),
        });
        let sort = newest_first(&["creationTime", "jobKey"]);
        let listing = Listing { path: "/v2/jobs/search", filter, sort, columns: &COLUMNS, things: "jobs" };
        listing.print(session, &self.paging)
    }
}

/// An ended job remembers who had it last.
fn is_held(job: &Value) -> bool {
    job["endTime"].is_null() && !job["deadline"].is_null()
}
