//! The one error of this crate: where a text stops making sense, and what could have stood there.

use std::fmt;

/// A text that is no date, duration, cycle or zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The character where reading stopped, counted from 1; one past the last character at the end.
    pub position: usize,
    /// The text that was expected there, as a noun phrase ("a digit", "the end of the text").
    pub expected: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at position {}", self.expected, self.position)
    }
}

impl std::error::Error for ParseError {}
