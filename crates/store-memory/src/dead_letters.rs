//! Commands that were put aside.

use crate::MemoryStore;
use async_trait::async_trait;
use std::ops::Bound;
use tidemill_model::Timestamp;
use tidemill_store::{DeadLetters, LetterNumber, NewInboxEntry, Position, Result, StoredLetter};

#[async_trait]
impl DeadLetters for MemoryStore {
    async fn dead_letters(&self, after: Option<LetterNumber>, limit: usize) -> Result<Vec<StoredLetter>> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let state = self.state();
        Ok(state
            .letters
            .range((from, Bound::Unbounded))
            .take(limit)
            .map(|(_, letter)| letter.clone())
            .collect())
    }

    async fn dead_letter(&self, number: LetterNumber) -> Result<Option<StoredLetter>> {
        Ok(self.state().letters.get(&number).cloned())
    }

    async fn retry_dead_letter(&self, number: LetterNumber, at: Timestamp) -> Result<Option<Position>> {
        // Under one lock, so that the command is either a letter or an entry, and never both.
        let retried = {
            let mut state = self.state();
            state.letters.remove(&number).map(|letter| {
                let StoredLetter { partition, payload, .. } = letter;
                (partition, state.append(NewInboxEntry { partition, received_at: at, payload }))
            })
        };
        let Some((partition, position)) = retried else { return Ok(None) };
        self.shared.notifiers.notify(partition);
        Ok(Some(position))
    }

    async fn drop_dead_letter(&self, number: LetterNumber) -> Result<bool> {
        Ok(self.state().letters.remove(&number).is_some())
    }
}
