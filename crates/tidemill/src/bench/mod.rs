//! `tidemill bench`: how fast it is on this machine, next to what the bare store could do.

mod append;
mod child;
mod connection;
mod definitions;
mod limit;
mod load;
mod model;
mod nodes;
mod place;
mod processes;
mod pulse;
mod recorder;
mod report;
mod search;
mod server;
mod timers;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Measure this machine
#[derive(Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Subcommand)]
enum Subject {
    Processes(processes::Processes),
    Definitions(definitions::Definitions),
    Append(append::Append),
    Nodes(nodes::Nodes),
    Timers(timers::Timers),
    Search(search::Search),
    #[command(hide = true)]
    Server(server::BenchServer),
    #[command(hide = true)]
    TimerStart(timers::TimerStart),
}

impl Bench {
    pub(crate) fn run(self) -> Result<()> {
        match self.subject {
            Subject::Processes(processes) => processes.run(),
            Subject::Definitions(definitions) => definitions.run(),
            Subject::Append(append) => append.run(),
            Subject::Nodes(nodes) => nodes.run(),
            Subject::Timers(timers) => timers.run(),
            Subject::Search(search) => search.run(),
            Subject::Server(server) => server.run(),
            Subject::TimerStart(start) => start.run(),
        }
    }
}
