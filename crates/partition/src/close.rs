//! Closing a batch, and what leaves the core when it has landed.

use crate::core::Core;
use crate::late::Address;
use crate::open::{Answered, Executed, InFlight, OpenBatch};
use crate::packed_log;
use crate::queued::{CommandSource, QueuedCommand};
use crate::request::{Callers, CommandError, Effect};
use crate::suspects::Stage;
use crate::time::Moment;
use crate::waiters::{Waiter, ended};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use tidemill_engine::{FollowUp, InstanceEnd};
use tidemill_model::{ActivatedJob, Answer, Command};
use tidemill_store::Envelope;
use tidemill_store::{Batch, BatchId, Committed, NewInboxEntry};

/// Rows that stay in memory between batches.
/// Memory is a cache: what leaves is read again from live rows when a command asks for it.
const ROWS_IN_MEMORY_MAX: usize = 500_000;

/// The order to the driver about a closed batch. The driver answers with `Event::Landed`.
#[derive(Debug)]
pub enum Closed {
    Commit(Box<Batch>),
    /// Nothing is to be written, but the lease has run out: the store must confirm that the partition is still this
    /// node's before anything is answered from memory.
    Confirm,
}

impl Core {
    /// The open batch can be closed now, unless answers wait for notes.
    pub(crate) fn is_ready_to_close(&self) -> bool {
        // A read that is under way may or may not see what a commit beside it writes. So the batch waits,
        // unless it has waited for enough rounds: then it is written first and the read begins after it.
        let reads_rows = self.wanted.rows_under_way > 0 || self.wanted.has_rows() && !self.must_close();
        self.condition.is_working()
            && self.in_flight.is_none()
            && !reads_rows
            && !self.wanted.keys_under_way
            && self.late_notes_wanted.is_empty()
            && !self.late_notes_under_way
    }

    /// Ends the open batch, if it holds something and nothing is in flight. Its changes count as written from
    /// here on.
    pub fn close(&mut self, moment: &Moment, callers: &mut dyn Callers) -> Option<Closed> {
        if self.open.is_empty() || !self.is_ready_to_close() || !self.keep_late() {
            return None;
        }
        // The commands under a note are not all through, or the note about their end is not written yet.
        if self.suspects.is_cautious() && !matches!(self.suspects.stage, Stage::Idle | Stage::Writing) {
            return None;
        }
        // No token lives in memory only: steps that this batch did not get to are commands in the inbox with the same commit.
        self.open.postpone_follow_ups(self.id, &mut self.box_order);
        self.open.changes = self.working.take_changes();
        let mut batch = take(&mut self.open);
        batch.deployed = self.working.take_deployed();
        // Memory counts as written from here on, although the commit may still fail: then it is thrown away as a whole.
        self.working.end_batch();
        self.working.evict(ROWS_IN_MEMORY_MAX);
        self.answers.forget_stored();
        let is_confirmation = batch.changes_nothing();
        let id = self.next_batch;
        let closed = if is_confirmation {
            if moment.holds_lease {
                // Answers without a commit, such as rejections, are not covered by its fence. The lease covers them: while it holds,
                // nobody else can have changed what they were decided on.
                self.take_effect(batch, callers);
                self.end_writing(false, moment);
                self.has_answered = true;
                return None;
            }
            Closed::Confirm
        } else {
            // A confirmation uses no id, because it writes nothing that could be looked up.
            self.next_batch = BatchId(id.0 + 1);
            Closed::Commit(Box::new(self.batch(&mut batch, id)))
        };
        self.in_flight = Some(InFlight { batch, id, is_confirmation });
        Some(closed)
    }

    /// Makes the batch for the store. Rows leave the open batch; commands, answers and effects stay in it until the commit has landed.
    fn batch(&mut self, open: &mut OpenBatch, id: BatchId) -> Batch {
        // The time of a batch never falls, and a successor goes on from it. A pinned test clock may stand in any year.
        let at = self.time.unpinned();
        let commands: Vec<&Command> = open.executed.iter().map(|executed| &executed.queued.command).collect();
        let log = packed_log::pack(&commands);
        let mut changes = take(&mut open.changes);
        // The due queue may take changes out, because timers that are deleted as a range need no change of their own.
        let fired = self.due.close(&open.fired, &mut changes);
        let outgoing = open.outgoing.iter().map(|FollowUp { partition, command }| {
            let is_own = *partition == self.id;
            let envelope = if is_own { Envelope::own } else { Envelope::internal };
            NewInboxEntry {
                partition: *partition,
                received_at: at,
                payload: envelope(command.clone()).pack(),
            }
        });
        Batch {
            fence: self.fence.clone(),
            id,
            at,
            log,
            // The open batch keeps its copy for the time when the commit has landed or failed.
            consumed: open.consumed.clone(),
            changes,
            deletions: take(&mut open.deletions),
            fired,
            answers: take(&mut open.answers),
            late_answers: take(&mut open.late_answers),
            results: take(&mut open.results),
            outgoing: outgoing.collect(),
            highest_key: self.working.next_key() - 1,
            // They stay here as well: if the store refuses one of them, it is known which.
            dead_letters: open.dead_letters.clone(),
        }
    }
}

impl Core {
    /// Keeps the answers that have come with other commands, and notes who waits for those that have not. False while it is not
    /// known who waits.
    fn keep_late(&mut self) -> bool {
        let mut waiting = self.late_of_open_batch();
        let now = self.time.unpinned();
        let numbers = self.open.replies.iter().map(|(token, _)| token.number);
        let is_unknown = |number: &u64| !waiting.contains_key(number) && !self.late.contains(*number);
        let unknown: BTreeSet<u64> = numbers.filter(is_unknown).collect();
        if !unknown.is_empty() {
            self.late_notes_wanted = unknown.into_iter().collect();
            return false;
        }
        let replies = take(&mut self.open.replies);
        for (token, result) in &replies {
            let number = token.number;
            // Where the command is in this same batch, nobody has to be noted for its answer.
            let Some(address) = waiting.remove(&number).or_else(|| self.late.address(number)) else {
                continue;
            };
            self.open.results.extend(address.results(Some(result), number));
            self.open.late_answers.extend(address.answer(Some(result), number, now));
            if let Some(key) = address.key() {
                self.open.known.insert(key, result.clone());
            }
        }
        self.open.replies = replies;
        for (number, address) in waiting {
            // A retry that adds no key and no receipt changes nothing in the store.
            let is_noted = self.late.address(number).is_some_and(|noted| noted == address);
            if !is_noted && !address.is_empty() {
                self.open.results.extend(address.results(None, number));
                self.open.late_answers.extend(address.answer(None, number, now));
                self.open.late_answers.push(address.note(number, now));
            }
        }
        true
    }

    /// The late answers that commands of the open batch wait for, each with everybody who waits for it.
    fn late_of_open_batch(&self) -> BTreeMap<u64, Address> {
        let mut waiting: BTreeMap<u64, Address> = BTreeMap::new();
        for executed in &self.open.executed {
            if let Answered::Later(number) = executed.answer {
                let known = || self.late.address(number).unwrap_or_default();
                waiting.entry(number).or_insert_with(known).add(&executed.queued);
            }
        }
        waiting
    }

    /// The fate of the batch in flight is known.
    pub(crate) fn landed(
        &mut self,
        result: Result<Committed, tidemill_store::Error>,
        moment: &Moment,
        callers: &mut dyn Callers,
    ) {
        let Some(in_flight) = self.in_flight.take() else { return };
        let committed = match result {
            Ok(committed) => committed,
            Err(error) => return self.batch_failed(in_flight, error, callers),
        };
        // Leases on jobs may have run out meanwhile. A jump of the test clock is left to the next run, which looks up what is due.
        self.time.observe_quietly(moment);
        let InFlight { batch, is_confirmation, .. } = in_flight;
        if !is_confirmation {
            // The due queue and the inbox follow before anybody is told: a caller may ask again at once.
            self.due.landed();
            self.inbox.committed(&batch.consumed);
            if batch.outgoing.iter().any(|follow_up| follow_up.partition == self.id) {
                self.inbox.has_grown();
            }
            // This is the first of all effects: a client that is told of its deployment may send a create to
            // any partition of this node.
            self.effects.push(Effect::DefinitionsAt(committed.definitions_version));
        }
        self.take_effect(batch, callers);
        self.end_writing(!is_confirmation, moment);
        self.go_on_failing(callers);
    }

    fn end_writing(&mut self, was_written: bool, moment: &Moment) {
        if self.suspects.is_cautious() && matches!(self.suspects.stage, Stage::Writing) {
            self.end_suspicion(was_written, moment);
        }
    }

    /// Everybody gets their answers.
    pub(crate) fn take_effect(&mut self, batch: OpenBatch, callers: &mut dyn Callers) {
        if self.keeps_tally {
            self.tally.add(&batch, self.time.now());
        }
        if !batch.deployed.is_empty() {
            self.effects.push(Effect::Deployed(batch.deployed));
        }
        // An instance may be created and end in one batch. Its creator would wait for an end that has been told already.
        let ended: BTreeMap<_, _> = batch.ended.iter().map(|end| (end.instance, *end)).collect();
        for Executed { queued, answer } in batch.executed {
            match answer {
                Answered::Later(number) => self.late.add(number, &queued, callers, &mut self.effects),
                Answered::Now(result) => self.answer(queued, result, &ended, callers),
                Answered::Again(result) => {
                    if let (CommandSource::Awaiting { .. }, Ok(Answer::Created(created))) =
                        (&queued.source, &result)
                    {
                        // The instance may have ended in any batch since it was created.
                        self.ends_wanted.push(created.instance);
                    }
                    self.answer(queued, result, &ended, callers);
                }
            }
        }
        // Answers follow the commands, because a command that waits for an answer of this very batch must be
        // noted before that is told.
        for (token, result) in batch.replies {
            if let Some(key) = self.late.address(token.number).and_then(Address::key) {
                self.answers.late_answer_was_written(key, &result);
            }
            self.late.tell(token.number, &result, &mut self.effects);
        }
        for end in &batch.ended {
            self.waiters.tell(end, &mut self.effects);
        }
    }

    fn answer(
        &mut self,
        queued: QueuedCommand,
        result: Result<Answer, CommandError>,
        ended_now: &BTreeMap<tidemill_model::ProcessInstanceKey, InstanceEnd>,
        callers: &mut dyn Callers,
    ) {
        match (queued.source, result) {
            (CommandSource::Client { call, .. }, result) => {
                self.effects.push(Effect::Answer { call, result })
            }
            (CommandSource::Awaiting { call, .. }, Ok(Answer::Created(created))) => {
                self.effects.push(Effect::Created { call, instance: created.instance });
                let end = ended_now.get(&created.instance);
                let waiter = Waiter { call, created };
                match end {
                    Some(end) => self.effects.push(ended(waiter, end)),
                    None => self.waiters.add(waiter, callers, &mut self.effects),
                }
            }
            (CommandSource::Awaiting { call, .. }, Err(error)) => {
                self.effects.push(Effect::Ended { call, result: Err(error) });
            }
            (CommandSource::Awaiting { call, .. }, Ok(_)) => {
                let error = CommandError::Internal("a create gave another answer".to_owned());
                self.effects.push(Effect::Ended { call, result: Err(error) });
            }
            (CommandSource::Poller(poller), Ok(Answer::Activated(jobs))) => {
                let now = self.time.now();
                let is_held =
                    |job: &ActivatedJob| job.job.lease.as_ref().is_none_or(|lease| lease.deadline > now);
                if jobs.iter().all(is_held) {
                    self.effects.push(Effect::Jobs { call: poller.call, result: Ok(jobs) });
                } else {
                    // The commit took longer than the lease. Another worker may get these jobs, so this one must not.
                    callers.release(poller.call);
                    self.pollers.put_back(poller);
                }
            }
            (CommandSource::Poller(poller), Err(error)) => {
                self.effects.push(Effect::Jobs { call: poller.call, result: Err(error) });
            }
            _ => {}
        }
    }
}
