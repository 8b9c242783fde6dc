//! Work on whole slots, page by page: splitting, merging, loading, firing what is larger than memory, and firing what was
//! parked. One job in time and one beside it run at a time.
//!
//! A job reads blocks up to the batch at which it began, and not before that has landed. A timer that is
//! written later does not go to a slot that is being split, goes to the wheel too if its slot is being
//! loaded, and never goes behind the floor of a slot that is being fired: so each job sees a fixed set of blocks, and all of it.

use super::fire::parking_slot;
use super::rows::{BlockId, Need};
use super::waiting::Waiting;
use super::{Asked, Shard};
use crate::block::{Block, Entry, Scope, Tombstone};
use crate::{Position, Slot};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) enum What {
    /// Its timers go one level down (rule 4).
    Split,
    /// Many small blocks become few.
    Merge,
    /// Its timers go to the wheel.
    Load,
    /// It is fired block by block (rule 5).
    Drain,
    /// Timers that were parked are fired.
    Unpark(Scope),
}

pub(super) struct Job {
    pub(super) what: What,
    pub(super) slot: Slot,
    barrier: i64,
    after: Option<BlockId>,
    /// The need under which its page was asked for.
    asked: Option<u64>,
    /// The last page is in the open batch; the next is read when that is closed, so that one page is in memory.
    waits_for_close: bool,
    /// The highest generation of tombstones seen for a key.
    kills: FxHashMap<i64, u32>,
    /// Blocks of tombstones: they are deleted when all that they may kill has been seen.
    tombstones: Vec<BlockId>,
}

impl Job {
    fn new(what: What, slot: Slot, barrier: i64) -> Job {
        Job {
            what,
            slot,
            barrier,
            after: None,
            asked: None,
            waits_for_close: false,
            kills: FxHashMap::default(),
            tombstones: Vec::new(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.kills.capacity() * size_of::<(i64, u32)>() + self.tombstones.capacity() * size_of::<BlockId>()
    }

    pub(super) fn is_load_from(&self, number: i64) -> bool {
        matches!(self.what, What::Load) && self.slot.number >= number
    }

    pub(super) fn is_load_of(&self, due_ms: i64) -> bool {
        matches!(self.what, What::Load) && self.slot.contains(due_ms)
    }

    pub(super) fn is_of(&self, scope: &Scope) -> bool {
        matches!(&self.what, What::Unpark(of) if of == scope)
    }

    pub(super) fn kill(&mut self, tombstone: &Tombstone) {
        let generation = self.kills.entry(tombstone.key).or_default();
        *generation = tombstone.generation.max(*generation);
    }

    fn is_killed(&self, entry: &Entry) -> bool {
        self.kills.get(&entry.key).is_some_and(|generation| entry.generation < *generation)
    }

    fn need(&self, entries_max: usize) -> Need {
        Need::Blocks { slot: self.slot, after: self.after, up_to_batch: self.barrier, entries_max }
    }
}

impl Shard {
    /// Moves the frontiers and begins the next jobs. The open batch is empty.
    pub(super) fn advance(&mut self, now_ms: i64) {
        let target_ms = now_ms.saturating_add(self.look_ahead_ms);
        self.frontier.split_before(target_ms);
        self.split_barrier = self.last_batch;
        self.frontier.skip_empty(target_ms);
        if self.job.is_none() {
            self.look_further();
            self.job = self.next_job(now_ms, target_ms);
        }
        if self.unpark.is_none() {
            let resuming = self.namespaces.iter().find(|(_, pause)| pause.is_resuming);
            let job =
                |scope: &Scope| Job::new(What::Unpark(scope.clone()), parking_slot(scope), self.last_batch);
            self.unpark = resuming.map(|(scope, _)| job(scope));
        }
    }

    fn next_job(&mut self, now_ms: i64, target_ms: i64) -> Option<Job> {
        let job = |what, slot| Some(Job::new(what, slot, self.last_batch));
        let load = self.frontier.next_to_load(target_ms);
        if let Some(load) = load.filter(|load| self.oversize == Some(load.number)) {
            if now_ms >= load.end_ms() {
                self.drain_floor = Some(Position::end_of(load.end_ms() - 1));
                return job(What::Drain, load);
            }
        } else if let Some(load) = load.filter(|_| self.has_room()) {
            self.frontier.loading = Some(load.number);
            return job(What::Load, load);
        }
        if let Some(slot) = self.frontier.first_to_split() {
            return job(What::Split, slot);
        }
        let limits = self.block_limits();
        let merge = self.frontier.first_to_merge(self.config.merge_blocks_min, limits.entries_max);
        merge.and_then(|slot| job(What::Merge, slot))
    }

    /// The next slot can be split at once, before the batch is closed: since the frontiers moved, nothing new goes to it.
    fn next_split(&self) -> Option<Job> {
        let target_ms = self.now_ms.saturating_add(self.look_ahead_ms);
        let may_begin = self.has_room()
            && self.open.bytes < self.config.memory_bytes_max / 16
            && self.frontier.next_to_load(target_ms).is_none();
        let slot = self.frontier.first_to_split().filter(|_| may_begin)?;
        Some(Job::new(What::Split, slot, self.split_barrier))
    }

    /// Asks for the next pages of jobs.
    pub(super) fn ask_for_pages(&mut self, needs: &mut Vec<(u64, Need)>) {
        let entries_max = self.page_entries();
        let landed = self.landed_batch;
        let is_wanted = |job: &&mut Job| job.asked.is_none() && !job.waits_for_close && job.barrier <= landed;
        for job in [&mut self.job, &mut self.unpark] {
            if let Some(job) = job.as_mut().filter(is_wanted) {
                self.needs += 1;
                self.asked.insert(self.needs, Asked::Page);
                job.asked = Some(self.needs);
                needs.push((self.needs, job.need(entries_max)));
            }
        }
    }

    /// The job that asked for a page, unless it was given up meanwhile.
    pub(super) fn take_job(&mut self, need: u64) -> Option<Job> {
        let asked = |job: &mut Job| job.asked == Some(need);
        self.job.take_if(asked).or_else(|| self.unpark.take_if(asked))
    }

    pub(super) fn page_was_closed(&mut self) {
        for job in self.job.iter_mut().chain(&mut self.unpark) {
            job.waits_for_close = false;
        }
    }

    pub(super) fn page_came(&mut self, mut job: Job, blocks: Vec<(BlockId, Block)>, is_last: bool) {
        job.asked = None;
        job.after = blocks.last().map(|(id, _)| *id).or(job.after);
        match &job.what {
            What::Split | What::Merge => self.rewrite(job, blocks, is_last),
            What::Load => self.load(job, blocks, is_last),
            What::Drain | What::Unpark(_) => self.fire_blocks(job, blocks, is_last),
        }
    }

    /// Timers and tombstones of a page are written anew, where they belong by now; the blocks that were read, and no
    /// others, are deleted by the same commit.
    fn rewrite(&mut self, mut job: Job, blocks: Vec<(BlockId, Block)>, is_last: bool) {
        let (mut entries, mut tombstones) = (Vec::new(), Vec::new());
        for (id, block) in blocks {
            self.open.deletes.push(id);
            match block {
                Block::Tombstones(more) => tombstones.extend(more),
                Block::Entries(more) | Block::Paused(more) => entries.extend(more),
            }
        }
        annihilate(&mut entries, &mut tombstones);
        self.open.bytes += entries.iter().map(Entry::bytes).sum::<usize>();
        self.open.bytes += tombstones.len() * size_of::<Tombstone>();
        self.open.tombstones.append(&mut tombstones);
        let is_split = matches!(job.what, What::Split);
        if is_split && is_last {
            self.frontier.vacate(job.slot);
            self.load_split(job.slot, &entries);
        }
        self.open.entries.append(&mut entries);
        if is_split && is_last {
            self.job = self.next_split();
        } else if is_split {
            job.waits_for_close = true;
            self.job = Some(job);
        } else {
            self.merged = Some(job.slot);
        }
    }

    /// Timers of a slot that has just been split go to the wheel at once, up to the first slot about which the store knows more. So a
    /// time with few timers is not read second by second, and those that are due already are never written again.
    fn load_split(&mut self, split: Slot, entries: &[Entry]) {
        let open = self.open.entries.iter().map(|entry| entry.due_ms);
        let open = open.chain(self.open.tombstones.iter().map(|tombstone| tombstone.due_ms));
        let load_to = self.frontier.load_to;
        let open = open.map(|due_ms| Slot::of(due_ms, 0).number).filter(|number| *number >= load_to).min();
        let reached = self.frontier.known_to().min(Slot::of(split.end_ms(), 0).number);
        let reached = reached.min(open.unwrap_or(i64::MAX)).min(self.oversize.unwrap_or(i64::MAX));
        if reached <= load_to || !self.has_room() {
            return;
        }
        for entry in entries.iter().filter(|entry| Slot::of(entry.due_ms, 0).number < reached) {
            self.wheel.insert(entry.position(), Waiting::copy_of(entry));
        }
        self.frontier.load_to = reached;
        self.keep_to_budget();
    }

    fn load(&mut self, mut job: Job, blocks: Vec<(BlockId, Block)>, is_last: bool) {
        let slot = job.slot;
        for (id, block) in blocks {
            self.frontier.occupied(slot).loaded.push(id);
            match block {
                Block::Tombstones(tombstones) => tombstones.iter().for_each(|tombstone| job.kill(tombstone)),
                Block::Entries(entries) | Block::Paused(entries) => {
                    let mark = self.mark;
                    let lives = |entry: &Entry| entry.position() > mark && !job.is_killed(entry);
                    for entry in entries.into_iter().filter(lives) {
                        self.wheel.insert(entry.position(), Waiting::new(entry));
                    }
                }
            }
        }
        if is_last {
            self.frontier.loading = None;
            self.frontier.load_to = slot.number + 1;
        } else {
            self.job = Some(job);
        }
        self.keep_to_budget();
    }

    fn fire_blocks(&mut self, mut job: Job, blocks: Vec<(BlockId, Block)>, is_last: bool) {
        for (id, block) in blocks {
            match block {
                Block::Tombstones(tombstones) => {
                    tombstones.iter().for_each(|tombstone| job.kill(tombstone));
                    job.tombstones.push(id);
                }
                Block::Entries(entries) | Block::Paused(entries) => {
                    self.open.deletes.push(id);
                    for entry in entries.into_iter().filter(|entry| !job.is_killed(entry)) {
                        self.fire_from_block(&job, entry);
                    }
                }
            }
        }
        if is_last {
            self.open.deletes.append(&mut job.tombstones);
            return self.slot_is_fired(job);
        }
        job.waits_for_close = !self.open.is_empty();
        match job.what {
            What::Unpark(_) => self.unpark = Some(job),
            _ => self.job = Some(job),
        }
    }

    fn fire_from_block(&mut self, job: &Job, entry: Entry) {
        let next = match &job.what {
            What::Unpark(scope) if *entry.scope == *scope => self.deliver(entry, false),
            // Of another namespace whose hash is the same: it stays parked.
            What::Unpark(_) => {
                self.open.aside.push((job.slot, entry));
                None
            }
            _ if entry.position() > self.mark => self.deliver_or_park(entry, false),
            _ => None,
        };
        if let Some(next) = next {
            self.follow(next);
        }
    }

    fn slot_is_fired(&mut self, job: Job) {
        match job.what {
            What::Unpark(scope) => {
                self.namespaces.remove(&scope);
                self.open.namespaces.insert(scope, None);
            }
            _ => {
                self.frontier.vacate(job.slot);
                self.frontier.load_to = job.slot.number + 1;
                self.oversize = None;
            }
        }
    }
}

/// A tombstone and the timer that it was written for need not be written again. Any other tombstone is kept.
fn annihilate(entries: &mut Vec<Entry>, tombstones: &mut Vec<Tombstone>) {
    let mut kills: FxHashSet<(i64, i64, u32)> = FxHashSet::default();
    kills.extend(tombstones.iter().map(|tombstone| (tombstone.key, tombstone.due_ms, tombstone.generation)));
    if kills.is_empty() {
        return;
    }
    let mut met = FxHashSet::default();
    entries.retain(|entry| {
        let kill = (entry.key, entry.due_ms, entry.generation.saturating_add(1));
        let is_killed = kills.contains(&kill);
        if is_killed {
            met.insert(kill);
        }
        !is_killed
    });
    tombstones.retain(|tombstone| !met.remove(&(tombstone.key, tombstone.due_ms, tombstone.generation)));
}
