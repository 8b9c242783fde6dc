//! Commands of workers.

use crate::{JobKey, LeaseKey, TenantId, Text, Variables};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct ActivateJobs {
    pub job_type: Text,
    pub worker: Text,
    pub timeout_ms: i64,
    pub jobs_max: u32,
    /// Names to hand over; none means everything visible.
    pub fetch_variables: Vec<Text>,
    pub tenants: Vec<TenantId>,
    pub with_lease: bool,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct CompleteJob {
    pub job: JobKey,
    pub variables: Variables,
    pub lease: Option<LeaseKey>,
    /// Given to the instance that the job belongs to.
    #[serde(default)]
    pub business_id: Option<Text>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct FailJob {
    pub job: JobKey,
    pub retries: i32,
    pub backoff_ms: i64,
    pub error_message: Option<Text>,
    pub variables: Variables,
    pub lease: Option<LeaseKey>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct ThrowJobError {
    pub job: JobKey,
    pub error_code: Text,
    pub error_message: Option<Text>,
    pub variables: Variables,
    pub lease: Option<LeaseKey>,
}

/// Each change is made where it is given.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct UpdateJob {
    pub job: JobKey,
    pub retries: Option<i32>,
    pub timeout_ms: Option<i64>,
    pub priority: Option<i32>,
    pub lease: Option<LeaseKey>,
}
