//! Reads of the shard, and its beginning: with the mark, the places of generated ids, and the first slot of
//! each level, whatever the number of timers.

use super::request::{Answer, Ticket};
use super::rows::{BlockId, BlockRow, Need, Recovered, Supply};
use super::{Asked, Phase, Shard};
use crate::block::{self, Block};

/// A block that cannot be read. Nothing was changed: the same need may be answered again, once the block is mended.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("Expected to read block {id:?}, but it is damaged: {error}")]
pub struct DamagedBlock {
    pub id: BlockId,
    pub error: block::Error,
}

impl Shard {
    pub(super) fn ask(&mut self, asked: Asked) -> u64 {
        self.needs += 1;
        self.asked.insert(self.needs, asked);
        self.needs
    }

    /// The reads that must begin now. Each need is told once; its answer goes to `supply`.
    pub fn needs(&mut self, now_ms: i64) -> Vec<(u64, Need)> {
        self.now_ms = now_ms;
        let mut needs = Vec::new();
        self.ask_to_settle(&mut needs);
        match self.phase {
            Phase::Recovering if self.asked.is_empty() => {
                needs.push((self.ask(Asked::Recover), Need::Recover))
            }
            Phase::ReadingPlaces if self.asked.is_empty() => {
                let after = self.places.last_generated();
                needs.push((self.ask(Asked::Places), Need::Places { after }));
            }
            Phase::Ready => {
                self.ask_for_pages(&mut needs);
                self.ask_for_lookups(&mut needs);
                self.ask_for_slots(now_ms, &mut needs);
            }
            _ => {}
        }
        needs
    }

    fn ask_to_settle(&mut self, needs: &mut Vec<(u64, Need)>) {
        let is_asked = self.asked.values().any(|asked| matches!(asked, Asked::Settle));
        let unknown = self.in_flight.as_ref().filter(|in_flight| in_flight.is_unknown && !is_asked);
        if let Some(batch) = unknown.map(|in_flight| in_flight.id) {
            needs.push((self.ask(Asked::Settle), Need::Settle { batch }));
        }
    }

    fn ask_for_slots(&mut self, now_ms: i64, needs: &mut Vec<(u64, Need)>) {
        let is_asked = self.asked.values().any(|asked| matches!(asked, Asked::First { .. }));
        let target_ms = now_ms.saturating_add(self.look_ahead_ms);
        if !is_asked && let Some((level, from)) = self.frontier.unscanned(target_ms) {
            needs.push((self.ask(Asked::First { level }), Need::First { level, from }));
        }
    }

    /// Takes what was asked for. Answers go out if it settles a commit.
    pub fn supply(
        &mut self,
        need: u64,
        supply: Supply,
        now_ms: i64,
    ) -> Result<Vec<(Ticket, Answer)>, DamagedBlock> {
        self.now_ms = now_ms;
        let blocks = match (&supply, self.asked.get(&need)) {
            (Supply::Blocks { rows, .. }, Some(asked)) => match (unpack(rows), asked) {
                (Ok(blocks), _) => blocks,
                (Err(_), Asked::Lookup { id }) => {
                    self.lookup_is_in_vain(*id);
                    self.asked.remove(&need);
                    return Ok(Vec::new());
                }
                (Err(damaged), _) => return Err(damaged),
            },
            _ => Vec::new(),
        };
        let Some(asked) = self.asked.remove(&need) else { return Ok(Vec::new()) };
        match (asked, supply) {
            (Asked::Recover, Supply::Recovered(recovered)) => self.recovered(recovered),
            (Asked::Settle, Supply::Settled { was_written, fence }) => {
                self.fence = fence;
                if was_written {
                    return Ok(self.written());
                }
                self.restart();
            }
            (Asked::Places, Supply::Places { rows, is_last }) => {
                rows.into_iter().for_each(|place| self.places.load(place));
                if is_last {
                    self.begin_work(now_ms);
                }
            }
            (Asked::First { level }, Supply::First(found)) => self.frontier.scanned(level, found),
            (Asked::Page, Supply::Blocks { is_last, .. }) => {
                if let Some(job) = self.take_job(need) {
                    self.page_came(job, blocks, is_last);
                }
            }
            (Asked::Lookup { id }, Supply::Place(place)) => self.place_came(id, place),
            (Asked::Lookup { id }, Supply::Blocks { is_last, .. }) => self.blocks_came(id, blocks, is_last),
            _ => {}
        }
        Ok(Vec::new())
    }

    fn recovered(&mut self, recovered: Recovered) {
        self.fence = recovered.fence;
        self.mark = recovered.mark;
        self.frontier = super::frontier::Frontier::new(recovered.mark.due_ms.max(0));
        self.last_batch = self.last_batch.max(recovered.last_batch);
        self.landed_batch = self.last_batch;
        self.places.closed(self.last_batch);
        self.last_key = self.last_key.max(recovered.highest_key);
        self.namespaces = recovered.namespaces.into_iter().collect();
        for (id, hash, lane) in recovered.targets {
            self.targets.insert(hash, (id, lane));
            self.lanes.insert(id, lane);
        }
        self.phase = Phase::ReadingPlaces;
    }

    fn begin_work(&mut self, now_ms: i64) {
        self.phase = Phase::Ready;
        self.queue_bytes = 0;
        self.advance(now_ms);
        for work in std::mem::take(&mut self.queue) {
            self.start(work);
        }
    }

    /// A commit has failed: memory is built anew from the store, and what was not answered runs again in its order.
    pub(super) fn restart(&mut self) {
        let fresh = Shard::new(self.config);
        let old = std::mem::replace(self, fresh);
        let mut works = old.open.works;
        works.extend(old.in_flight.into_iter().flat_map(|in_flight| in_flight.works));
        works.extend(old.lookups.into_values().map(super::Lookup::into_work));
        works.extend(old.behind.into_values().flatten());
        works.extend(old.queue);
        works.sort_by_key(|work| work.arrival);
        works.into_iter().for_each(|work| self.enqueue(work));
        // Numbers of keys, batches and needs are not used twice: an old answer must not meet a new question.
        (self.last_key, self.last_batch, self.needs, self.arrivals) =
            (old.last_key, old.last_batch, old.needs, old.arrivals);
        self.fence = old.fence;
    }

    /// Another owner has taken over: nothing can be written here any more (rule 7).
    pub(super) fn stop(&mut self) -> Vec<(Ticket, Answer)> {
        let unknown: Vec<Ticket> = self
            .in_flight
            .iter()
            .flat_map(|in_flight| in_flight.works.iter().map(|work| work.ticket))
            .collect();
        self.restart();
        self.phase = Phase::Stopped;
        self.queue_bytes = 0;
        let answer = |ticket| if unknown.contains(&ticket) { Answer::Unknown } else { Answer::Moved };
        std::mem::take(&mut self.queue).into_iter().map(|work| (work.ticket, answer(work.ticket))).collect()
    }
}

fn unpack(rows: &[BlockRow]) -> Result<Vec<(BlockId, Block)>, DamagedBlock> {
    let unpack = |row: &BlockRow| match block::decode(&row.data) {
        Ok(block) => Ok((row.id, block)),
        Err(error) => Err(DamagedBlock { id: row.id, error }),
    };
    rows.iter().map(unpack).collect()
}
