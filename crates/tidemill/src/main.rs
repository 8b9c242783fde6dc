//! The command line of Tidemill.

mod serve;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// A durable process and timer engine: deploy BPMN, run instances, hand jobs to workers, wait for messages
/// and timers. Speaks the Camunda 8 REST API v2.
#[derive(Parser)]
#[command(name = "tidemill", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a server.
    Serve(serve::Serve),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Serve(serve) => serve.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tidemill: {error:#}");
            ExitCode::FAILURE
        }
    }
}
