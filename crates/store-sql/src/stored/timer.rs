//! Timers as rows, in the order of the schedule.

use super::table::stored;
use tidemill_model::entity::{Timer, TimerPurpose};
use tidemill_store::pack;

/// The owner of a timer: an instance and its element, a definition, or a message.
fn owner(timer: &Timer) -> (i64, i64) {
    match &timer.purpose {
        TimerPurpose::Catch { origin, element_instance, .. } => (origin.instance.0, element_instance.0),
        TimerPurpose::Start { definition, .. } => (definition.0, 0),
        // Jobs are loaded with their instance; an element of a large one must find the timer of its job.
        TimerPurpose::JobBackoff { origin, job } => (origin.instance.0, job.0),
        TimerPurpose::MessageExpiry { message, .. } => (message.0, 0),
    }
}

// The back-off timer of a job stands under the key of the job.
stored! { Timer, |row|
    key {
        "partition_id" = row.key.partition().map_or(0, |partition| partition.0),
        // The due time is a part of the key: rows lie in the order of the schedule, and fired timers are deleted as one range.
        "due_at" = row.due_at,
        "key" = row.key.0,
    }
    fixed {
        "owner_key" = owner(row).0,
        "element_instance" = owner(row).1,
    }
    live {
        "data" = pack(row),
    }
    loading {
        const MAY_HANG_ON_JOB: bool = true;

        fn instance_column() -> Option<&'static str> {
            Some("owner_key")
        }
    }
}
