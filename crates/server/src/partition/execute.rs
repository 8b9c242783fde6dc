//! Running commands: what is missing is loaded, a panic is contained.

use super::Partition;
use super::answers::remembered;
use super::request::Poller;
use super::take::{Source, Work};
use super::turn::Turn;
use crate::broker::CommandError;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use tidemill_engine::{Outcome, Reply, process, recover};
use tidemill_model::{Answer, Command, Rejection};
use tidemill_store::{DeadLetter, Result};

/// Rounds of loading that one command may need before it is given up.
const LOADS_PER_COMMAND_MAX: usize = 10_000;
/// Work that follows from commands goes on in the same batch for so long; the rest goes to the inbox.
const FOLLOW_UP_TIME_MAX: Duration = Duration::from_millis(10);

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

/// How a command went.
enum Went {
    Through(Box<Outcome>),
    /// It cannot be run; nothing of it counts.
    Wrong(String),
}

impl Partition {
    pub(super) async fn execute_all(&mut self, turn: &mut Turn, works: Vec<Work>) -> Result<()> {
        self.prefetch(&works).await?;
        let mut known = self.known_answers(&works).await?;
        let mut queue: VecDeque<Work> = works.into();
        let began = Instant::now();
        let mut follow_ups: VecDeque<Work> = VecDeque::new();
        while let Some(work) = follow_ups.pop_front().or_else(|| queue.pop_front()) {
            if let Some(answer) = remembered(&work, &known) {
                self.repeat(turn, work, answer).await?;
                continue;
            }
            let outcome = match self.run_command(&work.command).await? {
                Went::Through(outcome) => *outcome,
                Went::Wrong(reason) => {
                    self.put_aside(turn, work, reason);
                    continue;
                }
            };
            turn.ended.extend(outcome.ended);
            turn.replies.extend(outcome.replies);
            for follow_up in outcome.follow_ups {
                if follow_up.partition == self.id && began.elapsed() < FOLLOW_UP_TIME_MAX {
                    follow_ups.push_back(Work { command: follow_up.command, source: Source::FollowUp });
                } else {
                    turn.outgoing.push(follow_up);
                }
            }
            self.keep(turn, work, outcome.reply, &mut known);
        }
        Ok(())
    }

    /// Asks for what the commands will surely miss, in one round trip.
    async fn prefetch(&mut self, works: &[Work]) -> Result<()> {
        let mut needs: Vec<_> =
            works.iter().filter_map(|work| self.working.first_need(&work.command)).collect();
        let mut seen = std::collections::HashSet::new();
        needs.retain(|need| seen.insert(need.clone()));
        if needs.is_empty() { Ok(()) } else { self.supply(needs).await }
    }

    async fn run_command(&mut self, command: &Command) -> Result<Went> {
        for _ in 0..LOADS_PER_COMMAND_MAX {
            let now = self.now;
            let working = &mut self.working;
            let ran = catch_unwind(AssertUnwindSafe(|| {
                #[cfg(debug_assertions)]
                super::faults::strike(command);
                process(working, command, now)
            }));
            match ran {
                Ok(Ok(outcome)) => return Ok(Went::Through(Box::new(outcome))),
                Ok(Err(missing)) => self.supply(missing.0).await?,
                Err(panic) => {
                    recover(&mut self.working);
                    return Ok(Went::Wrong(format!("the command panicked: {}", panic_text(&*panic))));
                }
            }
        }
        Ok(Went::Wrong("the command asks for the same thing again and again".to_owned()))
    }

    /// A command that cannot be run is answered, and kept where somebody can look at it and run it again.
    pub(super) fn put_aside(&self, turn: &mut Turn, work: Work, reason: String) {
        tracing::error!(partition = %self.id, intent = work.command.intent(), reason, "a command was put aside");
        let position = position(&work);
        turn.consumed.extend(position);
        if let Source::Timer(position) = &work.source {
            turn.fired.push(*position);
        }
        let is_durable =
            !matches!(work.source, Source::Client { .. } | Source::Awaiting { .. } | Source::Poller(_));
        if is_durable {
            let payload = super::inbox::Envelope::internal(work.command.clone()).pack();
            turn.dead_letters.push(DeadLetter { position, payload, reason: reason.clone() });
        }
        let rejection = Rejection::new(tidemill_model::RejectionCode::ProcessingError, reason);
        turn.executed.push(Executed { work, answer: Answered::Now(Err(CommandError::Rejected(rejection))) });
    }

    /// Workers that wait get the jobs that this batch has made, without a commit of their own.
    pub(super) async fn serve_pollers(&mut self, turn: &mut Turn) -> Result<()> {
        for job_type in self.pollers.types() {
            while self.working.has_waiting_jobs(&job_type) {
                let Some(poller) = self.pollers.next(&job_type) else { break };
                if !poller.claim.take() {
                    continue;
                }
                let command = Command::ActivateJobs(poller.command.clone());
                match self.run_command(&command).await? {
                    Went::Through(outcome) => match outcome.reply {
                        Reply::Now(Answer::Activated(jobs)) if !jobs.is_empty() => {
                            let work = Work { command, source: Source::Poller(poller) };
                            let answer = Answered::Now(Ok(Answer::Activated(jobs)));
                            turn.executed.push(Executed { work, answer });
                        }
                        _ => {
                            self.wait_on(poller);
                            break;
                        }
                    },
                    Went::Wrong(reason) => {
                        let work = Work { command, source: Source::Poller(poller) };
                        self.put_aside(turn, work, reason);
                    }
                }
            }
        }
        self.pollers.end_waits(Instant::now());
        Ok(())
    }

    fn wait_on(&mut self, poller: Poller) {
        poller.claim.give_back();
        self.pollers.put_back(poller);
    }
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
