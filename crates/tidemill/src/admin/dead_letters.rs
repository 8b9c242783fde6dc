//! `tidemill admin dead-letters`: what was put aside, and what becomes of it.

use crate::client::{RemoteCommand, Session};
use crate::output::{Column, cell, print_table, say, time};
use anyhow::Result;
use clap::Args;
use serde_json::json;

const PATH: &str = "/v1/admin/dead-letters";

/// List the commands that were put aside, the oldest first
#[derive(Args)]
pub(super) struct List {
    /// Only those after this number
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    after: i64,
}

impl RemoteCommand for List {
    fn run(self, session: &Session) -> Result<()> {
        let answer = session.client.get(&format!("{PATH}?after={}", self.after))?;
        session.show(&answer, |answer| {
            let columns: [Column<'_>; 5] = [
                ("NUMBER", |item| cell(item, "number")),
                ("PARTITION", |item| cell(item, "partitionId")),
                ("COMMAND", |item| cell(item, "intent")),
                ("PUT ASIDE", |item| time(item, "timestamp")),
                ("REASON", |item| cell(item, "reason")),
            ];
            match answer["items"].as_array() {
                Some(items) if !items.is_empty() => print_table(&columns, items),
                _ => say!("no dead letters"),
            }
        });
        Ok(())
    }
}

/// Show a command that was put aside
#[derive(Args)]
pub(super) struct Show {
    /// Its number, see `list`
    number: i64,
}

impl RemoteCommand for Show {
    fn run(self, session: &Session) -> Result<()> {
        // Its content differs from command to command, so people see the JSON too.
        say!("{:#}", session.client.get(&format!("{PATH}/{}", self.number))?);
        Ok(())
    }
}

/// Run commands again
#[derive(Args)]
pub(super) struct Retry {
    /// Their numbers, see `list`
    #[arg(required = true)]
    numbers: Vec<i64>,
}

impl RemoteCommand for Retry {
    fn run(self, session: &Session) -> Result<()> {
        for number in self.numbers {
            let answer = session.client.post(&format!("{PATH}/{number}/retry"), &json!({}))?;
            session.show(&answer, |_| say!("dead letter {number} runs again"));
        }
        Ok(())
    }
}

/// Let commands go for good
#[derive(Args)]
pub(super) struct Discard {
    /// Their numbers, see `list`
    #[arg(required = true)]
    numbers: Vec<i64>,
}

impl RemoteCommand for Discard {
    fn run(self, session: &Session) -> Result<()> {
        for number in self.numbers {
            let answer = session.client.delete(&format!("{PATH}/{number}"))?;
            session.show(&answer, |_| say!("dropped dead letter {number}"));
        }
        Ok(())
    }
}
