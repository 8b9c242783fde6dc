//! One turn of the loop: everything taken is run, committed as one batch, and answered.

use super::Partition;
use super::execute::Executed;
use super::inbox::Envelope;
use super::take::{Taken, Work};
use super::{KEYS_LEFT_MIN, ROWS_IN_MEMORY_MAX};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tidemill_engine::{FollowUp, InstanceEnd};
use tidemill_model::command::{ReplyToken, TriggerTimer};
use tidemill_model::entity::Timer;
use tidemill_model::{Answer, Change, Command, Entity, Rejection, TimerKey};
use tidemill_store::{
    Batch, BatchId, CommandResult, DeadLetter, FiredTimers, IdempotentAnswer, NewInboxEntry, Position,
    Result, TimerPosition,
};

/// Everything that one batch has led to.
#[derive(Default)]
pub(super) struct Turn {
    pub(super) executed: Vec<Executed>,
    pub(super) consumed: Vec<Position>,
    pub(super) answers: Vec<IdempotentAnswer>,
    pub(super) results: Vec<CommandResult>,
    pub(super) outgoing: Vec<FollowUp>,
    pub(super) dead_letters: Vec<DeadLetter>,
    pub(super) ended: Vec<InstanceEnd>,
    pub(super) replies: Vec<(ReplyToken, std::result::Result<Answer, Rejection>)>,
    pub(super) fired: Vec<TimerPosition>,
    pub(super) changes: Vec<Change>,
}

impl Turn {
    /// What remains of a batch when its commands run again: entries that could not be run at all.
    pub(super) fn remainder(dead_letters: Vec<DeadLetter>) -> Turn {
        let consumed = dead_letters.iter().filter_map(|letter| letter.position).collect();
        Turn { dead_letters, consumed, ..Turn::default() }
    }

    fn changes_nothing(&self) -> bool {
        self.changes.is_empty()
            && self.consumed.is_empty()
            && self.answers.is_empty()
            && self.results.is_empty()
            && self.outgoing.is_empty()
            && self.dead_letters.is_empty()
            && self.fired.is_empty()
    }
}

impl Partition {
    /// False when the loop was told to stop and has done what it had in hand.
    pub(super) async fn turn(&mut self) -> Result<bool> {
        let taken = self.take().await?;
        let stops = taken.stops;
        let Taken { works, dead_letters, consumed, .. } = taken;
        let turn = Turn { dead_letters, consumed, ..Turn::default() };
        self.run_and_commit(turn, works).await?;
        Ok(!stops)
    }

    pub(super) async fn run_and_commit(&mut self, mut turn: Turn, works: Vec<Work>) -> Result<()> {
        if self.working.keys_left() < KEYS_LEFT_MIN {
            let block = self.store.reserve_keys(&self.fence).await?;
            self.working.reserve_keys(block.start, block.end);
        }
        self.follow_definitions();
        self.execute_all(&mut turn, works).await?;
        self.keep_late(&mut turn);
        self.serve_pollers(&mut turn).await?;
        turn.changes = self.working.take_changes();
        if turn.changes_nothing() {
            self.working.end_batch();
            self.take_effect(turn);
            return Ok(());
        }
        match self.commit(&turn).await {
            Ok(committed) => {
                self.committed(turn, committed.definitions_version);
                Ok(())
            }
            Err(error) => Box::pin(self.settle(turn, error)).await,
        }
    }

    async fn commit(&self, turn: &Turn) -> Result<tidemill_store::Committed> {
        #[cfg(debug_assertions)]
        if !turn.changes.is_empty()
            && turn.executed.iter().any(|executed| super::faults::is_refused(&executed.work.command))
        {
            let reason = "a fault was asked for".to_owned();
            return Err(tidemill_store::Error::Refused { culprit: None, reason });
        }
        self.store.commit(self.batch(turn)).await
    }

    /// The batch is durable: memory follows, and everybody gets their answers.
    pub(super) fn committed(&mut self, turn: Turn, definitions_version: u64) {
        self.next_batch = BatchId(self.next_batch.0 + 1);
        for position in &turn.fired {
            self.schedule.forget(*position);
        }
        for change in &turn.changes {
            self.schedule.note(change);
            self.deadlines.note(change);
        }
        if turn.outgoing.iter().any(|follow_up| follow_up.partition == self.id) {
            self.inbox_is_dirty = true;
        }
        self.working.end_batch();
        self.newest_definitions.fetch_max(definitions_version, Ordering::AcqRel);
        self.follow_definitions();
        self.working.evict(ROWS_IN_MEMORY_MAX);
        self.take_effect(turn);
    }

    /// A deployment on any partition of this node counts here from the moment that its sender is told of it.
    fn follow_definitions(&mut self) {
        let newest = self.newest_definitions.load(Ordering::Acquire);
        if self.definitions_version != newest {
            self.definitions_version = newest;
            self.working.definitions_changed();
        }
    }

    fn batch(&self, turn: &Turn) -> Batch {
        let commands: Vec<&Command> = turn.executed.iter().map(|executed| &executed.work.command).collect();
        let log = lz4_flex::compress_prepend_size(&tidemill_store::pack(&commands));
        let (changes, fired) = with_fired_timers(turn);
        let outgoing = turn.outgoing.iter().map(|follow_up| NewInboxEntry {
            partition: follow_up.partition,
            received_at: self.now,
            payload: Envelope::internal(follow_up.command.clone()).pack(),
        });
        Batch {
            fence: self.fence.clone(),
            id: self.next_batch,
            at: self.now,
            log,
            consumed: turn.consumed.clone(),
            changes,
            fired,
            answers: turn.answers.clone(),
            results: turn.results.clone(),
            outgoing: outgoing.collect(),
            highest_key: self.working.next_key() - 1,
            dead_letters: turn.dead_letters.clone(),
        }
    }
}

/// Fired timers are deleted as one range where nothing else lies in it, and one by one otherwise. A timer
/// that the engine no longer knew must go as well, or it would fire for ever.
fn with_fired_timers(turn: &Turn) -> (Vec<Change>, Option<FiredTimers>) {
    let mut changes = turn.changes.clone();
    let fired: BTreeSet<TimerPosition> = turn.fired.iter().copied().collect();
    let (Some(first), Some(last)) = (fired.first().copied(), fired.last().copied()) else {
        return (changes, None);
    };
    let is_between = |timer: &Timer| (first..=last).contains(&TimerPosition::of(timer));
    let is_clear = !changes
        .iter()
        .any(|change| matches!(change, Change::Put(Entity::Timer(timer)) if is_between(timer)));
    if is_clear {
        changes.retain(|change| !matches!(change, Change::Remove(Entity::Timer(timer)) if is_between(timer)));
        let just_before = TimerPosition { key: TimerKey(first.key.0 - 1), ..first };
        return (changes, Some(FiredTimers { after: Some(just_before), up_to: last }));
    }
    let removed: BTreeSet<TimerPosition> = changes
        .iter()
        .filter_map(|change| match change {
            Change::Remove(Entity::Timer(timer)) => Some(TimerPosition::of(timer)),
            _ => None,
        })
        .collect();
    for executed in &turn.executed {
        if let Command::TriggerTimer(TriggerTimer { timer }) = &executed.work.command
            && fired.contains(&TimerPosition::of(timer))
            && !removed.contains(&TimerPosition::of(timer))
        {
            changes.push(Change::Remove(Arc::new(timer.clone()).into()));
        }
    }
    (changes, None)
}
