//! The commands of the engine: from outside, from other aggregates, from timers.

mod deployment;
mod instance;
mod internal;
mod job;
mod message;
mod user_task;

pub use deployment::{DeleteResource, Deploy, ResourceFile};
pub use instance::{
    AssignBusinessId, CancelInstance, CreateInstance, DefinitionRef, DeleteInstance, ResolveIncident,
    SetVariables, StartInstruction,
};
pub use internal::{
    AnswerCorrelation, CloseBoxSubscription, Continue, CorrelateSubscription, DeleteRemains, DeliverSignal,
    ExpireLeases, OpenBoxSubscription, ReleaseStartLock, ReplyToken, Step, TriggerTimer,
};
pub use job::{ActivateJobs, CompleteJob, FailJob, ThrowJobError, UpdateJob};
pub use message::{BroadcastSignal, CorrelateMessage, PublishMessage};
pub use user_task::{AssignUserTask, CompleteUserTask, UpdateUserTask, UserTaskChanges};

use crate::{PartitionCount, PartitionId};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub enum Command {
    Deploy(Deploy),
    DeleteResource(DeleteResource),
    CreateInstance(Box<CreateInstance>),
    AssignBusinessId(AssignBusinessId),
    CancelInstance(CancelInstance),
    DeleteInstance(DeleteInstance),
    SetVariables(SetVariables),
    ResolveIncident(ResolveIncident),
    ActivateJobs(ActivateJobs),
    CompleteJob(CompleteJob),
    FailJob(FailJob),
    ThrowJobError(ThrowJobError),
    UpdateJob(UpdateJob),
    AssignUserTask(AssignUserTask),
    UpdateUserTask(UpdateUserTask),
    CompleteUserTask(CompleteUserTask),
    PublishMessage(PublishMessage),
    CorrelateMessage(CorrelateMessage),
    BroadcastSignal(BroadcastSignal),

    Continue(Continue),
    DeleteRemains(DeleteRemains),
    TriggerTimer(TriggerTimer),
    ExpireLeases(ExpireLeases),
    OpenBoxSubscription(OpenBoxSubscription),
    CloseBoxSubscription(CloseBoxSubscription),
    CorrelateSubscription(CorrelateSubscription),
    AnswerCorrelation(AnswerCorrelation),
    ReleaseStartLock(ReleaseStartLock),
    DeliverSignal(DeliverSignal),
}

impl Command {
    /// The word that rejections, logs and metrics use.
    pub fn intent(&self) -> &'static str {
        match self {
            Command::Deploy(_) | Command::CreateInstance(_) => "CREATE",
            Command::DeleteResource(_) | Command::DeleteInstance(_) => "DELETE",
            Command::AssignBusinessId(_) => "ASSIGN",
            Command::CancelInstance(_) => "CANCEL",
            Command::SetVariables(_) | Command::UpdateJob(_) | Command::UpdateUserTask(_) => "UPDATE",
            Command::ResolveIncident(_) => "RESOLVE",
            Command::ActivateJobs(_) => "ACTIVATE",
            Command::CompleteJob(_) | Command::CompleteUserTask(_) => "COMPLETE",
            Command::FailJob(_) => "FAIL",
            Command::ThrowJobError(_) => "THROW_ERROR",
            Command::AssignUserTask(assign) => assign.intent(),
            Command::PublishMessage(_) => "PUBLISH",
            Command::CorrelateMessage(_) => "CORRELATE",
            Command::BroadcastSignal(_) => "BROADCAST",
            Command::Continue(_) => "CONTINUE",
            Command::DeleteRemains(_) => "DELETE_REMAINS",
            Command::TriggerTimer(_) => "TRIGGER",
            Command::ExpireLeases(_) => "TIME_OUT",
            Command::OpenBoxSubscription(_) => "SUBSCRIBE",
            Command::CloseBoxSubscription(_) => "UNSUBSCRIBE",
            Command::CorrelateSubscription(_) => "CORRELATE_SUBSCRIPTION",
            Command::AnswerCorrelation(_) => "ANSWER_CORRELATION",
            Command::ReleaseStartLock(_) => "RELEASE",
            Command::DeliverSignal(_) => "DELIVER",
        }
    }

    /// The partition that must run this command; none where any may (a create, a job activation).
    /// Keys that no partition can have made lead to the first one, which will not find them.
    pub fn partition(&self, count: PartitionCount) -> Option<PartitionId> {
        let of = |partition: Option<PartitionId>| {
            Some(partition.filter(|id| id.0 <= count.0).unwrap_or(PartitionId::FIRST))
        };
        match self {
            Command::Deploy(_) | Command::DeleteResource(_) | Command::BroadcastSignal(_) => {
                Some(PartitionId::FIRST)
            }
            Command::CreateInstance(c) => {
                c.uniqueness_key().map(|key| count.of_correlation_key(&c.tenant, &key))
            }
            Command::ActivateJobs(_) => None,
            Command::AssignBusinessId(c) => of(c.instance.partition()),
            Command::CancelInstance(c) => of(c.instance.partition()),
            Command::DeleteInstance(c) => of(c.instance.partition()),
            Command::SetVariables(c) => of(c.scope.partition()),
            Command::ResolveIncident(c) => of(c.incident.partition()),
            Command::CompleteJob(c) => of(c.job.partition()),
            Command::FailJob(c) => of(c.job.partition()),
            Command::ThrowJobError(c) => of(c.job.partition()),
            Command::UpdateJob(c) => of(c.job.partition()),
            Command::AssignUserTask(c) => of(c.task.partition()),
            Command::UpdateUserTask(c) => of(c.task.partition()),
            Command::CompleteUserTask(c) => of(c.task.partition()),
            Command::PublishMessage(c) => Some(count.of_correlation_key(&c.tenant, &c.correlation_key)),
            Command::CorrelateMessage(c) => Some(count.of_correlation_key(&c.tenant, &c.correlation_key)),
            Command::Continue(c) => of(c.instance.partition()),
            Command::DeleteRemains(c) => of(c.instance.partition()),
            Command::TriggerTimer(c) => of(c.timer.key.partition()),
            Command::ExpireLeases(c) => of(c.jobs.first().and_then(|job| job.partition())),
            Command::OpenBoxSubscription(c) => {
                Some(count.of_correlation_key(&c.subscription.tenant, &c.subscription.correlation_key))
            }
            Command::CloseBoxSubscription(c) => Some(count.of_correlation_key(&c.tenant, &c.correlation_key)),
            Command::CorrelateSubscription(c) => of(c.instance.partition()),
            Command::AnswerCorrelation(c) => Some(count.of_correlation_key(&c.tenant, &c.correlation_key)),
            Command::ReleaseStartLock(c) => Some(count.of_correlation_key(&c.tenant, &c.correlation_key)),
            Command::DeliverSignal(c) => Some(c.partition),
        }
    }
}
