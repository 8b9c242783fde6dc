//! `tidemill admin nodes`, `partitions`, `move`, `drain`: who does the work of a store that servers share.

use super::items;
use super::units::duration;
use crate::client::{RemoteCommand, Session, path_segment};
use crate::output::{Column, cell, print_table, say};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use std::time::Duration;

/// Between two looks at whether a server is empty.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// List the servers of the store and the partitions that they hold
#[derive(Args)]
pub(super) struct Nodes {}

impl RemoteCommand for Nodes {
    fn run(self, session: &Session) -> Result<()> {
        let answer = session.client.get("/v1/admin/nodes")?;
        session.show(&answer, |answer| {
            let columns: [Column<'_>; 5] = [
                ("NODE", |item| cell(item, "node")),
                ("ADDRESS", |item| cell(item, "address")),
                ("VERSION", |item| cell(item, "version")),
                ("DRAINING", |item| cell(item, "isDraining")),
                ("PARTITIONS", |item| list(&item["partitions"])),
            ];
            print_table(&columns, items(answer));
        });
        Ok(())
    }
}

/// List the partitions: who holds them, for how long, and what waits for them
#[derive(Args)]
pub(super) struct Partitions {}

impl RemoteCommand for Partitions {
    fn run(self, session: &Session) -> Result<()> {
        let answer = session.client.get("/v1/admin/partitions")?;
        session.show(&answer, |answer| {
            let columns: [Column<'_>; 7] = [
                ("PARTITION", |item| cell(item, "partitionId")),
                ("NODE", |item| cell(item, "node")),
                ("ADDRESS", |item| cell(item, "address")),
                ("EPOCH", |item| cell(item, "epoch")),
                ("LEASE LEFT", |item| duration(&item["leaseLeftMs"])),
                ("WAITING", |item| cell(item, "waiting")),
                ("OLDEST", |item| duration(&item["oldestWaitsMs"])),
            ];
            print_table(&columns, items(answer));
        });
        Ok(())
    }
}

/// Move a partition to a server
///
/// The partition moves within seconds and stays there for as long as that server lives and its share allows; another
/// one may move in its place.
#[derive(Args)]
pub(super) struct Move {
    /// Its number, see `partitions`
    partition: u16,
    /// The server's name or address, see `nodes`
    node: String,
}

impl RemoteCommand for Move {
    fn run(self, session: &Session) -> Result<()> {
        let path = format!("/v1/admin/partitions/{}/move", self.partition);
        let answer = session.client.post(&path, &json!({"node": self.node}))?;
        session.show(&answer, |_| say!("partition {} moves to {}", self.partition, self.node));
        Ok(())
    }
}

/// Let a server hand over all its partitions, so that it can be stopped in peace
///
/// It goes on to take requests and passes them to the others. When it is started again it takes its share as any other.
#[derive(Args)]
pub(super) struct Drain {
    /// The server's name or address, see `nodes`
    node: String,
    /// Return only when it has handed over everything
    #[arg(long, conflicts_with = "undo")]
    wait: bool,
    /// Let it take its share again
    #[arg(long)]
    undo: bool,
}

impl RemoteCommand for Drain {
    fn run(self, session: &Session) -> Result<()> {
        let path = format!("/v1/admin/nodes/{}/drain", path_segment(&self.node));
        let answer = session.client.post(&path, &json!({"isDraining": !self.undo}))?;
        if self.wait {
            while self.holds_something(session)? {
                std::thread::sleep(LOOK_EVERY);
            }
        }
        session.show(&answer, |_| match (self.undo, self.wait) {
            (true, _) => say!("{} takes its share again", self.node),
            (false, true) => say!("{} has handed over its partitions", self.node),
            (false, false) => say!("{} hands over its partitions", self.node),
        });
        Ok(())
    }
}

impl Drain {
    /// A server that is gone holds nothing.
    fn holds_something(&self, session: &Session) -> Result<bool> {
        let answer = session.client.get("/v1/admin/nodes")?;
        let mut nodes = items(&answer).iter();
        let node = nodes.find(|node| node["node"] == self.node || node["address"] == self.node);
        Ok(node.is_some_and(|node| node["partitions"] != json!([])))
    }
}

fn list(numbers: &Value) -> String {
    let numbers = numbers.as_array().map_or(&[] as &[Value], Vec::as_slice);
    if numbers.is_empty() {
        return "-".to_owned();
    }
    numbers.iter().map(Value::to_string).collect::<Vec<_>>().join(" ")
}
