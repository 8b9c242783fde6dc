//! A timer in the wheel, in as little memory as it needs: how many fit decides how far ahead timers are loaded.

use crate::Position;
use crate::block::{Entry, Flags, Scope};
use std::sync::Arc;

pub(super) enum Waiting {
    /// A timer that was never changed and carries nothing: its position tells the rest.
    Plain {
        target: u32,
        scope: Arc<Scope>,
    },
    Whole(Box<Entry>),
}

impl Waiting {
    pub(super) fn new(entry: Entry) -> Waiting {
        match is_plain(&entry) {
            true => Waiting::Plain { target: entry.target, scope: entry.scope },
            false => Waiting::Whole(Box::new(entry)),
        }
    }

    pub(super) fn copy_of(entry: &Entry) -> Waiting {
        match is_plain(entry) {
            true => Waiting::Plain { target: entry.target, scope: entry.scope.clone() },
            false => Waiting::Whole(Box::new(entry.clone())),
        }
    }

    pub(super) fn into_entry(self, position: Position) -> Entry {
        match self {
            Waiting::Plain { target, scope } => plain(position, target, scope),
            Waiting::Whole(entry) => *entry,
        }
    }

    pub(super) fn to_entry(&self, position: Position) -> Entry {
        match self {
            Waiting::Plain { target, scope } => plain(position, *target, scope.clone()),
            Waiting::Whole(entry) => Entry::clone(entry),
        }
    }

    /// Memory besides its own size.
    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Waiting::Plain { .. } => 0,
            Waiting::Whole(entry) => entry.bytes(),
        }
    }
}

fn is_plain(entry: &Entry) -> bool {
    entry.payload.is_empty()
        && entry.scheduled_ms == entry.due_ms
        && entry.place.is_none()
        && entry.flags == Flags::default()
        && (entry.generation, entry.attempt) == (0, 0)
}

fn plain(Position { due_ms, key }: Position, target: u32, scope: Arc<Scope>) -> Entry {
    let (scheduled_ms, flags, place, payload) = (due_ms, Flags::default(), None, Box::default());
    Entry { key, due_ms, scheduled_ms, generation: 0, attempt: 0, target, flags, scope, place, payload }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::PlaceId;

    #[test]
    fn every_entry_comes_back_as_it_was() {
        let at = Position::new(1_000, 7);
        let entry = plain(at, 3, Arc::default());
        let changed = [
            entry.clone(),
            Entry { scheduled_ms: 999, ..entry.clone() },
            Entry { generation: 1, ..entry.clone() },
            Entry { attempt: 2, ..entry.clone() },
            Entry { flags: Flags::REPEATS, ..entry.clone() },
            Entry { place: Some(PlaceId::of_generated(7, 900)), ..entry.clone() },
            Entry { payload: Box::from(&b"x"[..]), ..entry.clone() },
        ];
        for (nth, entry) in changed.into_iter().enumerate() {
            let waiting = Waiting::copy_of(&entry);
            assert_eq!(matches!(waiting, Waiting::Plain { .. }), nth == 0, "{entry:?}");
            assert_eq!(waiting.to_entry(at), entry);
            assert_eq!(waiting.into_entry(at), entry);
            assert_eq!(Waiting::new(entry.clone()).into_entry(at), entry);
        }
        assert_eq!(size_of::<Waiting>(), 16);
    }
}
