//! The callers that wait for an answer, and what they were told.

use super::Bench;
use std::collections::{BTreeMap, BTreeSet};
use tidemill_model::{ActivatedJob, Answer};
use tidemill_partition::{AwaitedEnd, CallId, Callers, CommandError, Effect};

/// The knowledge of the test about one caller.
#[derive(Default)]
pub struct Worker {
    /// It may wait at several partitions, so that it has to be claimed.
    pub is_worker: bool,
    pub is_claimed: bool,
    /// Another partition has claimed it.
    pub is_served_elsewhere: bool,
    /// Final answers; more than one is an error.
    pub answers: usize,
    pub has_left: bool,
}

#[derive(Default)]
pub struct Table {
    calls: BTreeMap<CallId, Worker>,
    /// Callers of owners that are gone.
    gone: BTreeSet<CallId>,
}

impl Table {
    pub(super) fn add(&mut self, call: CallId, is_worker: bool) {
        self.calls.insert(call, Worker { is_worker, ..Worker::default() });
    }

    pub fn of(&mut self, call: CallId) -> &mut Worker {
        self.calls.get_mut(&call).expect("the call was made")
    }

    pub(super) fn leave_all(&mut self) {
        let unanswered = self.calls.iter().filter(|(_, worker)| worker.answers == 0);
        self.gone.extend(unanswered.map(|(call, _)| *call));
    }

    /// Those that were neither answered nor dropped with their partition.
    pub fn unanswered(&self) -> Vec<CallId> {
        let open = |(call, worker): &(&CallId, &Worker)| worker.answers == 0 && !self.gone.contains(call);
        self.calls.iter().filter(open).map(|(call, _)| *call).collect()
    }

    pub(super) fn note(&mut self, effect: &Effect) {
        let call = match effect {
            Effect::Answer { call, .. }
            | Effect::Ended { call, .. }
            | Effect::Jobs { call, .. }
            | Effect::JobsMayBeThere { call, .. } => *call,
            _ => return,
        };
        assert!(!self.gone.contains(&call), "{call:?} was dropped with its partition, but gets {effect:?}");
        let worker = self.of(call);
        worker.answers += 1;
        assert_eq!(worker.answers, 1, "a second answer: {effect:?}");
        if let Effect::Jobs { result: Ok(jobs), .. } = effect
            && !jobs.is_empty()
        {
            assert!(worker.is_claimed, "jobs for a worker that nobody has claimed: {effect:?}");
        }
    }
}

impl Callers for Table {
    fn is_waiting(&self, call: CallId) -> bool {
        self.calls.get(&call).is_some_and(|worker| worker.answers == 0 && !worker.has_left)
    }

    fn claim(&mut self, call: CallId) -> bool {
        let worker = self.of(call);
        worker.is_claimed = worker.is_worker && !worker.is_served_elsewhere;
        worker.is_claimed
    }

    fn release(&mut self, call: CallId) {
        self.of(call).is_claimed = false;
    }
}

impl Bench {
    /// The answer to a command, if there is one.
    pub fn answer(&self, call: CallId) -> Option<&Result<Answer, CommandError>> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Answer { call: told, result } if *told == call => Some(result),
            _ => None,
        })
    }

    #[track_caller]
    pub fn answered(&self, call: CallId) -> Answer {
        match self.answer(call) {
            Some(Ok(answer)) => answer.clone(),
            other => panic!("expected an answer to {call:?}, but there is {other:?}"),
        }
    }

    #[track_caller]
    pub fn refused(&self, call: CallId) -> CommandError {
        match self.answer(call) {
            Some(Err(error)) => error.clone(),
            other => panic!("expected a refusal of {call:?}, but there is {other:?}"),
        }
    }

    /// The answer to a caller that waits for the end of an instance.
    pub fn end(&self, call: CallId) -> Option<&Result<AwaitedEnd, CommandError>> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Ended { call: told, result } if *told == call => Some(result),
            _ => None,
        })
    }

    pub fn has_ended(&self, call: CallId) -> bool {
        matches!(self.end(call), Some(Ok(AwaitedEnd::Ended(_))))
    }

    /// The jobs that a worker got.
    pub fn jobs(&self, call: CallId) -> Option<&Result<Vec<ActivatedJob>, CommandError>> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Jobs { call: told, result } if *told == call => Some(result),
            _ => None,
        })
    }

    pub fn job_count(&self, call: CallId) -> Option<usize> {
        self.jobs(call).map(|jobs| jobs.as_ref().map_or(0, Vec::len))
    }

    pub fn was_noted(&self, call: CallId) -> bool {
        self.effects.iter().any(|effect| matches!(effect, Effect::Noted { call: told } if *told == call))
    }
}
