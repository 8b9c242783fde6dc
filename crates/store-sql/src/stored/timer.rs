//! Timers as rows, in the order of the schedule.

use super::Binder;
use super::table::{Row, row_kind};
use tidemill_model::entity::{Timer, TimerPurpose};
use tidemill_store::pack;

/// Whom a timer serves: an instance and its element, a definition, a message.
fn owner(timer: &Timer) -> (i64, i64) {
    match &timer.purpose {
        TimerPurpose::Catch { origin, element_instance, .. } => (origin.instance.0, element_instance.0),
        TimerPurpose::Start { definition, .. } => (definition.0, 0),
        // Jobs are loaded with their instance; an element of a large one must find the timer of its job.
        TimerPurpose::JobBackoff { origin, job } => (origin.instance.0, job.0),
        TimerPurpose::MessageExpiry { message, .. } => (message.0, 0),
    }
}

impl Row for Timer {
    row_kind!(Timer);

    const TABLE: &'static str = "timers";
    const KEY: &'static [&'static str] = &["partition_id", "due_at", "key"];
    const COLUMNS: &'static [&'static str] =
        &["partition_id", "due_at", "key", "owner_key", "element_instance"];
    const FIXED: &'static [&'static str] = &["owner_key", "element_instance"];

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind_key<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.partition().map_or(0, |partition| partition.0));
        binder.time(self.due_at);
        binder.int(self.key.0);
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        let (owner, element) = owner(self);
        self.bind_key(binder);
        binder.int(owner);
        binder.int(element);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}
