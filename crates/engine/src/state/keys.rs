//! New keys, from blocks that the partition's owner has reserved in the store.

use tidemill_model::{Key, PartitionId};

/// Gives out keys without asking the store for each: a block of them is reserved, and lost if the owner dies before it was used up.
pub(super) struct KeySource {
    partition: PartitionId,
    next: u64,
    end: u64,
    /// The first key of the current command. A command that runs again gets the same keys, so that its result is the same.
    command_began: u64,
    /// Evaluations of the commands that took effect. With the next key, which is never given out again, it tells every
    /// evaluation from every other.
    /// Keys alone would not do: a command that makes no row uses no key, and two such commands would get the same random numbers.
    evaluations: u64,
}

impl KeySource {
    pub(super) fn new(partition: PartitionId) -> KeySource {
        // No key is left, so the first command that needs one waits for a block.
        KeySource { partition, next: 1, end: 1, command_began: 1, evaluations: 0 }
    }

    pub(super) fn keep(&mut self) {
        self.command_began = self.next;
    }

    /// Keys of a command that failed are given out again, because nobody has seen them.
    pub(super) fn undo(&mut self) {
        self.next = self.command_began;
    }
}

impl super::Working {
    /// Keys from `next` up to, not including, `end` may be given out.
    pub fn reserve_keys(&mut self, next: u64, end: u64) {
        self.keys.next = next;
        self.keys.end = end;
        self.keys.command_began = next;
    }

    /// Number of keys that are left. A command that needs more asks for them.
    pub fn keys_left(&self) -> u64 {
        self.keys.end.saturating_sub(self.keys.next)
    }

    /// The counter of the next key.
    pub fn next_key(&self) -> u64 {
        self.keys.next
    }

    pub(crate) fn count_evaluations(&mut self, evaluations: u64) {
        self.keys.evaluations += evaluations;
    }

    /// The seed of randomness for an evaluation of the current command, counted from the command's first. It depends on keys alone, so that
    /// a command that runs again gives the same result.
    pub(crate) fn seed(&self, evaluation: u64) -> u128 {
        let began = Key::new(self.keys.partition, self.keys.command_began);
        u128::from(began.0.cast_unsigned()) << 64 | u128::from(self.keys.evaluations + evaluation)
    }

    /// More keys than were reserved, if the command has used them: it must not be kept, and runs again with a block of
    /// this size.
    pub(crate) fn keys_wanted(&self) -> Option<u64> {
        let is_short = self.keys.next > self.keys.end;
        // The number that the whole command needs, not the number that is missing: it runs again from its start.
        is_short.then(|| self.keys.next - self.keys.command_began)
    }

    /// The next key. It is given even where the block is used up: the command is undone afterwards and runs again, so that no caller has to
    /// deal with a missing key in the middle of a change.
    pub(crate) fn new_key<K: From<Key>>(&mut self) -> K {
        let key = Key::new(self.keys.partition, self.keys.next);
        self.keys.next += 1;
        key.into()
    }

    /// A key that is higher than every one given out so far. It separates rows that were there before from those that come now.
    pub(crate) fn key_horizon(&self) -> Key {
        Key::new(self.keys.partition, self.keys.next)
    }
}
