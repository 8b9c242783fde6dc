//! The instance's answer comes back to the box: the message is used up there, or offered to the next.

use super::correlate_message::nobody;
use super::message_box::{self, Offer};
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::command::AnswerCorrelation;
use tidemill_model::entity::{BoxSubscription, Message};
use tidemill_model::{Answer, BoxName};

pub(super) fn run(run: &mut Run<'_>, command: &AnswerCorrelation) -> Stepped<Answer> {
    let name = BoxName {
        tenant: command.tenant.clone(),
        message_name: command.message_name.clone(),
        correlation_key: command.correlation_key.clone(),
    };
    message_box::require(run, &name)?;
    let subscription = run.get::<BoxSubscription>(command.subscription).cloned();
    if command.accepted {
        accepted(run, command, &name, subscription.as_deref())?;
    } else {
        // The instance is past waiting; its closing of the subscription may still be on the way.
        run.remove::<BoxSubscription>(command.subscription);
        offer_on(run, command, name.clone(), subscription.as_deref())?;
    }
    message_box::dismiss_waiting(run, &name);
    Ok(Answer::Done)
}

fn accepted(
    run: &mut Run<'_>,
    command: &AnswerCorrelation,
    name: &BoxName,
    subscription: Option<&BoxSubscription>,
) -> Stepped {
    // The first that accepts is the answer, whoever was to give it.
    if let Some(token) = message_box::take_reply(run, name, command.message)? {
        let (message, instance, tenant) = (command.message, command.instance, command.tenant.clone());
        run.reply_to(token, Ok(Answer::Correlated { message, instance, tenant }));
    }
    match subscription {
        Some(subscription) if subscription.is_interrupting => {
            run.remove::<BoxSubscription>(subscription.key);
        }
        Some(subscription) => {
            run.change::<BoxSubscription>(subscription.key)?.correlating = None;
            message_box::offer_buffered(run, subscription.key)?;
        }
        None => {}
    }
    Ok(())
}

/// Another subscription of the same process may take what this one did not want.
fn offer_on(
    run: &mut Run<'_>,
    command: &AnswerCorrelation,
    name: BoxName,
    refused_by: Option<&BoxSubscription>,
) -> Stepped {
    let buffered = run.get::<Message>(command.message).cloned();
    let mut offer = match &buffered {
        Some(message) => Offer::of(message),
        None => Offer {
            key: command.message,
            name,
            business_id: command.business_id.clone(),
            variables: command.variables.clone(),
            correlated_to: Vec::new(),
        },
    };
    if let Some(refused_by) = refused_by {
        offer.correlated_to.retain(|process_id| *process_id != refused_by.process_id);
        // Only the process that refused gets another try; the others have had theirs.
        let others = message_box::subscriptions(run, &offer.name);
        let others = others.iter().map(|other| other.process_id.clone());
        let others: Vec<_> = others.filter(|process_id| *process_id != refused_by.process_id).collect();
        if buffered.is_none() {
            offer.correlated_to.extend(others);
        }
        message_box::offer_to_subscriptions(run, &mut offer)?;
    }
    if buffered.is_some() {
        run.change::<Message>(command.message)?.correlated_to = offer.correlated_to.clone();
    }
    if let Some(token) = refused_by.and_then(|refused_by| refused_by.reply)
        && !message_box::assign_reply(run, &offer.name, command.message, token)?
        && !message_box::wait_for_busy(run, &offer, Some(token))
    {
        run.reply_to(token, Err(nobody(&command.message_name, &command.correlation_key)));
    }
    Ok(())
}
