//! Looks ahead: how many timers are due when, and when a schedule would be due.

use super::Namespace;
use crate::client::{RemoteCommand, Session};
use crate::output::{Column, cell, print_table, say, time};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

/// Count timers: by minutes for the next hour, by slots beyond
#[derive(Args)]
pub(super) struct Counts {
    #[command(flatten)]
    namespace: Namespace,
}

impl RemoteCommand for Counts {
    fn run(self, session: &Session) -> Result<()> {
        let answer = session.client.get(&format!("/v1/timers/counts?{}", self.namespace.query()))?;
        session.show(&answer, |answer| {
            let some = |member: &str| -> Vec<Value> {
                let items = answer[member].as_array().cloned().unwrap_or_default();
                items.into_iter().filter(|item| item["timers"] != 0).collect()
            };
            let (minutes, slots) = (some("minutes"), some("slots"));
            if minutes.is_empty() && slots.is_empty() {
                say!("no timers");
            }
            let columns: [Column<'_>; 3] = [
                ("FROM", |item| time(item, "from")),
                ("TO", |item| time(item, "to")),
                ("TIMERS", |item| cell(item, "timers")),
            ];
            if !minutes.is_empty() {
                print_table(&[columns[0], columns[2]], &minutes);
            }
            if !slots.is_empty() {
                say!("of all namespaces, later:");
                print_table(&columns, &slots);
            }
        });
        Ok(())
    }
}

/// Tell when a schedule would be due, without making a timer
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill timers occurrences '0 30 2 * * *' --zone Europe/Berlin --count 3
  tidemill timers occurrences R5/PT90M")]
pub(super) struct Occurrences {
    /// ISO repeating interval, or cron expression with seconds
    expression: String,

    /// Zone, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    zone: String,

    /// How many are told
    #[arg(long, default_value_t = 10, value_name = "N")]
    count: u32,
}

impl RemoteCommand for Occurrences {
    fn run(self, session: &Session) -> Result<()> {
        let schedule = json!({"expression": self.expression, "zone": self.zone});
        let body = json!({"schedule": schedule, "count": self.count});
        let answer = session.client.post("/v1/timers/occurrences", &body)?;
        session.show(&answer, |answer| {
            for date in answer["occurrences"].as_array().into_iter().flatten() {
                say!("{}", date.as_str().unwrap_or_default());
            }
        });
        Ok(())
    }
}
