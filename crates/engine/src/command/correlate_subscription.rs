//! A message reaches the instance that waits for it, which takes it or no longer wants it.

use crate::event::message;
use crate::event::trigger::trigger;
use crate::run::Run;
use crate::stop::Stepped;
use std::sync::Arc;
use tidemill_model::command::{AnswerCorrelation, Command, CorrelateSubscription};
use tidemill_model::entity::{MessageCorrelation, MessageSubscription, SubscriptionState};
use tidemill_model::{Answer, Event, Need};

pub(super) fn run(run: &mut Run<'_>, command: &CorrelateSubscription) -> Stepped<Answer> {
    let key = command.subscription;
    let subscription = run
        .find::<MessageSubscription>(key, || Need::instance_of::<MessageSubscription>(key))?
        .filter(|subscription| subscription.state == SubscriptionState::Created)
        .cloned();
    let accepted = match subscription {
        Some(subscription) => accept(run, command, &subscription)?,
        None => false,
    };
    run.send(Command::AnswerCorrelation(AnswerCorrelation {
        subscription: key,
        tenant: command.tenant.clone(),
        message: command.message,
        message_name: command.message_name.clone(),
        correlation_key: command.correlation_key.clone(),
        business_id: command.business_id.clone(),
        accepted,
        instance: command.instance,
        variables: if accepted { Default::default() } else { command.variables.clone() },
    }));
    Ok(Answer::Done)
}

fn accept(
    run: &mut Run<'_>,
    command: &CorrelateSubscription,
    subscription: &Arc<MessageSubscription>,
) -> Stepped<bool> {
    let waiting = subscription.element_instance;
    if subscription.is_interrupting {
        // Marked first, so that the interruption does not close it as unused.
        run.change::<MessageSubscription>(subscription.key)?.state = SubscriptionState::Correlated;
    }
    if !trigger(run, waiting, subscription.target, command.variables.clone())? {
        run.change::<MessageSubscription>(subscription.key)?.state = SubscriptionState::Created;
        return Ok(false);
    }
    if subscription.is_interrupting {
        message::end(run, subscription.key, SubscriptionState::Correlated)?;
    }
    let now = run.now;
    run.record(subscription.key, Some(command.instance), || Event::SubscriptionCorrelated {
        name: command.message_name.clone(),
        correlation_key: command.correlation_key.clone(),
    });
    if !subscription.is_interrupting {
        run.change::<MessageSubscription>(subscription.key)?.updated_at = now;
    }
    run.log(MessageCorrelation {
        subscription: subscription.key,
        message: command.message,
        origin: subscription.origin.clone(),
        element_instance: Some(waiting),
        element_id: subscription.target_id.clone(),
        message_name: command.message_name.clone(),
        correlation_key: command.correlation_key.clone(),
        business_id: subscription.business_id.clone(),
        correlated_at: now,
    });
    Ok(true)
}
