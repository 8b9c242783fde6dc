//! Reading for the engine: live entities, many requests in one round trip.

use crate::{IdempotentAnswer, Result};
use async_trait::async_trait;
use tidemill_model::entity::StartEventKind;
use tidemill_model::{
    DefinitionKey, ElementInstanceKey, Entity, IncidentKey, JobKey, PartitionId, ProcessInstanceKey, Remains,
    ResourceKey, SubscriptionKey, TenantId, Text, UserTaskKey,
};

/// An instance with more live entities than this is loaded piece by piece.
pub const INSTANCE_ENTITIES_MAX: usize = 1000;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LoadRequest {
    /// The instance with all its live entities. Of a large one only its own row and what belongs to its root
    /// scope directly.
    Instance(ProcessInstanceKey),
    /// The whole instance around an element instance. Of a large one, the instance row and the element with
    /// its own variables, job, user task, incidents, timers, subscriptions and loop input; loop outputs and
    /// children have requests of their own.
    Element(ElementInstanceKey),
    /// Element instances directly in this scope, by key, each with what belongs to it.
    Children { scope: ElementInstanceKey, after: Option<ElementInstanceKey>, limit: u32 },
    /// Items of a multi-instance body's output collection behind this loop counter.
    LoopOutputs { body: ElementInstanceKey, after: u32, limit: u32 },
    /// The job's instance, as `Instance` would load it; of a large one also the job's element.
    Job(JobKey),
    /// The user task's instance, in the same way.
    UserTask(UserTaskKey),
    /// The incident's instance, in the same way.
    Incident(IncidentKey),
    /// The instance that waits for a message, in the same way.
    MessageSubscription(SubscriptionKey),
    /// Buffered messages with their expiry timers and open subscriptions of this name and correlation key, and
    /// the start locks of the correlation key.
    MessageBox { tenant: TenantId, name: Text, correlation_key: Text },
    /// The start events that wait for this message or signal.
    Starts { tenant: TenantId, kind: StartEventKind, name: Text },
    /// By key, those of this partition's instances only.
    SignalSubscriptions {
        partition: PartitionId,
        tenant: TenantId,
        name: Text,
        after: Option<SubscriptionKey>,
        limit: u32,
    },
    /// Jobs of a type in state `Waiting`, leased ones included, in the order in which they are handed out.
    WaitingJobs { partition: PartitionId, job_type: Text, after: Option<JobPosition>, limit: u32 },
    /// All leases of a partition: `JobLease` rows, and the jobs that carry a lease themselves.
    Leases { partition: PartitionId },
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

/// Order of hand-out: higher priority first, then older first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct JobPosition {
    pub priority: i32,
    pub key: JobKey,
}

/// The answer to one request: empty where nothing was found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Loaded {
    /// The instance that the request led to.
    pub instance: Option<ProcessInstanceKey>,
    pub entities: Vec<Entity>,
    /// The instance has too many entities to be loaded whole: what is not here may still exist.
    pub is_large: bool,
    /// A limit has cut the list.
    pub has_more: bool,
}

#[async_trait]
pub trait Load: Send + Sync {
    /// One answer per request, in the same order.
    async fn load(&self, requests: &[LoadRequest]) -> Result<Vec<Loaded>>;

    /// What is left of instances that are not live, in the same order: for who wants to delete them. Rows are counted up
    /// to `DELETED_ROWS_MAX`.
    async fn remains(&self, instances: &[ProcessInstanceKey]) -> Result<Vec<Remains>>;

    /// Earlier answers under these idempotency keys.
    async fn answers(
        &self,
        partition: PartitionId,
        keys: &[(TenantId, Text)],
    ) -> Result<Vec<Option<IdempotentAnswer>>>;
}
