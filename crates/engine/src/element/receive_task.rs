//! Receive tasks wait for a message, as catch events do, but can carry boundary events.

use super::Subject;
use crate::event::subscription;
use crate::lifecycle::activated;
use crate::run::Run;
use crate::stop::Stepped;

pub(super) fn activate(run: &mut Run<'_>, subject: &Subject) -> Stepped {
    let attached = subject.element().boundary_events.iter().copied().filter(|_| !subject.is_inner());
    let events: Vec<_> = std::iter::once(subject.instance.element).chain(attached).collect();
    subscription::open(run, subject.key, &subject.definition, events)?;
    activated(run, subject.key)
}
