//! The redo record of a batch: its changes as they are stored until they have reached the tables.

use serde::{Deserialize, Serialize};
use tidemill_model::{Change, Key, PartitionId, TimerKey, Timestamp};
use tidemill_store::{Batch, Error, FiredTimers, Result, TimerPosition, codec};

/// The first byte of a record. Another number means another form.
const VERSION: u8 = 1;

/// A place in the schedule: when, and the key.
type Place = (i64, i64);

#[derive(Serialize, Deserialize, Debug)]
pub(crate) struct Redo {
    pub(crate) at: Timestamp,
    /// No row of the batches before this one has a key of this partition with a higher counter. Rows with higher keys are
    /// new, so nothing has to be deleted where they have ended again.
    pub(crate) known_key: u64,
    fired: Option<(Option<Place>, Place)>,
    pub(crate) changes: Vec<Change>,
}

impl Redo {
    /// Takes the changes out of the batch.
    pub(crate) fn take_from(batch: &mut Batch, known_key: u64) -> Redo {
        let place = |position: TimerPosition| (position.due_at.0, position.key.0);
        Redo {
            at: batch.at,
            known_key,
            fired: batch.fired.map(|fired| (fired.after.map(place), place(fired.up_to))),
            changes: std::mem::take(&mut batch.changes),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.fired.is_none()
    }

    pub(crate) fn fired(&self) -> Option<FiredTimers> {
        let position = |(due_at, key)| TimerPosition { due_at: Timestamp(due_at), key: TimerKey(key) };
        let (after, up_to) = self.fired?;
        Some(FiredTimers { after: after.map(position), up_to: position(up_to) })
    }

    /// The highest counter among the keys of this partition.
    pub(crate) fn highest_key(&self, partition: PartitionId) -> u64 {
        let counters = self.changes.iter().flat_map(|change| {
            let (first, second) = change.entity().numbers();
            [first, second].map(|key| counter(key, partition))
        });
        counters.max().unwrap_or_default()
    }

    /// With the bytes that it has when it is not compressed.
    pub(crate) fn pack(&self) -> (Vec<u8>, usize) {
        let packed = codec::write(self);
        let mut bytes = Vec::with_capacity(packed.len() / 2);
        bytes.push(VERSION);
        bytes.extend_from_slice(&lz4_flex::compress_prepend_size(&packed));
        (bytes, packed.len())
    }

    pub(crate) fn unpack(bytes: &[u8]) -> Result<Redo> {
        let unreadable =
            |reason: String| Error::Corrupt { place: "a record of the table redo".into(), reason };
        let Some((&VERSION, compressed)) = bytes.split_first() else {
            return Err(unreadable("it has a form that this version does not know".to_owned()));
        };
        let packed =
            lz4_flex::decompress_size_prepended(compressed).map_err(|error| unreadable(error.to_string()))?;
        codec::read(&packed).map_err(|error| unreadable(error.to_string()))
    }
}

/// The counter of a key of this partition; 0 for other numbers.
pub(super) fn counter(key: i64, partition: PartitionId) -> u64 {
    let key = Key(key);
    if key.partition() == Some(partition) { key.counter() } else { 0 }
}
