//! A place in the order in which timers fall due.

/// Timers fire in this order: by due time, then by key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    pub due_ms: i64,
    pub key: i64,
}

impl Position {
    /// Before every timer.
    pub const MIN: Position = Position { due_ms: i64::MIN, key: i64::MIN };
    /// Behind every timer.
    pub const MAX: Position = Position { due_ms: i64::MAX, key: i64::MAX };

    pub const fn new(due_ms: i64, key: i64) -> Position {
        Position { due_ms, key }
    }

    /// Before every timer that is due at this time.
    pub const fn begin_of(due_ms: i64) -> Position {
        Position { due_ms, key: i64::MIN }
    }

    /// Behind every timer that is due at this time.
    pub const fn end_of(due_ms: i64) -> Position {
        Position { due_ms, key: i64::MAX }
    }

    /// The place just before this one.
    pub const fn before(self) -> Position {
        match self.key.checked_sub(1) {
            Some(key) => Position { due_ms: self.due_ms, key },
            None => Position { due_ms: self.due_ms.saturating_sub(1), key: i64::MAX },
        }
    }
}
