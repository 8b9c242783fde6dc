//! Where a read of the inbox may begin. Dead rows of consumed entries make reads from the start slow while
//! somebody holds an old snapshot; entries below the floor can still appear, so now and then a read goes all
//! the way.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_store::Position;

struct Floor {
    position: i64,
    /// The highest consumed so far, at most one a second.
    /// Positions are drawn from a sequence before their transaction commits, so a lower one may become
    /// visible after a higher one was consumed.
    recent: VecDeque<(Instant, i64)>,
    last_full_read: Option<Instant>,
}

/// A position counts only when it was consumed some time ago: transactions with lower ones have ended by then,
/// or are found by the next full read, which comes after the same time.
pub(crate) struct Floors {
    floors: Vec<Mutex<Floor>>,
    age: Duration,
}

impl Floors {
    pub(crate) fn new(partitions: PartitionCount, age: Duration) -> Floors {
        let floor = |_| Mutex::new(Floor { position: 0, recent: VecDeque::new(), last_full_read: None });
        Floors { floors: partitions.ids().map(floor).collect(), age }
    }

    pub(crate) fn consumed(&self, partition: PartitionId, positions: &[Position]) {
        if let Some(highest) = positions.iter().max() {
            self.of(partition).lock().expect("no holder panics").consumed(highest.0, Instant::now());
        }
    }

    /// The position behind which to read.
    pub(crate) fn start(&self, partition: PartitionId) -> i64 {
        self.of(partition).lock().expect("no holder panics").start(Instant::now(), self.age)
    }

    fn of(&self, partition: PartitionId) -> &Mutex<Floor> {
        &self.floors[usize::from(partition.0) - 1]
    }
}

impl Floor {
    fn consumed(&mut self, position: i64, now: Instant) {
        match self.recent.back_mut() {
            Some((at, highest)) if now.duration_since(*at) < Duration::from_secs(1) => {
                *highest = position.max(*highest);
            }
            _ => self.recent.push_back((now, position)),
        }
    }

    fn start(&mut self, now: Instant, age: Duration) -> i64 {
        // An entry of the list may have grown for a second after its time.
        while let Some((at, position)) = self.recent.front()
            && now.duration_since(*at) >= age + Duration::from_secs(1)
        {
            self.position = self.position.max(*position);
            self.recent.pop_front();
        }
        // A transaction that took longer than the age is found here at last.
        if self.last_full_read.is_none_or(|at| now.duration_since(at) >= age) {
            self.last_full_read = Some(now);
            return 0;
        }
        self.position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGE: Duration = Duration::from_secs(10);

    #[test]
    fn the_floor_follows_at_a_distance_and_is_left_out_regularly() {
        let mut floor = Floor { position: 0, recent: VecDeque::new(), last_full_read: None };
        let begin = Instant::now();
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        assert_eq!(floor.start(at(0), AGE), 0, "the first read is a full one");
        floor.consumed(50, at(1));
        floor.consumed(90, at(5));
        assert_eq!(floor.start(at(9), AGE), 0, "consumed a moment ago");
        assert_eq!(floor.start(at(12), AGE), 0, "a full read is due");
        assert_eq!(floor.start(at(13), AGE), 50);
        assert_eq!(floor.start(at(17), AGE), 90);
        assert_eq!(floor.start(at(22), AGE), 0, "a full read is due again");
        assert_eq!(floor.start(at(23), AGE), 90);
    }
}
