//! Streams: consumers read what has fired in a namespace, and acknowledge how far they have got. The next
//! consumer reads again what was not acknowledged.

use super::body::{IdOf, Telling};
use super::row::Item;
use crate::timers::spec::stream_lane;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use tidemill_model::PartitionId;
use tidemill_store::{Error, Result, Store};
use tidemill_timers::block::{Block, Entry, Scope, decode};
use tidemill_timers::shard::{Answer, DeliveryId, DeliveryRow, Request, Settle};

/// Rows that are acknowledged at a time.
const PAGE_ENTRIES: usize = 4_096;

/// How far a consumer has read in one partition: so many timers of this row, and all rows before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StreamPosition {
    pub batch: i64,
    pub n: u32,
    pub timers: u32,
}

/// How far a consumer has read, in all partitions. Its text is opaque to clients.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StreamCursor(pub BTreeMap<u16, StreamPosition>);

impl fmt::Display for StreamCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, (partition, at)) in self.0.iter().enumerate() {
            let separator = if nth > 0 { "_" } else { "" };
            write!(f, "{separator}{partition}.{}.{}.{}", at.batch, at.n, at.timers)?;
        }
        Ok(())
    }
}

impl FromStr for StreamCursor {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<StreamCursor, String> {
        let wrong = || format!("Expected a cursor that a read of a stream has given, but it is '{text}'");
        let mut all = BTreeMap::new();
        for part in text.split('_').filter(|part| !part.is_empty()) {
            let mut numbers = part.split('.').map(|number| number.parse::<i64>().ok().filter(|n| *n >= 0));
            let mut next = || numbers.next().flatten().ok_or_else(wrong);
            let (partition, batch, n, timers) = (next()?, next()?, next()?, next()?);
            let small = |number: i64| u32::try_from(number).map_err(|_| wrong());
            let position = StreamPosition { batch, n: small(n)?, timers: small(timers)? };
            all.insert(u16::try_from(partition).map_err(|_| wrong())?, position);
            if numbers.next().is_some() {
                return Err(wrong());
            }
        }
        Ok(StreamCursor(all))
    }
}

/// A part of a stream as it was read.
#[derive(Clone, Default, Debug)]
pub struct StreamPage {
    /// JSON objects, as callbacks carry them.
    pub timers: Vec<String>,
    /// To read on behind these, and to acknowledge them.
    pub cursor: StreamCursor,
}

/// The streams of a store. Any node can read them; only the owner of a partition can acknowledge.
#[derive(Clone)]
pub struct Streams {
    pub store: Arc<dyn Store>,
    pub id_of: IdOf,
}

impl Streams {
    /// Timers behind the cursor, of these partitions, at most so many.
    pub async fn read(
        &self,
        partitions: &[PartitionId],
        scope: &Scope,
        cursor: &StreamCursor,
        timers_max: usize,
        now_ms: i64,
    ) -> Result<StreamPage> {
        let mut page = StreamPage { timers: Vec::new(), cursor: cursor.clone() };
        for partition in partitions {
            while page.timers.len() < timers_max
                && self.read_row(*partition, scope, &mut page, timers_max, now_ms).await?
            {}
        }
        Ok(page)
    }

    /// False when the partition has no more.
    async fn read_row(
        &self,
        partition: PartitionId,
        scope: &Scope,
        page: &mut StreamPage,
        timers_max: usize,
        now_ms: i64,
    ) -> Result<bool> {
        let lane = stream_lane(scope);
        let at = page.cursor.0.get(&partition.0).copied();
        // The row of the cursor is read again as long as there may be more in it.
        let after = at.and_then(|at| before(lane, at));
        let rows = self.store.deliveries(partition, lane, after, 1).await?.rows;
        let Some(row) = rows.into_iter().next() else { return Ok(false) };
        let entries = entries_of(&row)?;
        let is_same = at.is_some_and(|at| (at.batch, at.n) == (row.id.batch, row.id.n));
        let skipped = at.filter(|_| is_same).map_or(0, |at| at.timers as usize);
        let telling = Telling { partition, now_ms, id_of: self.id_of };
        let mut timers = skipped;
        for entry in entries.iter().skip(skipped) {
            if page.timers.len() >= timers_max {
                break;
            }
            timers += 1;
            // Two namespaces may share the number of their lane.
            if *entry.scope == *scope {
                page.timers.push(telling.text(&Item::new(row.id, entry.clone())));
            }
        }
        let at = StreamPosition { batch: row.id.batch, n: row.id.n, timers: all_or(timers, entries.len()) };
        page.cursor.0.insert(partition.0, at);
        Ok(true)
    }

    /// Rows that a consumer has read to their end are deleted. A row of which it has read only a part stays as it is, and is read
    /// again by whoever begins without a cursor.
    pub async fn acknowledge<E, A: Future<Output = std::result::Result<Answer, E>>>(
        &self,
        partition: PartitionId,
        ask: impl Fn(Request) -> A,
        scope: &Scope,
        through: StreamPosition,
    ) -> Result<std::result::Result<(), E>> {
        let lane = stream_lane(scope);
        let mut after = None;
        loop {
            let page = self.store.deliveries(partition, lane, after, PAGE_ENTRIES).await?;
            let is_read = |row: &&DeliveryRow| is_read(row, through);
            let read: Vec<&DeliveryRow> = page.rows.iter().take_while(is_read).collect();
            let mut requests = Vec::new();
            for row in &read {
                requests.push(ask(taken(row, scope)?));
            }
            for answer in futures_util::future::join_all(requests).await {
                if let Err(error) = answer {
                    return Ok(Err(error));
                }
            }
            after = read.last().map(|row| row.id);
            if read.len() < page.rows.len() || page.is_last {
                return Ok(Ok(()));
            }
        }
    }
}

/// A row that was read to its end needs no look any more: that is told by the highest number.
fn all_or(timers: usize, count: usize) -> u32 {
    if timers >= count { u32::MAX } else { timers as u32 }
}

/// The id behind which the row of a position begins.
fn before(lane: u32, at: StreamPosition) -> Option<DeliveryId> {
    match (at.timers, at.n) {
        (u32::MAX, n) => Some(DeliveryId { lane, batch: at.batch, n }),
        (_, 0) => Some(DeliveryId { lane, batch: at.batch - 1, n: u32::MAX }),
        (_, n) => Some(DeliveryId { lane, batch: at.batch, n: n - 1 }),
    }
}

fn is_read(row: &DeliveryRow, through: StreamPosition) -> bool {
    let (id, last) = ((row.id.batch, row.id.n), (through.batch, through.n));
    id < last || id == last && through.timers >= row.count
}

/// The timers of another namespace in the same lane go back into it.
fn taken(row: &DeliveryRow, scope: &Scope) -> Result<Request> {
    let returned: Vec<Entry> = entries_of(row)?.into_iter().filter(|entry| *entry.scope != *scope).collect();
    let settle = Settle { row: row.id, retries: Vec::new(), failures: Vec::new(), returned };
    Ok(Request::Settle(Arc::new(settle)))
}

fn entries_of(row: &DeliveryRow) -> Result<Vec<Entry>> {
    let failed = |reason: String| Error::Failed { place: "a row of deliveries".into(), reason };
    match decode(&row.data).map_err(|error| failed(error.to_string()))? {
        Block::Entries(entries) => Ok(entries),
        other => Err(failed(format!("it is of the kind {:?}", other.kind()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_texts() {
        let at = |batch, n, timers| StreamPosition { batch, n, timers };
        let cursor = StreamCursor([(1, at(7, 0, 3)), (12, at(900, 2, u32::MAX))].into());
        assert_eq!(cursor.to_string(), "1.7.0.3_12.900.2.4294967295");
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        assert_eq!("".parse(), Ok(StreamCursor::default()));
        for text in ["x", "1.2.3", "1.2.3.4.5", "1.-2.3.4", "99999.1.1.1", "1.1.1.99999999999"] {
            assert!(text.parse::<StreamCursor>().is_err(), "{text}");
        }
    }
}
