//! `tidemill timers`: timers as a service, with and without processes.

mod bulk;
mod create;
mod dead_letters;
mod list;
mod looks;
mod one;
mod operate;

use crate::admin::WithSecret;
use crate::client::Remote;
use anyhow::Result;
use clap::{Args, Subcommand};

/// Make, find and look after timers: call a URL, tell a process or start one, once or by a schedule
///
/// A timer waits durably, for milliseconds or years, and never fires early. It calls a URL (at least once, with a stable
/// Idempotency-Key), sends a message to a process or starts one (exactly once), or appears in a stream that consumers
/// read. Timers live in namespaces; an id that you choose is unique in its namespace.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill timers create --in PT10M --callback https://example.com/hook --payload '{\"order\": 7}'
  tidemill timers create --id invoice-7 --at 2030-01-31T09:00:00Z --message pay --key 7
  tidemill timers create --id nightly --schedule '0 0 2 * * *' --zone Europe/Berlin --start cleanup
  tidemill timers get invoice-7              when it fires, and whom it tells
  tidemill timers move invoice-7 --in P1D    later
  tidemill timers list --state paused
  tidemill timers cancel invoice-7
  tidemill timers bulk timers.ndjson --stream import-1
  tidemill timers dead-letters list          deliveries that were given up
  tidemill timers stats                      how many wait, and whether they fire in time")]
pub(crate) struct Timers {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Create(Box<Remote<create::Create>>),
    Get(Remote<one::Get>),
    List(Remote<list::List>),
    Cancel(Remote<one::Cancel>),
    Move(Remote<one::Move>),
    Pause(Remote<one::Pause>),
    Resume(Remote<one::Resume>),
    Trigger(Remote<one::Trigger>),
    Bulk(Remote<bulk::Bulk>),
    Counts(Remote<looks::Counts>),
    Occurrences(Remote<looks::Occurrences>),
    DeadLetters(dead_letters::DeadLetters),
    Stats(WithSecret<operate::Stats>),
    Slots(WithSecret<operate::Slots>),
    Inspect(WithSecret<operate::Inspect>),
}

impl Timers {
    pub(crate) fn run(self) -> Result<()> {
        match self.action {
            Action::Create(command) => command.run(),
            Action::Get(command) => command.run(),
            Action::List(command) => command.run(),
            Action::Cancel(command) => command.run(),
            Action::Move(command) => command.run(),
            Action::Pause(command) => command.run(),
            Action::Resume(command) => command.run(),
            Action::Trigger(command) => command.run(),
            Action::Bulk(command) => command.run(),
            Action::Counts(command) => command.run(),
            Action::Occurrences(command) => command.run(),
            Action::DeadLetters(command) => command.run(),
            Action::Stats(command) => command.run(),
            Action::Slots(command) => command.run(),
            Action::Inspect(command) => command.run(),
        }
    }
}

/// The namespace that a command is about.
#[derive(Args)]
struct Namespace {
    /// Namespace of the timers
    #[arg(long, short = 'n', value_name = "NAME", default_value = "default")]
    namespace: String,
}

impl Namespace {
    fn query(&self) -> String {
        format!("namespace={}", encoded(&self.namespace))
    }
}

/// The path of one timer, with its namespace.
fn path(id: &str, action: &str, namespace: &Namespace) -> String {
    format!("/v1/timers/{}{action}?{}", encoded(id), namespace.query())
}

/// As a part of a URL.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
