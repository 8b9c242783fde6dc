//! The instance's side of signals.

use crate::run::Run;
use crate::stop::Stepped;
use tidemill_bpmn::{Element, Source};
use tidemill_model::entity::SignalSubscription;
use tidemill_model::{ElementIndex, ElementInstanceKey, Event, SubscriptionKey, Text};

/// A signal subscription that can be opened.
pub(crate) struct Plan {
    target: ElementIndex,
    name: Text,
    is_interrupting: bool,
}

pub(crate) fn plan(
    run: &Run<'_>,
    waiting: ElementInstanceKey,
    event: &Element,
    name: &Source,
) -> Stepped<Plan> {
    let name = run.text(waiting, name)?;
    Ok(Plan { target: event.index, name, is_interrupting: event.is_interrupting() })
}

pub(crate) fn open(run: &mut Run<'_>, waiting: ElementInstanceKey, plan: Plan) -> Stepped {
    let (key, origin) = (run.new_key(), run.origin(waiting)?);
    let instance = origin.instance;
    let name = plan.name.clone();
    run.insert(SignalSubscription {
        key,
        origin,
        element_instance: waiting,
        target: plan.target,
        signal_name: plan.name,
        is_interrupting: plan.is_interrupting,
    });
    run.record(key, Some(instance), || Event::SignalSubscriptionCreated { name });
    Ok(())
}

pub(crate) fn close(run: &mut Run<'_>, key: SubscriptionKey) -> Stepped {
    if let Some(subscription) = run.remove::<SignalSubscription>(key) {
        run.record(key, Some(subscription.origin.instance), || Event::SignalSubscriptionDeleted {
            name: subscription.signal_name.clone(),
        });
    }
    Ok(())
}
