//! One command on its way through the engine: the state it works on, the steps it still has to take, and
//! what it will hand back.

use crate::data::work::Work;
use crate::limits::{
    ELEMENTS_PASSED_MAX, STEPS_BEFORE_MISS_MIN, STEPS_PER_COMMAND_MAX, STEPS_PER_CONTINUE_MAX,
    WORK_PER_COMMAND, WORK_PER_ROW, WORK_PER_STEP,
};
use crate::need::Missing;
use crate::outcome::{Deletion, FollowUp, InstanceEnd, Outcome, Reply};
use crate::state::Working;
use crate::stop::{Stepped, Stop};
use crate::{command, incident, lifecycle, unreadable};
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use tidemill_feel::Environment;
use tidemill_model::command::{Command, Continue, ReplyToken, Step};
use tidemill_model::{
    Answer, ElementInstanceKey, Event, Key, PartitionId, ProcessInstanceKey, Record, Rejection, Timestamp,
};

/// The time of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Now {
    /// The partition's time, which never falls: durations count by it.
    pub time: Timestamp,
    /// The store's clock, which may have been set back: dates have come when it shows them.
    pub clock: Timestamp,
}

impl From<Timestamp> for Now {
    fn from(time: Timestamp) -> Now {
        Now { time, clock: time }
    }
}

/// Runs one command. Either it takes effect as a whole, or it is refused, or it misses something: in the
/// last two cases the working state is as it was.
pub fn process(working: &mut Working, command: &Command, now: impl Into<Now>) -> Result<Outcome, Missing> {
    let now = now.into();
    let mut run = Run::new(working, now);
    let mut result = run.execute(command);
    if matches!(result, Err(Stop::Need(_))) && run.steps_taken > 0 && run.weighs() >= STEPS_BEFORE_MISS_MIN {
        // The same steps again, up to the one that misses something: that one begins the follow-up.
        let steps_max = run.steps_taken;
        run.working.undo();
        run = Run { steps_max, ..Run::new(working, now) };
        result = run.execute(command);
    }
    if let Some(keys) = run.working.keys_wanted() {
        run.working.undo();
        return Err(Missing { keys, ..Missing::default() });
    }
    match result {
        Ok(reply) => {
            run.rows_touched = run.working.rows_touched();
            run.working.keep();
            run.working.note_deletions(&run.deletions);
            run.working.count_evaluations(run.work.evaluations());
            Ok(run.into_outcome(reply))
        }
        Err(Stop::Need(missing)) => {
            run.working.undo();
            Err(missing)
        }
        Err(Stop::Reject(rejection)) => Ok(run.refuse(command, rejection)),
        Err(Stop::Unreadable(definition, rejection)) => {
            run.undo_all();
            let noted = unreadable::note(&mut run, command, definition, &rejection.reason);
            let keys = run.working.keys_wanted();
            if let Some(missing) = keys.map(|keys| Missing { keys, ..Missing::default() }).or(noted.err()) {
                run.working.undo();
                return Err(missing);
            }
            run.rows_touched = run.working.rows_touched();
            run.working.keep();
            Ok(run.refused(command, rejection))
        }
        Err(Stop::Fail(failure)) => {
            let rejection = Rejection::invalid_state(failure.message);
            Ok(run.refuse(command, rejection))
        }
    }
}

/// Puts the state back after a command that panicked.
pub fn recover(working: &mut Working) {
    working.undo();
}

pub(crate) struct Run<'a> {
    pub(crate) working: &'a mut Working,
    pub(crate) now: Timestamp,
    /// See [`Now`].
    pub(crate) clock: Timestamp,
    pub(crate) environment: Environment,
    pub(crate) work: Work,
    pub(crate) steps: VecDeque<Step>,
    /// Steps that went through.
    steps_taken: usize,
    steps_max: usize,
    rows_touched: usize,
    /// Scopes in which an inclusive join may have become ready.
    pub(crate) joins_to_check: Vec<ElementInstanceKey>,
    pub(crate) elements_passed: u32,
    pub(crate) reply_later: Option<ReplyToken>,
    pub(crate) replies: Vec<(ReplyToken, Result<Answer, Rejection>)>,
    follow_ups: Vec<FollowUp>,
    ended: Vec<InstanceEnd>,
    deletions: Vec<Deletion>,
    records: Vec<Record>,
}

impl Deref for Run<'_> {
    type Target = Working;

    fn deref(&self) -> &Working {
        self.working
    }
}

impl DerefMut for Run<'_> {
    fn deref_mut(&mut self) -> &mut Working {
        self.working
    }
}

impl<'a> Run<'a> {
    fn new(working: &'a mut Working, now: Now) -> Run<'a> {
        let Now { time, clock } = now;
        Run {
            working,
            now: time,
            clock,
            environment: Environment::at_millis(time.0),
            work: Work::default(),
            steps: VecDeque::new(),
            steps_taken: 0,
            steps_max: STEPS_PER_COMMAND_MAX,
            rows_touched: 0,
            joins_to_check: Vec::new(),
            elements_passed: 0,
            reply_later: None,
            replies: Vec::new(),
            follow_ups: Vec::new(),
            ended: Vec::new(),
            deletions: Vec::new(),
            records: Vec::new(),
        }
    }

    fn execute(&mut self, command: &Command) -> Stepped<Reply> {
        let answer = command::dispatch(self, command)?;
        self.take_steps()?;
        Ok(match self.reply_later {
            Some(token) => Reply::Later(token),
            None => Reply::Now(answer),
        })
    }

    /// Runs steps until none is left, or until the rest must wait for its turn.
    fn take_steps(&mut self) -> Stepped {
        loop {
            while let Some(step) = self.steps.pop_front() {
                if self.steps_taken == self.steps_max || self.weighs() >= STEPS_PER_COMMAND_MAX {
                    self.steps.push_front(step);
                    return self.postpone_steps();
                }
                self.work.begin_step();
                lifecycle::take(self, step)?;
                self.steps_taken += 1;
            }
            if !lifecycle::check_joins(self)? {
                return Ok(());
            }
        }
    }

    /// The weight of the command so far, in steps: expressions count by the work that they took.
    fn weighs(&self) -> usize {
        self.steps_taken.saturating_add(self.work.steps())
    }

    /// Leaves the rest to follow-ups, each of which carries so many steps at most.
    fn postpone_steps(&mut self) -> Stepped {
        // Joins of scopes that the rest does not touch would not be asked again.
        while lifecycle::check_joins(self)? {}
        let elements_passed = self.elements_passed_of_each(self.steps.len().div_ceil(STEPS_PER_CONTINUE_MAX));
        while !self.steps.is_empty() {
            let count = self.steps.len().min(STEPS_PER_CONTINUE_MAX);
            let steps: Vec<Step> = self.steps.drain(..count).collect();
            let instance = self.instance_of(&steps[0])?;
            self.send_here(Command::Continue(Continue { instance, steps, elements_passed }));
        }
        Ok(())
    }

    /// Follow-ups that go on side by side share the elements that may still be passed: tokens that double without
    /// a wait must not double what is allowed to them.
    fn elements_passed_of_each(&self, follow_ups: usize) -> u32 {
        let left = ELEMENTS_PASSED_MAX.saturating_sub(self.elements_passed);
        match u32::try_from(follow_ups) {
            Ok(0 | 1) => self.elements_passed,
            Ok(count) if left >= count => ELEMENTS_PASSED_MAX - left / count,
            // Nothing is left: each of them is stopped at once.
            _ => ELEMENTS_PASSED_MAX + 1,
        }
    }

    fn instance_of(&self, step: &Step) -> Stepped<ProcessInstanceKey> {
        let scope = match step {
            Step::Activate { scope, .. } | Step::TerminateChildren { scope, .. } => *scope,
            Step::Resume { element }
            | Step::Complete { element }
            | Step::Terminate { element }
            | Step::FinishTermination { element } => *element,
            Step::SpawnChildren { body } => *body,
        };
        Ok(match self.get::<tidemill_model::entity::ElementInstance>(scope) {
            Some(element) => element.origin.instance,
            None => ProcessInstanceKey(scope.0),
        })
    }

    /// Counts an element on a path without waits. It counts when its token sets out, not when that arrives: else a model whose
    /// tokens multiply has many times the allowed number of them on the way when the limit is reached.
    pub(crate) fn count_passed(&mut self) {
        self.elements_passed = self.elements_passed.saturating_add(1);
    }

    /// True when the path has gone on for too long.
    pub(crate) fn has_passed_too_many(&self) -> bool {
        self.elements_passed > ELEMENTS_PASSED_MAX
    }

    pub(crate) fn push(&mut self, step: Step) {
        self.steps.push_back(step);
    }

    /// A step that comes before all others.
    pub(crate) fn push_next(&mut self, step: Step) {
        self.steps.push_front(step);
    }

    /// A command for this partition, after this one.
    pub(crate) fn send_here(&mut self, command: Command) {
        let partition = self.partition;
        self.follow_ups.push(FollowUp { partition, command });
    }

    /// A command for the partition that must run it.
    pub(crate) fn send(&mut self, command: Command) {
        let partition = command.partition(self.partitions).unwrap_or(self.partition);
        self.follow_ups.push(FollowUp { partition, command });
    }

    pub(crate) fn send_to(&mut self, partition: PartitionId, command: Command) {
        self.follow_ups.push(FollowUp { partition, command });
    }

    pub(crate) fn reply_to(&mut self, token: ReplyToken, answer: Result<Answer, Rejection>) {
        self.replies.push((token, answer));
    }

    pub(crate) fn note_end(&mut self, instance: ProcessInstanceKey, is_completed: bool) {
        self.ended.push(InstanceEnd { instance, is_completed });
    }

    /// The commit of this command takes an ended instance out of history.
    pub(crate) fn delete(&mut self, instance: ProcessInstanceKey, rows: usize) {
        self.deletions.push(Deletion { instance, rows });
    }

    /// Notes what happened. The event is built only if somebody wants to know.
    pub(crate) fn record(
        &mut self,
        key: impl Into<Key>,
        instance: Option<ProcessInstanceKey>,
        event: impl FnOnce() -> Event,
    ) {
        if self.working.records_wanted {
            self.records.push(Record { key: key.into(), instance, event: event() });
        }
    }

    /// Runs a step of an element; a failure becomes an incident on it.
    pub(crate) fn attempt(
        &mut self,
        element: ElementInstanceKey,
        step: impl FnOnce(&mut Self) -> Stepped,
    ) -> Stepped {
        match step(self) {
            Err(Stop::Fail(failure)) => incident::raise(self, element, failure, None),
            other => other,
        }
    }

    fn refuse(mut self, command: &Command, rejection: Rejection) -> Outcome {
        self.undo_all();
        self.refused(command, rejection)
    }

    pub(crate) fn undo_all(&mut self) {
        self.working.undo();
        self.records.clear();
        self.follow_ups.clear();
        self.ended.clear();
        self.deletions.clear();
        self.replies.clear();
    }

    fn refused(mut self, command: &Command, rejection: Rejection) -> Outcome {
        self.record(Key(0), None, || Event::Rejected {
            intent: command.intent(),
            rejection: rejection.clone(),
        });
        self.into_outcome(Reply::Rejected(rejection))
    }

    fn into_outcome(self, reply: Reply) -> Outcome {
        let beside = WORK_PER_STEP * self.steps_taken as u64 + WORK_PER_ROW * self.rows_touched as u64;
        let work = self.work.feel_steps().saturating_add(WORK_PER_COMMAND + beside);
        Outcome {
            reply,
            follow_ups: self.follow_ups,
            replies: self.replies,
            ended: self.ended,
            deletions: self.deletions,
            records: self.records,
            changes_rows: self.rows_touched > 0,
            feel_steps: self.work.feel_steps(),
            work,
        }
    }
}
