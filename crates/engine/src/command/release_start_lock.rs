//! An instance that a message had started has ended: the next buffered message may start its successor.

use super::message_box::{self, Offer};
use super::start_subscriptions;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::command::ReleaseStartLock;
use tidemill_model::entity::{Message, MessageStartLock, StartEventKind};
use tidemill_model::{Answer, BoxName};

pub(super) fn run(run: &mut Run<'_>, command: &ReleaseStartLock) -> Stepped<Answer> {
    let starts = start_subscriptions::of_process(run, &command.tenant, &command.process_id)?;
    let starts: Vec<_> = starts.into_iter().filter(|start| start.kind == StartEventKind::Message).collect();
    let next = message_box::next_start(run, &command.tenant, &starts, &command.correlation_key)?;
    // The lock comes with any box of its key, and is let go even where no message starts the process now.
    message_box::require(run, &BoxName::of_lock(&command.tenant, &command.correlation_key))?;
    run.remove::<MessageStartLock>(command.instance);
    if let Some((message, start)) = next
        && message_box::start_instance(run, &start, &Offer::of(&message))?.is_some()
    {
        run.change::<Message>(message.key)?.correlated_to.push(start.process_id.clone());
    }
    Ok(Answer::Done)
}
