//! Jobs, and the leases under which workers hold them.

use super::Origin;
use crate::named::names;
use crate::{ElementIndex, ElementInstanceKey, JobKey, LeaseKey, RawJson, Text, Timestamp};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Job {
    pub key: JobKey,
    pub origin: Origin,
    pub element_instance: ElementInstanceKey,
    pub element: ElementIndex,
    pub element_id: Text,
    pub kind: JobKind,
    pub job_type: Text,
    pub retries: i32,
    /// Higher is handed out first.
    pub priority: i32,
    pub state: JobState,
    pub last_event: JobEvent,
    /// Custom headers as one JSON object; none where there are no headers.
    pub headers: Option<RawJson>,
    /// The lease of the worker that has it. A lease given after the job's row was written stands in a `JobLease` instead.
    pub lease: Option<Lease>,
    /// The last lease that ended: a stored `JobLease` up to this one no longer counts for this job.
    pub released: Option<LeaseKey>,
    /// The lease that ended last. Searches show it while the job waits for the next worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_held: Option<LastHeld>,
    pub error_code: Option<Text>,
    pub error_message: Option<Text>,
    pub has_failed_with_retries_left: bool,
    pub business_id: Option<Text>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub enum JobKind {
    BpmnElement,
    ExecutionListener,
    TaskListener,
    AdHocSubProcess,
}

names! {
    JobKind {
        BpmnElement = "BPMN_ELEMENT",
        ExecutionListener = "EXECUTION_LISTENER",
        TaskListener = "TASK_LISTENER",
        AdHocSubProcess = "AD_HOC_SUB_PROCESS",
    }
}

/// The state of a job, which decides what may happen to it next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub enum JobState {
    /// Can be handed out, unless a lease holds it.
    Waiting,
    /// Failed with retries left and waits for its back-off to pass.
    BackingOff,
    /// Failed without retries; an incident is open.
    Failed,
    /// An error was thrown that nobody catches; an incident is open.
    ErrorThrown,
    Completed,
    Canceled,
}

/// The last thing that happened to a job: the state that the API shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub enum JobEvent {
    Created,
    Completed,
    Failed,
    RetriesUpdated,
    PriorityUpdated,
    TimeoutUpdated,
    TimedOut,
    Canceled,
    ErrorThrown,
    Migrated,
}

names! {
    JobEvent {
        Created = "CREATED",
        Completed = "COMPLETED",
        Failed = "FAILED",
        RetriesUpdated = "RETRIES_UPDATED",
        PriorityUpdated = "PRIORITY_UPDATED",
        TimeoutUpdated = "TIMEOUT_UPDATED",
        TimedOut = "TIMED_OUT",
        Canceled = "CANCELED",
        ErrorThrown = "ERROR_THROWN",
        Migrated = "MIGRATED",
    }
}

/// The right of one worker to work on a job until the deadline.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Lease {
    pub key: LeaseKey,
    pub worker: Text,
    pub deadline: Timestamp,
    /// The worker asked for a lease token: whoever completes or fails the job must show it.
    pub is_exclusive: bool,
}

/// The facts of an ended lease that searches still show.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct LastHeld {
    pub worker: Text,
    pub deadline: Timestamp,
}

/// One activation's leases on jobs whose rows were already stored: one row however many jobs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct JobLease {
    pub lease: Lease,
    pub jobs: Vec<JobKey>,
    /// Those of the jobs that are no longer held under it.
    pub released: Vec<JobKey>,
}

impl JobLease {
    pub fn holds(&self, job: JobKey) -> bool {
        self.jobs.contains(&job) && !self.released.contains(&job)
    }
}
