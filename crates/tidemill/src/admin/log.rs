//! `tidemill admin log`: what was asked of the engine, and when.

use crate::client::{Failure, RemoteCommand, Session};
use crate::output::{Column, cell, print_table, say};
use crate::serve::Age;
use crate::stop::told_to_stop_or;
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use std::str::FromStr;
use std::time::{Duration, SystemTime};
use tidemill_model::Timestamp;

const PATH: &str = "/v1/admin/log/search";
const FOLLOW_EVERY: Duration = Duration::from_millis(500);

/// Show the log of commands: what was asked of the engine, by clients and by itself
///
/// Without --since the newest are shown. The log is kept for as long as `tidemill admin retention` says. With --json
/// each command is one line, in the words of the API: its operation, and the members of its request.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill admin log                             the newest commands
  tidemill admin log --follow                    and those to come
  tidemill admin log --since 2h --limit 1000     from two hours ago on
  tidemill admin log --instance 2251799813685251 --since 1d
  tidemill admin log --json | jq -r 'select(.kind == \"createDeployment\")'")]
pub(super) struct Log {
    /// Only of this partition
    #[arg(long, value_name = "N")]
    partition: Option<u16>,

    /// From then on: a date, or so long ago (90s, 2h, 1d)
    #[arg(long, value_name = "TIME")]
    since: Option<Moment>,

    /// Before that
    #[arg(long, value_name = "TIME")]
    until: Option<Moment>,

    /// Only commands that name this process instance, or an element, job, task or incident of it. A command that
    /// creates an instance cannot name it yet
    #[arg(long, value_name = "KEY")]
    instance: Option<i64>,

    /// Commands at most
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    /// Go on with what comes, until Ctrl-C
    #[arg(long, short = 'f', conflicts_with = "until")]
    follow: bool,
}

/// A date as it was given, or one so long ago.
#[derive(Clone)]
struct Moment(String);

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Moment, String> {
        let Ok(Age(age)) = text.parse() else { return Ok(Moment(text.to_owned())) };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let millis = now.saturating_sub(age).as_millis();
        Ok(Moment(Timestamp(i64::try_from(millis).unwrap_or(i64::MAX)).to_string()))
    }
}

impl RemoteCommand for Log {
    fn run(self, session: &Session) -> Result<()> {
        let is_newest_first = self.since.is_none();
        let mut read = self.read(session, is_newest_first, None, self.limit as usize)?;
        if is_newest_first {
            read.entries.reverse();
        }
        match session.json || self.follow {
            true => read.entries.iter().for_each(|entry| show_line(session, entry)),
            false if read.entries.is_empty() => say!("no commands"),
            false => print_table(&COLUMNS, &read.entries),
        }
        match self.follow {
            true => self.follow(session, if is_newest_first { read.start } else { read.end }),
            false => Ok(()),
        }
    }
}

struct Read {
    entries: Vec<Value>,
    /// Behind everything that was there when reading began.
    start: Option<String>,
    end: Option<String>,
}

impl Log {
    /// Goes on until somebody has seen enough, which is the right end of it.
    fn follow(&self, session: &Session, cursor: Option<String>) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::scope(|scope| {
            let following = scope.spawn(|| self.show_what_comes(session, cursor));
            if runtime.block_on(told_to_stop_or(|| following.is_finished()))? {
                // The thread that holds the output is in the middle of a line, so this waits for it.
                let _whole_lines = std::io::stdout().lock();
                std::process::exit(0);
            }
            following.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Waits for a server that is away: a restart is a time when people look. Ends with other failures.
    fn show_what_comes(&self, session: &Session, mut cursor: Option<String>) -> Result<()> {
        let mut is_away = false;
        loop {
            match self.read(session, false, cursor.clone(), usize::MAX) {
                Ok(more) => {
                    more.entries.iter().for_each(|entry| show_line(session, entry));
                    (cursor, is_away) = (more.end, false);
                }
                Err(failure) if failure.is_passing() => {
                    if !is_away {
                        crate::output::complain!("tidemill: {failure}; trying again");
                    }
                    is_away = true;
                }
                Err(failure) => return Err(failure.into()),
            }
            std::thread::sleep(FOLLOW_EVERY);
        }
    }

    /// Asks on until there is enough or nothing is left.
    fn read(
        &self,
        session: &Session,
        is_newest_first: bool,
        after: Option<String>,
        limit: usize,
    ) -> Result<Read, Failure> {
        let mut read = Read { entries: Vec::new(), start: None, end: after };
        loop {
            let mut answer = session.client.post(
                PATH,
                &json!({
                    "partitionId": self.partition,
                    "from": self.since.as_ref().map(|moment| &moment.0),
                    "to": self.until.as_ref().map(|moment| &moment.0),
                    "processInstanceKey": self.instance.map(|key| key.to_string()),
                    "isNewestFirst": is_newest_first,
                    "after": read.end,
                    "limit": (limit - read.entries.len()).min(1_000),
                }),
            )?;
            let text = |member: &str| answer[member].as_str().map(str::to_owned);
            read.start = read.start.or_else(|| text("startCursor"));
            read.end = text("endCursor");
            let has_more = answer["hasMore"] == true;
            if let Value::Array(mut items) = answer["items"].take() {
                read.entries.append(&mut items);
            }
            if !has_more || read.entries.len() >= limit {
                return Ok(read);
            }
        }
    }
}

const COLUMNS: [Column<'_>; 5] = [
    ("TIME", |item| precise(item)),
    ("PARTITION", |item| cell(item, "partitionId")),
    ("BATCH", |item| format!("{}.{}", cell(item, "batch"), cell(item, "number"))),
    ("COMMAND", |item| cell(item, "kind")),
    ("SUBJECT", |item| cell(item, "subject")),
];

/// To the millisecond: order matters here.
fn precise(item: &Value) -> String {
    item["timestamp"].as_str().unwrap_or("-").replace('T', " ")
}

fn show_line(session: &Session, entry: &Value) {
    session.show_line(entry, |entry| {
        let cells: Vec<String> = COLUMNS.iter().map(|(_, cell)| cell(entry)).collect();
        say!("{}", cells.join("  "));
    });
}
