//! Counts the commands that wait in the inboxes, so that clients cannot fill them without end. Counting costs a read, so it is done
//! once in a while; in between, what this node has appended is added.

use super::Node;
use crate::broker::CommandError;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;
use tidemill_model::PartitionId;
use tokio::time::Instant;

/// An inbox that is full is counted again this often.
const COUNT_EVERY: Duration = Duration::from_millis(200);
/// After this part of the limit it is counted anew, because other nodes append too.
const PARTS: u64 = 10;
const UNPOISONED: &str = "nobody panics while holding it";

#[derive(Default)]
pub(super) struct Meter(Mutex<BTreeMap<PartitionId, Reading>>);

#[derive(Clone, Copy, Default)]
struct Reading {
    counted: u64,
    /// Since it was counted.
    appended: u64,
    counted_at: Option<Instant>,
}

impl Reading {
    fn is_full(&self, limit: u64) -> bool {
        self.counted + self.appended >= limit
    }

    /// True for one caller at a time: the others go by its count.
    fn wants_count(&self, limit: u64, now: Instant) -> bool {
        let is_old = self.counted_at.is_none_or(|at| now.duration_since(at) >= COUNT_EVERY);
        is_old && (self.is_full(limit) || self.appended >= (limit / PARTS).max(1))
    }
}

impl Node {
    /// Turns a command away that would make the inbox longer than it may be.
    pub(super) async fn make_room(&self, partition: PartitionId) -> Result<(), CommandError> {
        let limit = self.config.inbox_max;
        let is_due = {
            let mut readings = self.meter.0.lock().expect(UNPOISONED);
            let (reading, now) = (readings.entry(partition).or_default(), Instant::now());
            let is_due = reading.wants_count(limit, now);
            if is_due {
                reading.counted_at = Some(now);
            }
            is_due
        };
        if is_due {
            let lag = self.store.lag(partition, self.clock.now()).await.map_err(super::broker::internal)?;
            let mut readings = self.meter.0.lock().expect(UNPOISONED);
            let reading = readings.entry(partition).or_default();
            (reading.counted, reading.appended) = (lag.waiting, 0);
        }
        let mut readings = self.meter.0.lock().expect(UNPOISONED);
        let reading = readings.entry(partition).or_default();
        if reading.is_full(limit) {
            return Err(CommandError::overloaded(format!(
                "{limit} commands wait in the inbox of partition {partition} already"
            )));
        }
        reading.appended += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_counted_after_a_part_of_the_limit_and_seldom_while_it_is_full() {
        let now = Instant::now();
        let mut reading = Reading::default();
        assert!(!reading.wants_count(100, now), "few appends cost no count");
        reading.appended = 10;
        assert!(reading.wants_count(100, now));
        reading = Reading { counted: 95, appended: 5, counted_at: Some(now) };
        assert!(reading.is_full(100) && !reading.wants_count(100, now));
        assert!(reading.wants_count(100, now + COUNT_EVERY));
    }
}
