//! `tidemill admin lag`: what the partitions are behind with.

use super::items;
use super::units::duration;
use crate::client::{RemoteCommand, Session};
use crate::output::{Column, cell, print_table, time};
use anyhow::Result;
use clap::Args;

/// Tell what each partition is behind with: commands that wait, timers that should have fired
#[derive(Args)]
pub(super) struct Lag {}

impl RemoteCommand for Lag {
    fn run(self, session: &Session) -> Result<()> {
        let answer = session.client.get("/v1/admin/lag")?;
        session.show(&answer, |answer| {
            let columns: [Column<'_>; 7] = [
                ("PARTITION", |item| cell(item, "partitionId")),
                ("WAITING", |item| cell(item, "waiting")),
                ("OLDEST", |item| duration(&item["oldestWaitsMs"])),
                ("TIMERS DUE", |item| cell(item, "timersDue")),
                ("BEHIND", |item| duration(&item["timersBehindMs"])),
                ("LAST BATCH", |item| time(item, "lastBatchAt")),
                ("POSITION", |item| cell(item, "position")),
            ];
            print_table(&columns, items(answer));
        });
        Ok(())
    }
}
