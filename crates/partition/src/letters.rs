//! Dead letters: commands that cannot be run here and are kept for an operator. A letter that the store refuses as well leaves its
//! command where it came from, because the alternative would be to lose it or to try for ever.

use std::collections::BTreeSet;
use tidemill_store::{DeadLetter, Position};

/// Bytes of the reason that a letter keeps. It may quote a model or a panic.
const REASON_BYTES_MAX: usize = 10_000;

/// A letter that every store takes: a reason with zero bytes would be refused by some, and the command could neither be run nor be
/// put aside.
pub(crate) fn letter(position: Option<Position>, payload: Vec<u8>, reason: &str) -> DeadLetter {
    let mut reason = reason.replace('\0', "\u{fffd}");
    if reason.len() > REASON_BYTES_MAX {
        // A text that is cut in the middle of a character is no text any more.
        let end = (0..=REASON_BYTES_MAX).rev().find(|end| reason.is_char_boundary(*end));
        reason.truncate(end.unwrap_or(0));
        reason.push_str("...");
    }
    DeadLetter { position, payload, reason }
}

/// Entries of the inbox and timers whose letter the store has refused. This owner leaves them alone; the next one tries again.
#[derive(Default)]
pub(crate) struct LeftInPlace {
    entries: BTreeSet<Position>,
    timers: BTreeSet<tidemill_timers::Position>,
}

impl LeftInPlace {
    pub(crate) fn leave_entry(&mut self, position: Position) {
        self.entries.insert(position);
    }

    pub(crate) fn leave_timer(&mut self, position: tidemill_timers::Position) {
        self.timers.insert(position);
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = Position> + '_ {
        self.entries.iter().copied()
    }

    pub(crate) fn has_timer(&self, position: tidemill_timers::Position) -> bool {
        self.timers.contains(&position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_neither_zero_bytes_nor_an_unlimited_length() {
        let letter = letter(None, Vec::new(), &format!("a\0b{}", "ä".repeat(REASON_BYTES_MAX)));
        assert!(letter.reason.starts_with("a\u{fffd}bä") && letter.reason.ends_with("ä..."));
        assert!(letter.reason.len() <= REASON_BYTES_MAX + 3);
    }
}
