//! `tidemill admin`: for those who run a server.

mod cluster;
mod dead_letters;

use crate::client::Remote;
use anyhow::Result;
use clap::{Args, Subcommand};

/// Look after a server, on its own machine
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill admin nodes                       the servers that share the store
  tidemill admin partitions                  who holds what, and what waits
  tidemill admin move 3 10.0.0.7:8080        partition 3 to that server
  tidemill admin drain 10.0.0.7:8080         before that server is stopped for good
  tidemill admin dead-letters list           commands that could not be run")]
pub(crate) struct Admin {
    #[command(subcommand)]
    topic: Topic,
}

#[derive(Subcommand)]
enum Topic {
    Nodes(Remote<cluster::Nodes>),
    Partitions(Remote<cluster::Partitions>),
    Move(Remote<cluster::Move>),
    Drain(Remote<cluster::Drain>),
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
    List(Remote<dead_letters::List>),
    Show(Remote<dead_letters::Show>),
    Retry(Remote<dead_letters::Retry>),
    Drop(Remote<dead_letters::Discard>),
}

impl Admin {
    pub(crate) fn run(self) -> Result<()> {
        match self.topic {
            Topic::Nodes(command) => command.run(),
            Topic::Partitions(command) => command.run(),
            Topic::Move(command) => command.run(),
            Topic::Drain(command) => command.run(),
            Topic::DeadLetters(DeadLetters { action }) => match action {
                Action::List(command) => command.run(),
                Action::Show(command) => command.run(),
                Action::Retry(command) => command.run(),
                Action::Drop(command) => command.run(),
            },
        }
    }
}
