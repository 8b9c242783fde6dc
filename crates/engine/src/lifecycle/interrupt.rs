//! The reaction of a scope to the end of something inside it: the scope completes, terminates, or hands over to the event that
//! interrupted it.

use super::{enqueue_activation, terminated};
use crate::element::multi_instance;
use crate::event::subscription;
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use tidemill_model::command::Step;
use tidemill_model::entity::{Interruption, Lifecycle};
use tidemill_model::{ElementInstanceKey, ElementKind};

/// Clears a scope for an interrupting event subprocess or because of a terminate end event.
pub(crate) fn interrupt_scope(
    run: &mut Run<'_>,
    scope: ElementInstanceKey,
    interruption: Interruption,
) -> Stepped {
    let Some(_) = run.find_scope(scope)?.filter(|info| info.state.is_open()) else { return Ok(()) };
    subscription::close_event_sub_processes(run, scope)?;
    let state = run.scope_mut(scope)?;
    state.flows = 0;
    state.waiting.clear();
    state.interruption = Some(Box::new(interruption));
    if state.children > 0 {
        run.push(Step::TerminateChildren { scope, after: None });
        return Ok(());
    }
    scope_went_quiet(run, scope)
}

/// Something in the scope ended without a successor.
pub(crate) fn scope_went_quiet(run: &mut Run<'_>, scope: ElementInstanceKey) -> Stepped {
    let Some(info) = run.find_scope(scope)? else { return Ok(()) };
    let state = run.scope(scope)?;
    match info.state {
        Lifecycle::Terminating if state.children == 0 => {
            terminated(run, scope);
            Ok(())
        }
        Lifecycle::Activated | Lifecycle::Activating => {
            if state.interruption.is_some() {
                return if state.children == 0 { follow_interruption(run, scope) } else { Ok(()) };
            }
            if info.kind == ElementKind::MultiInstanceBody {
                return multi_instance::go_on(run, scope);
            }
            if state.is_empty() {
                run.push(Step::Complete { element: scope });
            } else if !state.waiting.is_empty() {
                run.joins_to_check.push(scope);
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn follow_interruption(run: &mut Run<'_>, scope: ElementInstanceKey) -> Stepped {
    let state = run.scope_mut(scope)?;
    let Some(interruption) = state.interruption.take() else { return Ok(()) };
    match *interruption {
        Interruption::TerminateEnd => {
            run.push(Step::Complete { element: scope });
            Ok(())
        }
        Interruption::EventSubProcess(trigger) => {
            state.interrupted = true;
            let info = run.find_scope(scope)?.ok_or_else(|| Stop::broken("an interrupted scope is gone"))?;
            let definition = run.definition(info.definition)?;
            let start = definition.process.element(trigger.target);
            let event_sub_process =
                start.scope.ok_or_else(|| Stop::broken("a start event stands in no event subprocess"))?;
            enqueue_activation(run, scope, event_sub_process, None, Some(trigger))
        }
    }
}
