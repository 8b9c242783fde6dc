//! Intermediate catch events.

use super::{Subject, pass};
use crate::event::subscription;
use crate::lifecycle::activated;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_bpmn::{Behavior, Catch};

pub(super) fn activate(run: &mut Run<'_>, subject: &Subject) -> Stepped {
    let is_link = matches!(subject.element().behavior, Behavior::IntermediateCatch(Catch::Link { .. }));
    // Behind an event-based gateway the event has already come.
    if is_link || subject.instance.payload.is_some() {
        return pass(run, subject.key);
    }
    subscription::open(run, subject.key, &subject.definition, [subject.instance.element])?;
    activated(run, subject.key)
}
