//! Recovery after the store has failed. The driver first finds out whether the batch in flight was written. Then its commands are
//! answered, run again or put aside. Memory is built anew, because it holds changes that were not written.

use crate::core::{Core, Recovered};
use crate::open::{Executed, InFlight, OpenBatch};
use crate::queued::{CommandSource, QueuedCommand};
use crate::reads::Read;
use crate::request::{Callers, Effect};
use crate::suspects::{Share, Stage};
use crate::time::Moment;
use std::collections::{BTreeSet, VecDeque};
use tidemill_store::{BatchId, DeadLetter, Error};

/// Tells whether the partition can work.
pub(crate) enum Condition {
    Working,
    /// A read has failed, but the fate of the batch in flight comes first.
    Failing(Error),
    /// The partition is to be taken again; `failed` is the batch whose fate is unknown or which was refused.
    Recovering {
        failed: Option<Box<FailedBatch>>,
        is_asked: bool,
    },
    /// It cannot go on here.
    Stopped(Option<Error>),
}

pub(crate) struct FailedBatch {
    batch: OpenBatch,
    /// None where it was surely not written.
    id: Option<BatchId>,
    /// The error by which the store refused a row of it.
    refused: Option<Error>,
}

impl Condition {
    pub(crate) fn is_working(&self) -> bool {
        matches!(self, Condition::Working)
    }

    /// The recovery that has to begin.
    pub(crate) fn take_recovery(&mut self) -> Option<Read> {
        match self {
            Condition::Recovering { failed, is_asked: is_asked @ false } => {
                *is_asked = true;
                Some(Read::Recovery { batch: failed.as_ref().and_then(|failed| failed.id) })
            }
            _ => None,
        }
    }
}

impl Core {
    /// Something could not be read.
    pub(crate) fn failed(&mut self, error: Error, callers: &mut dyn Callers) {
        if self.condition.is_working() {
            self.condition = Condition::Failing(error);
            self.go_on_failing(callers);
        }
    }

    pub(crate) fn go_on_failing(&mut self, callers: &mut dyn Callers) {
        // The commit may still succeed, and its callers must then be answered. So recovery begins when its fate is known.
        if self.in_flight.is_some() || !matches!(self.condition, Condition::Failing(_)) {
            return;
        }
        if let Condition::Failing(error) = std::mem::replace(&mut self.condition, Condition::Working) {
            tracing::warn!(partition = %self.id, %error, "the store failed");
            self.undo_open_batch(callers);
            self.condition = match may_pass(&error) {
                true => Condition::Recovering { failed: None, is_asked: false },
                false => Condition::Stopped(Some(error)),
            };
        }
    }

    /// The batch in flight was not written, or nobody knows.
    pub(crate) fn batch_failed(&mut self, in_flight: InFlight, error: Error, callers: &mut dyn Callers) {
        tracing::warn!(partition = %self.id, %error, "a batch was not written, or nobody knows");
        self.undo_open_batch(callers);
        let InFlight { batch, id, is_confirmation } = in_flight;
        if error.is_fatal() {
            // Nobody can tell what became of it: its callers get no answer. Workers may be served by another partition.
            self.take_back(batch.executed, |_| false, callers);
            self.condition = Condition::Stopped(Some(error));
            return;
        }
        let (id, refused) = match error {
            // A refused batch was rolled back as a whole, so there is nothing to look up.
            Error::Refused { .. } => (None, Some(error)),
            _ => ((!is_confirmation).then_some(id), None),
        };
        let failed = Some(Box::new(FailedBatch { batch, id, refused }));
        self.condition = Condition::Recovering { failed, is_asked: false };
    }

    /// Nothing that the open batch has done counts. Commands of clients wait again. Entries of the inbox,
    /// timers and leases are found again, but for those that are to be run one by one.
    fn undo_open_batch(&mut self, callers: &mut dyn Callers) {
        let open = std::mem::take(&mut self.open);
        let executed = self.take_back(open.executed, QueuedCommand::has_caller, callers);
        let queue = std::mem::take(&mut self.queue);
        let (one_by_one, rest): (Vec<_>, Vec<_>) =
            queue.into_iter().enumerate().partition(|(number, _)| *number < self.one_by_one);
        let rest = rest.into_iter().map(|(_, queued)| queued).filter(QueuedCommand::has_caller);
        if self.one_by_one > 0 {
            // They were the first of those that run one by one.
            self.one_by_one += executed.len();
        }
        self.queue = executed
            .into_iter()
            .chain(one_by_one.into_iter().map(|(_, queued)| queued))
            .chain(rest)
            .collect();
        for queued in &mut self.queue {
            queued.waits_for = None;
        }
        match std::mem::take(&mut self.suspects.stage) {
            Stage::Noting(Share::Pollers { held_back })
            | Stage::Running(Share::Pollers { held_back })
            | Stage::NotingRest(Share::Pollers { held_back })
            | Stage::Resting(Share::Pollers { held_back }) => {
                held_back.into_iter().for_each(|poller| self.pollers.add(poller));
            }
            _ => {}
        }
        // Other partitions of this process may wait for the end of a suspect that ran alone.
        if self.suspects.is_cautious() {
            self.effects.push(Effect::SuspectsAreDone);
        }
    }

    /// The commands of a batch that is void. Workers wait again; what followed from commands will follow again.
    fn take_back(
        &mut self,
        executed: Vec<Executed>,
        wanted: fn(&QueuedCommand) -> bool,
        callers: &mut dyn Callers,
    ) -> VecDeque<QueuedCommand> {
        let mut queued_commands = VecDeque::new();
        for Executed { queued, .. } in executed {
            match queued.source {
                CommandSource::Poller(poller) => {
                    callers.release(poller.call);
                    self.pollers.put_back(poller);
                }
                CommandSource::FollowUp => {}
                _ if wanted(&queued) => queued_commands.push_back(queued),
                _ => {}
            }
        }
        queued_commands
    }

    /// The partition was taken again: memory is what the store holds, and commands whose effects are not there run again.
    pub(crate) fn recovered(&mut self, recovered: Recovered, moment: &Moment, callers: &mut dyn Callers) {
        let condition = std::mem::replace(&mut self.condition, Condition::Working);
        let Recovered { owned, leases, batch_is_there, definitions_version } = recovered;
        let had_another_owner = owned.fence.epoch > self.fence.epoch + 1;
        // Leases on jobs may have run out meanwhile.
        if had_another_owner {
            // Another owner may have been there. Its time went on from the last batch that it found, so it may be behind the time
            // of this node, and what it has leased must not end by the latter.
            self.time.go_on_from(owned.last_batch_at, moment);
        } else {
            self.time.observe_quietly(moment);
        }
        // Before anybody is told of a deployment, every partition of the node must know that there is one.
        self.effects.push(Effect::DefinitionsAt(definitions_version));
        if let Condition::Recovering { failed: Some(failed), .. } = condition {
            self.settle(*failed, Some(batch_is_there), callers);
        }
        // After the batch was settled, because its commands may wait for such answers too.
        if had_another_owner {
            self.late.forget(&mut self.effects);
        }
        // The old batch is settled by now: commands that wait again are in the queue, and their entries must
        // not be read a second time.
        self.begin(owned, leases);
    }

    /// The partition has another owner, or the store is broken. An owner that lost its partition can still settle its last batch:
    /// the new one has waited for that batch before it began.
    pub(crate) fn lost(
        &mut self,
        error: Error,
        batch_is_there: Option<bool>,
        moment: &Moment,
        callers: &mut dyn Callers,
    ) {
        self.time.observe_quietly(moment);
        let condition = std::mem::replace(&mut self.condition, Condition::Stopped(Some(error)));
        if let Condition::Recovering { failed: Some(failed), .. } = condition {
            let is_there = if failed.id.is_none() { Some(false) } else { batch_is_there };
            // Running commands one by one is up to the new owner.
            let failed = FailedBatch { refused: None, ..*failed };
            self.settle(failed, is_there, callers);
        }
    }

    fn settle(&mut self, failed: FailedBatch, is_there: Option<bool>, callers: &mut dyn Callers) {
        let FailedBatch { batch, refused, .. } = failed;
        match (refused, is_there) {
            (Some(error), _) => self.run_one_by_one(batch, &error, callers),
            (None, Some(true)) => {
                let partitions = batch.outgoing.iter().map(|follow_up| follow_up.partition);
                // A commit wakes other partitions by itself, but this one has failed before it came to that.
                let woken: BTreeSet<_> = partitions.filter(|partition| *partition != self.id).collect();
                self.effects.extend(woken.into_iter().map(Effect::Wake));
                self.take_effect(batch, callers);
            }
            (None, Some(false)) => {
                let again = self.take_back(batch.executed, QueuedCommand::has_caller, callers);
                if self.one_by_one > 0 {
                    // It was the first of those that run one by one.
                    self.one_by_one += again.len();
                }
                self.put_first(again);
            }
            // Nobody knows: whoever waits gets no answer. Workers may be served by another partition.
            (None, None) => drop(self.take_back(batch.executed, |_| false, callers)),
        }
    }

    /// The store refuses a row of the batch: each command gets a batch of its own, and the one that cannot be stored is put
    /// aside. Letters for entries that could not be unpacked go first, in a batch without commands. Workers that were handed jobs are
    /// the last to be suspected: their batches have no commands.
    fn run_one_by_one(&mut self, mut batch: OpenBatch, error: &Error, callers: &mut dyn Callers) {
        let letters = batch.take_letters_of_entries();
        if batch.has_only_letters() {
            return self.leave_in_place(batch, letters, error);
        }
        let has_letters = !letters.is_empty();
        self.open.add_letters_of_entries(letters);
        let (pollers, commands): (Vec<_>, Vec<_>) =
            batch.executed.into_iter().partition(|one| matches!(one.queued.source, CommandSource::Poller(_)));
        let queued_commands = self.take_back(commands, |_| true, callers);
        // A command that is alone in its batch is the culprit. With letters in the batch it may be one of them instead.
        if !has_letters && (queued_commands.is_empty() || queued_commands.len() == 1 && pollers.is_empty()) {
            let culprits = pollers.into_iter().map(|one| one.queued).chain(queued_commands);
            for queued in culprits {
                self.open.put_aside_telling(queued, error.to_string(), error.for_clients());
            }
            return;
        }
        self.take_back(pollers, |_| false, callers);
        // The number is added, because the batch may itself have been one of several that run one by one.
        self.one_by_one += queued_commands.len();
        self.put_first(queued_commands);
    }

    /// The store refuses the letters too. Entries and timers stay stored as they are, and this owner does not touch them again: another
    /// try would end the same way, and the partition would do nothing but recover.
    fn leave_in_place(&mut self, batch: OpenBatch, letters: Vec<DeadLetter>, error: &Error) {
        tracing::error!(
            partition = %self.id,
            %error,
            "the store refuses dead letters: their commands stay in the inbox or among the timers until the partition has another owner"
        );
        for position in letters.into_iter().filter_map(|letter| letter.position) {
            self.left_in_place.leave_entry(position);
        }
        for Executed { queued, .. } in batch.executed {
            match &queued.source {
                CommandSource::Inbox { position, .. } => self.left_in_place.leave_entry(*position),
                CommandSource::Timer(position) => self.left_in_place.leave_timer(*position),
                // Leases are looked up again; the command that a follow-up came from has a letter of its own.
                CommandSource::Leases | CommandSource::FollowUp => {}
                // They are answered, which writes nothing.
                CommandSource::Client { .. } | CommandSource::Awaiting { .. } | CommandSource::Poller(_) => {
                    self.open.put_aside_telling(queued, error.to_string(), error.for_clients());
                }
            }
        }
    }

    fn put_first(&mut self, mut queued_commands: VecDeque<QueuedCommand>) {
        for queued in &mut queued_commands {
            queued.waits_for = None;
        }
        queued_commands.append(&mut self.queue);
        self.queue = queued_commands;
    }
}

/// Some failures end by themselves; with others the partition cannot go on here.
fn may_pass(error: &Error) -> bool {
    !error.is_fatal() && !matches!(error, Error::Fenced { .. })
}
