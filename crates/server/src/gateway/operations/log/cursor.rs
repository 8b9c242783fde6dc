//! The position up to which a reader has read each partition. Each has its own, so that a batch that becomes visible late is not missed.

use crate::gateway::problem::Problem;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use tidemill_model::PartitionId;
use tidemill_store::{BatchId, LoggedBatch};

/// The last command that was read of each partition: its batch and its number there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Cursor(BTreeMap<u16, (i64, usize)>);

impl Cursor {
    pub(super) fn batch(&self, partition: PartitionId) -> Option<BatchId> {
        self.0.get(&partition.0).map(|(batch, _)| BatchId(*batch))
    }

    pub(super) fn pass(&mut self, batch: &LoggedBatch, number: usize) {
        self.0.insert(batch.partition.0, (batch.id.0, number));
    }

    pub(super) fn pass_all(&mut self, batch: &LoggedBatch) {
        self.pass(batch, u32::MAX as usize);
    }

    /// The batch that it stands in is read again from where it stands.
    pub(super) fn has_passed(&self, batch: &LoggedBatch, number: usize, is_newest_first: bool) -> bool {
        let Some(read) = self.0.get(&batch.partition.0) else { return false };
        let here = (batch.id.0, number);
        if is_newest_first { here >= *read } else { here <= *read }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (partition, (batch, number))) in self.0.iter().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            write!(f, "{comma}{partition}:{batch}:{number}")?;
        }
        Ok(())
    }
}

impl FromStr for Cursor {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Cursor, Problem> {
        let read = |part: &str| {
            let mut numbers = part.splitn(3, ':');
            let partition = numbers.next()?.parse().ok()?;
            Some((partition, (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?)))
        };
        let parts = text.split(',').filter(|part| !part.is_empty()).map(read);
        let cursor: Option<BTreeMap<u16, (i64, usize)>> = parts.collect();
        cursor.map(Cursor).ok_or_else(|| {
            Problem::bad_request(format!("Expected the cursor of an answer, but got '{text}'"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemill_model::Timestamp;

    #[test]
    fn a_cursor_reads_what_it_wrote_and_knows_both_directions() {
        let batch = |partition, id| LoggedBatch {
            partition: PartitionId(partition),
            id: BatchId(id),
            at: Timestamp(0),
            log: Vec::new(),
        };
        let mut cursor = Cursor::default();
        cursor.pass(&batch(2, 7), 3);
        cursor.pass(&batch(1, 4_294_967_297), 0);
        assert_eq!(cursor.to_string(), "1:4294967297:0,2:7:3");
        assert_eq!(cursor.to_string().parse(), Ok(cursor.clone()));
        assert_eq!("".parse(), Ok(Cursor::default()));
        assert!("2:7".parse::<Cursor>().is_err());
        let passed = |id, number| cursor.has_passed(&batch(2, id), number, false);
        assert_eq!([passed(7, 3), passed(7, 4), passed(8, 0)], [true, false, false]);
        let passed = |id, number| cursor.has_passed(&batch(2, id), number, true);
        assert_eq!([passed(7, 3), passed(7, 2), passed(6, 9)], [true, false, false]);
        assert!(!cursor.has_passed(&batch(3, 1), 0, false));
    }
}
