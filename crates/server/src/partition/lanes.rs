//! The order of one turn. The inbox, what has become due and what clients send each get a share of every turn, so
//! that a flood of one of them holds up nobody else.

use super::take::{Source, Work};
use std::collections::VecDeque;

/// Who goes first among the three.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum First {
    /// The inbox as a whole: what was appended before a request was sent runs before it.
    Inbox,
    /// One of each in turn. The number says with whom to begin: it differs from turn to turn, because a turn may end
    /// after its first command.
    Nobody(usize),
}

/// Puts the works of a turn in order. Those of one source keep theirs.
pub(super) fn mix(queue: VecDeque<Work>, first: First) -> VecDeque<Work> {
    if is_of_one_source(&queue) {
        return queue;
    }
    let mut mixed = VecDeque::with_capacity(queue.len());
    let mut lanes = [VecDeque::new(), VecDeque::new(), VecDeque::new()];
    for work in queue {
        lanes[lane(&work)].push_back(work);
    }
    let begin = match first {
        First::Inbox => {
            mixed.append(&mut lanes[INBOX]);
            DUE
        }
        First::Nobody(number) => number % lanes.len(),
    };
    lanes.rotate_left(begin);
    while lanes.iter().any(|lane| !lane.is_empty()) {
        mixed.extend(lanes.iter_mut().filter_map(VecDeque::pop_front));
    }
    mixed
}

const INBOX: usize = 0;
const DUE: usize = 1;
const SENT: usize = 2;

fn lane(work: &Work) -> usize {
    match work.source {
        Source::Inbox { .. } => INBOX,
        Source::Timer(_) | Source::Leases => DUE,
        _ => SENT,
    }
}

fn is_of_one_source(queue: &VecDeque<Work>) -> bool {
    let mut lanes = queue.iter().map(lane);
    let first = lanes.next();
    lanes.all(|lane| Some(lane) == first)
}

pub(super) fn is_of_inbox(work: &Work) -> bool {
    lane(work) == INBOX
}

pub(super) fn is_due(work: &Work) -> bool {
    lane(work) == DUE
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemill_model::command::ExpireLeases;
    use tidemill_model::{Command, Timestamp};
    use tidemill_store::Position;
    use tokio::sync::oneshot;

    /// The number shows in the time of the command.
    fn work(source: Source, number: i64) -> Work {
        let command = Command::ExpireLeases(ExpireLeases { jobs: Vec::new(), at: Timestamp(number) });
        Work { command, source }
    }

    fn queue() -> VecDeque<Work> {
        let sent = |number| {
            let (options, reply) = (Default::default(), oneshot::channel().0);
            work(Source::Client { options, reply }, number)
        };
        let entry = |number| {
            let position = Position(number);
            work(Source::Inbox { position, keeps_result: false, idempotency: None }, number)
        };
        let due = |number| work(Source::Leases, number);
        [entry(1), entry(2), entry(3), sent(1), sent(2), due(1), due(2)].into()
    }

    fn order(works: VecDeque<Work>) -> String {
        let names = works.iter().map(|work| {
            let Command::ExpireLeases(command) = &work.command else { panic!("another command") };
            format!("{}{}", ["inbox", "due", "sent"][lane(work)], command.at.0)
        });
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_inbox_goes_first_where_it_is_short() {
        assert_eq!(order(mix(queue(), First::Inbox)), "inbox1 inbox2 inbox3 due1 sent1 due2 sent2");
    }

    #[test]
    fn otherwise_all_take_turns_and_begin_in_turn() {
        let mixed = |number| order(mix(queue(), First::Nobody(number)));
        assert_eq!(mixed(0), "inbox1 due1 sent1 inbox2 due2 sent2 inbox3");
        assert_eq!(mixed(1), "due1 sent1 inbox1 due2 sent2 inbox2 inbox3");
        assert_eq!(mixed(5), "sent1 inbox1 due1 sent2 inbox2 due2 inbox3");
    }
}
