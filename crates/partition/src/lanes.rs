//! The order of a queue that is longer than a batch. The inbox, what has become due and what clients send take turns in it, so
//! that a flood of one of them holds up nobody else.

use crate::queued::{CommandSource, QueuedCommand};
use std::collections::VecDeque;

/// One of each kind in turn; those of one kind keep their order. The number says with which kind to begin: it differs from
/// batch to batch, because a batch may end after its first command.
pub(crate) fn mix(queue: VecDeque<QueuedCommand>, turn: usize) -> VecDeque<QueuedCommand> {
    let mut mixed = VecDeque::with_capacity(queue.len());
    let mut lanes = [VecDeque::new(), VecDeque::new(), VecDeque::new()];
    for queued in queue {
        lanes[lane(&queued)].push_back(queued);
    }
    lanes.rotate_left(turn % 3);
    while lanes.iter().any(|lane| !lane.is_empty()) {
        mixed.extend(lanes.iter_mut().filter_map(VecDeque::pop_front));
    }
    mixed
}

fn lane(queued: &QueuedCommand) -> usize {
    match queued.source {
        CommandSource::Inbox { .. } => 0,
        CommandSource::Timer(_) | CommandSource::Leases => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{CallId, CommandOptions};
    use tidemill_model::command::CancelInstance;
    use tidemill_model::{Command, ProcessInstanceKey};
    use tidemill_store::Position;

    fn queued(number: i64, source: CommandSource) -> QueuedCommand {
        let instance = ProcessInstanceKey(number);
        QueuedCommand::new(Command::CancelInstance(CancelInstance { instance }), source)
    }

    fn numbers(queue: &VecDeque<QueuedCommand>) -> Vec<i64> {
        let number = |queued: &QueuedCommand| match &queued.command {
            Command::CancelInstance(cancel) => cancel.instance.0,
            _ => 0,
        };
        queue.iter().map(number).collect()
    }

    #[test]
    fn kinds_take_turns_and_keep_their_order() {
        let entry = |number| {
            let position = Position(number);
            queued(
                number,
                CommandSource::Inbox { position, keeps_result: false, is_own: false, idempotency: None },
            )
        };
        let client = |number| {
            queued(number, CommandSource::Client { call: CallId(1), options: CommandOptions::default() })
        };
        let queue =
            || VecDeque::from([entry(1), entry(2), entry(3), client(10), queued(20, CommandSource::Leases)]);
        assert_eq!(numbers(&mix(queue(), 0)), [1, 20, 10, 2, 3]);
        assert_eq!(numbers(&mix(queue(), 1)), [20, 10, 1, 2, 3]);
        assert_eq!(numbers(&mix(queue(), 2)), [10, 1, 20, 2, 3]);
    }
}
