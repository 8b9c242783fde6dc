//! A signal goes over the subscriptions of one partition, so many per command.

use crate::event::{signal, trigger::trigger};
use crate::limits::SIGNALS_PER_COMMAND;
use crate::need::Need;
use crate::run::Run;
use crate::stop::{Step, Stop};
use tidemill_model::Answer;
use tidemill_model::command::{Command, DeliverSignal};
use tidemill_model::entity::SignalSubscription;

pub(super) fn run(run: &mut Run<'_>, command: &DeliverSignal) -> Step<Answer> {
    let until = command.until.unwrap_or_else(|| run.key_horizon().into());
    let (mut keys, mut next) =
        run.signal_subscriptions_after(&command.tenant, &command.name, command.after)?;
    keys.retain(|key| *key < until);
    if keys.len() > SIGNALS_PER_COMMAND {
        keys.truncate(SIGNALS_PER_COMMAND);
        next = keys.last().copied();
    }
    require_instances(run, &keys)?;
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

/// Everything that is missing at once.
fn require_instances(run: &Run<'_>, keys: &[tidemill_model::SubscriptionKey]) -> Step {
    let mut needs: Vec<Need> = Vec::new();
    for key in keys {
        let Some(subscription) = run.get::<SignalSubscription>(*key) else { continue };
        if let Err(Stop::Need(more)) = run.find_scope(subscription.element_instance) {
            needs.extend(more);
        }
    }
    if needs.is_empty() { Ok(()) } else { Err(Stop::Need(needs)) }
}
