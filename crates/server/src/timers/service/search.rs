//! Searching timers: block by block, with a cursor. All timers that are found are stored and have not fired;
//! a look costs no shard anything.

use super::view::TimerView;
use super::{TimerFailure, TimerService, TimerState};
use serde_json::Value;
use tidemill_model::PartitionId;
use tidemill_store::BlockRange;
use tidemill_timers::block::{self, Block, Entry, Flags, Kind, Scope};
use tidemill_timers::shard::BlockId;
use tidemill_timers::slot::{DUE_MS_MAX, LEVELS};
use tidemill_timers::{Position, Slot};

/// Timers that one request looks at; then it gives what it has found, and a cursor to go on.
const SCANNED_MAX: usize = 100_000;
/// Blocks that are read at a time.
const BLOCKS_PER_READ: usize = 4;

#[derive(Clone, PartialEq, Debug)]
pub struct Search {
    pub scope: Scope,
    /// None for all states.
    pub state: Option<TimerState>,
    pub from_ms: i64,
    /// Part of the range.
    pub to_ms: i64,
    pub payload: Option<PayloadTest>,
    pub limit: usize,
    pub cursor: Option<String>,
}

/// A member of the payload must have this value.
#[derive(Clone, PartialEq, Debug)]
pub struct PayloadTest {
    /// Names and positions: `order.items.0.sku`.
    pub path: Vec<String>,
    pub equals: Value,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SearchPage {
    /// In the order of their due times, within the page.
    pub items: Vec<TimerView>,
    /// Timers that were looked at.
    pub scanned: usize,
    /// None at the end.
    pub cursor: Option<String>,
}

impl PayloadTest {
    fn passes(&self, entry: &Entry) -> bool {
        let Ok((_, payload)) = crate::timers::spec::Envelope::open(entry) else { return false };
        let Ok(value) = serde_json::from_slice::<Value>(payload) else { return false };
        let step = |value: &'_ Value, name: &String| match value {
            Value::Array(items) => name.parse::<usize>().ok().and_then(|nth| items.get(nth).cloned()),
            other => other.get(name).cloned(),
        };
        let found = self.path.iter().try_fold(value, |value, name| step(&value, name));
        found.is_some_and(|found| found == self.equals)
    }
}

/// One kind of blocks that is looked through. Fine slots come first, because what is due soon is there. While pages are read, coarse
/// slots are split into finer ones, which were passed already: so the finer levels are looked through once more in the end, for blocks
/// that were written since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stage {
    level: u8,
    kind: Kind,
    is_second_look: bool,
}

const fn look(level: u8, kind: Kind, is_second_look: bool) -> Stage {
    Stage { level, kind, is_second_look }
}

const STAGES: [Stage; 13] = [
    look(0, Kind::Entries, false),
    look(1, Kind::Entries, false),
    look(2, Kind::Entries, false),
    look(3, Kind::Entries, false),
    look(4, Kind::Entries, false),
    look(5, Kind::Entries, false),
    look(4, Kind::Entries, true),
    look(3, Kind::Entries, true),
    look(2, Kind::Entries, true),
    look(1, Kind::Entries, true),
    look(0, Kind::Entries, true),
    // Parked with their namespace, and paused one by one.
    look(LEVELS, Kind::Paused, false),
    look(LEVELS + 1, Kind::Paused, false),
];

/// The place at which a search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cursor {
    partition: u16,
    stage: usize,
    /// The shard as it was when the search came to it.
    last_batch: i64,
    highest_key: i64,
    /// Slot, batch and number of the last block that was looked at.
    block: Option<(i64, i64, u32)>,
    /// The last timer of it that was looked at; none if it was looked through.
    within: Option<(i64, u32)>,
}

impl Cursor {
    fn of(partition: PartitionId, last_batch: i64, highest_key: i64) -> Cursor {
        Cursor { partition: partition.0, stage: 0, last_batch, highest_key, block: None, within: None }
    }

    fn text(&self) -> String {
        let mut numbers =
            vec![i64::from(self.partition), self.stage as i64, self.last_batch, self.highest_key];
        if let Some((slot, batch, n)) = self.block {
            numbers.extend([slot, batch, i64::from(n)]);
        }
        if let Some((key, generation)) = self.within {
            numbers.extend([key, i64::from(generation)]);
        }
        let words: Vec<String> = numbers.iter().map(i64::to_string).collect();
        words.join("_")
    }

    fn read(text: &str) -> Option<Cursor> {
        let numbers: Vec<i64> = text.split('_').map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let small = |number: i64| u32::try_from(number).ok();
        let (head, block, within) = match numbers[..] {
            [a, b, c, d] => ([a, b, c, d], None, None),
            [a, b, c, d, slot, batch, n] => ([a, b, c, d], Some((slot, batch, small(n)?)), None),
            [a, b, c, d, slot, batch, n, key, generation] => {
                ([a, b, c, d], Some((slot, batch, small(n)?)), Some((key, small(generation)?)))
            }
            _ => return None,
        };
        Some(Cursor {
            partition: u16::try_from(head[0]).ok().filter(|partition| *partition > 0)?,
            stage: usize::try_from(head[1]).ok().filter(|stage| *stage < STAGES.len())?,
            last_batch: head[2],
            highest_key: head[3],
            block,
            within,
        })
    }

    /// Blocks behind this one are read; the one that was left in the middle once more.
    fn after(&self, stage: Stage) -> Option<BlockId> {
        let (slot, batch, n) = self.block?;
        let id = |batch, n| {
            Some(BlockId { slot: Slot { level: stage.level, number: slot }, kind: stage.kind, batch, n })
        };
        match (self.within, n.checked_sub(1)) {
            (None, _) => id(batch, n),
            (Some(_), Some(before)) => id(batch, before),
            (Some(_), None) => id(batch - 1, u32::MAX),
        }
    }
}

/// The timers that a request has found so far.
struct Found {
    entries: Vec<(PartitionId, TimerState, Entry)>,
    scanned: usize,
}

impl TimerService {
    pub async fn search(&self, search: &Search) -> Result<SearchPage, TimerFailure> {
        let begin = match &search.cursor {
            Some(text) => Some(Cursor::read(text).ok_or(TimerFailure::BadCursor)?),
            None => None,
        };
        let mut found = Found { entries: Vec::new(), scanned: 0 };
        let mut cursor = None;
        for partition in self.partitions() {
            let place = match begin {
                Some(begin) if begin.partition > partition.0 => continue,
                Some(begin) if begin.partition == partition.0 => begin,
                _ => {
                    let shard = self.node.timer_store().timer_shard(partition).await?;
                    Cursor::of(partition, shard.last_batch, shard.highest_key)
                }
            };
            cursor = self.look_through(partition, place, search, &mut found).await?;
            if cursor.is_some() {
                break;
            }
        }
        let cursor = cursor.map(|cursor| cursor.text());
        Ok(SearchPage { items: self.shown(found.entries).await?, scanned: found.scanned, cursor })
    }

    /// Gives where to go on, if the request has enough.
    async fn look_through(
        &self,
        partition: PartitionId,
        mut cursor: Cursor,
        search: &Search,
        found: &mut Found,
    ) -> Result<Option<Cursor>, TimerFailure> {
        let mark = self.node.timer_store().timer_shard(partition).await?.mark;
        while cursor.stage < STAGES.len() {
            let stage = STAGES[cursor.stage];
            if is_asked(stage, search.state) {
                let has_enough = self.look_at_stage(partition, &mut cursor, mark, search, found).await?;
                if has_enough {
                    return Ok(Some(cursor));
                }
            }
            (cursor.stage, cursor.block, cursor.within) = (cursor.stage + 1, None, None);
        }
        Ok(None)
    }

    /// True when the request has enough; the cursor tells then where to go on.
    async fn look_at_stage(
        &self,
        partition: PartitionId,
        cursor: &mut Cursor,
        mark: Position,
        search: &Search,
        found: &mut Found,
    ) -> Result<bool, TimerFailure> {
        let stage = STAGES[cursor.stage];
        loop {
            let range = range(stage, cursor, search);
            let rows = self.node.timer_store().timer_blocks(partition, range).await?;
            let is_last = rows.len() < BLOCKS_PER_READ;
            for row in rows {
                let id = (row.id.slot.number, row.id.batch, row.id.n);
                let within = cursor.within.filter(|_| cursor.block == Some(id));
                let Ok(Block::Entries(entries) | Block::Paused(entries)) = block::decode(&row.data) else {
                    // A damaged block is told by the loop that must read it.
                    (cursor.block, cursor.within) = (Some(id), None);
                    continue;
                };
                let highest_key = if stage.is_second_look { cursor.highest_key } else { i64::MAX };
                let is_next = |entry: &Entry| within.is_none_or(|last| (entry.key, entry.generation) > last);
                let entries: Vec<Entry> = entries.into_iter().filter(is_next).collect();
                found.scanned += entries.len();
                let is_it = |entry: &Entry| {
                    *entry.scope == search.scope
                        && !entry.flags.has(Flags::FORGETS)
                        && (search.from_ms..=search.to_ms).contains(&entry.due_ms)
                        && entry.key <= highest_key
                        && (stage.kind == Kind::Paused || entry.position() > mark)
                        && search.payload.as_ref().is_none_or(|test| test.passes(entry))
                };
                let matching: Vec<Entry> = entries.into_iter().filter(is_it).collect();
                let mut living = self.without_cancelled(partition, row.id.slot, matching).await?;
                let room = search.limit.saturating_sub(found.entries.len());
                let is_cut = living.len() > room;
                living.truncate(room);
                let last = living.last().map(|entry| (entry.key, entry.generation));
                let state =
                    if stage.kind == Kind::Paused { TimerState::Paused } else { TimerState::Scheduled };
                found.entries.extend(living.into_iter().map(|entry| (partition, state, entry)));
                (cursor.block, cursor.within) = (Some(id), if is_cut { last.or(within) } else { None });
                let is_full = found.entries.len() >= search.limit || found.scanned >= SCANNED_MAX;
                if is_cut || is_full {
                    return Ok(true);
                }
            }
            if is_last {
                return Ok(false);
            }
        }
    }

    async fn shown(
        &self,
        found: Vec<(PartitionId, TimerState, Entry)>,
    ) -> Result<Vec<TimerView>, TimerFailure> {
        let mut items = Vec::with_capacity(found.len());
        for partition in self.partitions() {
            let here = |(of, ..): &&(PartitionId, TimerState, Entry)| *of == partition;
            let targets = self.targets(partition, found.iter().filter(here).map(|(.., e)| e.target)).await?;
            let shown = found.iter().filter(here).cloned();
            items.extend(shown.map(|(_, state, entry)| TimerView::of(partition, entry, state, &targets)));
        }
        items.sort_by(|a, b| (a.due_ms, &a.id).cmp(&(b.due_ms, &b.id)));
        Ok(items)
    }
}

fn is_asked(stage: Stage, state: Option<TimerState>) -> bool {
    match state {
        None => true,
        Some(TimerState::Scheduled) => stage.kind == Kind::Entries,
        Some(TimerState::Paused) => stage.kind == Kind::Paused,
    }
}

fn range(stage: Stage, cursor: &Cursor, search: &Search) -> BlockRange {
    // Slots beside time have numbers of their own.
    let (first_slot, last_slot) = match stage.level < LEVELS {
        true => {
            let slot = |ms: i64| Slot::of(ms.clamp(0, DUE_MS_MAX), stage.level).number;
            (slot(search.from_ms), slot(search.to_ms))
        }
        false => (i64::MIN, i64::MAX),
    };
    BlockRange {
        level: stage.level,
        kind: stage.kind,
        first_slot,
        last_slot,
        batches_after: if stage.is_second_look { cursor.last_batch } else { 0 },
        after: cursor.after(stage),
        blocks_max: BLOCKS_PER_READ,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let cursor = Cursor::of(PartitionId(3), 70, 900);
        let in_block = Cursor { stage: 12, block: Some((-5, 6, 7)), ..cursor };
        let within = Cursor { within: Some((88, 2)), ..in_block };
        for cursor in [cursor, in_block, within] {
            assert_eq!(Cursor::read(&cursor.text()), Some(cursor));
        }
        for text in ["", "x", "1_2", "0_0_0_0", "1_13_0_0", "1_0_0_0_1_2_-3"] {
            assert_eq!(Cursor::read(text), None, "{text}");
        }
    }
}
