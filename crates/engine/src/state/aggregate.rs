//! The aggregate that a command belongs to, found without running the command.

use super::Working;
use tidemill_model::entity::{ElementInstance, Incident, Job, ProcessInstance, TimerPurpose, UserTask};
use tidemill_model::{Command, ProcessInstanceKey, TenantId, Text};

/// Commands of different aggregates may run in any order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Aggregate {
    Instance(ProcessInstanceKey),
    /// Some instance; which one is not in memory.
    UnknownInstance,
    /// Messages and subscriptions of a correlation key.
    Correlation(TenantId, Text),
    /// An instance that does not exist yet.
    NewInstance,
    /// Everything, or what cannot be told apart from it.
    Everything,
}

impl Working {
    /// Commands that cannot be told apart from others count as `Everything`: they wait for all others and all others wait for them, which is
    /// slow but never wrong.
    pub fn aggregate(&self, command: &Command) -> Aggregate {
        // Only what is in memory counts: this is asked before a command runs, and a read for it would cost a
        // round trip that the command itself makes anyway.
        let job = |key| self.get::<Job>(key).map(|job| job.origin.instance);
        let task = |key| self.get::<UserTask>(key).map(|task| task.origin.instance);
        let instance = match command {
            // A create waits for nobody, because no command can be about an instance whose key nobody knows yet.
            Command::CreateInstance(_) => return Aggregate::NewInstance,
            Command::PublishMessage(c) => return correlation(&c.tenant, &c.correlation_key),
            Command::CorrelateMessage(c) => return correlation(&c.tenant, &c.correlation_key),
            Command::OpenBoxSubscription(c) => {
                return correlation(&c.subscription.tenant, &c.subscription.correlation_key);
            }
            Command::CloseBoxSubscription(c) => return correlation(&c.tenant, &c.correlation_key),
            Command::AnswerCorrelation(c) => return correlation(&c.tenant, &c.correlation_key),
            Command::ReleaseStartLock(c) => return correlation(&c.tenant, &c.correlation_key),
            Command::AssignBusinessId(c) => Some(c.instance),
            Command::CancelInstance(c) => Some(c.instance),
            Command::DeleteInstance(c) => Some(c.instance),
            Command::DeleteRemains(c) => Some(c.instance),
            Command::Continue(c) => Some(c.instance),
            Command::CorrelateSubscription(c) => Some(c.instance),
            Command::CompleteJob(c) => job(c.job),
            Command::FailJob(c) => job(c.job),
            Command::ThrowJobError(c) => job(c.job),
            Command::UpdateJob(c) => job(c.job),
            Command::AssignUserTask(c) => task(c.task),
            Command::UpdateUserTask(c) => task(c.task),
            Command::CompleteUserTask(c) => task(c.task),
            Command::ResolveIncident(c) => {
                self.get::<Incident>(c.incident).map(|incident| incident.origin.instance)
            }
            Command::SetVariables(c) => {
                // The scope of an instance has the key of the instance.
                let whole = ProcessInstanceKey(c.scope.0);
                match self.get::<ProcessInstance>(whole) {
                    Some(_) => Some(whole),
                    None => self.get::<ElementInstance>(c.scope).map(|element| element.origin.instance),
                }
            }
            // The timer carries its instance, so this needs no row in memory.
            Command::TriggerTimer(c) => match &c.timer.purpose {
                TimerPurpose::Catch { origin, .. } => Some(origin.instance),
                TimerPurpose::MessageExpiry { tenant, correlation_key, .. } => {
                    return correlation(tenant, correlation_key);
                }
                _ => return Aggregate::Everything,
            },
            _ => return Aggregate::Everything,
        };
        instance.map_or(Aggregate::UnknownInstance, Aggregate::Instance)
    }
}

fn correlation(tenant: &TenantId, key: &Text) -> Aggregate {
    Aggregate::Correlation(tenant.clone(), key.clone())
}
