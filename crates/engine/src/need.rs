//! What the engine asks for when it misses something, and how the answer reaches it.

use crate::state::BoxName;
use crate::stop::{Stepped, Stop};
use rustc_hash::FxHashSet;
use std::fmt;
use tidemill_model::entity::StartEventKind;
use tidemill_model::{
    DefinitionKey, ElementInstanceKey, Entity, IncidentKey, JobKey, ProcessInstanceKey, ResourceKey,
    SubscriptionKey, TenantId, Text, UserTaskKey,
};

/// One thing that is not in memory. Whoever runs the engine looks it up among the live rows, hands what is
/// there to [`Working::supply`](crate::Working::supply) and runs the command again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Need {
    /// A process instance with everything that belongs to it; of a large one, the instance row alone.
    Instance(ProcessInstanceKey),
    /// An element of a large instance with what belongs to it; of a small one, its whole instance.
    Element(ElementInstanceKey),
    /// The next children of a scope in a large instance, each with what belongs to it.
    Children { scope: ElementInstanceKey, after: Option<ElementInstanceKey> },
    /// The outputs of a multi-instance body in a large instance.
    LoopOutputs(ElementInstanceKey),
    /// The instance of a job.
    Job(JobKey),
    /// The instance of a user task.
    UserTask(UserTaskKey),
    /// The instance of an incident.
    Incident(IncidentKey),
    /// The instance of a message subscription.
    MessageSubscription(SubscriptionKey),
    /// Messages and subscriptions of a box, and the start locks of its correlation key.
    Box(BoxName),
    /// The next subscriptions to a signal.
    Signals { tenant: TenantId, name: Text, after: Option<SubscriptionKey> },
    /// The start events of a message or signal name.
    Starts { tenant: TenantId, kind: StartEventKind, name: Text },
    /// The next waiting jobs of a type: priority descending, then key.
    WaitingJobs { job_type: Text, after: Option<(i32, JobKey)> },
    /// All versions of a process, with the start subscriptions and start timers of the newest.
    Process { tenant: TenantId, process_id: Text },
    /// The definition with this key and its file.
    Definition(DefinitionKey),
    /// All versions of a form.
    Form { tenant: TenantId, form_id: Text },
    /// All versions of another resource.
    Resource { tenant: TenantId, resource_id: Text },
    /// The definition, form or resource with this key.
    ResourceByKey(ResourceKey),
    /// The rows that the store still has of an ended instance. They are supplied with
    /// [`Working::supply_remains`](crate::Working::supply_remains).
    Remains(ProcessInstanceKey),
    /// A block of at least so many keys: reserved with [`Working::reserve_keys`](crate::Working::reserve_keys), not
    /// supplied.
    Keys(u64),
}

impl Need {
    pub(crate) fn box_of(tenant: &TenantId, message_name: &Text, correlation_key: &Text) -> Need {
        Need::Box(BoxName {
            tenant: tenant.clone(),
            message_name: message_name.clone(),
            correlation_key: correlation_key.clone(),
        })
    }

    pub(crate) fn message_starts(tenant: &TenantId, name: &Text) -> Need {
        Need::Starts { tenant: tenant.clone(), kind: StartEventKind::Message, name: name.clone() }
    }
}

/// What was found for a need.
#[derive(Clone, PartialEq, Debug)]
pub struct Supply {
    pub need: Need,
    pub entities: Vec<Entity>,
    /// For instances: everything is here, not only the instance row. For lists: nothing comes after.
    pub is_complete: bool,
}

/// Everything a command missed. It has changed nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing(pub Vec<Need>);

/// Gathers the needs of all items of a list, so that one load brings them. A command runs again after each load, so asking for
/// one item after the other would cost the square of the list's length.
#[derive(Default)]
pub(crate) struct Missed {
    needs: Vec<Need>,
    seen: FxHashSet<Need>,
}

impl Missed {
    /// Gives the value that was found. If it is missing, remembers the need and gives nothing.
    pub(crate) fn unless_missing<T>(&mut self, found: Stepped<T>) -> Stepped<Option<T>> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(Stop::Need(needs)) => {
                for need in needs {
                    if self.seen.insert(need.clone()) {
                        self.needs.push(need);
                    }
                }
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// Stops with everything that is missing.
    pub(crate) fn stop_if_any(self) -> Stepped {
        if self.needs.is_empty() { Ok(()) } else { Err(Stop::Need(self.needs)) }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "needs {:?}", self.0)
    }
}
