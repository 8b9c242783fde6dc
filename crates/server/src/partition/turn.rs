//! The turns of the loop: what is taken is run and joins the open batch. One batch is written at a time, and the
//! next one grows meanwhile.

use super::answers::Known;
use super::execute::Executed;
use super::inbox::Envelope;
use super::settle::{Halt, Step};
use super::take::{Source, Work};
use super::{BATCH_BYTES_MAX, BATCH_WORK_MAX, COMMANDS_PER_BATCH_MAX, Partition, ROWS_IN_MEMORY_MAX};
use crate::packed_log;
use std::collections::{BTreeSet, VecDeque};
use std::mem::{replace, take};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tidemill_engine::{FollowUp, InstanceEnd};
use tidemill_model::command::{ReplyToken, TriggerTimer};
use tidemill_model::entity::Timer;
use tidemill_model::{Answer, Change, Command, Entity, ProcessInstanceKey, Rejection, TimerKey};
use tidemill_store::{
    Batch, BatchId, CommandResult, Committed, DeadLetter, FiredTimers, IdempotentAnswer, NewInboxEntry,
    Position, Result, TimerPosition,
};
use tokio::task::{JoinError, JoinHandle};

/// A batch that is being put together, and everything that it has led to so far.
#[derive(Default)]
pub(super) struct Turn {
    /// Commands that are still to be run.
    pub(super) queue: VecDeque<Work>,
    /// What these led to and is to be run before the next of them.
    pub(super) follow_ups: VecDeque<Work>,
    pub(super) executed: Vec<Executed>,
    pub(super) consumed: Vec<Position>,
    /// Answers of this batch under their idempotency keys.
    pub(super) known: Known,
    pub(super) answers: Vec<IdempotentAnswer>,
    pub(super) late_answers: Vec<IdempotentAnswer>,
    pub(super) results: Vec<CommandResult>,
    pub(super) outgoing: Vec<FollowUp>,
    pub(super) dead_letters: Vec<DeadLetter>,
    pub(super) ended: Vec<InstanceEnd>,
    pub(super) replies: Vec<(ReplyToken, std::result::Result<Answer, Rejection>)>,
    pub(super) fired: Vec<TimerPosition>,
    pub(super) changes: Vec<Change>,
    pub(super) deletions: Vec<ProcessInstanceKey>,
    /// What it will write, roughly.
    pub(super) bytes: usize,
    /// What its commands have taken, as the engine counts it.
    pub(super) work: u64,
    /// Variables of the jobs that it hands to workers.
    pub(super) handed_out_bytes: usize,
}

impl Turn {
    pub(super) fn is_full(&self) -> bool {
        self.executed.len() >= COMMANDS_PER_BATCH_MAX
            || self.bytes >= BATCH_BYTES_MAX
            || self.work >= BATCH_WORK_MAX
    }

    /// Further workers are served with the next batch.
    pub(super) fn has_handed_out_enough(&self) -> bool {
        self.handed_out_bytes >= BATCH_BYTES_MAX
    }

    fn changes_nothing(&self) -> bool {
        self.changes.is_empty()
            && self.deletions.is_empty()
            && self.consumed.is_empty()
            && self.answers.is_empty()
            && self.late_answers.is_empty()
            && self.results.is_empty()
            && self.outgoing.is_empty()
            && self.dead_letters.is_empty()
            && self.fired.is_empty()
    }
}

/// A batch on its way to the store.
pub(super) struct InFlight {
    pub(super) turn: Turn,
    pub(super) id: BatchId,
    pub(super) commit: JoinHandle<Result<Committed>>,
}

impl Partition {
    /// False when the loop was told to stop and has done what it had in hand.
    pub(super) async fn turn(&mut self) -> Result<bool> {
        match self.advance().await {
            Ok(goes_on) => Ok(goes_on),
            Err(halt) => {
                self.settle(halt).await?;
                Ok(true)
            }
        }
    }

    /// While a batch is being written the next one grows; it is closed when the way is free.
    async fn advance(&mut self) -> Step<bool> {
        if self.suspects.is_cautious() {
            return self.advance_cautiously().await;
        }
        if self.in_flight.is_none() && !self.open.executed.is_empty() {
            // What was put aside leaves before others come.
            self.close().await?;
            self.written().await?;
        }
        let is_alone = self.alone > 0;
        if !is_alone {
            self.take().await?;
        }
        if self.in_flight.as_ref().is_some_and(|in_flight| in_flight.commit.is_finished()) {
            // Where more waits than a turn takes, nobody waits for the commit.
            self.written().await?;
        }
        self.execute_queue().await?;
        if self.in_flight.is_none() || self.open.is_full() || is_alone || self.is_stopping {
            self.close().await?;
        }
        if is_alone || self.is_stopping {
            self.written().await?;
        }
        Ok(!self.is_stopping || !self.open.queue.is_empty())
    }

    /// After a predecessor that died: whatever runs was noted before, and is written before anything else runs.
    async fn advance_cautiously(&mut self) -> Step<bool> {
        self.close().await?;
        self.written().await?;
        if self.open.queue.is_empty() {
            self.take().await?;
        }
        self.execute_queue().await?;
        self.write_trial().await?;
        self.serve_cautiously().await?;
        self.write_trial().await?;
        Ok(!self.is_stopping || !self.open.queue.is_empty())
    }

    async fn write_trial(&mut self) -> Step<()> {
        self.close().await?;
        let was_written = self.in_flight.is_some();
        self.written().await?;
        self.end_trial(was_written).await
    }

    /// Ends the open batch and sends it to the store. What it has changed counts as written from here on:
    /// whoever reads the store waits for the commit first.
    async fn close(&mut self) -> Step<()> {
        self.written().await?;
        self.keep_late().await?;
        if !self.suspects.is_cautious() {
            self.serve_pollers().await?;
        }
        self.open.changes = self.working.take_changes();
        if self.open.changes_nothing() && !self.open.executed.is_empty() {
            self.check_lease().await?;
        }
        self.working.end_batch();
        self.working.evict(ROWS_IN_MEMORY_MAX);
        let queue = take(&mut self.open.queue);
        let mut turn = replace(&mut self.open, Turn { queue, ..Turn::default() });
        if turn.changes_nothing() {
            self.take_effect(turn);
            return Ok(());
        }
        for change in &turn.changes {
            self.schedule.note(change);
            self.deadlines.note(change);
        }
        let id = self.next_batch;
        self.next_batch = BatchId(id.0 + 1);
        self.written_at = self.written_at.max(self.clock.system());
        let commit = self.commit(&mut turn, id);
        self.in_flight = Some(InFlight { turn, id, commit });
        Ok(())
    }

    /// What is answered without a commit, as refusals are, has no fence: once the lease has run out, the store is
    /// asked whether another owns the partition by now.
    async fn check_lease(&mut self) -> Step<()> {
        if self.lease.holds() {
            return Ok(());
        }
        let asked_at = Instant::now();
        self.store.renew(std::slice::from_ref(&self.fence), self.lease_ms).await?;
        self.lease.renewed(asked_at);
        Ok(())
    }

    fn commit(&self, turn: &mut Turn, id: BatchId) -> JoinHandle<Result<Committed>> {
        let (store, batch) = (self.store.clone(), self.batch(turn, id));
        #[cfg(debug_assertions)]
        if !batch.changes.is_empty()
            && let Some(strike) =
                super::faults::strike_batch(turn.executed.iter().map(|executed| &executed.work.command))
        {
            return tokio::spawn(super::faults::commit(store, batch, strike));
        }
        tokio::spawn(async move { store.commit(batch).await })
    }

    /// Waits until nothing is on its way to the store any more.
    pub(super) async fn written(&mut self) -> Step<()> {
        match &mut self.in_flight {
            Some(in_flight) => {
                let result = (&mut in_flight.commit).await;
                self.landed(result)
            }
            None => Ok(()),
        }
    }

    /// The fate of the batch in flight is known: everybody gets their answers, or it is to be settled.
    pub(super) fn landed(&mut self, result: std::result::Result<Result<Committed>, JoinError>) -> Step<()> {
        let Some(InFlight { turn, id, .. }) = self.in_flight.take() else { return Ok(()) };
        let result = result
            .unwrap_or_else(|error| Err(tidemill_store::Error::OutcomeUnknown { reason: error.to_string() }));
        match result {
            Ok(committed) => {
                if turn.outgoing.iter().any(|follow_up| follow_up.partition == self.id) {
                    self.inbox_is_dirty = true;
                }
                self.newest_definitions.fetch_max(committed.definitions_version, Ordering::AcqRel);
                self.take_effect(turn);
                Ok(())
            }
            Err(error) => Err(Halt::Batch { turn: Box::new(turn), id, error }),
        }
    }

    /// A deployment on any partition of this node counts here from the moment that its sender is told of it.
    pub(super) fn follow_definitions(&mut self) {
        let newest = self.newest_definitions.load(Ordering::Acquire);
        if self.definitions_version != newest {
            self.definitions_version = newest;
            self.working.definitions_changed();
        }
    }

    /// Whether a timer between these is still to fire. One that was made later may be due earlier.
    fn has_timer_between(&self, first: TimerPosition, last: TimerPosition) -> bool {
        let is_between = |work: &Work| match &work.source {
            Source::Timer(position) => (first..=last).contains(position),
            _ => false,
        };
        self.open.queue.iter().any(is_between) || self.schedule.has_between(first, last)
    }

    /// What is to be written leaves the turn; commands, answers and what else follows from the commit stay.
    fn batch(&self, turn: &mut Turn, id: BatchId) -> Batch {
        let commands: Vec<&Command> = turn.executed.iter().map(|executed| &executed.work.command).collect();
        let log = packed_log::pack(&commands);
        let (changes, fired) = with_fired_timers(turn, |first, last| self.has_timer_between(first, last));
        let outgoing = turn.outgoing.iter().map(|follow_up| NewInboxEntry {
            partition: follow_up.partition,
            received_at: self.written_at,
            payload: Envelope::internal(follow_up.command.clone()).pack(),
        });
        Batch {
            fence: self.fence.clone(),
            id,
            at: self.written_at,
            log,
            consumed: take(&mut turn.consumed),
            changes,
            deletions: take(&mut turn.deletions),
            fired,
            answers: take(&mut turn.answers),
            late_answers: take(&mut turn.late_answers),
            results: take(&mut turn.results),
            outgoing: outgoing.collect(),
            highest_key: self.working.next_key() - 1,
            dead_letters: take(&mut turn.dead_letters),
        }
    }
}

/// Fired timers are deleted as one range where nothing else lies in it, and one by one otherwise. A timer
/// that the engine no longer knew must go as well, or it would fire for ever.
fn with_fired_timers(
    turn: &mut Turn,
    has_other: impl Fn(TimerPosition, TimerPosition) -> bool,
) -> (Vec<Change>, Option<FiredTimers>) {
    let mut changes = take(&mut turn.changes);
    let fired: BTreeSet<TimerPosition> = turn.fired.iter().copied().collect();
    let (Some(first), Some(last)) = (fired.first().copied(), fired.last().copied()) else {
        return (changes, None);
    };
    let is_between = |timer: &Timer| (first..=last).contains(&TimerPosition::of(timer));
    let is_clear = !changes
        .iter()
        .any(|change| matches!(change, Change::Put(Entity::Timer(timer)) if is_between(timer)))
        && !has_other(first, last);
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
        if let Command::TriggerTimer(TriggerTimer { timer, .. }) = &executed.work.command
            && fired.contains(&TimerPosition::of(timer))
            && !removed.contains(&TimerPosition::of(timer))
        {
            changes.push(Change::Remove(Arc::new(timer.clone()).into()));
        }
    }
    (changes, None)
}
