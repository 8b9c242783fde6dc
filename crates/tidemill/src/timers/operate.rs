//! The view of operators on timers: numbers, slots, and the content of a block.

use crate::client::{RemoteCommand, Session};
use crate::output::{Column, cell, print_table, say, time};
use anyhow::Result;
use clap::Args;

const PATH: &str = "/v1/admin/timers";

/// Tell for each partition how many timers wait, and whether they fire in time
///
/// STORED counts blocks that are stored: a timer that was cancelled counts until its slot is split or has passed. LATE is
/// how late the last commit fired its first timer, WORST the most since the server took the partition.
#[derive(Args)]
pub(super) struct Stats {}

impl RemoteCommand for Stats {
    fn run(self, session: &Session) -> Result<()> {
        let answer = session.client.get(&format!("{PATH}/stats"))?;
        session.show(&answer, |answer| {
            let columns: [Column<'_>; 11] = [
                ("PARTITION", |item| cell(item, "partitionId")),
                ("FIRED UP TO", |item| time(item, "firedUpTo")),
                ("STORED", |item| cell(item, "stored")),
                ("CANCELLED", |item| cell(item, "cancellations")),
                ("PAUSED", |item| cell(item, "paused")),
                ("BYTES", |item| cell(item, "bytes")),
                ("CALLBACKS", |item| cell(item, "callbacksWaiting")),
                ("STREAMED", |item| cell(item, "streamedWaiting")),
                ("FIRED", |item| cell(&item["loop"], "fired")),
                ("LATE", |item| cell(&item["loop"], "lateMs")),
                ("WORST", |item| cell(&item["loop"], "lateMsMax")),
            ];
            let items = answer["items"].as_array().map_or(&[][..], Vec::as_slice);
            print_table(&columns, items);
            for item in items.iter().filter(|item| item["loop"]["trouble"].is_string()) {
                say!("partition {}: {}", cell(item, "partitionId"), cell(&item["loop"], "trouble"));
            }
        });
        Ok(())
    }
}

/// List the time slots that hold timers
///
/// Slots of level 0 last a second, of the next ones 65 s, 70 min, 3 d, 199 d and 35 y. A slot is split before it begins.
#[derive(Args)]
pub(super) struct Slots {}

impl RemoteCommand for Slots {
    fn run(self, session: &Session) -> Result<()> {
        let answer = session.client.get(&format!("{PATH}/slots"))?;
        session.show(&answer, |answer| {
            let columns: [Column<'_>; 9] = [
                ("PARTITION", |item| cell(item, "partitionId")),
                ("LEVEL", |item| cell(item, "level")),
                ("SLOT", |item| cell(item, "slot")),
                ("FROM", |item| time(item, "from")),
                ("TO", |item| time(item, "to")),
                ("KIND", |item| cell(item, "kind")),
                ("BLOCKS", |item| cell(item, "blocks")),
                ("ENTRIES", |item| cell(item, "entries")),
                ("BYTES", |item| cell(item, "bytes")),
            ];
            match answer["items"].as_array() {
                Some(items) if !items.is_empty() => print_table(&columns, items),
                _ => say!("no slots"),
            }
        });
        Ok(())
    }
}

/// Show what is in a block, or name the blocks of a slot
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill timers inspect 1.3.6342        the blocks of slot 6342 of level 3 in partition 1
  tidemill timers inspect 1.3.6342.1.7.0  the timers in one of them")]
pub(super) struct Inspect {
    /// PARTITION.LEVEL.SLOT, or the name of a block
    block: String,
}

impl RemoteCommand for Inspect {
    fn run(self, session: &Session) -> Result<()> {
        let words: Vec<&str> = self.block.split('.').collect();
        if let [partition, level, slot] = words[..] {
            let path = format!("{PATH}/blocks?partition={partition}&level={level}&slot={slot}");
            let answer = session.client.get(&path)?;
            session.show(&answer, |answer| {
                for name in answer["items"].as_array().into_iter().flatten() {
                    say!("{}", name.as_str().unwrap_or_default());
                }
            });
            return Ok(());
        }
        // The content differs from block to block, so people see the JSON too.
        say!("{:#}", session.client.get(&format!("{PATH}/blocks/{}", self.block))?);
        Ok(())
    }
}
