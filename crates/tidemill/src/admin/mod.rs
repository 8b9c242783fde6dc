//! `tidemill admin`: for those who run a server.

mod dead_letters;

use crate::client::Remote;
use anyhow::Result;
use clap::{Args, Subcommand};

/// Look after a server, on its own machine
#[derive(Args)]
pub(crate) struct Admin {
    #[command(subcommand)]
    topic: Topic,
}

#[derive(Subcommand)]
enum Topic {
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
        let Topic::DeadLetters(DeadLetters { action }) = self.topic;
        match action {
            Action::List(command) => command.run(),
            Action::Show(command) => command.run(),
            Action::Retry(command) => command.run(),
            Action::Drop(command) => command.run(),
        }
    }
}
