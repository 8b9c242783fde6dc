//! `tidemill admin retention`: how long things are kept, and how much of them there is.

use super::items_of;
use super::units::{age, size};
use crate::client::{RemoteCommand, Session};
use crate::output::{print_rows, say};
use crate::serve::Age;
use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Show how long ended instances and the log of commands are kept, and how much of them there is
///
/// What is set here is kept in the store and counts for all its servers, also after a restart. Where nothing is set,
/// the options that the servers were started with count. On Postgres both leave by whole days.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill admin retention                       what is kept for how long, and how much there is
  tidemill admin retention --history 30d         forget ended instances after 30 days
  tidemill admin retention --log 7d              keep the log of commands for a week
  tidemill admin retention --history default     leave it to the options of the servers again")]
pub(super) struct Retention {
    /// Keep ended instances for so long: 30d, 12h, forever, or default
    #[arg(long, value_name = "AGE")]
    history: Option<Wish>,

    /// Keep the log of commands for so long: 7d, 12h, forever, or default
    #[arg(long, value_name = "AGE")]
    log: Option<Wish>,

    /// Tell the amounts of every table
    #[arg(long)]
    tables: bool,
}

/// None takes back what was set; -1 is for ever.
#[derive(Clone, Copy)]
struct Wish(Option<i64>);

impl FromStr for Wish {
    type Err = String;

    fn from_str(text: &str) -> Result<Wish, String> {
        Ok(Wish(match text {
            "default" => None,
            "forever" => Some(-1),
            age => Some(i64::try_from(age.parse::<Age>()?.0.as_millis()).expect("ages are within a century")),
        }))
    }
}

impl RemoteCommand for Retention {
    fn run(self, session: &Session) -> Result<()> {
        let mut wishes = Map::new();
        for (member, wish) in [("historyMs", self.history), ("logMs", self.log)] {
            if let Some(Wish(wish)) = wish {
                wishes.insert(member.to_owned(), json!(wish));
            }
        }
        let answer = match wishes.is_empty() {
            true => session.client.get("/v1/admin/retention")?,
            false => session.client.patch("/v1/admin/retention", &wishes)?,
        };
        session.show(&answer, |answer| {
            say!("ended instances    {}", kept(&answer["history"]));
            say!("log of commands    {}", kept(&answer["log"]));
            say!("");
            let amounts = items_of(answer, "amounts");
            if self.tables { print_tables(amounts) } else { print_days(amounts) }
        });
        Ok(())
    }
}

fn kept(times: &Value) -> String {
    let text = |member: &str| times[member].as_i64().map(age);
    let kept = text("keptMs").unwrap_or_else(|| "forever".to_owned());
    match (text("setMs"), text("serverMs")) {
        (Some(_), Some(server)) => format!("{kept} (set here; the server was started with {server})"),
        _ => format!("{kept} (as the server was started)"),
    }
}

fn print_tables(amounts: &[Value]) {
    let rows = amounts.iter().map(|amount| {
        let table = amount["table"].as_str().unwrap_or_default().to_owned();
        vec![table, day(amount), rows(amount["rows"].as_u64()), bytes(amount["bytes"].as_u64())]
    });
    print_rows(["TABLE", "DAY", "ROWS", "SIZE"].into_iter(), rows);
}

/// Instances and batches per day, with the size of everything that belongs to them.
fn print_days(amounts: &[Value]) {
    let mut days: BTreeMap<(String, String), (Option<u64>, Option<u64>)> = BTreeMap::new();
    for amount in amounts {
        let kind = amount["kind"].as_str().unwrap_or_default().to_lowercase();
        let (counted, size) = days.entry((kind, day(amount))).or_default();
        *size = size.map_or(amount["bytes"].as_u64(), |size| Some(size + amount["bytes"].as_u64()?));
        if matches!(amount["table"].as_str(), Some("process_instances_history" | "batches")) {
            *counted = amount["rows"].as_u64();
        }
    }
    let rows = days.into_iter().map(|((kind, day), (counted, size))| {
        let unit = if kind == "log" { "batches" } else { "instances" };
        vec![kind, day, format!("{} {unit}", rows(counted)), bytes(size)]
    });
    print_rows(["KIND", "DAY", "AMOUNT", "SIZE"].into_iter(), rows);
}

fn day(amount: &Value) -> String {
    amount["day"].as_str().unwrap_or("other").to_owned()
}

fn rows(rows: Option<u64>) -> String {
    rows.map_or_else(|| "?".to_owned(), |rows| rows.to_string())
}

fn bytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "-".to_owned(), size)
}
