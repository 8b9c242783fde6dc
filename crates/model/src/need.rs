//! Live rows that a command needs: the engine asks for them when they are not in memory, a store answers.

use crate::entity::{BoxSubscription, Message, StartEventKind};
use crate::{
    DefinitionKey, ElementInstanceKey, EntityKind, JobKey, Key, ProcessInstanceKey, ResourceKey, Stored,
    SubscriptionKey, TenantId, Text,
};

/// One thing that is not in memory. Where it is a list without a key in it, that of the partition which asks is meant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Need {
    /// The instance with all its live entities. Of a large one only its own row and what belongs to its root scope
    /// directly.
    Instance(ProcessInstanceKey),
    /// The whole instance around an element instance. Of a large one, the instance row and the element with what
    /// belongs to it; loop outputs and children have needs of their own.
    Element(ElementInstanceKey),
    /// The instance that an entity of this kind and key belongs to, in the same way: of a large one also the element
    /// that the entity belongs to. Made by [`Need::instance_of`].
    InstanceOf(EntityKind, Key),
    /// The next element instances directly in this scope, by key, each with what belongs to it.
    Children { scope: ElementInstanceKey, after: Option<ElementInstanceKey> },
    /// The output collection of a multi-instance body.
    LoopOutputs(ElementInstanceKey),
    /// Buffered messages with their expiry timers and open subscriptions of a box, and the start locks of its
    /// correlation key.
    MessageBox(BoxName),
    /// The start events that wait for this message or signal.
    Starts { tenant: TenantId, kind: StartEventKind, name: Text },
    /// The next subscriptions to a signal, by key.
    SignalSubscriptions { tenant: TenantId, name: Text, after: Option<SubscriptionKey> },
    /// The next jobs of a type in state `Waiting`, leased ones included, in the order in which they are handed out.
    WaitingJobs { job_type: Text, after: Option<JobPosition> },
    /// All leases: `JobLease` rows, and the jobs that carry a lease themselves.
    Leases,
    /// All versions of a process, deleted ones included, with its start subscriptions and start timers.
    Process { tenant: TenantId, process_id: Text },
    /// The definition with its file.
    Definition(DefinitionKey),
    /// All versions of a form, deleted ones included.
    Form { tenant: TenantId, form_id: Text },
    /// All versions of another resource, deleted ones included.
    Resource { tenant: TenantId, resource_id: Text },
    /// The definition, form or resource with this key.
    ResourceByKey(ResourceKey),
}

impl Need {
    /// The instance of a job, a user task, an incident or whatever else belongs to an element.
    pub fn instance_of<R: Stored<Key: Into<Key>>>(key: R::Key) -> Need {
        Need::InstanceOf(R::KIND, key.into())
    }

    pub fn box_of(tenant: &TenantId, message_name: &Text, correlation_key: &Text) -> Need {
        Need::MessageBox(BoxName {
            tenant: tenant.clone(),
            message_name: message_name.clone(),
            correlation_key: correlation_key.clone(),
        })
    }

    pub fn message_starts(tenant: &TenantId, name: &Text) -> Need {
        Need::Starts { tenant: tenant.clone(), kind: StartEventKind::Message, name: name.clone() }
    }
}

/// Order of hand-out: higher priority first, then older first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct JobPosition {
    pub priority: i32,
    pub key: JobKey,
}

/// Names a message box.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BoxName {
    pub tenant: TenantId,
    pub message_name: Text,
    pub correlation_key: Text,
}

impl BoxName {
    /// A box without messages that brings the start locks of a correlation key.
    pub fn of_lock(tenant: &TenantId, correlation_key: &Text) -> BoxName {
        BoxName {
            tenant: tenant.clone(),
            message_name: Text::default(),
            correlation_key: correlation_key.clone(),
        }
    }

    pub fn of_message(message: &Message) -> BoxName {
        BoxName {
            tenant: message.tenant.clone(),
            message_name: message.name.clone(),
            correlation_key: message.correlation_key.clone(),
        }
    }

    pub fn of_subscription(subscription: &BoxSubscription) -> BoxName {
        BoxName {
            tenant: subscription.tenant.clone(),
            message_name: subscription.message_name.clone(),
            correlation_key: subscription.correlation_key.clone(),
        }
    }
}
