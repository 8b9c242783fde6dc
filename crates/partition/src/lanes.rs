//! The order of a queue that is longer than a batch. The inbox, what has become due and what clients send take turns in it, so
//! that a flood of one of them holds up nobody else.

use crate::work::{Origin, Work};
use std::collections::VecDeque;

/// One of each kind in turn; those of one kind keep their order. The number says with which kind to begin: it differs from
/// batch to batch, because a batch may end after its first command.
pub(crate) fn mix(queue: VecDeque<Work>, turn: usize) -> VecDeque<Work> {
    let mut mixed = VecDeque::with_capacity(queue.len());
    let mut lanes = [VecDeque::new(), VecDeque::new(), VecDeque::new()];
    for work in queue {
        lanes[lane(&work)].push_back(work);
    }
    lanes.rotate_left(turn % 3);
    while lanes.iter().any(|lane| !lane.is_empty()) {
        mixed.extend(lanes.iter_mut().filter_map(VecDeque::pop_front));
    }
    mixed
}

fn lane(work: &Work) -> usize {
    match work.origin {
        Origin::Inbox { .. } => 0,
        Origin::Timer(_) | Origin::Leases => 1,
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

    fn work(number: i64, origin: Origin) -> Work {
        let instance = ProcessInstanceKey(number);
        Work::new(Command::CancelInstance(CancelInstance { instance }), origin)
    }

    fn numbers(queue: &VecDeque<Work>) -> Vec<i64> {
        let number = |work: &Work| match &work.command {
            Command::CancelInstance(cancel) => cancel.instance.0,
            _ => 0,
        };
        queue.iter().map(number).collect()
    }

    #[test]
    fn kinds_take_turns_and_keep_their_order() {
        let entry = |number| {
            let position = Position(number);
            work(number, Origin::Inbox { position, keeps_result: false, idempotency: None })
        };
        let client =
            |number| work(number, Origin::Client { call: CallId(1), options: CommandOptions::default() });
        let queue = || VecDeque::from([entry(1), entry(2), entry(3), client(10), work(20, Origin::Leases)]);
        assert_eq!(numbers(&mix(queue(), 0)), [1, 20, 10, 2, 3]);
        assert_eq!(numbers(&mix(queue(), 1)), [20, 10, 1, 2, 3]);
        assert_eq!(numbers(&mix(queue(), 2)), [10, 1, 20, 2, 3]);
    }
}
