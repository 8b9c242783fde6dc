//! The life of scopes and elements, common to all kinds: beginning, completing, terminating, and what the
//! scope around them makes of it. Code that is special to a kind stands in `element/`.

mod activate;
mod complete;
mod interrupt;
mod join;
mod scope;
mod terminate;

pub(crate) use activate::{activated, enqueue_activation};
pub(crate) use complete::{complete_with_flows, completed};
pub(crate) use interrupt::interrupt_scope;
pub(crate) use join::check_joins;
pub(crate) use terminate::{begin_termination, terminated};

use crate::element::multi_instance;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::ElementInstanceKey;
use tidemill_model::command::Step;
use tidemill_model::entity::Lifecycle;

/// Takes one step.
pub(crate) fn take(run: &mut Run<'_>, step: Step) -> Stepped {
    match step {
        Step::Activate { scope, element, flow, trigger } => {
            activate::arrive(run, scope, element, flow, trigger)
        }
        Step::Resume { element } => resume(run, element),
        Step::Complete { element } => complete::begin_completion(run, element),
        Step::Terminate { element } => begin_termination(run, element),
        Step::TerminateChildren { scope, after } => terminate::terminate_children(run, scope, after),
        Step::SpawnChildren { body } => multi_instance::spawn(run, body),
        Step::FinishTermination { element } => terminate::finish_termination(run, element),
    }
}

/// Runs the step again that an incident had stopped.
fn resume(run: &mut Run<'_>, key: ElementInstanceKey) -> Stepped {
    let Some(element) = run.find_element(key)? else { return Ok(()) };
    match element.state {
        Lifecycle::Activating => run.attempt(key, |run| crate::element::activate(run, key)),
        Lifecycle::Completing => run.attempt(key, |run| crate::element::complete(run, key)),
        Lifecycle::Activated | Lifecycle::Completed | Lifecycle::Terminating | Lifecycle::Terminated => {
            Ok(())
        }
    }
}
