//! Commands that were put aside: a stream for each partition. The number of a letter is the partition and that of the entry.

use crate::entry::{Entry, entries, read};
use crate::inbox::{given, id_of, position_of};
use crate::library;
use crate::store::RedisStore;
use crate::writes::number;
use async_trait::async_trait;
use tidemill_model::{Key, PartitionId, Timestamp};
use tidemill_store::{DeadLetters, LetterNumber, Position, Result, StoredLetter};

#[async_trait]
impl DeadLetters for RedisStore {
    async fn dead_letters(&self, after: Option<LetterNumber>, limit: usize) -> Result<Vec<StoredLetter>> {
        let mut letters = Vec::new();
        let after = after.map_or(Key(0), |number| Key(number.0));
        let first = after.partition().unwrap_or(PartitionId::FIRST);
        for (partition, keys) in self.space.all().filter(|(partition, _)| *partition >= first) {
            let counter = if after.partition() == Some(partition) { after.counter() } else { 0 };
            let mut question = redis::cmd("XRANGE");
            question.arg(keys.named("letters")).arg(format!("(0-{counter}")).arg("+");
            question.arg("COUNT").arg(limit - letters.len());
            letters
                .extend(entries(self.read(&question).await?)?.iter().map(|entry| letter(partition, entry)));
            if letters.len() >= limit {
                break;
            }
        }
        Ok(letters)
    }

    async fn dead_letter(&self, number: LetterNumber) -> Result<Option<StoredLetter>> {
        let Some((partition, keys)) = self.home_of(number) else { return Ok(None) };
        let id = id_of(Position(number.0));
        let found = self.read(redis::cmd("XRANGE").arg(&keys[0]).arg(&id).arg(&id)).await?;
        Ok(entries(found)?.first().map(|entry| letter(partition, entry)))
    }

    async fn retry_dead_letter(&self, number_: LetterNumber, at: Timestamp) -> Result<Option<Position>> {
        let Some((partition, keys)) = self.home_of(number_) else { return Ok(None) };
        let args = [id_of(Position(number_.0)).into_bytes(), number(at.0)];
        let id = self.run(&library::call("retry", &keys, &args)).await?;
        if id == redis::Value::Nil {
            return Ok(None);
        }
        self.notifiers.notify(partition);
        given(partition, id).map(Some)
    }

    async fn drop_dead_letter(&self, number: LetterNumber) -> Result<bool> {
        let Some((_, keys)) = self.home_of(number) else { return Ok(false) };
        let args = [id_of(Position(number.0))];
        let dropped: u8 = read(self.run(&library::call("drop", &keys[..2], &args)).await?)?;
        Ok(dropped == 1)
    }
}

impl RedisStore {
    /// The partition of a letter, and the keys that have to do with it.
    fn home_of(&self, number: LetterNumber) -> Option<(PartitionId, [String; 3])> {
        let partition = Key(number.0).partition()?;
        let keys = self.space.of(partition)?;
        Some((partition, [keys.named("letters"), keys.named("letter-positions"), keys.inbox()]))
    }
}

fn letter(partition: PartitionId, entry: &Entry) -> StoredLetter {
    StoredLetter {
        number: LetterNumber(position_of(partition, entry.sequence()).0),
        partition,
        position: entry.text("position").parse().ok().map(Position),
        at: Timestamp(entry.number("at")),
        reason: entry.text("reason").to_owned(),
        payload: entry.bytes("payload").unwrap_or_default().to_vec(),
    }
}
