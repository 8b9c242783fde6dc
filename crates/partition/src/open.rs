//! The batch that commands join, and everything that it has led to so far.

use crate::answers::{CommandResult, Known, Remembered, answer_of, pack};
use crate::box_order::BoxOrder;
use crate::letters::letter;
use crate::queued::{CommandSource, QueuedCommand};
use crate::request::CommandError;
use std::collections::{BTreeSet, VecDeque};
use std::mem::take;
use std::sync::Arc;
use tidemill_engine::{FollowUp, InstanceEnd, Outcome, Reply};
use tidemill_model::command::{ReplyToken, TriggerTimer};
use tidemill_model::entity::Timer;
use tidemill_model::{
    Answer, Change, Command, DefinitionKey, PartitionId, ProcessInstanceKey, Rejection, RejectionCode,
    Timestamp,
};
use tidemill_store::Envelope;
use tidemill_store::{BatchId, CommandResult as StoredResult, DeadLetter, IdempotentAnswer, Position};

/// Commands after which a batch is closed, even if the one before is still being written.
const COMMANDS_MAX: usize = 1_024;
/// Bytes, roughly, that a batch writes before it is closed: a larger one would hold up everybody behind it.
const BYTES_MAX: usize = 16 << 20;
/// Work, as the engine counts it, after which a batch is closed and those who wait get their turn. A full
/// batch of small commands takes only a small part of it.
pub(crate) const WORK_MAX: u64 = 2_000_000;
/// Follow-ups of a command run in the same batch until they and the command have taken so much work together. The rest goes to the
/// inbox, so that one command with many follow-ups does not hold up everybody else.
const FOLLOW_UP_WORK_MAX: u64 = 500_000;
/// Bytes that a row takes, apart from large values.
/// Only the order of magnitude matters: it is compared with a limit of 16 MB.
const ROW_BYTES: usize = 512;

/// A command that was run, and what its sender gets after the commit.
pub(crate) struct Executed {
    pub(crate) queued: QueuedCommand,
    pub(crate) answer: Answered,
}

pub(crate) enum Answered {
    Now(Result<Answer, CommandError>),
    /// As an earlier request under the same key was answered.
    Again(Result<Answer, CommandError>),
    /// The answer comes with another command.
    Later(u64),
}

#[derive(Default)]
pub(crate) struct OpenBatch {
    /// Follow-ups of commands of this batch. They run before the next command, because they complete what that command began.
    pub(crate) follow_ups: VecDeque<QueuedCommand>,
    pub(crate) executed: Vec<Executed>,
    pub(crate) consumed: Vec<Position>,
    /// Answers of this batch under their idempotency keys.
    pub(crate) known: Known,
    pub(crate) answers: Vec<IdempotentAnswer>,
    pub(crate) late_answers: Vec<IdempotentAnswer>,
    pub(crate) results: Vec<StoredResult>,
    pub(crate) outgoing: Vec<FollowUp>,
    pub(crate) dead_letters: Vec<DeadLetter>,
    /// Number of commands that were put aside instead of having run.
    put_aside: usize,
    pub(crate) ended: Vec<InstanceEnd>,
    pub(crate) replies: Vec<(ReplyToken, CommandResult)>,
    pub(crate) fired: Vec<Arc<Timer>>,
    pub(crate) changes: Vec<Change>,
    /// Definitions whose processes its commands have compiled.
    pub(crate) deployed: Vec<DefinitionKey>,
    /// Ended instances that the commit deletes.
    pub(crate) deletions: Vec<ProcessInstanceKey>,
    /// A rough count of the bytes that it will write.
    bytes: usize,
    /// The work of its commands, as the engine counts it.
    pub(crate) work: u64,
    /// The work when the command began that now runs with its follow-ups.
    pub(crate) work_before: u64,
    /// Variables of the jobs that it hands to workers.
    pub(crate) handed_out_bytes: usize,
    /// Rounds of reads that its commands have waited for.
    pub(crate) load_rounds: u32,
}

/// A batch on its way to the store.
pub(crate) struct InFlight {
    pub(crate) batch: OpenBatch,
    pub(crate) id: BatchId,
    /// Nothing is written: the store only confirms that the partition is still this node's.
    pub(crate) is_confirmation: bool,
}

impl OpenBatch {
    pub(crate) fn is_full(&self) -> bool {
        self.executed.len() >= COMMANDS_MAX || self.bytes >= BYTES_MAX || self.work >= WORK_MAX
    }

    /// Further workers are served with the next batch.
    pub(crate) fn has_handed_out_enough(&self) -> bool {
        self.handed_out_bytes >= BYTES_MAX
    }

    /// Such a batch needs no commit. Rejections and repeated answers are told as soon as the lease is known to hold.
    pub(crate) fn changes_nothing(&self) -> bool {
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

    /// Nothing has happened in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.executed.is_empty() && self.dead_letters.is_empty() && self.follow_ups.is_empty()
    }

    /// A command was run with this outcome. It has written about so many rows, with so many bytes of values.
    pub(crate) fn add(
        &mut self,
        queued: QueuedCommand,
        outcome: Outcome,
        written: (usize, usize),
        here: PartitionId,
        now: Timestamp,
        box_order: &mut BoxOrder,
    ) {
        let (rows, value_bytes) = written;
        self.bytes += tidemill_store::packed_len(&queued.command) + value_bytes + rows * ROW_BYTES;
        self.work = self.work.saturating_add(outcome.work);
        let goes_on = self.work - self.work_before < FOLLOW_UP_WORK_MAX;
        self.ended.extend(outcome.ended);
        self.replies.extend(outcome.replies);
        for deletion in outcome.deletions {
            self.bytes += deletion.rows * ROW_BYTES;
            self.deletions.push(deletion.instance);
        }
        for follow_up in outcome.follow_ups {
            // A deletion goes on when the store can tell what is left, which is after this batch.
            let is_for_later = matches!(follow_up.command, Command::DeleteRemains(_));
            let has_room = goes_on && !self.is_full();
            let is_own = follow_up.partition == here;
            if is_own && has_room && !is_for_later && !box_order.is_behind(&follow_up.command) {
                self.follow_ups.push_back(QueuedCommand::new(follow_up.command, CommandSource::FollowUp));
            } else {
                self.bytes += tidemill_store::packed_len(&follow_up.command);
                if is_own {
                    box_order.postponed(&follow_up.command);
                }
                self.outgoing.push(follow_up);
            }
        }
        self.keep(queued, outcome.reply, now);
    }

    /// Notes the answer where it must be kept.
    fn keep(&mut self, queued: QueuedCommand, reply: Reply, now: Timestamp) {
        self.note_done(&queued);
        let result = match reply {
            Reply::Now(answer) => Ok(answer),
            Reply::Rejected(rejection) => {
                self.note_rejected(&queued, &rejection);
                Err(rejection)
            }
            Reply::Later(token) => {
                if let Some(key) = queued.key() {
                    self.known.insert_later(key, token.number);
                }
                return self.executed.push(Executed { queued, answer: Answered::Later(token.number) });
            }
        };
        self.results.extend(result_of(&queued, &result));
        if let Some(key) = queued.key() {
            self.answers.push(answer_of(&key, queued.intent(), &result, now));
            self.known.insert(key, result.clone());
        }
        let answer = Answered::Now(result.map_err(CommandError::Rejected));
        self.executed.push(Executed { queued, answer });
    }

    /// The commit removes the entry or timer that the command came from.
    fn note_done(&mut self, queued: &QueuedCommand) {
        self.consumed.extend(queued.position());
        if let (CommandSource::Timer(_), Command::TriggerTimer(TriggerTimer { timer, .. })) =
            (&queued.source, &queued.command)
        {
            self.fired.push(Arc::new(timer.clone()));
        }
    }

    /// Nobody hears the rejection of a command that the engine sent itself. That its target is gone is usual: an instance may be
    /// cancelled while something is on its way to it. Anything else is kept for an operator.
    fn note_rejected(&mut self, queued: &QueuedCommand, rejection: &Rejection) {
        let is_internal = match &queued.source {
            CommandSource::Inbox { keeps_result, .. } => !keeps_result,
            CommandSource::Timer(_) | CommandSource::Leases | CommandSource::FollowUp => true,
            _ => false,
        };
        if !is_internal {
            return;
        }
        let (intent, reason) = (queued.command.intent(), rejection.to_string());
        if rejection.code == RejectionCode::NotFound {
            return tracing::debug!(intent, reason, "a command found its target gone");
        }
        tracing::error!(intent, reason, "a command of the engine was rejected and put aside");
        if fires_again(queued) {
            return;
        }
        self.dead_letters.push(dead_letter(queued, reason));
    }

    /// Answers a retry as the first request was answered.
    pub(crate) fn repeat(&mut self, queued: QueuedCommand, remembered: Remembered) {
        self.consumed.extend(queued.position());
        let answer = match remembered {
            Remembered::Now(answer) => answer,
            Remembered::Later(number) => {
                return self.executed.push(Executed { queued, answer: Answered::Later(number) });
            }
        };
        let result = answer.clone().map_err(|error| match error {
            CommandError::Rejected(rejection) => rejection,
            other => Rejection::invalid_argument(other.to_string()),
        });
        self.results.extend(result_of(&queued, &result));
        self.executed.push(Executed { queued, answer: Answered::Again(answer) });
    }

    /// A command that cannot be run is answered, and kept where somebody can look at it and run it again.
    pub(crate) fn put_aside(&mut self, queued: QueuedCommand, reason: String) {
        let told = reason.clone();
        self.put_aside_telling(queued, reason, told);
    }

    /// As `put_aside`, where the caller must not learn the whole reason.
    pub(crate) fn put_aside_telling(&mut self, queued: QueuedCommand, reason: String, told: String) {
        tracing::error!(intent = queued.command.intent(), reason, "a command was put aside");
        self.note_done(&queued);
        self.put_aside += 1;
        let is_durable = !queued.has_caller() && !matches!(queued.source, CommandSource::Poller(_));
        if is_durable && !fires_again(&queued) {
            self.dead_letters.push(dead_letter(&queued, reason));
        }
        let rejection = Rejection::new(RejectionCode::ProcessingError, told);
        let answer = Answered::Now(Err(CommandError::Rejected(rejection)));
        self.executed.push(Executed { queued, answer });
    }

    /// All commands were put aside: apart from letters there is nothing that the store could refuse.
    pub(crate) fn has_only_letters(&self) -> bool {
        self.put_aside == self.executed.len()
    }

    /// Takes out the letters for entries of the inbox that could not even be unpacked.
    pub(crate) fn take_letters_of_entries(&mut self) -> Vec<DeadLetter> {
        let run: BTreeSet<Position> = self.executed.iter().filter_map(|one| one.queued.position()).collect();
        let is_of_command =
            |letter: &DeadLetter| letter.position.is_none_or(|position| run.contains(&position));
        let (of_commands, of_entries) = take(&mut self.dead_letters).into_iter().partition(is_of_command);
        self.dead_letters = of_commands;
        of_entries
    }

    /// The commit takes these letters in exchange for their entries.
    pub(crate) fn add_letters_of_entries(&mut self, letters: Vec<DeadLetter>) {
        self.consumed.extend(letters.iter().filter_map(|letter| letter.position));
        self.dead_letters.extend(letters);
    }

    /// Follow-ups that have not run go to the inbox with this batch.
    pub(crate) fn postpone_follow_ups(&mut self, here: PartitionId, box_order: &mut BoxOrder) {
        self.follow_ups.iter().for_each(|queued| box_order.postponed(&queued.command));
        let left =
            self.follow_ups.drain(..).map(|queued| FollowUp { partition: here, command: queued.command });
        self.outgoing.extend(left);
    }
}

/// The timer was due when it was created. It is written with the batch now, so the due queue fires it: if it fails once more, it
/// is put aside then.
fn fires_again(queued: &QueuedCommand) -> bool {
    let is_stored = !matches!(queued.source, CommandSource::Timer(_));
    is_stored && matches!(&queued.command, Command::TriggerTimer(trigger) if !trigger.was_put_aside)
}

/// The command travels with its idempotency key. Its client may send it again before an operator runs the letter, and it must not take
/// effect twice.
fn dead_letter(queued: &QueuedCommand, reason: String) -> DeadLetter {
    let keeps_result = matches!(queued.source, CommandSource::Inbox { keeps_result: true, .. });
    let envelope =
        Envelope { keeps_result, idempotency: queued.key(), ..Envelope::internal(again(&queued.command)) };
    letter(queued.position(), envelope.pack(), &reason)
}

/// The command as it can be run again: a timer is no longer stored by then.
fn again(command: &Command) -> Command {
    let mut command = command.clone();
    if let Command::TriggerTimer(trigger) = &mut command {
        trigger.was_put_aside = true;
    }
    command
}

/// For whoever asks later, where somebody may.
fn result_of(queued: &QueuedCommand, result: &CommandResult) -> Option<StoredResult> {
    match &queued.source {
        CommandSource::Inbox { position, keeps_result: true, .. } => {
            let answer = pack(queued.intent(), Some(result.clone()), None);
            Some(StoredResult { position: *position, answer })
        }
        _ => None,
    }
}
