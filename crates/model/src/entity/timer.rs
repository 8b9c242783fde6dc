//! Everything that is due at a time: BPMN timers, job back-offs, message expiry.

use super::Origin;
use crate::{
    Belonging, DefinitionKey, ElementIndex, ElementInstanceKey, JobKey, MessageKey, TenantId, Text, TimerKey,
    Timestamp,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Timer {
    pub key: TimerKey,
    pub due_at: Timestamp,
    pub purpose: TimerPurpose,
    /// Firings left, this one included: none for a timer that does not repeat, -1 for one that repeats
    /// for ever.
    pub repetitions: Option<i32>,
    /// It is due at a date of the calendar and not after a duration. Where the store's clock was set back, durations go on
    /// and dates wait until the clock shows them.
    #[serde(default)]
    pub waits_for_clock: bool,
}

impl Timer {
    /// The back-off of a job comes and goes with the job, which knows its element.
    pub(crate) fn belongs_to(&self) -> Option<Belonging> {
        match &self.purpose {
            TimerPurpose::Catch { origin, element_instance, .. } => {
                Belonging::to_element(origin, *element_instance)
            }
            TimerPurpose::JobBackoff { origin, .. } => Belonging::to_instance(origin),
            TimerPurpose::Start { .. } | TimerPurpose::MessageExpiry { .. } => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub enum TimerPurpose {
    /// A catch event, boundary event or event subprocess of a running element.
    Catch { origin: Origin, element_instance: ElementInstanceKey, target: ElementIndex },
    /// A timer start event of a deployed process.
    Start { definition: DefinitionKey, process_id: Text, target: ElementIndex, tenant: TenantId },
    /// A failed job that may be handed out again.
    JobBackoff { origin: Origin, job: JobKey },
    /// A buffered message whose time to live has passed.
    MessageExpiry { message: MessageKey, tenant: TenantId, name: Text, correlation_key: Text },
}
