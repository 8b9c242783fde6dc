//! Commands that were put aside: somebody looks at them, lets them run again or lets them go. That needs no fence: an
//! owner writes letters and never reads them, and what runs again goes through its inbox.

use crate::{Position, Result};
use async_trait::async_trait;
use tidemill_model::{PartitionId, Timestamp};

/// Names a dead letter; later ones have higher numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LetterNumber(pub i64);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredLetter {
    pub number: LetterNumber,
    pub partition: PartitionId,
    /// Where it stood in the inbox; none for a command that did not come through it.
    pub position: Option<Position>,
    pub at: Timestamp,
    pub reason: String,
    pub payload: Vec<u8>,
}

#[async_trait]
pub trait DeadLetters: Send + Sync {
    /// Lowest numbers first.
    async fn dead_letters(&self, after: Option<LetterNumber>, limit: usize) -> Result<Vec<StoredLetter>>;

    async fn dead_letter(&self, number: LetterNumber) -> Result<Option<StoredLetter>>;

    /// Appends the command to its partition's inbox again and removes the letter, both or neither. Gives the
    /// new position; none where there is no such letter.
    async fn retry_dead_letter(&self, number: LetterNumber, at: Timestamp) -> Result<Option<Position>>;

    /// False where there is no such letter.
    async fn drop_dead_letter(&self, number: LetterNumber) -> Result<bool>;
}
