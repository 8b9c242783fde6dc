//! `tidemill admin`: for those who run a server.

mod backup;
mod cache;
mod cluster;
mod dead_letters;
mod lag;
mod log;
mod retention;
mod secret;
mod units;

use anyhow::Result;
use clap::{Args, Subcommand};
pub(crate) use secret::WithSecret;
use serde_json::Value;

/// Look after a server, on its own machine or with its cluster secret
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill admin nodes                       the servers that share the store
  tidemill admin partitions                  who holds what, and what waits
  tidemill admin move 3 10.0.0.7:8080        partition 3 to that server
  tidemill admin drain 10.0.0.7:8080 --wait  before that server is stopped
  tidemill admin lag                         commands and timers that wait
  tidemill admin cache                       definitions in memory, and how often that helps
  tidemill admin log --follow                what is asked of the engine
  tidemill admin retention --history 30d     forget ended instances after 30 days
  tidemill admin backup /backup/monday.db    copy the embedded store while it works
  tidemill admin dead-letters list           commands that could not be run")]
pub(crate) struct Admin {
    #[command(subcommand)]
    topic: Topic,
}

#[derive(Subcommand)]
enum Topic {
    Nodes(WithSecret<cluster::Nodes>),
    Partitions(WithSecret<cluster::Partitions>),
    Move(WithSecret<cluster::Move>),
    Drain(WithSecret<cluster::Drain>),
    Lag(WithSecret<lag::Lag>),
    Cache(WithSecret<cache::Cache>),
    Log(WithSecret<log::Log>),
    Retention(WithSecret<retention::Retention>),
    Backup(WithSecret<backup::Backup>),
    DeadLetters(DeadLetters),
}

/// Commands that were put aside because they could not be run
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill admin dead-letters list
  tidemill admin dead-letters show 3         the command and why it was put aside
  tidemill admin dead-letters retry 3        run it again, after its cause was removed
  tidemill admin dead-letters drop 3         let it go for good")]
struct DeadLetters {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    List(WithSecret<dead_letters::List>),
    Show(WithSecret<dead_letters::Show>),
    Retry(WithSecret<dead_letters::Retry>),
    Drop(WithSecret<dead_letters::Discard>),
}

impl Admin {
    pub(crate) fn run(self) -> Result<()> {
        match self.topic {
            Topic::Nodes(command) => command.run(),
            Topic::Partitions(command) => command.run(),
            Topic::Move(command) => command.run(),
            Topic::Drain(command) => command.run(),
            Topic::Lag(command) => command.run(),
            Topic::Cache(command) => command.run(),
            Topic::Log(command) => command.run(),
            Topic::Retention(command) => command.run(),
            Topic::Backup(command) => command.run(),
            Topic::DeadLetters(DeadLetters { action }) => match action {
                Action::List(command) => command.run(),
                Action::Show(command) => command.run(),
                Action::Retry(command) => command.run(),
                Action::Drop(command) => command.run(),
            },
        }
    }
}

fn items(answer: &Value) -> &[Value] {
    items_of(answer, "items")
}

fn items_of<'a>(answer: &'a Value, member: &str) -> &'a [Value] {
    answer[member].as_array().map_or(&[], Vec::as_slice)
}
