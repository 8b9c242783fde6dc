//! Reads for operators.

use crate::entry::{Entry, entries, read};
use crate::keys::Keys;
use crate::ownership::parsed;
use crate::row::score;
use crate::store::RedisStore;
use async_trait::async_trait;
use redis::Value;
use std::collections::BTreeMap;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{
    Amount, BatchId, DAY_MS, Inspect, LAG_COUNT_MAX, Lag, LogRange, LoggedBatch, Purpose, Result, Room,
};

/// Entries of the log that one question reads.
const PAGE: usize = 1_000;

#[async_trait]
impl Inspect for RedisStore {
    async fn log(&self, partition: PartitionId, range: &LogRange, limit: usize) -> Result<Vec<LoggedBatch>> {
        let log = self.keys(partition)?.log();
        let mut found = Vec::new();
        let (mut from, mut to) = (range.ids.0.0.max(0), range.ids.1.0.max(0));
        while found.len() < limit && from <= to {
            let page = self.log_page(&log, (from, to), range.is_newest_first).await?;
            let Some(last) = page.last().map(Entry::first_number) else { break };
            if range.is_newest_first {
                to = last - 1
            } else {
                from = last + 1
            }
            let is_over = |at: Timestamp| match range.is_newest_first {
                true => at < range.at.start,
                false => at >= range.at.end,
            };
            let batches = page.iter().map(|entry| logged(partition, entry));
            let mut batches = batches.take_while(|batch| !is_over(batch.at)).peekable();
            let read = batches.peek().is_some();
            found.extend(batches.filter(|batch| range.at.contains(&batch.at)));
            if !read || page.len() < PAGE {
                break;
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    async fn lag(&self, partition: PartitionId, now: Timestamp) -> Result<Lag> {
        let keys = self.keys(partition)?;
        let mut pipeline = redis::pipe();
        pipeline.cmd("XLEN").arg(keys.inbox());
        pipeline.cmd("XRANGE").arg(keys.inbox()).arg("-").arg("+").arg("COUNT").arg(1);
        pipeline.cmd("ZCOUNT").arg(keys.timers()).arg("-inf").arg(score(now.0));
        pipeline.cmd("ZRANGE").arg(keys.timers()).arg(0).arg(0).arg("WITHSCORES");
        pipeline.cmd("HMGET").arg(keys.owner()).arg("batch").arg("at");
        let answers: [Value; 5] = self.read_all(pipeline).await?.try_into().unwrap_or_default();
        let [waiting, first, due, first_due, last] = answers;
        let timers_due = read::<u64>(due)?.min(LAG_COUNT_MAX);
        let first_due: Vec<(String, f64)> = read(first_due)?;
        let (batch, at): (Option<String>, Option<String>) = read(last)?;
        let owner = keys.owner();
        let last_batch = match (batch, at) {
            (Some(batch), Some(at)) => {
                Some((BatchId(parsed(&owner, &batch)?), Timestamp(parsed(&owner, &at)?)))
            }
            _ => None,
        };
        Ok(Lag {
            waiting: read::<u64>(waiting)?.min(LAG_COUNT_MAX),
            oldest_received_at: entries(first)?.first().map(|entry| Timestamp(entry.number("at"))),
            timers_due,
            oldest_due_at: first_due
                .first()
                .filter(|_| timers_due > 0)
                .map(|(_, due)| Timestamp(*due as i64)),
            last_batch,
        })
    }

    async fn amounts(&self) -> Result<Vec<Amount>> {
        let mut days: BTreeMap<(i64, &str), u64> = BTreeMap::new();
        for (_, keys) in self.space.all() {
            for (at, _) in self.ended_in(keys, None).await? {
                *days.entry((at.div_euclid(DAY_MS), "process_instances_history")).or_default() += 1;
            }
            self.count_log(keys, &mut days).await?;
        }
        let amount = |((day, name), rows): ((i64, &str), u64)| Amount {
            purpose: if name == "batches" { Purpose::Log } else { Purpose::History },
            name: name.to_owned(),
            day: Some(day),
            rows: Some(rows),
            bytes: None,
        };
        Ok(days.into_iter().map(amount).collect())
    }

    fn troubles(&self) -> Vec<String> {
        self.all_troubles()
    }

    fn room(&self) -> Room {
        self.room_left()
    }
}

impl RedisStore {
    async fn log_page(&self, log: &str, ids: (i64, i64), is_newest_first: bool) -> Result<Vec<Entry>> {
        let (low, high) = (format!("{}-0", ids.0), format!("{}-0", ids.1));
        let mut question = redis::cmd(if is_newest_first { "XREVRANGE" } else { "XRANGE" });
        let ends = if is_newest_first { [high, low] } else { [low, high] };
        question.arg(log).arg(&ends).arg("COUNT").arg(PAGE);
        entries(self.read(&question).await?)
    }

    async fn count_log(&self, keys: &Keys, days: &mut BTreeMap<(i64, &str), u64>) -> Result<()> {
        let (log, mut from) = (keys.log(), 0);
        loop {
            let page = self.log_page(&log, (from, i64::MAX), false).await?;
            for entry in &page {
                *days.entry((entry.number("at").div_euclid(DAY_MS), "batches")).or_default() += 1;
                from = entry.first_number() + 1;
            }
            if page.len() < PAGE {
                return Ok(());
            }
        }
    }
}

fn logged(partition: PartitionId, entry: &Entry) -> LoggedBatch {
    LoggedBatch {
        partition,
        id: BatchId(entry.first_number()),
        at: Timestamp(entry.number("at")),
        log: entry.bytes("log").unwrap_or_default().to_vec(),
    }
}
