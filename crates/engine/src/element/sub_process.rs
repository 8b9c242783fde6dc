//! Embedded subprocesses and event subprocesses: scopes that begin with their start event.

use super::Subject;
use crate::lifecycle::{activated, enqueue_activation};
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::ElementIndex;
use tidemill_model::entity::{ElementInstance, Trigger};

pub(super) fn activate(run: &mut Run<'_>, subject: &Subject, start: ElementIndex) -> Stepped {
    // The trigger of an event subprocess belongs to its start event, which makes variables of it.
    let payload = subject.instance.payload.clone();
    if payload.is_some() {
        run.change::<ElementInstance>(subject.key)?.payload = None;
    }
    activated(run, subject.key)?;
    enqueue_activation(run, subject.key, start, None, Some(Trigger { target: start, payload }))
}
