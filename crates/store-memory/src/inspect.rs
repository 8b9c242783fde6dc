//! Reads for operators.

use crate::MemoryStore;
use crate::state::State;
use async_trait::async_trait;
use std::collections::BTreeMap;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{
    Amount, BatchId, DAY_MS, FiredTimers, Inspect, LAG_COUNT_MAX, Lag, LogRange, LoggedBatch, Purpose,
    Result, TimerPosition,
};

#[async_trait]
impl Inspect for MemoryStore {
    async fn log(&self, partition: PartitionId, range: &LogRange, limit: usize) -> Result<Vec<LoggedBatch>> {
        let (from, to) = range.ids;
        if from > to {
            return Ok(Vec::new());
        }
        let state = self.state();
        let batches = state.batches.range((partition, from)..=(partition, to));
        let mut batches: Vec<LoggedBatch> = batches
            .filter(|(_, batch)| range.at.contains(&batch.at))
            .map(|((_, id), batch)| LoggedBatch { partition, id: *id, at: batch.at, log: batch.log.clone() })
            .collect();
        if range.is_newest_first {
            batches.reverse();
        }
        batches.truncate(limit);
        Ok(batches)
    }

    async fn lag(&self, partition: PartitionId, now: Timestamp) -> Result<Lag> {
        let state = self.state();
        let inbox =
            state.inbox.values().filter(|(of, _)| *of == partition).map(|(_, entry)| entry.received_at);
        let waiting: Vec<Timestamp> = inbox.take(LAG_COUNT_MAX as usize).collect();
        let due = FiredTimers { after: None, up_to: TimerPosition::end_of(now) };
        let due = state.live.timers.range(crate::timers::range(partition, &due));
        let due: Vec<Timestamp> = due.take(LAG_COUNT_MAX as usize).map(|(_, timer)| timer.due_at).collect();
        Ok(Lag {
            waiting: waiting.len() as u64,
            oldest_received_at: waiting.iter().min().copied(),
            timers_due: due.len() as u64,
            oldest_due_at: due.first().copied(),
            last_batch: state.last_batch(partition),
        })
    }

    async fn amounts(&self) -> Result<Vec<Amount>> {
        let state = self.state();
        let ended = state.history.process_instances.values();
        let ended = days(ended.map(|instance| instance.ended_at.unwrap_or(instance.started_at)));
        let logged = days(state.batches.values().map(|batch| batch.at));
        let amount = |purpose, table: &str, (day, rows)| Amount {
            purpose,
            name: table.to_owned(),
            day: Some(day),
            rows: Some(rows),
            bytes: None,
        };
        let history = ended.into_iter().map(|day| amount(Purpose::History, "process_instances_history", day));
        let log = logged.into_iter().map(|day| amount(Purpose::Log, "batches", day));
        let mut amounts: Vec<Amount> = history.chain(log).collect();
        amounts.sort_by_key(|amount| amount.day);
        Ok(amounts)
    }
}

impl State {
    pub(crate) fn last_batch(&self, partition: PartitionId) -> Option<(BatchId, Timestamp)> {
        let all = (partition, BatchId(i64::MIN))..=(partition, BatchId(i64::MAX));
        self.batches.range(all).next_back().map(|((_, id), batch)| (*id, batch.at))
    }
}

/// Counts the times of each day.
fn days(times: impl Iterator<Item = Timestamp>) -> BTreeMap<i64, u64> {
    let mut days = BTreeMap::new();
    for time in times {
        *days.entry(time.0.div_euclid(DAY_MS)).or_default() += 1;
    }
    days
}
