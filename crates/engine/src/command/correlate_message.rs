//! Correlates a message to one instance now, or refuses it.

use super::message_box::{self, Offer};
use crate::data::variables;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::command::{CorrelateMessage, ReplyToken};
use tidemill_model::{Answer, BoxName, Event, MessageKey, Rejection, Text};

pub(super) fn run(run: &mut Run<'_>, command: &CorrelateMessage) -> Stepped<Answer> {
    variables::check_command(&command.variables)?;
    let name = BoxName {
        tenant: command.tenant.clone(),
        message_name: command.name.clone(),
        correlation_key: command.correlation_key.clone(),
    };
    message_box::require(run, &name)?;
    let key: MessageKey = run.new_key();
    run.record(key, None, || Event::MessagePublished {
        name: command.name.clone(),
        correlation_key: command.correlation_key.clone(),
    });
    let mut offer = Offer {
        key,
        name,
        business_id: command.business_id.clone(),
        variables: command.variables.clone(),
        correlated_to: Vec::new(),
    };
    message_box::offer_to_subscriptions(run, &mut offer)?;
    let started = message_box::offer_to_starts(run, &mut offer)?;
    if let Some(instance) = started {
        return Ok(Answer::Correlated { message: key, instance, tenant: command.tenant.clone() });
    }
    let token = ReplyToken { partition: run.partition, number: key.key().counter() };
    let is_on_its_way = message_box::assign_reply(run, &offer.name, key, token)?
        || message_box::wait_for_busy(run, &offer, Some(token));
    if !is_on_its_way {
        let locked = message_box::locked_starts(run, &offer.name)?;
        return Err(match locked.is_empty() {
            true => nobody(&command.name, &command.correlation_key).into(),
            false => locked_out(&command.name, &command.correlation_key, &locked).into(),
        });
    }
    run.reply_later = Some(token);
    Ok(Answer::Done)
}

/// An instance that an earlier message of this key has started is still alive.
fn locked_out(name: &Text, correlation_key: &Text, processes: &[Text]) -> Rejection {
    Rejection::not_found(format!(
        "Expected to find subscription for message with name '{name}' and correlation key '{correlation_key}', but no \
         active subscription was found. A process instance with this correlation key is already active for a message \
         start event with this message name in process IDs [{}]. Only one active process instance per correlation key \
         is allowed for message start events.",
        processes.join(", ")
    ))
}

pub(super) fn nobody(name: &Text, correlation_key: &Text) -> Rejection {
    Rejection::not_found(format!(
        "Expected to find subscription for message with name '{name}' and correlation key '{correlation_key}', \
         but none was found."
    ))
}
