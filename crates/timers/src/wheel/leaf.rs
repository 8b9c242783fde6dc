//! A leaf of the wheel: some hundred neighbouring timers in one vector, put in order only when they are about to fire.

use crate::Position;

pub(super) struct Entry<T> {
    pub(super) position: Position,
    pub(super) payload: T,
}

pub(super) struct Leaf<T> {
    /// In falling order once `is_sorted`, so that the first to fire is popped from the end.
    entries: Vec<Entry<T>>,
    is_sorted: bool,
    /// No entry lies behind it. Removals do not lower it.
    highest: Position,
}

impl<T> Leaf<T> {
    /// Entries that a leaf holds at most: about 32 KB, so that a search through one stays in the nearest cache.
    pub(super) const ENTRIES_MAX: usize = {
        let fit = 32_768 / size_of::<Entry<T>>();
        if fit < 32 {
            32
        } else if fit > 1_024 {
            1_024
        } else {
            fit
        }
    };

    pub(super) fn new() -> Leaf<T> {
        Leaf { entries: Vec::new(), is_sorted: false, highest: Position::MIN }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.entries.len() >= Self::ENTRIES_MAX
    }

    /// True if all entries lie before the position.
    pub(super) fn ends_before(&self, position: Position) -> bool {
        self.highest < position
    }

    /// The memory that the vector occupies, without the payloads' own.
    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry<T>>() + size_of::<(Position, Leaf<T>)>()
    }

    /// An ordered leaf stays in order, because it is being taken from: sorting it for each new entry would cost more.
    pub(super) fn insert(&mut self, position: Position, payload: T) {
        self.highest = self.highest.max(position);
        let entry = Entry { position, payload };
        if self.is_sorted {
            let at = self.entries.partition_point(|other| other.position > position);
            self.entries.insert(at, entry);
        } else {
            self.entries.push(entry);
        }
    }

    fn find(&self, position: Position) -> Option<usize> {
        if self.is_sorted {
            let at = self.entries.partition_point(|other| other.position > position);
            return self.entries.get(at).filter(|entry| entry.position == position).map(|_| at);
        }
        self.entries.iter().position(|entry| entry.position == position)
    }

    pub(super) fn get(&self, position: Position) -> Option<&T> {
        self.find(position).map(|at| &self.entries[at].payload)
    }

    pub(super) fn remove(&mut self, position: Position) -> Option<T> {
        let at = self.find(position)?;
        let entry = if self.is_sorted { self.entries.remove(at) } else { self.entries.swap_remove(at) };
        // Keeps the memory of a leaf in proportion to what is left in it.
        if self.entries.capacity() > 4 * self.entries.len() + 16 {
            self.entries.shrink_to(2 * self.entries.len());
        }
        Some(entry.payload)
    }

    pub(super) fn sort(&mut self) {
        if !self.is_sorted {
            self.entries.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.position));
            self.is_sorted = true;
        }
    }

    /// The first to fire.
    pub(super) fn first(&mut self) -> Option<Position> {
        self.sort();
        self.entries.last().map(|entry| entry.position)
    }

    /// Takes out entries up to the position, in order, and hands each to `take`.
    pub(super) fn take(&mut self, up_to: Position, entries_max: usize, mut take: impl FnMut(Entry<T>)) {
        self.sort();
        let is_due = self.entries.len() - self.entries.partition_point(|entry| entry.position > up_to);
        let kept = self.entries.len() - is_due.min(entries_max);
        self.entries.drain(kept..).rev().for_each(&mut take);
    }

    /// Cuts off the later half and gives it with the position of its first entry.
    pub(super) fn split(&mut self) -> (Position, Leaf<T>) {
        let middle = self.entries.len() / 2;
        if !self.is_sorted {
            let falling = |entry: &Entry<T>| std::cmp::Reverse(entry.position);
            self.entries.select_nth_unstable_by_key(middle - 1, falling);
        }
        let earlier = self.entries.split_off(middle);
        let later = std::mem::replace(&mut self.entries, earlier);
        let first = later[middle - 1].position;
        // The later half is not taken from yet, so that new entries may be appended to it again.
        let leaf = Leaf { entries: later, is_sorted: false, highest: self.highest };
        self.highest = first.before();
        (first, leaf)
    }

    /// Drops entries from the far end, as long as `drop` says so. Gives the first one dropped.
    pub(super) fn evict(&mut self, mut drop: impl FnMut(&Entry<T>) -> bool) -> Option<Position> {
        self.sort();
        let count = self.entries.iter().take_while(|entry| drop(entry)).count();
        let first = self.entries[..count].last().map(|entry| entry.position);
        self.entries.drain(..count);
        self.entries.shrink_to_fit();
        first
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry<T>> {
        self.entries.iter()
    }
}
