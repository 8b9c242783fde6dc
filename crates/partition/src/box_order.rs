//! The order of what the partition tells its own message boxes. A follow-up that finds no room in its batch goes through the inbox,
//! and others that come after it would run before it: a subscription would be closed before it is opened, and stay in its
//! box for ever. So whatever is for the same box goes the same way until the first has run.

use crate::queued::{CommandSource, QueuedCommand};
use std::collections::BTreeMap;
use tidemill_model::{Command, TenantId, Text};

type BoxKey = (TenantId, Text);

/// Follow-ups for one box that are on their way through the inbox.
#[derive(Default)]
struct OnTheirWay {
    /// Written, or about to be, and not read yet.
    unread: usize,
    /// Read and not run yet.
    in_hand: usize,
}

#[derive(Default)]
pub(crate) struct BoxOrder {
    boxes: BTreeMap<BoxKey, OnTheirWay>,
    /// The inbox was not read to its end since memory was empty: it may hold follow-ups for any box.
    is_unknown: bool,
}

impl BoxOrder {
    pub(crate) fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Something for the same box was sent through the inbox and has not run.
    pub(crate) fn is_behind(&self, command: &Command) -> bool {
        (self.is_unknown || !self.boxes.is_empty())
            && box_of(command).is_some_and(|key| self.is_unknown || self.boxes.contains_key(&key))
    }

    /// The open batch sends this follow-up through the inbox of its own partition.
    pub(crate) fn postponed(&mut self, command: &Command) {
        if let Some(key) = box_of(command) {
            self.boxes.entry(key).or_default().unread += 1;
        }
    }

    /// It was read from the inbox. Those that a predecessor has sent become known here.
    pub(crate) fn arrived(&mut self, queued: &QueuedCommand) {
        if let Some(key) = postponed_box(queued) {
            let on_their_way = self.boxes.entry(key).or_default();
            on_their_way.unread = on_their_way.unread.saturating_sub(1);
            on_their_way.in_hand += 1;
        }
    }

    pub(crate) fn inbox_was_read_to_its_end(&mut self) {
        self.is_unknown = false;
    }

    pub(crate) fn ran(&mut self, queued: &QueuedCommand) {
        let Some(key) = postponed_box(queued) else { return };
        let Some(on_their_way) = self.boxes.get_mut(&key) else { return };
        on_their_way.in_hand = on_their_way.in_hand.saturating_sub(1);
        if on_their_way.in_hand + on_their_way.unread == 0 {
            self.boxes.remove(&key);
        }
    }

    /// The inbox is read again, but for what is in the queue.
    pub(crate) fn reset<'a>(&mut self, queue: impl Iterator<Item = &'a QueuedCommand>) {
        // Until the inbox was read to its end, a predecessor's follow-up for any box may still wait there.
        *self = BoxOrder { is_unknown: true, ..BoxOrder::default() };
        queue.for_each(|queued| self.arrived(queued));
    }
}

/// The box of a follow-up that came through the inbox.
fn postponed_box(queued: &QueuedCommand) -> Option<BoxKey> {
    match queued.source {
        CommandSource::Inbox { is_own: true, .. } => box_of(&queued.command),
        _ => None,
    }
}

fn box_of(command: &Command) -> Option<BoxKey> {
    let (tenant, correlation_key) = match command {
        Command::OpenBoxSubscription(c) => (&c.subscription.tenant, &c.subscription.correlation_key),
        Command::CloseBoxSubscription(c) => (&c.tenant, &c.correlation_key),
        Command::AnswerCorrelation(c) => (&c.tenant, &c.correlation_key),
        Command::ReleaseStartLock(c) => (&c.tenant, &c.correlation_key),
        _ => return None,
    };
    Some((tenant.clone(), correlation_key.clone()))
}
