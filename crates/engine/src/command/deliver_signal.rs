//! A signal goes over the subscriptions of one partition, so many per command.

use crate::event::{signal, trigger::trigger};
use crate::limits::SIGNALS_PER_COMMAND;
use crate::need::Missed;
use crate::run::Run;
use crate::stop::Stepped;
use std::collections::BTreeSet;
use tidemill_model::command::{Command, DeliverSignal};
use tidemill_model::entity::SignalSubscription;
use tidemill_model::{Answer, SubscriptionKey};

pub(super) fn run(run: &mut Run<'_>, command: &DeliverSignal) -> Stepped<Answer> {
    let until = command.until.unwrap_or_else(|| run.key_horizon().into());
    let (mut keys, mut next) =
        run.signal_subscriptions_after(&command.tenant, &command.name, command.after)?;
    keys.retain(|key| *key < until);
    if keys.len() > SIGNALS_PER_COMMAND {
        keys.truncate(SIGNALS_PER_COMMAND);
        next = keys.last().copied();
    }
    let unreadable = require_instances(run, &keys)?;
    if keys.len() > 1 {
        // The others must not wait for a definition that is not theirs: these are delivered to by commands of their own.
        keys.retain(|key| !unreadable.contains(key));
        for key in &unreadable {
            let (after, until) = (Some(SubscriptionKey(key.0 - 1)), Some(SubscriptionKey(key.0 + 1)));
            run.send_here(Command::DeliverSignal(DeliverSignal { after, until, ..command.clone() }));
        }
    }
    for key in &keys {
        let Some(subscription) = run.get::<SignalSubscription>(*key).cloned() else { continue };
        if subscription.is_interrupting {
            signal::close(run, *key)?;
        }
        let variables = command.variables.clone();
        trigger(run, subscription.element_instance, subscription.target, variables)?;
    }
    if let Some(after) = next.filter(|after| *after < until) {
        let next = DeliverSignal { after: Some(after), until: Some(until), ..command.clone() };
        run.send_here(Command::DeliverSignal(next));
    }
    Ok(Answer::Done)
}

/// Loads what waits, what its definition says and the scope that it stands in: everything that is missing at once. Gives the subscriptions
/// whose definition this version cannot read.
fn require_instances(run: &Run<'_>, keys: &[SubscriptionKey]) -> Stepped<BTreeSet<SubscriptionKey>> {
    let (mut missed, mut unreadable) = (Missed::default(), BTreeSet::new());
    for key in keys {
        let Some(subscription) = run.get::<SignalSubscription>(*key) else { continue };
        let waiting = missed.unless_missing(run.find_scope(subscription.element_instance))?.flatten();
        let Some(waiting) = waiting else { continue };
        if run.is_unreadable(waiting.definition) {
            unreadable.insert(*key);
        } else {
            missed.unless_missing(run.find_definition(waiting.definition))?;
        }
        if let Some(parent) = waiting.parent {
            missed.unless_missing(run.find_scope(parent))?;
        }
    }
    missed.stop_if_any()?;
    Ok(unreadable)
}
