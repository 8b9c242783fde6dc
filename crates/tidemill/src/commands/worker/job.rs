//! A job as a worker gets it, and what it reports about it. Variables stay the text that they are.

use super::program::Ending;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::time::{Duration, SystemTime};

#[derive(Deserialize)]
pub(super) struct Activated {
    pub(super) jobs: Vec<Job>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Job {
    pub(super) job_key: String,
    pub(super) r#type: String,
    pub(super) retries: i64,
    /// In milliseconds since 1970: from then on, others may get the job.
    pub(super) deadline: u64,
    pub(super) custom_headers: Box<RawValue>,
    pub(super) element_id: String,
    pub(super) process_definition_id: String,
    pub(super) process_instance_key: String,
    pub(super) variables: Box<RawValue>,
}

impl Job {
    pub(super) fn is_still_ours(&self) -> bool {
        SystemTime::now() < SystemTime::UNIX_EPOCH + Duration::from_millis(self.deadline)
    }

    /// The trace that the job belongs to, where the server traces.
    pub(super) fn traceparent(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Traced {
            traceparent: Option<String>,
        }
        serde_json::from_str::<Traced>(self.custom_headers.get()).ok()?.traceparent
    }

    /// Differs from lease to lease: the same report may be sent again, that of an earlier try is another.
    pub(super) fn lease_name(&self) -> String {
        format!("tidemill-worker-{}-{}", self.job_key, self.deadline)
    }
}

/// The message to the server at the end of a job.
#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum Report {
    Completion { variables: Box<RawValue> },
    Error { error_code: String, error_message: Option<String>, variables: Box<RawValue> },
    Failure { retries: i64, error_message: String, retry_back_off: u64 },
}

impl Report {
    pub(super) fn new(job: &Job, ending: Ending, retry_backoff_ms: u64) -> Report {
        match ending {
            Ending::Complete(variables) => Report::Completion { variables },
            Ending::Error { code, message, variables } => {
                Report::Error { error_code: code, error_message: message, variables }
            }
            Ending::Failed(error_message) => {
                let retries = (job.retries - 1).max(0);
                Report::Failure { retries, error_message, retry_back_off: retry_backoff_ms }
            }
        }
    }

    /// The last part of the path that it is sent to.
    pub(super) fn path(&self) -> &'static str {
        match self {
            Report::Completion { .. } => "completion",
            Report::Error { .. } => "error",
            Report::Failure { .. } => "failure",
        }
    }

    /// How people call it.
    pub(super) fn words(&self) -> String {
        match self {
            Report::Completion { .. } => "completed".to_owned(),
            Report::Error { error_code, .. } => format!("ended with error {error_code}"),
            Report::Failure { retries, error_message, .. } => {
                let retries = crate::output::count(*retries, "retry", "retries");
                format!("failed, {retries} left: {error_message}")
            }
        }
    }
}
