//! Notifies other nodes that inboxes of theirs have grown. One call at a time goes to each node, and the next one carries all notices that
//! have come meanwhile: under load there is a call per round trip instead of one per command.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use tidemill_model::PartitionId;

/// The answer of a node to a notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Notified {
    Noted,
    /// One of the partitions is not there.
    Moved,
    NotHeard,
}

/// The notices for each node, by its address.
#[derive(Default)]
pub(super) struct PeerNotifier(Mutex<BTreeMap<String, Arc<PeerNotices>>>);

#[derive(Default)]
struct PeerNotices {
    /// The notices that the next call carries.
    next: Mutex<Round>,
    /// The number of the last call that told of each partition. Locked while a call is made.
    told: tokio::sync::Mutex<BTreeMap<PartitionId, u64>>,
}

#[derive(Default)]
struct Round {
    number: u64,
    partitions: BTreeSet<PartitionId>,
}

const UNPOISONED: &str = "nobody panics while holding it";

impl PeerNotifier {
    /// Returns when a call that began after this one has told of the partition, whichever caller has made it.
    pub(super) async fn tell<A: Future<Output = Notified>>(
        &self,
        address: &str,
        partition: PartitionId,
        ask: impl FnOnce(BTreeSet<PartitionId>) -> A,
    ) -> Notified {
        let notices = self.of(address);
        let first = notices.join(partition);
        let mut told = notices.told.lock().await;
        if told.get(&partition).is_some_and(|number| *number >= first) {
            return Notified::Noted;
        }
        // The caller that was to carry this notice may have been dropped before it made its call.
        let Round { number, mut partitions } = notices.begin();
        partitions.insert(partition);
        let heard = ask(partitions.clone()).await;
        if heard == Notified::Noted {
            told.extend(partitions.into_iter().map(|partition| (partition, number)));
        }
        heard
    }

    fn of(&self, address: &str) -> Arc<PeerNotices> {
        let mut nodes = self.0.lock().expect(UNPOISONED);
        if let Some(notices) = nodes.get(address) {
            return notices.clone();
        }
        // Nodes come and go.
        nodes.retain(|_, notices| Arc::strong_count(notices) > 1);
        nodes.entry(address.to_owned()).or_default().clone()
    }
}

impl PeerNotices {
    /// Adds a notice, and gives the number of the first call that can carry it.
    fn join(&self, partition: PartitionId) -> u64 {
        let mut next = self.next.lock().expect(UNPOISONED);
        next.partitions.insert(partition);
        next.number
    }

    fn begin(&self) -> Round {
        let mut next = self.next.lock().expect(UNPOISONED);
        let number = next.number + 1;
        std::mem::replace(&mut *next, Round { number, partitions: BTreeSet::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;
    use std::time::Duration;

    const NODE: &str = "127.0.0.1:8080";

    fn ids(numbers: impl IntoIterator<Item = u16>) -> BTreeSet<PartitionId> {
        numbers.into_iter().map(PartitionId).collect()
    }

    /// Tells of these partitions at once; the call with this number is not heard. Gives the calls as well.
    async fn tell_all(partitions: &[u16], lost: usize) -> (Vec<Notified>, Vec<BTreeSet<PartitionId>>) {
        let (nodes, calls) = (PeerNotifier::default(), Mutex::new(Vec::new()));
        let ask = |partitions| {
            let mut calls = calls.lock().expect("no panic");
            calls.push(partitions);
            let heard = if calls.len() - 1 == lost { Notified::NotHeard } else { Notified::Noted };
            async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                heard
            }
        };
        let heard = partitions.iter().map(|partition| nodes.tell(NODE, PartitionId(*partition), ask));
        let heard = join_all(heard).await;
        (heard, calls.into_inner().expect("no panic"))
    }

    #[tokio::test]
    async fn one_call_speaks_for_all_who_came_during_the_last() {
        let partitions: Vec<u16> = (0..100).map(|number| number % 4 + 1).collect();
        let (heard, calls) = tell_all(&partitions, usize::MAX).await;
        assert!(heard.into_iter().all(|heard| heard == Notified::Noted));
        assert_eq!(calls, [ids([1]), ids([1, 2, 3, 4])]);
    }

    #[tokio::test]
    async fn nobody_counts_on_a_call_that_was_not_heard() {
        let (heard, calls) = tell_all(&[1, 2, 3, 2], 1).await;
        assert_eq!(heard, [Notified::Noted, Notified::NotHeard, Notified::Noted, Notified::Noted]);
        assert_eq!(calls, [ids([1]), ids([2, 3]), ids([3]), ids([2])]);
    }
}
