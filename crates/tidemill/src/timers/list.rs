//! `tidemill timers list`: the timers of a namespace.

use super::Namespace;
use crate::client::{RemoteCommand, Session};
use crate::exit::Usage;
use crate::output::{Column, cell, print_part, say, time};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

/// List timers that wait, those that are due soon first
///
/// The server looks through stored blocks: within a page timers come in the order of their time, and a timer that moves
/// while pages are read may be listed twice.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill timers list --to 2030-01-31T00:00:00Z
  tidemill timers list --namespace billing --state paused
  tidemill timers list --payload order.customer=ada --all")]
pub(super) struct List {
    /// scheduled, paused, or all
    #[arg(long, default_value = "all")]
    state: String,

    /// Due at this time or later
    #[arg(long, value_name = "DATE")]
    from: Option<String>,

    /// Due at this time or earlier
    #[arg(long, value_name = "DATE")]
    to: Option<String>,

    /// Whose payload has this value there; a value that is no JSON is a text. Every timer is unpacked for it
    #[arg(long, value_name = "PATH=VALUE")]
    payload: Option<String>,

    /// Timers of a page
    #[arg(long, default_value_t = 100, value_name = "N")]
    limit: u32,

    /// Page after page to the end
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    namespace: Namespace,
}

const COLUMNS: [Column<'_>; 6] = [
    ("ID", |item| cell(item, "id")),
    ("STATE", |item| cell(item, "state")),
    ("FIRES AT", |item| time(item, "executeAt")),
    ("TELLS", |item| whom(&item["target"])),
    ("SCHEDULE", |item| cell(&item["schedule"], "expression")),
    ("PAYLOAD", |item| if item["payload"].is_null() { String::new() } else { item["payload"].to_string() }),
];

pub(super) fn whom(target: &Value) -> String {
    let member = match target["type"].as_str() {
        Some("http") => "url",
        Some("message") => "name",
        Some("process") => "processDefinitionId",
        _ => return cell(target, "type"),
    };
    format!("{} {}", cell(target, "type"), cell(target, member))
}

impl List {
    fn search(&self) -> Result<Value> {
        let state = self.state.to_ascii_uppercase();
        let mut search = json!({"namespace": self.namespace.namespace, "limit": self.limit});
        if state != "ALL" {
            search["state"] = json!(state);
        }
        for (name, value) in [("from", &self.from), ("to", &self.to)] {
            if let Some(value) = value {
                search[name] = json!(value);
            }
        }
        if let Some(test) = &self.payload {
            let (path, value) = test
                .split_once('=')
                .ok_or_else(|| Usage("Expected --payload PATH=VALUE, such as order.id=7".to_owned()))?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
            search["payload"] = json!({"path": path, "equals": value});
        }
        Ok(search)
    }
}

impl RemoteCommand for List {
    fn run(self, session: &Session) -> Result<()> {
        let mut search = self.search()?;
        let mut listed = 0;
        loop {
            let answer = session.client.post("/v1/timers/search", &search)?;
            let items = answer["items"].as_array().map_or(&[][..], Vec::as_slice);
            session.show(&answer, |_| {
                if !items.is_empty() {
                    print_part(&COLUMNS, items, listed == 0);
                }
            });
            listed += items.len();
            let cursor = &answer["cursor"];
            if cursor.is_null() || !self.all {
                if !session.json && listed == 0 {
                    say!("no timers");
                } else if !session.json && !cursor.is_null() {
                    say!("there are more: --all lists them, --limit makes the page longer");
                }
                return Ok(());
            }
            search["cursor"] = cursor.clone();
        }
    }
}
