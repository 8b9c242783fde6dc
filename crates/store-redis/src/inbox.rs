//! The inbox: a stream for each partition. A position is the partition and the number of the entry.

use crate::entry::{entries, read};
use crate::keys::Keys;
use crate::store::RedisStore;
use crate::writes::number;
use async_trait::async_trait;
use redis::Value;
use std::collections::BTreeSet;
use tidemill_model::{Key, PartitionId, Timestamp};
use tidemill_store::{CommandOutcome, Error, Inbox, InboxEntry, NewInboxEntry, Position, Result};

/// The id of an entry. Positions that no partition can have given lead to none.
pub(crate) fn id_of(position: Position) -> String {
    format!("0-{}", Key(position.0).counter())
}

pub(crate) fn position_of(partition: PartitionId, number: i64) -> Position {
    Position(Key::new(partition, u64::try_from(number).unwrap_or_default()).0)
}

#[async_trait]
impl Inbox for RedisStore {
    async fn append(&self, entries: Vec<NewInboxEntry>) -> Result<Vec<Position>> {
        self.check_writable()?;
        let mut pipeline = redis::pipe();
        for entry in &entries {
            let inbox = self.keys(entry.partition)?.inbox();
            pipeline.cmd("XADD").arg(inbox).arg("0-*").arg("at").arg(entry.received_at.0);
            pipeline.arg("payload").arg(entry.payload.as_slice());
        }
        let answers = self.writes.ask_all(pipeline).await.map_err(|failure| failure.of_write(&self.place))?;
        let mut positions = Vec::with_capacity(entries.len());
        for (entry, answer) in entries.iter().zip(answers) {
            positions.push(given(entry.partition, answer)?);
        }
        let partitions: BTreeSet<PartitionId> = entries.iter().map(|entry| entry.partition).collect();
        partitions.into_iter().for_each(|partition| self.notifiers.notify(partition));
        Ok(positions)
    }

    async fn waiting(&self, partition: PartitionId, limit: usize) -> Result<Vec<InboxEntry>> {
        let inbox = self.keys(partition)?.inbox();
        let found =
            self.read(redis::cmd("XRANGE").arg(inbox).arg("-").arg("+").arg("COUNT").arg(limit)).await?;
        let entry = |entry: crate::entry::Entry| InboxEntry {
            position: position_of(partition, entry.sequence()),
            received_at: Timestamp(entry.number("at")),
            payload: entry.bytes("payload").unwrap_or_default().to_vec(),
        };
        Ok(entries(found)?.into_iter().map(entry).collect())
    }

    async fn outcome(&self, position: Position) -> Result<CommandOutcome> {
        for keys in self.partitions_of(position) {
            let outcome = self.outcome_in(keys, position).await?;
            if outcome != CommandOutcome::Unknown {
                return Ok(outcome);
            }
        }
        Ok(CommandOutcome::Unknown)
    }
}

/// The position that an append has given.
pub(crate) fn given(partition: PartitionId, id: Value) -> Result<Position> {
    let id: String = read(id)?;
    let number = id.split_once('-').and_then(|(_, number)| number.parse().ok());
    let number =
        number.ok_or_else(|| Error::Failed { place: "Redis".into(), reason: format!("id '{id}'") })?;
    Ok(position_of(partition, number))
}

impl RedisStore {
    /// The partition that gave it; all of them for a number that none can have given.
    fn partitions_of(&self, position: Position) -> Vec<&Keys> {
        match self.space.of_key(Key(position.0)) {
            Some(keys) => vec![keys],
            None => self.space.all().map(|(_, keys)| keys).collect(),
        }
    }

    async fn outcome_in(&self, keys: &Keys, position: Position) -> Result<CommandOutcome> {
        let id = id_of(position);
        let mut pipeline = redis::pipe();
        pipeline.cmd("HGET").arg(keys.named("results")).arg(number(position.0));
        pipeline.cmd("HGET").arg(keys.named("letter-positions")).arg(number(position.0));
        pipeline.cmd("XRANGE").arg(keys.inbox()).arg(&id).arg(&id);
        let answers: [Value; 3] = self.read_all(pipeline).await?.try_into().unwrap_or_default();
        let [result, letter, waiting] = answers;
        if let Some(value) = read::<Option<Vec<u8>>>(result)? {
            let (at, answer) = timed(&value);
            return Ok(CommandOutcome::Done { at, answer: answer.to_vec() });
        }
        if let Some(id) = read::<Option<String>>(letter)? {
            let letters = keys.named("letters");
            let letter = self.read(redis::cmd("XRANGE").arg(letters).arg(&id).arg(&id)).await?;
            if let Some(letter) = entries(letter)?.first() {
                let (at, reason) = (Timestamp(letter.number("at")), letter.text("reason").to_owned());
                return Ok(CommandOutcome::DeadLetter { at, reason });
            }
        }
        let waits = self.space.of_key(Key(position.0)).is_some() && !entries(waiting)?.is_empty();
        Ok(if waits { CommandOutcome::Waiting } else { CommandOutcome::Unknown })
    }
}

/// A value that begins with its time.
pub(crate) fn timed(value: &[u8]) -> (Timestamp, &[u8]) {
    let (time, rest) = word(value);
    (Timestamp(time), rest)
}

/// The number before the next space, and what comes behind it.
pub(crate) fn word(value: &[u8]) -> (i64, &[u8]) {
    let end = value.iter().position(|byte| *byte == b' ').unwrap_or(value.len());
    let number = std::str::from_utf8(&value[..end]).ok().and_then(|text| text.parse().ok());
    (number.unwrap_or_default(), value.get(end + 1..).unwrap_or_default())
}
