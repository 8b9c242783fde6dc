//! Running commands: what is missing is loaded, a panic is contained.

use super::backlog::{self, Line};
use super::request::Poller;
use super::settle::Step;
use super::take::{Source, Work};
use super::{KEYS_LEFT_MIN, Partition};
use crate::broker::CommandError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use tidemill_engine::{Outcome, Reply, process, recover};
use tidemill_model::{Answer, Command, Rejection, Text};
use tidemill_store::DeadLetter;

/// Rounds of loading that one command may need before it is given up.
const LOADS_PER_COMMAND_MAX: usize = 10_000;
/// Rounds of loading for all commands of a turn together.
const PREFETCH_ROUNDS: usize = 4;
/// What follows from a command goes on in the same batch until both have taken so much work together; the rest goes to
/// the inbox.
const FOLLOW_UP_WORK_MAX: u64 = 500_000;
/// A round of loading for one command holds up the others as this much work does.
const WORK_PER_LOAD: u64 = 20_000;
/// Bytes that a row takes, apart from large values.
const ROW_BYTES: usize = 512;

/// A command that was run, and what its sender gets after the commit.
pub(super) struct Executed {
    pub(super) work: Work,
    pub(super) answer: Answered,
}

pub(super) enum Answered {
    Now(std::result::Result<Answer, CommandError>),
    /// The answer comes with another command.
    Later(u64),
}

/// A command and what has followed from it in the same batch.
#[derive(Default)]
struct Chain {
    /// Who pays for it.
    line: Option<Line>,
    /// The work of the batch when it began.
    work_before: u64,
}

/// How a command went.
enum Went {
    Through(Box<Outcome>),
    /// It cannot be run; nothing of it counts.
    Wrong(String),
}

impl Partition {
    /// Runs what waits; after a failure, what has not been run still waits.
    pub(super) async fn execute_queue(&mut self) -> Step<()> {
        if self.open.queue.is_empty() {
            return Ok(());
        }
        let mut left = usize::MAX;
        let mut _nobody_is_on_trial = None;
        if self.suspects.is_cautious() {
            left = self.begin_cautiously().await?;
        } else {
            _nobody_is_on_trial = Some(self.trial.clone().read_owned().await);
        }
        if self.working.keys_left() < KEYS_LEFT_MIN {
            self.reserve_keys(KEYS_LEFT_MIN).await?;
        }
        self.follow_definitions();
        self.prefetch().await?;
        self.recall_answers().await?;
        let is_alone = self.alone > 0;
        let mut chain = Chain::default();
        while let Some(work) = self.next_work(&mut left) {
            if !matches!(work.source, Source::FollowUp) {
                chain = Chain { line: backlog::line_of_client(&work), work_before: self.open.work };
            }
            if let Some(answer) = self.remembered(&work) {
                self.repeat(work, answer);
            } else {
                let first_key = self.working.next_key();
                match self.run_command(&work.command).await {
                    Ok(Went::Through(outcome)) => {
                        let bytes = self.bytes_of(&work.command, first_key);
                        self.open.bytes += bytes;
                        self.went_through(work, *outcome, &chain);
                    }
                    Ok(Went::Wrong(reason)) => self.put_aside(work, reason),
                    Err(halt) => {
                        self.put_back(work, is_alone);
                        return Err(halt);
                    }
                }
            }
            if !self.open.follow_ups.is_empty() {
                continue;
            }
            if let Some(line) = chain.line.take() {
                self.backlog.charge(line, self.open.work - chain.work_before);
            }
            if is_alone {
                break;
            }
            if self.open.is_full() {
                if !self.suspects.is_cautious() && self.alone == 0 {
                    self.leave_rest();
                }
                break;
            }
        }
        Ok(())
    }

    /// What a command adds to its batch: itself, as the log keeps it, the values that it has written, however small the
    /// command was, and about a row for each key that it has used.
    fn bytes_of(&mut self, command: &Command, first_key: u64) -> usize {
        let rows = self.working.next_key().saturating_sub(first_key);
        tidemill_store::packed_len(command) + self.working.take_value_bytes() + rows as usize * ROW_BYTES
    }

    /// What follows from a command runs before the next one.
    fn next_work(&mut self, left: &mut usize) -> Option<Work> {
        if let Some(follow_up) = self.open.follow_ups.pop_front() {
            return Some(follow_up);
        }
        *left = left.checked_sub(1)?;
        let work = self.open.queue.pop_front()?;
        self.alone = self.alone.saturating_sub(1);
        Some(work)
    }

    fn put_back(&mut self, work: Work, is_alone: bool) {
        if !matches!(work.source, Source::FollowUp) {
            self.open.queue.push_front(work);
            self.alone += usize::from(is_alone);
        }
    }

    fn went_through(&mut self, work: Work, outcome: Outcome, chain: &Chain) {
        self.open.work = self.open.work.saturating_add(outcome.work);
        let goes_on = self.open.work - chain.work_before < FOLLOW_UP_WORK_MAX;
        self.open.ended.extend(outcome.ended);
        self.open.replies.extend(outcome.replies);
        for deletion in outcome.deletions {
            self.open.bytes += deletion.rows * ROW_BYTES;
            self.open.deletions.push(deletion.instance);
        }
        for follow_up in outcome.follow_ups {
            // A deletion goes on when the store can tell what is left, which is after this batch.
            let is_for_later = matches!(follow_up.command, Command::DeleteRemains(_));
            let has_room = goes_on && !self.open.is_full();
            if follow_up.partition == self.id && !is_for_later && has_room {
                let work = Work { command: follow_up.command, source: Source::FollowUp };
                self.open.follow_ups.push_back(work);
            } else {
                self.open.bytes += tidemill_store::packed_len(&follow_up.command);
                self.open.outgoing.push(follow_up);
            }
        }
        self.keep(work, outcome.reply);
    }

    /// Asks for what the commands will surely miss: their instances, boxes and processes in one round trip, and what they
    /// touch of large instances in a few others.
    async fn prefetch(&mut self) -> Step<()> {
        for _ in 0..PREFETCH_ROUNDS {
            let mut needs = Vec::new();
            for work in &self.open.queue {
                self.working.add_first_needs(&work.command, &mut needs);
            }
            let mut seen = std::collections::HashSet::new();
            needs.retain(|need| seen.insert(need.clone()));
            if needs.is_empty() {
                break;
            }
            self.supply(needs).await?;
        }
        Ok(())
    }

    async fn run_command(&mut self, command: &Command) -> Step<Went> {
        for _ in 0..LOADS_PER_COMMAND_MAX {
            self.look_at_clock();
            let now = self.now;
            let working = &mut self.working;
            let ran = catch_unwind(AssertUnwindSafe(|| {
                #[cfg(debug_assertions)]
                super::faults::strike(command);
                process(working, command, now)
            }));
            match ran {
                Ok(Ok(outcome)) => return Ok(Went::Through(Box::new(outcome))),
                Ok(Err(missing)) => {
                    self.open.work = self.open.work.saturating_add(WORK_PER_LOAD);
                    self.supply(missing.0).await?;
                }
                Err(panic) => {
                    recover(&mut self.working);
                    return Ok(Went::Wrong(format!("the command panicked: {}", panic_text(&*panic))));
                }
            }
        }
        Ok(Went::Wrong("the command asks for the same thing again and again".to_owned()))
    }

    /// A command that cannot be run is answered, and kept where somebody can look at it and run it again.
    pub(super) fn put_aside(&mut self, work: Work, reason: String) {
        self.put_aside_telling(work, reason.clone(), reason);
    }

    /// The same, where its sender gets to know less of the reason than operators do.
    pub(super) fn put_aside_telling(&mut self, work: Work, reason: String, told: String) {
        tracing::error!(partition = %self.id, intent = work.command.intent(), reason, "a command was put aside");
        let position = position(&work);
        self.open.consumed.extend(position);
        if let Source::Timer(position) = &work.source {
            self.open.fired.push(*position);
        }
        let is_durable =
            !matches!(work.source, Source::Client { .. } | Source::Awaiting { .. } | Source::Poller(_));
        if is_durable {
            let payload = super::inbox::Envelope::internal(again(&work.command)).pack();
            self.open.dead_letters.push(DeadLetter { position, payload, reason });
        }
        let rejection = Rejection::new(tidemill_model::RejectionCode::ProcessingError, told);
        self.open
            .executed
            .push(Executed { work, answer: Answered::Now(Err(CommandError::Rejected(rejection))) });
    }

    /// Workers that wait get the jobs that this batch has made, without a commit of their own.
    pub(super) async fn serve_pollers(&mut self) -> Step<()> {
        for job_type in self.pollers.types(self.turns_shared) {
            let mut unserved = Vec::new();
            let served = self.serve_type(&job_type, &mut unserved).await;
            for poller in unserved.into_iter().rev() {
                self.pollers.put_back(poller);
            }
            served?;
        }
        self.pollers.tell_watchers(|job_type| self.working.has_waiting_jobs(job_type));
        self.pollers_are_left = self.open.has_handed_out_enough();
        if !self.pollers_are_left {
            self.pollers.end_waits(Instant::now());
        }
        Ok(())
    }

    /// Not every job is for every worker: who gets nothing does not hold up those behind.
    async fn serve_type(&mut self, job_type: &Text, unserved: &mut Vec<Poller>) -> Step<()> {
        while self.working.has_waiting_jobs(job_type) && !self.open.has_handed_out_enough() {
            let Some(poller) = self.pollers.next(job_type) else { break };
            if !poller.claim.take() {
                // Another partition is about to serve it, or to find that it cannot.
                unserved.push(poller);
                continue;
            }
            let command = Command::ActivateJobs(poller.command.clone());
            match self.run_command(&command).await {
                Ok(Went::Through(outcome)) => match outcome.reply {
                    Reply::Now(Answer::Activated(jobs)) if !jobs.is_empty() => {
                        let bytes = jobs.iter().map(|job| job.variables.as_str().len());
                        self.open.handed_out_bytes += bytes.sum::<usize>();
                        let work = Work { command, source: Source::Poller(poller) };
                        let answer = Answered::Now(Ok(Answer::Activated(jobs)));
                        self.open.executed.push(Executed { work, answer });
                    }
                    _ => {
                        poller.claim.give_back();
                        unserved.push(poller);
                    }
                },
                Ok(Went::Wrong(reason)) => {
                    let work = Work { command, source: Source::Poller(poller) };
                    self.put_aside(work, reason);
                }
                Err(halt) => {
                    poller.claim.give_back();
                    unserved.push(poller);
                    return Err(halt);
                }
            }
        }
        Ok(())
    }
}

/// The command as it can be run again: a timer is no longer stored by then.
fn again(command: &Command) -> Command {
    let mut command = command.clone();
    if let Command::TriggerTimer(trigger) = &mut command {
        trigger.was_put_aside = true;
    }
    command
}

pub(super) fn position(work: &Work) -> Option<tidemill_store::Position> {
    match &work.source {
        Source::Inbox { position, .. } => Some(*position),
        _ => None,
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
