//! Start events: when one has completed, its scope begins to listen.

use super::Subject;
use crate::data::result;
use crate::event::subscription;
use crate::lifecycle::completed;
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use tidemill_model::entity::ElementInstance;

/// The scope's boundary events and event subprocesses are armed now, so that their expressions can use what
/// the start event has brought.
pub(super) fn complete(run: &mut Run<'_>, subject: &Subject) -> Stepped {
    result::apply(run, subject.key)?;
    arm_scope(run, subject)?;
    completed(run, subject.key)
}

fn arm_scope(run: &mut Run<'_>, subject: &Subject) -> Stepped {
    let scope_key = subject.instance.parent;
    let info = run.find_scope(scope_key)?.ok_or_else(|| Stop::broken("a start event has no scope"))?;
    let scope = subject.definition.process.element(info.element);
    let is_inner = run.get::<ElementInstance>(scope_key).is_some_and(|scope| scope.loop_counter > 0);
    let attached = scope.boundary_events.iter().copied().filter(|_| !is_inner);
    let inside = subscription::event_sub_process_starts(&subject.definition, scope);
    let events: Vec<_> = attached.chain(inside).collect();
    subscription::open(run, scope_key, &subject.definition, events)
}
