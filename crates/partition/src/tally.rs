//! Counts what the core has done, for whoever drives it. Nothing in the core depends on it.

use crate::core::Core;
use crate::open::{Answered, Executed, OpenBatch};
use crate::request::CommandError;
use tidemill_model::{Command, DefinitionKey, Text, Timestamp};

/// The end of a command.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    Done,
    /// It has changed nothing.
    Rejected,
    /// It could not be run, or its answer could not be given.
    Failed,
}

/// The changes that have taken effect since the last call.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    pub commands: Vec<(&'static str, Verdict, u64)>,
    /// How long after their due time timers took effect.
    pub timers_late_ms: Vec<i64>,
}

/// How much waits in the core, told at little cost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Fill {
    /// Commands that wait, run, or are being written.
    pub commands: usize,
    /// Entries of the inbox that were read and are not yet done with.
    pub inbox_entries: usize,
    /// Workers that wait for jobs.
    pub pollers: usize,
    pub timers: usize,
    /// Rows of instances.
    pub rows: usize,
}

impl Core {
    /// Turns counting on or off.
    pub fn keep_tally(&mut self, is_wanted: bool) {
        self.keeps_tally = is_wanted;
    }

    /// The partition's time.
    pub fn now(&self) -> Timestamp {
        self.time.now()
    }

    /// The process of a definition that is in memory.
    pub fn process_id(&self, definition: DefinitionKey) -> Option<Text> {
        self.working.process_id(definition)
    }

    pub fn take_tally(&mut self) -> Tally {
        std::mem::take(&mut self.tally)
    }

    pub fn fill(&self) -> Fill {
        let in_flight = self.in_flight.as_ref().map_or(0, |in_flight| in_flight.batch.executed.len());
        Fill {
            commands: self.queue.len() + self.backlog.len() + self.open.executed.len() + in_flight,
            inbox_entries: self.inbox.in_hand(),
            pollers: self.pollers.len(),
            timers: self.due.timers(),
            rows: self.working.rows(),
        }
    }
}

impl Tally {
    pub(crate) fn add(&mut self, batch: &OpenBatch, now: Timestamp) {
        for Executed { queued, answer } in &batch.executed {
            let verdict = match answer {
                Answered::Now(Err(CommandError::Rejected(_))) => Verdict::Rejected,
                Answered::Now(Err(_)) => Verdict::Failed,
                Answered::Now(Ok(_)) | Answered::Later(_) => Verdict::Done,
                // It has run before.
                Answered::Again(_) => continue,
            };
            self.count(command_name(&queued.command), verdict);
        }
        self.timers_late_ms.extend(batch.fired.iter().map(|timer| (now - timer.due_at).max(0)));
    }

    fn count(&mut self, command: &'static str, verdict: Verdict) {
        // A list is enough, because a batch has few kinds of commands.
        let known = self.commands.iter_mut().find(|(known, was, _)| *known == command && *was == verdict);
        match known {
            Some((_, _, count)) => *count += 1,
            None => self.commands.push((command, verdict, 1)),
        }
    }
}

/// The name of a command in metrics and traces.
pub fn command_name(command: &Command) -> &'static str {
    match command {
        Command::Deploy(_) => "deploy",
        Command::DeleteResource(_) => "delete_resource",
        Command::CreateInstance(_) => "create_instance",
        Command::AssignBusinessId(_) => "assign_business_id",
        Command::CancelInstance(_) => "cancel_instance",
        Command::DeleteInstance(_) => "delete_instance",
        Command::SetVariables(_) => "set_variables",
        Command::ResolveIncident(_) => "resolve_incident",
        Command::ActivateJobs(_) => "activate_jobs",
        Command::CompleteJob(_) => "complete_job",
        Command::FailJob(_) => "fail_job",
        Command::ThrowJobError(_) => "throw_job_error",
        Command::UpdateJob(_) => "update_job",
        Command::AssignUserTask(_) => "assign_user_task",
        Command::UpdateUserTask(_) => "update_user_task",
        Command::CompleteUserTask(_) => "complete_user_task",
        Command::PublishMessage(_) => "publish_message",
        Command::CorrelateMessage(_) => "correlate_message",
        Command::BroadcastSignal(_) => "broadcast_signal",
        Command::Continue(_) => "continue",
        Command::DeleteRemains(_) => "delete_remains",
        Command::TriggerTimer(_) => "trigger_timer",
        Command::ExpireLeases(_) => "expire_leases",
        Command::OpenBoxSubscription(_) => "open_box_subscription",
        Command::CloseBoxSubscription(_) => "close_box_subscription",
        Command::CorrelateSubscription(_) => "correlate_subscription",
        Command::AnswerCorrelation(_) => "answer_correlation",
        Command::ReleaseStartLock(_) => "release_start_lock",
        Command::DeliverSignal(_) => "deliver_signal",
    }
}
