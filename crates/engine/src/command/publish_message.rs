//! Publishes a message: to those who wait now, and, while it lives, to those who come later.

use super::message_box::{self, Offer};
use crate::data::variables;
use crate::event::timer;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::command::PublishMessage;
use tidemill_model::entity::{Message, TimerPurpose};
use tidemill_model::{Answer, BoxName, Event, MessageKey, Rejection};

pub(super) fn run(run: &mut Run<'_>, command: &PublishMessage) -> Stepped<Answer> {
    variables::check_command(&command.variables)?;
    let name = BoxName {
        tenant: command.tenant.clone(),
        message_name: command.name.clone(),
        correlation_key: command.correlation_key.clone(),
    };
    message_box::require(run, &name)?;
    refuse_duplicate(run, command, &name)?;
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
    message_box::offer_to_starts(run, &mut offer)?;
    if command.time_to_live_ms > 0 {
        buffer(run, command, offer);
    } else {
        message_box::wait_for_busy(run, &offer, None);
    }
    Ok(Answer::Published { message: key, tenant: command.tenant.clone() })
}

fn refuse_duplicate(run: &Run<'_>, command: &PublishMessage, name: &BoxName) -> Stepped {
    let Some(message_id) = command.message_id.as_ref().filter(|id| !id.is_empty()) else { return Ok(()) };
    let is_buffered = message_box::messages(run, name)
        .iter()
        .any(|message| message.message_id.as_ref() == Some(message_id) && message.expires_at > run.now);
    if is_buffered {
        return Err(Rejection::already_exists(format!(
            "Expected to publish a new message with id '{message_id}', but a message with that id was already published"
        ))
        .into());
    }
    Ok(())
}

fn buffer(run: &mut Run<'_>, command: &PublishMessage, offer: Offer) {
    let expires_at = message_box::expiry(run.now, command.time_to_live_ms);
    let purpose = TimerPurpose::MessageExpiry {
        message: offer.key,
        tenant: command.tenant.clone(),
        name: command.name.clone(),
        correlation_key: command.correlation_key.clone(),
    };
    timer::create(run, purpose, command.name.clone(), timer::Due::once(expires_at));
    run.insert(Message {
        key: offer.key,
        tenant: command.tenant.clone(),
        name: command.name.clone(),
        correlation_key: command.correlation_key.clone(),
        message_id: command.message_id.clone(),
        business_id: command.business_id.clone(),
        variables: command.variables.clone(),
        expires_at,
        correlated_to: offer.correlated_to,
        waits_for_busy: false,
        reply: None,
    });
}
