//! The command line of Tidemill.

mod admin;
mod allocator;
mod bench;
mod client;
mod commands;
#[cfg(test)]
mod documented;
mod exit;
mod json_text;
mod output;
mod serve;
mod stop;
mod timers;
mod top;

use clap::{Parser, Subcommand};
use client::Remote;
use commands::*;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::CountingAllocator = allocator::CountingAllocator;

/// A durable process and timer engine in one binary
///
/// Deploy BPMN models, run instances, hand jobs to workers, wait for messages and timers. Speaks the Camunda 8 REST
/// API v2.
#[derive(Parser)]
#[command(
    name = "tidemill",
    version = env!("TIDEMILL_VERSION"),
    after_help = "\
Try it:
  tidemill serve --demo                        a server with an example, state in ./tidemill-data
  tidemill instances                           in another shell: what runs
  tidemill start order --variable quantity=3
  tidemill tasks                               what waits for people
  tidemill deploy order.bpmn                   a model of your own
  tidemill worker payment --exec ./pay.sh      a program that works on its jobs
  tidemill incidents                           what is stuck
  tidemill timers create --in PT1M --start order   a timer, with or without a process

Limits of the server, where it is not told otherwise: 4 MB for a request, 32 MB for a deployment, 10000 rows for an
answer; --help of a command names its own.

Exit codes:
  0  done
  1  something failed here, such as a file that cannot be read
  2  the command line is wrong, or --url is no address
  3  no server answers
  4  not found
  5  refused: the request is wrong, or does not fit the state of things
  6  the server failed, has too much to do, or time ran out: trying again may help
  7  `validate` found something
  8  a job of `worker --jobs N` failed"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(Box<serve::Serve>),
    Deploy(Remote<deploy::Deploy>),
    Start(Remote<start::Start>),
    Processes(Remote<processes::Processes>),
    Instances(Remote<instances::Instances>),
    Show(Remote<show::Show>),
    Variables(Remote<variables::Variables>),
    Cancel(Remote<cancel::Cancel>),
    Jobs(Remote<jobs::Jobs>),
    Worker(Remote<worker::Worker>),
    Publish(Remote<publish::Publish>),
    Signal(Remote<signal::Signal>),
    Incidents(Remote<incidents::Incidents>),
    Resolve(Remote<resolve::Resolve>),
    Tasks(Remote<tasks::Tasks>),
    CompleteTask(Remote<complete_task::CompleteTask>),
    Timers(timers::Timers),
    Validate(validate::Validate),
    Render(render::Render),
    Bench(bench::Bench),
    Top(top::Top),
    Admin(admin::Admin),
    Completions(completions::Completions),
    Man(man::Man),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Serve(command) => command.run(),
        Command::Deploy(command) => command.run(),
        Command::Start(command) => command.run(),
        Command::Processes(command) => command.run(),
        Command::Instances(command) => command.run(),
        Command::Show(command) => command.run(),
        Command::Variables(command) => command.run(),
        Command::Cancel(command) => command.run(),
        Command::Jobs(command) => command.run(),
        Command::Worker(command) => command.run(),
        Command::Publish(command) => command.run(),
        Command::Signal(command) => command.run(),
        Command::Incidents(command) => command.run(),
        Command::Resolve(command) => command.run(),
        Command::Tasks(command) => command.run(),
        Command::CompleteTask(command) => command.run(),
        Command::Timers(command) => command.run(),
        Command::Validate(command) => command.run(),
        Command::Render(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Top(command) => command.run(),
        Command::Admin(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            exit::tell(&error);
            exit::code(&error)
        }
    }
}
