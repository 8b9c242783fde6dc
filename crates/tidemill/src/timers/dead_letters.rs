//! `tidemill timers dead-letters`: deliveries that were given up, and what becomes of them.

use super::list::whom;
use super::{Namespace, encoded};
use crate::client::{Remote, RemoteCommand, Session};
use crate::output::{Column, cell, print_table, say, time};
use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;

const PATH: &str = "/v1/timers/dead-letters";

/// Timers whose delivery was given up
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill timers dead-letters list
  tidemill timers dead-letters show 1-42-0       the timer, its payload, and why it was given up
  tidemill timers dead-letters retry 1-42-0      deliver it again, from its first attempt on
  tidemill timers dead-letters drop 1-42-0       let it go for good
  tidemill timers dead-letters purge             let all of the namespace go")]
pub(super) struct DeadLetters {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    List(Remote<List>),
    Show(Remote<Show>),
    Retry(Remote<Retry>),
    Drop(Remote<Discard>),
    Purge(Remote<Purge>),
}

impl DeadLetters {
    pub(super) fn run(self) -> Result<()> {
        match self.action {
            Action::List(command) => command.run(),
            Action::Show(command) => command.run(),
            Action::Retry(command) => command.run(),
            Action::Drop(command) => command.run(),
            Action::Purge(command) => command.run(),
        }
    }
}

/// List deliveries that were given up
#[derive(Args)]
struct List {
    /// Only those after this one
    #[arg(long, value_name = "LETTER")]
    after: Option<String>,

    /// So many at most
    #[arg(long, default_value_t = 100, value_name = "N")]
    limit: u32,

    #[command(flatten)]
    namespace: Namespace,
}

impl RemoteCommand for List {
    fn run(self, session: &Session) -> Result<()> {
        let mut path = format!("{PATH}?{}&limit={}", self.namespace.query(), self.limit);
        if let Some(after) = &self.after {
            path = format!("{path}&after={}", encoded(after));
        }
        let answer = session.client.get(&path)?;
        session.show(&answer, |answer| {
            let columns: [Column<'_>; 5] = [
                ("LETTER", |item| cell(item, "letterId")),
                ("TIMER", |item| cell(&item["timer"], "id")),
                ("TELLS", |item| whom(&item["timer"]["target"])),
                ("GIVEN UP", |item| time(item, "timestamp")),
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

/// Show a delivery that was given up
#[derive(Args)]
struct Show {
    /// See `list`
    letter: String,

    #[command(flatten)]
    namespace: Namespace,
}

impl RemoteCommand for Show {
    fn run(self, session: &Session) -> Result<()> {
        let path = format!("{PATH}/{}?{}", encoded(&self.letter), self.namespace.query());
        // Its content differs from timer to timer, so people see the JSON too.
        say!("{:#}", session.client.get(&path)?);
        Ok(())
    }
}

/// Deliver again what was given up
#[derive(Args)]
struct Retry {
    /// See `list`
    #[arg(required = true)]
    letters: Vec<String>,

    #[command(flatten)]
    namespace: Namespace,
}

impl RemoteCommand for Retry {
    fn run(self, session: &Session) -> Result<()> {
        for letter in &self.letters {
            let path = format!("{PATH}/{}/retry?{}", encoded(letter), self.namespace.query());
            let answer = session.client.post(&path, &json!({}))?;
            session.show_line(&answer, |_| say!("{letter} is delivered again"));
        }
        Ok(())
    }
}

/// Let deliveries go for good
#[derive(Args)]
struct Discard {
    /// See `list`
    #[arg(required = true)]
    letters: Vec<String>,

    #[command(flatten)]
    namespace: Namespace,
}

impl RemoteCommand for Discard {
    fn run(self, session: &Session) -> Result<()> {
        for letter in &self.letters {
            let path = format!("{PATH}/{}?{}", encoded(letter), self.namespace.query());
            let answer = session.client.delete(&path)?;
            session.show_line(&answer, |_| say!("dropped {letter}"));
        }
        Ok(())
    }
}

/// Let all deliveries of a namespace go that were given up
#[derive(Args)]
struct Purge {
    #[command(flatten)]
    namespace: Namespace,
}

impl RemoteCommand for Purge {
    fn run(self, session: &Session) -> Result<()> {
        let answer = session.client.delete(&format!("{PATH}?{}", self.namespace.query()))?;
        session.show(&answer, |answer| say!("dropped {}", cell(answer, "dropped")));
        Ok(())
    }
}
