//! The instance's side of messages: what it waits for, told to the box that holds the messages.

use crate::data::expression::{check_indexed, push_warnings, type_name};
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use tidemill_bpmn::{Element, MessageCatch};
use tidemill_feel::{Expression, Value};
use tidemill_model::command::{CloseBoxSubscription, Command, OpenBoxSubscription};
use tidemill_model::entity::{BoxSubscription, IncidentKind, MessageSubscription, SubscriptionState};
use tidemill_model::{ElementIndex, ElementInstanceKey, Event, SubscriptionKey, Text};

/// A message subscription that can be opened.
pub(crate) struct Plan {
    target: ElementIndex,
    target_id: Text,
    message_name: Text,
    correlation_key: Text,
    is_interrupting: bool,
}

pub(crate) fn plan(
    run: &Run<'_>,
    waiting: ElementInstanceKey,
    event: &Element,
    catch: &MessageCatch,
) -> Stepped<Plan> {
    let message_name = run.text(waiting, &catch.name)?;
    let expression =
        catch.correlation_key.as_ref().ok_or_else(|| Stop::broken("a catching message has no key"))?;
    let correlation_key = correlation_key(run, waiting, expression)?;
    Ok(Plan {
        target: event.index,
        target_id: event.id.clone(),
        message_name,
        correlation_key,
        is_interrupting: event.is_interrupting(),
    })
}

/// A string, or a number cut to an integer.
fn correlation_key(run: &Run<'_>, waiting: ElementInstanceKey, expression: &Expression) -> Stepped<Text> {
    let outcome = run.evaluate(waiting, expression, &[])?;
    let text = match &outcome.value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.trunc_i64().is_some() => {
            Text::from(number.trunc_i64().unwrap_or_default().to_string())
        }
        other => {
            let mut message = format!(
                "Failed to extract the correlation key for '{}': The value must be either a string or a number, but was \
                 '{}'.",
                expression.text(),
                type_name(other)
            );
            push_warnings(&mut message, &outcome.warnings);
            return Err(Stop::fail(IncidentKind::ExtractValueError, message));
        }
    };
    check_indexed(&text)?;
    Ok(text)
}

pub(crate) fn open(run: &mut Run<'_>, waiting: ElementInstanceKey, plan: Plan) -> Stepped {
    let (key, origin, now) = (run.new_key(), run.origin(waiting)?, run.now);
    let business_id = run.instance(origin.instance)?.business_id.clone();
    let process_id = run.definition_head(origin.definition)?.process_id.clone();
    let subscription = BoxSubscription {
        key,
        tenant: origin.tenant.clone(),
        message_name: plan.message_name.clone(),
        correlation_key: plan.correlation_key.clone(),
        business_id: business_id.clone(),
        process_id,
        instance: origin.instance,
        is_interrupting: plan.is_interrupting,
        correlating: None,
        reply: None,
    };
    let (instance, name, correlation_key) =
        (origin.instance, plan.message_name.clone(), plan.correlation_key.clone());
    run.insert(MessageSubscription {
        key,
        origin,
        element_instance: waiting,
        target: plan.target,
        target_id: plan.target_id,
        message_name: plan.message_name,
        correlation_key: plan.correlation_key,
        business_id,
        is_interrupting: plan.is_interrupting,
        state: SubscriptionState::Created,
        updated_at: now,
    });
    run.record(key, Some(instance), || Event::SubscriptionCreated { name, correlation_key });
    run.send(Command::OpenBoxSubscription(OpenBoxSubscription { subscription }));
    Ok(())
}

/// The instance no longer waits: the subscription ends here, and the box is told.
pub(crate) fn close(run: &mut Run<'_>, key: SubscriptionKey) -> Stepped {
    let subscription = end(run, key, SubscriptionState::Deleted)?;
    run.record(key, Some(subscription.origin.instance), || Event::SubscriptionDeleted {
        name: subscription.message_name.clone(),
        correlation_key: subscription.correlation_key.clone(),
    });
    run.send(Command::CloseBoxSubscription(CloseBoxSubscription {
        subscription: key,
        tenant: subscription.origin.tenant.clone(),
        message_name: subscription.message_name.clone(),
        correlation_key: subscription.correlation_key.clone(),
    }));
    Ok(())
}

/// Ends the instance's side in this state.
pub(crate) fn end(
    run: &mut Run<'_>,
    key: SubscriptionKey,
    state: SubscriptionState,
) -> Stepped<std::sync::Arc<MessageSubscription>> {
    let now = run.now;
    let subscription = run.change::<MessageSubscription>(key)?;
    subscription.state = state;
    subscription.updated_at = now;
    run.end::<MessageSubscription>(key).ok_or_else(|| Stop::broken("an ending subscription is not there"))
}
