//! The box of a message name and correlation key: offers messages to subscriptions and start events.

use super::correlate_message::nobody;
use super::create_instance::{self, NewInstance};
use super::start_subscriptions;
use crate::limits::BUSY_WAIT_MAX_MS;
use crate::need::Missed;
use crate::run::Run;
use crate::stop::Stepped;
use std::sync::Arc;
use tidemill_model::command::{
    CloseBoxSubscription, Command, CorrelateSubscription, OpenBoxSubscription, ReplyToken,
};
use tidemill_model::entity::{
    BoxSubscription, Message, MessageCorrelation, MessageStartLock, Origin, StartEventKind, StartSubscription,
};
use tidemill_model::{
    Answer, BoxName, MessageKey, Need, ProcessInstanceKey, SubscriptionKey, TenantId, Text, Timestamp,
    Variables,
};

/// A message while it is being offered, buffered or not.
pub(super) struct Offer {
    pub(super) key: MessageKey,
    pub(super) name: BoxName,
    pub(super) business_id: Option<Text>,
    pub(super) variables: Variables,
    /// Process ids that have had it.
    pub(super) correlated_to: Vec<Text>,
}

impl Offer {
    pub(super) fn of(message: &Message) -> Offer {
        Offer {
            key: message.key,
            name: BoxName {
                tenant: message.tenant.clone(),
                message_name: message.name.clone(),
                correlation_key: message.correlation_key.clone(),
            },
            business_id: message.business_id.clone(),
            variables: message.variables.clone(),
            correlated_to: message.correlated_to.clone(),
        }
    }

    /// A message with a business id is only for instances that carry it.
    fn suits(&self, subscription: &BoxSubscription) -> bool {
        subscription.correlating.is_none() && self.is_for(subscription)
    }

    /// As above, whether or not another message is on its way to the subscription.
    fn is_for(&self, subscription: &BoxSubscription) -> bool {
        !self.correlated_to.contains(&subscription.process_id)
            && (self.business_id.is_none() || self.business_id == subscription.business_id)
    }
}

pub(super) fn require(run: &Run<'_>, name: &BoxName) -> Stepped {
    run.require(Need::MessageBox(name.clone()))
}

pub(super) fn messages(run: &Run<'_>, name: &BoxName) -> Vec<Arc<Message>> {
    let keys = run.index().boxes.get(name).into_iter().flat_map(|found| &found.messages);
    keys.filter_map(|key| run.get::<Message>(*key).cloned()).collect()
}

pub(super) fn subscriptions(run: &Run<'_>, name: &BoxName) -> Vec<Arc<BoxSubscription>> {
    let keys = run.index().boxes.get(name).into_iter().flat_map(|found| &found.subscriptions);
    keys.filter_map(|key| run.get::<BoxSubscription>(*key).cloned()).collect()
}

/// Hands the message to waiting instances, one per process id, oldest subscription first.
pub(super) fn offer_to_subscriptions(run: &mut Run<'_>, offer: &mut Offer) -> Stepped {
    for subscription in subscriptions(run, &offer.name) {
        if offer.suits(&subscription) {
            send(run, &subscription, offer)?;
        }
    }
    Ok(())
}

/// Marks the subscription as correlating and sends the message on its way.
fn send(run: &mut Run<'_>, subscription: &BoxSubscription, offer: &mut Offer) -> Stepped {
    run.change::<BoxSubscription>(subscription.key)?.correlating = Some(offer.key);
    offer.correlated_to.push(subscription.process_id.clone());
    run.send(Command::CorrelateSubscription(CorrelateSubscription {
        instance: subscription.instance,
        subscription: subscription.key,
        tenant: offer.name.tenant.clone(),
        message: offer.key,
        message_name: offer.name.message_name.clone(),
        correlation_key: offer.name.correlation_key.clone(),
        business_id: offer.business_id.clone(),
        variables: offer.variables.clone(),
    }));
    Ok(())
}

/// One of those that the message is on its way to shall answer whoever waits for the outcome. False if it is on
/// its way to nobody.
pub(super) fn assign_reply(
    run: &mut Run<'_>,
    name: &BoxName,
    message: MessageKey,
    reply: ReplyToken,
) -> Stepped<bool> {
    let on_its_way = subscriptions(run, name).into_iter().find(|row| row.correlating == Some(message));
    let Some(subscription) = on_its_way else { return Ok(false) };
    run.change::<BoxSubscription>(subscription.key)?.reply = Some(reply);
    Ok(true)
}

/// Keeps a message that found only subscriptions with another message on its way, until those have settled that:
/// they still wait for the next one, or are gone. False if there is none to wait for.
pub(super) fn wait_for_busy(run: &mut Run<'_>, offer: &Offer, reply: Option<ReplyToken>) -> bool {
    if !has_busy(run, offer) {
        return false;
    }
    let expires_at = run.now + BUSY_WAIT_MAX_MS;
    run.insert(Message {
        key: offer.key,
        tenant: offer.name.tenant.clone(),
        name: offer.name.message_name.clone(),
        correlation_key: offer.name.correlation_key.clone(),
        message_id: None,
        business_id: offer.business_id.clone(),
        variables: offer.variables.clone(),
        expires_at,
        correlated_to: offer.correlated_to.clone(),
        waits_for_busy: true,
        reply,
    });
    true
}

/// True if a subscription that could take the message is busy with another one.
fn has_busy(run: &Run<'_>, offer: &Offer) -> bool {
    let is_busy = |row: &Arc<BoxSubscription>| {
        row.correlating.is_some_and(|message| message != offer.key) && offer.is_for(row)
    };
    subscriptions(run, &offer.name).iter().any(is_busy)
}

/// A subscription has settled its message: what waited for it and has nobody left to wait for goes.
pub(super) fn dismiss_waiting(run: &mut Run<'_>, name: &BoxName) {
    let waiting = run.index().boxes.get(name).into_iter().flat_map(|found| &found.waiting);
    let waiting: Vec<_> = waiting.filter_map(|key| run.get::<Message>(*key).cloned()).collect();
    for message in waiting {
        if message.expires_at > run.now && has_busy(run, &Offer::of(&message)) {
            continue;
        }
        run.remove::<Message>(message.key);
        if let Some(token) = message.reply {
            run.reply_to(token, Err(nobody(&message.name, &message.correlation_key)));
        }
    }
}

/// Takes the reply token from the subscription that has it.
pub(super) fn take_reply(
    run: &mut Run<'_>,
    name: &BoxName,
    message: MessageKey,
) -> Stepped<Option<ReplyToken>> {
    let answering = subscriptions(run, name)
        .into_iter()
        .find(|row| row.correlating == Some(message) && row.reply.is_some());
    match answering {
        Some(subscription) => Ok(run.change::<BoxSubscription>(subscription.key)?.reply.take()),
        None => Ok(None),
    }
}

/// Starts an instance of every process whose start event takes this message. Gives the first one.
pub(super) fn offer_to_starts(run: &mut Run<'_>, offer: &mut Offer) -> Stepped<Option<ProcessInstanceKey>> {
    let starts = start_subscriptions::by_name(
        run,
        &offer.name.tenant,
        StartEventKind::Message,
        &offer.name.message_name,
    )?;
    let is_new = |start: &&Arc<StartSubscription>| !offer.correlated_to.contains(&start.process_id);
    start_subscriptions::require_definitions(run, starts.iter().filter(is_new))?;
    let mut first = None;
    for start in starts {
        if offer.correlated_to.contains(&start.process_id) {
            continue;
        }
        if let Some(instance) = start_instance(run, &start, offer)? {
            offer.correlated_to.push(start.process_id.clone());
            first.get_or_insert(instance);
        }
    }
    Ok(first)
}

/// The processes that the message would start if no instance with its correlation key were alive.
pub(super) fn locked_starts(run: &Run<'_>, name: &BoxName) -> Stepped<Vec<Text>> {
    let starts =
        start_subscriptions::by_name(run, &name.tenant, StartEventKind::Message, &name.message_name)?;
    let is_locked = |start: &Arc<StartSubscription>| {
        let lock = (name.tenant.clone(), start.process_id.clone(), name.correlation_key.clone());
        run.index().locks.contains_key(&lock)
    };
    Ok(starts.iter().filter(|start| is_locked(start)).map(|start| start.process_id.clone()).collect())
}

/// With a correlation key, only one instance per process id lives at a time.
pub(super) fn start_instance(
    run: &mut Run<'_>,
    start: &StartSubscription,
    offer: &Offer,
) -> Stepped<Option<ProcessInstanceKey>> {
    let correlation_key = Some(&offer.name.correlation_key).filter(|key| !key.is_empty()).cloned();
    if let Some(key) = &correlation_key {
        let lock = (offer.name.tenant.clone(), start.process_id.clone(), key.clone());
        if run.index().locks.contains_key(&lock) {
            return Ok(None);
        }
    }
    let definition = run.definition(start.definition)?;
    let instance = create_instance::begin(
        run,
        &definition,
        NewInstance {
            tenant: offer.name.tenant.clone(),
            business_id: offer.business_id.clone(),
            start_lock: correlation_key.clone(),
            ..NewInstance::default()
        },
    )?;
    if let Some(correlation_key) = correlation_key {
        run.insert(MessageStartLock {
            tenant: offer.name.tenant.clone(),
            process_id: start.process_id.clone(),
            correlation_key,
            instance,
        });
    }
    let now = run.now;
    run.log(MessageCorrelation {
        subscription: start.key,
        message: offer.key,
        origin: Origin {
            instance,
            root: instance,
            definition: start.definition,
            tenant: offer.name.tenant.clone(),
        },
        element_instance: None,
        element_id: start.element_id.clone(),
        message_name: offer.name.message_name.clone(),
        correlation_key: offer.name.correlation_key.clone(),
        business_id: offer.business_id.clone(),
        correlated_at: now,
    });
    create_instance::start_at(run, instance, start.element, Some(offer.variables.clone()))?;
    Ok(Some(instance))
}

/// An instance begins to wait: the oldest message that suits is on its way to it at once.
pub(super) fn open(run: &mut Run<'_>, command: &OpenBoxSubscription) -> Stepped<Answer> {
    let name = BoxName::of_subscription(&command.subscription);
    require(run, &name)?;
    run.insert(command.subscription.clone());
    offer_buffered(run, command.subscription.key)?;
    Ok(Answer::Done)
}

/// Offers the oldest buffered message that this subscription may have.
pub(super) fn offer_buffered(run: &mut Run<'_>, subscription: SubscriptionKey) -> Stepped {
    let Some(subscription) = run.get::<BoxSubscription>(subscription).cloned() else { return Ok(()) };
    let now = run.now;
    for message in messages(run, &BoxName::of_subscription(&subscription)) {
        let mut offer = Offer::of(&message);
        if message.expires_at <= now || !offer.suits(&subscription) {
            continue;
        }
        send(run, &subscription, &mut offer)?;
        if message.waits_for_busy {
            run.remove::<Message>(message.key);
            run.change::<BoxSubscription>(subscription.key)?.reply = message.reply;
        } else {
            run.change::<Message>(message.key)?.correlated_to = offer.correlated_to;
        }
        return Ok(());
    }
    Ok(())
}

pub(super) fn close(run: &mut Run<'_>, command: &CloseBoxSubscription) -> Stepped<Answer> {
    let name = BoxName {
        tenant: command.tenant.clone(),
        message_name: command.message_name.clone(),
        correlation_key: command.correlation_key.clone(),
    };
    require(run, &name)?;
    // A message may be on its way: the instance will refuse it, and it is offered on in this one's name.
    let is_correlating = |row: &Arc<BoxSubscription>| row.correlating.is_some();
    if !run.get::<BoxSubscription>(command.subscription).is_some_and(is_correlating) {
        run.remove::<BoxSubscription>(command.subscription);
    }
    Ok(Answer::Done)
}

/// When a message that may live this long expires.
pub(super) fn expiry(now: Timestamp, time_to_live_ms: i64) -> Timestamp {
    now + time_to_live_ms.max(0)
}

/// The oldest buffered message that may start the process next.
pub(super) fn next_start(
    run: &Run<'_>,
    tenant: &TenantId,
    starts: &[Arc<StartSubscription>],
    correlation_key: &Text,
) -> Stepped<Option<(Arc<Message>, Arc<StartSubscription>)>> {
    let mut best: Option<(Arc<Message>, Arc<StartSubscription>)> = None;
    let mut missed = Missed::default();
    for start in starts {
        let name = BoxName {
            tenant: tenant.clone(),
            message_name: start.name.clone(),
            correlation_key: correlation_key.clone(),
        };
        if missed.unless_missing(require(run, &name))?.is_none() {
            continue;
        }
        let oldest = messages(run, &name).into_iter().find(|message| {
            !message.waits_for_busy
                && message.expires_at > run.now
                && !message.correlated_to.contains(&start.process_id)
        });
        if let Some(message) = oldest
            && best.as_ref().is_none_or(|(found, _)| message.key < found.key)
        {
            best = Some((message, start.clone()));
        }
    }
    missed.stop_if_any()?;
    Ok(best)
}
