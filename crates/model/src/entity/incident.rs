//! Incidents: what stopped an element and waits for somebody to resolve it.

use super::{Origin, Timer};
use crate::named::names;
use crate::{ElementInstanceKey, IncidentKey, JobKey, Text, Timestamp};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Incident {
    pub key: IncidentKey,
    pub origin: Origin,
    pub element_instance: ElementInstanceKey,
    pub element_id: Text,
    pub kind: IncidentKind,
    pub message: String,
    /// The job whose failure this is; other incidents run their element's step again.
    pub job: Option<JobKey>,
    /// The last firing of a cycle that could not go on: resolving goes on from there.
    #[serde(default)]
    pub stopped_timer: Option<Box<Timer>>,
    pub state: IncidentState,
    pub created_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub enum IncidentState {
    Active,
    Resolved,
}

names! {
    IncidentState {
        Active = "ACTIVE",
        Resolved = "RESOLVED",
    }
}

macro_rules! incident_kinds {
    ($($kind:ident = $name:literal),+ $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
        pub enum IncidentKind {
            $(#[serde(rename = $name)] $kind,)+
        }

        names! { IncidentKind { $($kind = $name),+ } }
    };
}

incident_kinds! {
    AdHocSubProcessNoRetries = "AD_HOC_SUB_PROCESS_NO_RETRIES",
    CalledDecisionError = "CALLED_DECISION_ERROR",
    CalledElementError = "CALLED_ELEMENT_ERROR",
    ConditionError = "CONDITION_ERROR",
    DecisionEvaluationError = "DECISION_EVALUATION_ERROR",
    ExecutionListenerNoRetries = "EXECUTION_LISTENER_NO_RETRIES",
    ExtractValueError = "EXTRACT_VALUE_ERROR",
    FormNotFound = "FORM_NOT_FOUND",
    IoMappingError = "IO_MAPPING_ERROR",
    JobNoRetries = "JOB_NO_RETRIES",
    MessageSizeExceeded = "MESSAGE_SIZE_EXCEEDED",
    ResourceNotFound = "RESOURCE_NOT_FOUND",
    TaskListenerNoRetries = "TASK_LISTENER_NO_RETRIES",
    UnhandledErrorEvent = "UNHANDLED_ERROR_EVENT",
    Unknown = "UNKNOWN",
}
