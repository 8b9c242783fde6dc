//! `tidemill timers create`: one timer.

use super::Namespace;
use crate::client::{RemoteCommand, Session};
use crate::exit::Usage;
use crate::output::say;
use anyhow::{Context, Result};
use clap::{ArgGroup, Args};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::io::Read;

/// Make a timer
///
/// Says when (--in, --at or --schedule) and whom it tells (--callback, --message, --start or --stream).
#[derive(Args)]
#[command(
    group(ArgGroup::new("when").args(["delay", "at", "schedule"]).required(true)),
    group(ArgGroup::new("whom").args(["callback", "message", "start", "stream"]).required(true)),
    after_help = "\
Examples:
  tidemill timers create --in PT30S --callback https://example.com/hook --header 'X-Team: billing'
  tidemill timers create --at 2030-01-31T09:00:00+01:00 --message reminder --key A-1 --payload '{\"n\": 1}'
  tidemill timers create --schedule R10/PT1H --start heartbeat
  tidemill timers create --schedule '0 30 9 * * MON-FRI' --zone America/New_York --misfire skip --stream
  tidemill timers create --id trial-42 --mode keep --in P14D --callback https://example.com/trial-ends
                                                   an id of your own: made once, however often this is run"
)]
pub(super) struct Create {
    /// After this time: an ISO duration such as PT10M or P1DT12H, or milliseconds
    #[arg(long = "in", value_name = "DURATION")]
    delay: Option<String>,

    /// At this time, with its offset: 2030-01-31T09:00:00Z
    #[arg(long, value_name = "DATE")]
    at: Option<String>,

    /// Time and again: an ISO repeating interval (R5/PT1H) or a cron expression with seconds ('0 0 9 * * *')
    #[arg(long, value_name = "EXPRESSION")]
    schedule: Option<String>,

    /// Zone of the schedule, such as Europe/Berlin [default: UTC]
    #[arg(long, value_name = "ZONE", requires = "schedule")]
    zone: Option<String>,

    /// Occurrences that fell due while nothing ran: all, once (the last), skip
    #[arg(long, value_name = "POLICY", requires = "schedule")]
    misfire: Option<String>,

    /// POST to this URL
    #[arg(long, value_name = "URL")]
    callback: Option<String>,

    /// Header of the call; may be given several times
    #[arg(long, value_name = "NAME: VALUE", requires = "callback")]
    header: Vec<String>,

    /// Send this message to a process, exactly once; the payload becomes variables
    #[arg(long, value_name = "NAME")]
    message: Option<String>,

    /// Correlation key of the message
    #[arg(long, value_name = "KEY", requires = "message", default_value = "")]
    key: String,

    /// Start this process, exactly once; the payload becomes variables
    #[arg(long, value_name = "PROCESS_ID")]
    start: Option<String>,

    /// Put it into the stream of its namespace, which consumers read
    #[arg(long)]
    stream: bool,

    /// What the receiver gets, as JSON; @FILE to read it from a file, @- from standard input
    #[arg(long, short = 'p', value_name = "JSON|@FILE")]
    payload: Option<String>,

    /// Id of your own, unique in its namespace [default: one is generated]
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    /// If a timer of this id is there: replace, keep or fail [default: replace]
    #[arg(long, value_name = "MODE", requires = "id")]
    mode: Option<String>,

    /// Tries of a callback in all [default: 12]
    #[arg(long, value_name = "N", requires = "callback")]
    attempts: Option<u32>,

    #[command(flatten)]
    namespace: Namespace,
}

impl Create {
    fn target(&self) -> Result<Value> {
        if let Some(url) = &self.callback {
            let mut headers = Map::new();
            for header in &self.header {
                let (name, value) = header
                    .split_once(':')
                    .ok_or_else(|| Usage(format!("Expected NAME: VALUE as header, but got '{header}'")))?;
                headers.insert(name.trim().to_owned(), json!(value.trim()));
            }
            let mut target = json!({"type": "http", "url": url});
            if !headers.is_empty() {
                target["headers"] = Value::Object(headers);
            }
            return Ok(target);
        }
        Ok(match (&self.message, &self.start) {
            (Some(name), _) => json!({"type": "message", "name": name, "correlationKey": self.key}),
            (_, Some(process)) => json!({"type": "process", "processDefinitionId": process}),
            _ => json!({"type": "stream"}),
        })
    }

    fn schedule(&self) -> Option<Value> {
        let mut schedule = json!({"expression": self.schedule.as_ref()?});
        for (name, value) in [("zone", &self.zone), ("misfire", &self.misfire)] {
            if let Some(value) = value {
                schedule[name] = json!(value);
            }
        }
        Some(schedule)
    }

    fn payload(&self) -> Result<Option<Box<RawValue>>> {
        let Some(given) = &self.payload else { return Ok(None) };
        let text = match given.strip_prefix('@') {
            None => given.clone(),
            Some("-") => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
                text
            }
            Some(file) => std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?,
        };
        let raw = serde_json::from_str(&text)
            .map_err(|error| Usage(format!("Expected a payload of JSON, but it cannot be read: {error}")))?;
        Ok(Some(raw))
    }
}

/// A number counts milliseconds.
pub(super) fn duration(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| json!(text), |ms| json!(ms))
}

impl RemoteCommand for Create {
    fn run(self, session: &Session) -> Result<()> {
        let mut timer = json!({"namespace": self.namespace.namespace, "target": self.target()?});
        let members = [
            ("delay", self.delay.as_deref().map(duration)),
            ("executeAt", self.at.as_ref().map(|at| json!(at))),
            ("schedule", self.schedule()),
            ("id", self.id.as_ref().map(|id| json!(id))),
            ("mode", self.mode.as_ref().map(|mode| json!(mode.to_lowercase()))),
            ("retry", self.attempts.map(|attempts| json!({"attempts": attempts}))),
        ];
        for (name, value) in members {
            if let Some(value) = value {
                timer[name] = value;
            }
        }
        // The payload goes to the server as it was written.
        let mut text = timer.to_string();
        if let Some(payload) = self.payload()? {
            text.truncate(text.len() - 1);
            text = format!("{text},\"payload\":{}}}", payload.get());
        }
        let body: Box<RawValue> = serde_json::from_str(&text)?;
        let answer = session.client.post("/v1/timers", &body)?;
        session.show(&answer, |answer| say!("{}", answer["id"].as_str().unwrap_or_default()));
        Ok(())
    }
}
