//! The inbox.

use crate::MemoryStore;
use async_trait::async_trait;
use tidemill_model::PartitionId;
use tidemill_store::{CommandOutcome, Inbox, InboxEntry, NewInboxEntry, Position, Result};

#[async_trait]
impl Inbox for MemoryStore {
    async fn append(&self, entries: Vec<NewInboxEntry>) -> Result<Vec<Position>> {
        self.paced("append", || {
            let partitions: Vec<PartitionId> = entries.iter().map(|entry| entry.partition).collect();
            let positions = {
                let mut state = self.state();
                entries.into_iter().map(|entry| state.append(entry)).collect()
            };
            // The lock is free again: whoever is woken looks at once.
            for partition in partitions {
                self.shared.notifiers.notify(partition);
            }
            Ok(positions)
        })
        .await
    }

    async fn waiting(&self, partition: PartitionId, limit: usize) -> Result<Vec<InboxEntry>> {
        self.paced("waiting", || {
            let state = self.state();
            let own = state.inbox.values().filter(|(of, _)| *of == partition).map(|(_, entry)| entry.clone());
            Ok(own.take(limit).collect())
        })
        .await
    }

    async fn outcome(&self, position: Position) -> Result<CommandOutcome> {
        self.paced("outcome", || {
            let state = self.state();
            if let Some((at, answer)) = state.results.get(&position) {
                return Ok(CommandOutcome::Done { at: *at, answer: answer.clone() });
            }
            if let Some(letter) = state.letters.values().find(|letter| letter.position == Some(position)) {
                return Ok(CommandOutcome::DeadLetter { at: letter.at, reason: letter.reason.clone() });
            }
            let waits = state.inbox.contains_key(&position);
            Ok(if waits { CommandOutcome::Waiting } else { CommandOutcome::Unknown })
        })
        .await
    }
}
