//! Timers whose delivery was given up: look at them, try them again, let them go.

use super::view::TimerView;
use super::{TimerFailure, TimerService, TimerState, unexpected};
use crate::timers::wire::unpack_entry;
use std::fmt;
use std::str::FromStr;
use tidemill_model::PartitionId;
use tidemill_timers::block::Scope;
use tidemill_timers::shard::{Answer, FailureId, FailureRow, Request};

const ROWS_PER_READ: usize = 200;
/// Dead letters that one request looks at.
const SCANNED_MAX: usize = 20_000;

/// The name of a dead letter: `1-42-0`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LetterId {
    pub partition: PartitionId,
    pub failure: FailureId,
}

impl fmt::Display for LetterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.partition, self.failure.key, self.failure.generation)
    }
}

impl FromStr for LetterId {
    type Err = TimerFailure;

    fn from_str(text: &str) -> Result<LetterId, TimerFailure> {
        let unknown = || TimerFailure::NotFound(text.to_owned());
        let mut words = text.split('-');
        let (Some(partition), Some(key), Some(generation), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(unknown());
        };
        Ok(LetterId {
            partition: PartitionId(partition.parse().map_err(|_| unknown())?),
            failure: FailureId {
                key: key.parse().map_err(|_| unknown())?,
                generation: generation.parse().map_err(|_| unknown())?,
            },
        })
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct DeadLetter {
    pub id: LetterId,
    pub at_ms: i64,
    pub reason: String,
    /// None where it cannot be read.
    pub timer: Option<TimerView>,
}

impl TimerService {
    /// Those of a namespace behind this one, and where to go on if there may be more.
    pub async fn dead_letters(
        &self,
        scope: &Scope,
        after: Option<LetterId>,
        limit: usize,
    ) -> Result<(Vec<DeadLetter>, Option<LetterId>), TimerFailure> {
        let (mut found, mut scanned) = (Vec::new(), 0);
        for partition in self.partitions().filter(|id| after.is_none_or(|after| *id >= after.partition)) {
            let mut behind = after.filter(|after| after.partition == partition).map(|after| after.failure);
            loop {
                let rows = self.node.timer_store().timer_failures(partition, behind, ROWS_PER_READ).await?;
                let is_last = rows.len() < ROWS_PER_READ;
                for row in rows {
                    let failure = FailureId { key: row.key, generation: row.generation };
                    (behind, scanned) = (Some(failure), scanned + 1);
                    let letter = self.letter(partition, row).await?;
                    if letter.timer.as_ref().is_none_or(|timer| *timer.scope == *scope) {
                        found.push(letter);
                    }
                    if found.len() >= limit || scanned >= SCANNED_MAX {
                        return Ok((found, Some(LetterId { partition, failure })));
                    }
                }
                if is_last {
                    break;
                }
            }
        }
        Ok((found, None))
    }

    pub async fn dead_letter(&self, scope: &Scope, id: LetterId) -> Result<DeadLetter, TimerFailure> {
        let row = self.failure(id).await?;
        let letter = self.letter(id.partition, row).await?;
        match letter.timer.as_ref().is_none_or(|timer| *timer.scope == *scope) {
            true => Ok(letter),
            false => Err(TimerFailure::NotFound(id.to_string())),
        }
    }

    /// It is delivered again at once, from its first attempt on.
    pub async fn retry_dead_letter(&self, scope: &Scope, id: LetterId) -> Result<(), TimerFailure> {
        let row = self.failure(id).await?;
        let entry = unpack_entry(&row.data).filter(|entry| *entry.scope == *scope);
        let entry = Box::new(entry.ok_or_else(|| TimerFailure::NotFound(id.to_string()))?);
        let request = Request::Revive { entry, due_ms: self.now_ms() };
        self.expect_done(id, request).await
    }

    pub async fn drop_dead_letter(&self, scope: &Scope, id: LetterId) -> Result<(), TimerFailure> {
        self.dead_letter(scope, id).await?;
        self.expect_done(id, Request::Bury(id.failure)).await
    }

    /// Drops all of a namespace; gives how many.
    pub async fn drop_dead_letters(&self, scope: &Scope) -> Result<u64, TimerFailure> {
        let mut dropped = 0;
        let mut after = None;
        loop {
            let (letters, next) = self.dead_letters(scope, after, ROWS_PER_READ).await?;
            let buried =
                letters.iter().map(|letter| self.expect_done(letter.id, Request::Bury(letter.id.failure)));
            futures_util::future::try_join_all(buried).await?;
            dropped += letters.len() as u64;
            match next {
                Some(next) => after = Some(next),
                None => return Ok(dropped),
            }
        }
    }

    async fn expect_done(&self, id: LetterId, request: Request) -> Result<(), TimerFailure> {
        match self.node.ask_timers(id.partition, request).await? {
            Answer::Done => Ok(()),
            other => Err(unexpected(id.to_string(), other)),
        }
    }

    async fn failure(&self, id: LetterId) -> Result<FailureRow, TimerFailure> {
        let unknown = || TimerFailure::NotFound(id.to_string());
        if !self.partitions().any(|partition| partition == id.partition) {
            return Err(unknown());
        }
        // The one just before it.
        let FailureId { key, generation } = id.failure;
        let before = match generation.checked_sub(1) {
            Some(generation) => FailureId { key, generation },
            None => FailureId { key: key.saturating_sub(1), generation: u32::MAX },
        };
        let rows = self.node.timer_store().timer_failures(id.partition, Some(before), 1).await?;
        rows.into_iter().find(|row| (row.key, row.generation) == (key, generation)).ok_or_else(unknown)
    }

    async fn letter(&self, partition: PartitionId, row: FailureRow) -> Result<DeadLetter, TimerFailure> {
        let failure = FailureId { key: row.key, generation: row.generation };
        let timer = match unpack_entry(&row.data) {
            Some(entry) => {
                let targets = self.targets(partition, [entry.target]).await?;
                Some(TimerView::of(partition, entry, TimerState::Scheduled, &targets))
            }
            None => None,
        };
        let id = LetterId { partition, failure };
        Ok(DeadLetter { id, at_ms: row.at_ms, reason: row.reason, timer })
    }
}
