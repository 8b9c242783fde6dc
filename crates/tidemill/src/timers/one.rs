//! Commands about timers that are there: look, cancel, move, pause, resume, trigger.

use super::create::duration;
use super::{Namespace, encoded, path};
use crate::client::{RemoteCommand, Session};
use crate::exit::Usage;
use crate::output::{cell, say, time};
use anyhow::Result;
use clap::{ArgGroup, Args};
use serde_json::{Value, json};

/// Show a timer
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill timers get invoice-7
  tidemill timers get tm_02qe08x4 --namespace billing --json")]
pub(super) struct Get {
    /// Its id
    id: String,

    #[command(flatten)]
    namespace: Namespace,
}

impl RemoteCommand for Get {
    fn run(self, session: &Session) -> Result<()> {
        let answer = session.client.get(&path(&self.id, "", &self.namespace))?;
        session.show(&answer, |timer| {
            for (name, value) in [
                ("id", cell(timer, "id")),
                ("namespace", cell(timer, "namespace")),
                ("state", cell(timer, "state")),
                ("fires at", time(timer, "executeAt")),
                ("meant for", time(timer, "scheduledAt")),
                ("target", timer["target"].to_string()),
                ("schedule", shown(&timer["schedule"])),
                ("left", shown(&timer["occurrencesLeft"])),
                ("payload", shown(&timer["payload"])),
            ] {
                if !value.is_empty() {
                    say!("{name:<10} {value}");
                }
            }
        });
        Ok(())
    }
}

fn shown(value: &Value) -> String {
    if value.is_null() { String::new() } else { value.to_string() }
}

/// Cancel timers
///
/// May be done twice. Tells `fired` for a timer whose time has passed, and `absent` for an id that nobody has.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill timers cancel invoice-7 invoice-8")]
pub(super) struct Cancel {
    /// Their ids
    #[arg(required = true)]
    ids: Vec<String>,

    #[command(flatten)]
    namespace: Namespace,
}

impl RemoteCommand for Cancel {
    fn run(self, session: &Session) -> Result<()> {
        for id in &self.ids {
            let answer = session.client.delete(&path(id, "", &self.namespace))?;
            session.show_line(&answer, |answer| say!("{id}: {}", cell(answer, "result").to_lowercase()));
        }
        Ok(())
    }
}

/// Move a timer to another time; its id and everything else stay
#[derive(Args)]
#[command(
    group(ArgGroup::new("when").args(["delay", "at"]).required(true)),
    after_help = "\
Examples:
  tidemill timers move invoice-7 --in PT1H
  tidemill timers move invoice-7 --at 2030-02-01T09:00:00Z"
)]
pub(super) struct Move {
    /// Its id
    id: String,

    /// After this time from now on: an ISO duration, or milliseconds
    #[arg(long = "in", value_name = "DURATION")]
    delay: Option<String>,

    /// At this time, with its offset
    #[arg(long, value_name = "DATE")]
    at: Option<String>,

    #[command(flatten)]
    namespace: Namespace,
}

impl RemoteCommand for Move {
    fn run(self, session: &Session) -> Result<()> {
        let body = match (&self.delay, &self.at) {
            (Some(delay), _) => json!({"delay": duration(delay)}),
            (_, at) => json!({"executeAt": at}),
        };
        let answer = session.client.patch(&path(&self.id, "", &self.namespace), &body)?;
        session.show(&answer, |answer| say!("{} fires at {}", self.id, time(answer, "executeAt")));
        Ok(())
    }
}

/// Pause timers, or a whole namespace
///
/// A paused timer keeps its time: resumed after that, it fires at once. Schedules keep their cadence.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill timers pause nightly
  tidemill timers pause --all --namespace billing     every timer of the namespace, those to come included")]
pub(super) struct Pause {
    #[command(flatten)]
    which: Which,
}

/// Resume timers, or a whole namespace
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill timers resume nightly
  tidemill timers resume --all --namespace billing")]
pub(super) struct Resume {
    #[command(flatten)]
    which: Which,
}

/// Fire timers now
///
/// A schedule fires its next occurrence now, and goes on with the one after that.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill timers trigger nightly")]
pub(super) struct Trigger {
    /// Their ids
    #[arg(required = true)]
    ids: Vec<String>,

    #[command(flatten)]
    namespace: Namespace,
}

#[derive(Args)]
struct Which {
    /// Their ids
    #[arg(conflicts_with = "all")]
    ids: Vec<String>,

    /// The whole namespace
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    namespace: Namespace,
}

impl Which {
    fn change(&self, session: &Session, action: &str, done: &str) -> Result<()> {
        if self.all {
            let name = &self.namespace.namespace;
            let path = format!("/v1/timers/namespaces/{}/{action}", encoded(name));
            let answer = session.client.post(&path, &json!({}))?;
            session.show(&answer, |_| say!("namespace {name} is {done}"));
            return Ok(());
        }
        if self.ids.is_empty() {
            return Err(Usage("Expected ids of timers, or --all for the whole namespace".to_owned()).into());
        }
        change(session, &self.ids, &self.namespace, action, done)
    }
}

fn change(session: &Session, ids: &[String], namespace: &Namespace, action: &str, done: &str) -> Result<()> {
    for id in ids {
        let answer = session.client.post(&path(id, &format!("/{action}"), namespace), &json!({}))?;
        session.show_line(&answer, |_| say!("{id} is {done}"));
    }
    Ok(())
}

impl RemoteCommand for Pause {
    fn run(self, session: &Session) -> Result<()> {
        self.which.change(session, "pause", "paused")
    }
}

impl RemoteCommand for Resume {
    fn run(self, session: &Session) -> Result<()> {
        self.which.change(session, "resume", "resumed")
    }
}

impl RemoteCommand for Trigger {
    fn run(self, session: &Session) -> Result<()> {
        change(session, &self.ids, &self.namespace, "trigger", "fired")
    }
}
