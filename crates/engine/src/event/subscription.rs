//! Subscriptions of an element or scope to messages, timers and signals. They are opened together and closed together.

use super::{message, signal, timer};
use crate::run::Run;
use crate::state::Definition;
use crate::stop::Stepped;
use tidemill_bpmn::{Behavior, Catch, Element, MessageCatch};
use tidemill_model::entity::{
    MessageSubscription, SignalSubscription, SubscriptionState, Timer, TimerPurpose,
};
use tidemill_model::{ElementIndex, ElementInstanceKey};

/// Something to wait for, evaluated and ready to be opened.
pub(crate) enum Plan {
    Message(message::Plan),
    Timer(timer::Plan),
    Signal(signal::Plan),
}

/// Opens the subscriptions of these catching events on the waiting element or scope. All expressions are
/// evaluated before anything is opened.
pub(crate) fn open(
    run: &mut Run<'_>,
    waiting: ElementInstanceKey,
    definition: &Definition,
    events: impl IntoIterator<Item = ElementIndex>,
) -> Stepped {
    let mut plans = Vec::new();
    for event in events {
        let event = definition.process.element(event);
        plans.extend(plan(run, waiting, event)?);
    }
    for plan in plans {
        match plan {
            Plan::Message(plan) => message::open(run, waiting, plan)?,
            Plan::Timer(plan) => timer::open(run, waiting, plan)?,
            Plan::Signal(plan) => signal::open(run, waiting, plan)?,
        }
    }
    Ok(())
}

fn plan(run: &Run<'_>, waiting: ElementInstanceKey, event: &Element) -> Stepped<Option<Plan>> {
    let message =
        |catch: &MessageCatch| message::plan(run, waiting, event, catch).map(Plan::Message).map(Some);
    match &event.behavior {
        Behavior::Receive(catch) => message(catch),
        _ => match event.catch() {
            Some(Catch::Message(catch)) => message(catch),
            Some(Catch::Timer(definition)) => {
                Ok(Some(Plan::Timer(timer::plan(run, waiting, event, definition)?)))
            }
            Some(Catch::Signal { name }) => Ok(Some(Plan::Signal(signal::plan(run, waiting, event, name)?))),
            _ => Ok(None),
        },
    }
}

/// The start events of the event subprocesses of a scope.
pub(crate) fn event_sub_process_starts<'a>(
    definition: &'a Definition,
    scope: &'a Element,
) -> impl Iterator<Item = ElementIndex> + 'a {
    scope.event_sub_processes.iter().filter_map(|event_sub_process| {
        match &definition.process.element(*event_sub_process).behavior {
            Behavior::EventSubProcess { start } => Some(*start),
            _ => None,
        }
    })
}

/// The element or scope no longer waits for anything.
pub(crate) fn close_all(run: &mut Run<'_>, waiting: ElementInstanceKey) -> Stepped {
    close_where(run, waiting, |_| true)
}

/// The scope no longer listens to its event subprocesses; its boundary events stay armed.
pub(crate) fn close_event_sub_processes(run: &mut Run<'_>, scope: ElementInstanceKey) -> Stepped {
    if !waits(run, scope) {
        return Ok(());
    }
    let definition = run.definition(run.origin(scope)?.definition)?;
    close_where(run, scope, |target| {
        matches!(definition.process.element(target).behavior, Behavior::Start { .. })
    })
}

fn waits(run: &Run<'_>, waiting: ElementInstanceKey) -> bool {
    run.links(waiting).is_some_and(|links| {
        !links.timers.is_empty() || !links.messages.is_empty() || !links.signals.is_empty()
    })
}

fn close_where(
    run: &mut Run<'_>,
    waiting: ElementInstanceKey,
    is_closed: impl Fn(ElementIndex) -> bool,
) -> Stepped {
    let Some(links) = run.links(waiting) else { return Ok(()) };
    let (timers, messages, signals) = (links.timers.clone(), links.messages.clone(), links.signals.clone());
    for key in timers {
        let target = run.get::<Timer>(key).and_then(|timer| match timer.purpose {
            TimerPurpose::Catch { target, .. } => Some(target),
            _ => None,
        });
        if target.is_some_and(&is_closed) {
            timer::cancel(run, key)?;
        }
    }
    for key in messages {
        let unused = run
            .get::<MessageSubscription>(key)
            .filter(|subscription| subscription.state == SubscriptionState::Created);
        let target = unused.map(|subscription| subscription.target);
        if target.is_some_and(&is_closed) {
            message::close(run, key)?;
        }
    }
    for key in signals {
        let target = run.get::<SignalSubscription>(key).map(|subscription| subscription.target);
        if target.is_some_and(&is_closed) {
            signal::close(run, key)?;
        }
    }
    Ok(())
}
