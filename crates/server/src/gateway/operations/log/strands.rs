//! The logs of several partitions, read in pieces and told as one in the order of their times.

use super::cursor::Cursor;
use std::collections::VecDeque;
use std::ops::Range;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{BatchId, LogRange, LoggedBatch, Result, Store};

/// Batches that are read of a partition at a time.
const PIECE: usize = 32;

pub(super) struct Strands<'s> {
    store: &'s dyn Store,
    strands: Vec<Strand>,
    is_newest_first: bool,
}

struct Strand {
    partition: PartitionId,
    /// The range that was not read yet.
    rest: LogRange,
    piece: VecDeque<LoggedBatch>,
    is_at_end: bool,
}

impl<'s> Strands<'s> {
    pub(super) fn new(
        store: &'s dyn Store,
        partitions: Vec<PartitionId>,
        times: &Range<Timestamp>,
        is_newest_first: bool,
        cursor: &Cursor,
    ) -> Strands<'s> {
        let strand = |partition| {
            let ids = match cursor.batch(partition) {
                Some(id) if is_newest_first => (BatchId(i64::MIN), id),
                Some(id) => (id, BatchId(i64::MAX)),
                None => (BatchId(i64::MIN), BatchId(i64::MAX)),
            };
            let rest = LogRange { at: times.clone(), ids, is_newest_first };
            Strand { partition, rest, piece: VecDeque::new(), is_at_end: false }
        };
        Strands { store, strands: partitions.into_iter().map(strand).collect(), is_newest_first }
    }

    /// Behind the newest batch of each partition; none where the oldest come first.
    pub(super) async fn newest(&mut self) -> Result<Option<Cursor>> {
        if !self.is_newest_first {
            return Ok(None);
        }
        let mut cursor = Cursor::default();
        for strand in &mut self.strands {
            strand.fill(self.store).await?;
            if let Some(batch) = strand.piece.front() {
                cursor.pass_all(batch);
            }
        }
        Ok(Some(cursor))
    }

    pub(super) async fn next(&mut self) -> Result<Option<LoggedBatch>> {
        for strand in &mut self.strands {
            strand.fill(self.store).await?;
        }
        let heads = self.strands.iter_mut().filter(|strand| !strand.piece.is_empty());
        let place = |strand: &&mut Strand| (strand.piece[0].at, strand.partition);
        let next = if self.is_newest_first { heads.max_by_key(place) } else { heads.min_by_key(place) };
        Ok(next.and_then(|strand| strand.piece.pop_front()))
    }
}

impl Strand {
    async fn fill(&mut self, store: &dyn Store) -> Result<()> {
        if !self.piece.is_empty() || self.is_at_end {
            return Ok(());
        }
        self.piece = store.log(self.partition, &self.rest, PIECE).await?.into();
        self.is_at_end = self.piece.len() < PIECE;
        if let Some(last) = self.piece.back() {
            let id = last.id.0;
            match self.rest.is_newest_first {
                true => self.rest.ids.1 = BatchId(id.saturating_sub(1)),
                false => self.rest.ids.0 = BatchId(id.saturating_add(1)),
            }
        }
        Ok(())
    }
}
