//! Telling other nodes that inboxes of theirs have grown: one call at a time to each, and the next one speaks for
//! all who have come meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use tidemill_model::PartitionId;

/// What a node makes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Heard {
    Noted,
    /// One of the partitions is not there.
    Moved,
    Nothing,
}

/// One for each node that was told something, by its address.
#[derive(Default)]
pub(super) struct Heralds(Mutex<BTreeMap<String, Arc<Herald>>>);

#[derive(Default)]
struct Herald {
    /// What the next call is about.
    next: Mutex<Round>,
    /// The last call that told of a partition. Locked by who makes one.
    told: tokio::sync::Mutex<BTreeMap<PartitionId, u64>>,
}

#[derive(Default)]
struct Round {
    number: u64,
    partitions: BTreeSet<PartitionId>,
}

const UNPOISONED: &str = "nobody panics while holding it";

impl Heralds {
    /// Returns when a call that began after this one has told of the partition, whoever has made it.
    pub(super) async fn tell<A: Future<Output = Heard>>(
        &self,
        address: &str,
        partition: PartitionId,
        ask: impl FnOnce(BTreeSet<PartitionId>) -> A,
    ) -> Heard {
        let herald = self.of(address);
        let first = herald.join(partition);
        let mut told = herald.told.lock().await;
        if told.get(&partition).is_some_and(|number| *number >= first) {
            return Heard::Noted;
        }
        // Who was to speak for this one may have gone before it was heard.
        let Round { number, mut partitions } = herald.begin();
        partitions.insert(partition);
        let heard = ask(partitions.clone()).await;
        if heard == Heard::Noted {
            told.extend(partitions.into_iter().map(|partition| (partition, number)));
        }
        heard
    }

    fn of(&self, address: &str) -> Arc<Herald> {
        let mut heralds = self.0.lock().expect(UNPOISONED);
        if let Some(herald) = heralds.get(address) {
            return herald.clone();
        }
        // Nodes come and go.
        heralds.retain(|_, herald| Arc::strong_count(herald) > 1);
        heralds.entry(address.to_owned()).or_default().clone()
    }
}

impl Herald {
    /// The first call that can count.
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
    async fn tell_all(partitions: &[u16], lost: usize) -> (Vec<Heard>, Vec<BTreeSet<PartitionId>>) {
        let (heralds, calls) = (Heralds::default(), Mutex::new(Vec::new()));
        let ask = |partitions| {
            let mut calls = calls.lock().expect("no panic");
            calls.push(partitions);
            let heard = if calls.len() - 1 == lost { Heard::Nothing } else { Heard::Noted };
            async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                heard
            }
        };
        let heard = partitions.iter().map(|partition| heralds.tell(NODE, PartitionId(*partition), ask));
        let heard = join_all(heard).await;
        (heard, calls.into_inner().expect("no panic"))
    }

    #[tokio::test]
    async fn one_call_speaks_for_all_who_came_during_the_last() {
        let partitions: Vec<u16> = (0..100).map(|number| number % 4 + 1).collect();
        let (heard, calls) = tell_all(&partitions, usize::MAX).await;
        assert!(heard.into_iter().all(|heard| heard == Heard::Noted));
        assert_eq!(calls, [ids([1]), ids([1, 2, 3, 4])]);
    }

    #[tokio::test]
    async fn nobody_counts_on_a_call_that_was_not_heard() {
        let (heard, calls) = tell_all(&[1, 2, 3, 2], 1).await;
        assert_eq!(heard, [Heard::Noted, Heard::Nothing, Heard::Noted, Heard::Noted]);
        assert_eq!(calls, [ids([1]), ids([2, 3]), ids([3]), ids([2])]);
    }
}
