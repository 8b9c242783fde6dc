//! What leaves the loop after a commit: answers, jobs for workers, news for those who wait.

use super::Partition;
use super::execute::{Answered, Executed};
use super::request::{AwaitedEnd, Waiter};
use super::take::{Source, Work};
use super::turn::Turn;
use crate::broker::{CommandError, EndedInstance};
use std::collections::BTreeSet;
use tidemill_engine::InstanceEnd;
use tidemill_model::Answer;

/// Instances whose end somebody waits for, before those are looked for who have given up.
pub(super) const WAITERS_BEFORE_CLEANING: usize = 10_000;
/// Instances whose end may be waited for at the same time; who comes after that is turned away.
const WAITERS_MAX: usize = 100_000;
/// Requests that may wait for the end of one instance.
const WAITERS_PER_INSTANCE_MAX: usize = 1_000;

impl Partition {
    pub(super) fn take_effect(&mut self, turn: Turn) {
        for Executed { work, answer } in turn.executed {
            self.answer(work, answer, &turn.ended);
        }
        for (token, result) in turn.replies {
            if let Some(late) = self.later.remove(&token.number) {
                late.tell(&result);
            }
        }
        for end in &turn.ended {
            for waiter in self.waiters.remove(&end.instance).unwrap_or_default() {
                tell(waiter, end);
            }
        }
    }

    fn answer(&mut self, work: Work, answer: Answered, ended: &[InstanceEnd]) {
        if let Answered::Later(number) = answer {
            self.later.entry(number).or_default().add(work);
            return;
        }
        match (work.source, answer) {
            (Source::Client { reply, .. }, Answered::Now(result)) => {
                let _ = reply.send(result);
            }
            (Source::Awaiting { reply, .. }, Answered::Now(Ok(Answer::Created(created)))) => {
                let _ = reply.created.set(created.instance);
                let waiter = Waiter { created, reply };
                match ended.iter().find(|end| end.instance == waiter.created.instance) {
                    Some(end) => tell(waiter, end),
                    None => self.await_end(waiter),
                }
            }
            (Source::Awaiting { reply, .. }, Answered::Now(Err(error))) => {
                let _ = reply.ended.send(Err(error));
            }
            (Source::Awaiting { reply, .. }, _) => {
                let _ =
                    reply.ended.send(Err(CommandError::Internal("a create gave another answer".to_owned())));
            }
            (Source::Poller(poller), Answered::Now(Ok(Answer::Activated(jobs)))) => {
                let _ = poller.reply.send(Ok(jobs));
            }
            (Source::Poller(poller), Answered::Now(Err(error))) => {
                let _ = poller.reply.send(Err(error));
            }
            _ => {}
        }
    }

    /// From now on nobody is kept waiting.
    pub(super) fn end_awaits(&mut self) {
        self.ends_awaits = true;
        for waiter in std::mem::take(&mut self.waiters).into_values().flatten() {
            let _ = waiter.reply.ended.send(Err(CommandError::NotEnded(waiter.created.instance)));
        }
    }

    /// Those who have given up are forgotten on the way.
    pub(super) fn await_end(&mut self, waiter: Waiter) {
        if self.ends_awaits {
            let _ = waiter.reply.ended.send(Err(CommandError::NotEnded(waiter.created.instance)));
            return;
        }
        if self.waiters.len() >= self.waiters_before_cleaning {
            self.waiters.retain(|_, waiting| {
                waiting.retain(|waiter| !waiter.reply.ended.is_closed());
                !waiting.is_empty()
            });
            // As much again may come before they are all looked at the next time.
            self.waiters_before_cleaning = WAITERS_BEFORE_CLEANING.max(self.waiters.len() * 2);
        }
        let is_full = self.waiters.len() >= WAITERS_MAX;
        let waiting = self.waiters.entry(waiter.created.instance).or_default();
        waiting.retain(|waiter| !waiter.reply.ended.is_closed());
        if is_full || waiting.len() >= WAITERS_PER_INSTANCE_MAX {
            let reason = match is_full {
                true => format!("the ends of {WAITERS_MAX} instances are waited for already"),
                false => {
                    format!("{WAITERS_PER_INSTANCE_MAX} requests wait for the end of the instance already")
                }
            };
            let _ = waiter.reply.ended.send(Err(CommandError::overloaded(reason)));
            return;
        }
        waiting.push(waiter);
    }

    /// For a batch that was written although its commit failed to say so: a commit that succeeds has woken them itself.
    pub(super) fn wake_others(&self, turn: &Turn) {
        let partitions: BTreeSet<_> = turn.outgoing.iter().map(|follow_up| follow_up.partition).collect();
        for partition in partitions.into_iter().filter(|partition| *partition != self.id) {
            let store = self.store.clone();
            tokio::spawn(async move { store.wake(partition).await });
        }
    }
}

fn tell(waiter: Waiter, end: &InstanceEnd) {
    let ended = EndedInstance { created: waiter.created, is_completed: end.is_completed };
    let _ = waiter.reply.ended.send(Ok(AwaitedEnd::Ended(ended)));
}
