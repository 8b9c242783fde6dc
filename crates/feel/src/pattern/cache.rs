//! Compiled patterns that were used lately, so that a pattern in a loop is built once.
//! Only speed depends on it: the caller is charged alike whether a pattern is found here or not.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::{Engine, Flavour, Pattern, PatternError};

pub(crate) const PATTERNS_MAX: usize = 32;

/// Larger ones are not kept, so that the memory of a thread stays small.
const PATTERN_BYTES_MAX: usize = 64 * 1024;

struct Entry {
    source: String,
    flags: String,
    flavour: Flavour,
    pattern: Rc<Pattern>,
}

thread_local! {
    static RECENT: RefCell<VecDeque<Entry>> = const { RefCell::new(VecDeque::new()) };
}

impl Pattern {
    /// As [`Pattern::new`], but looks among the patterns that this thread used lately.
    pub(crate) fn recent(source: &str, flags: &str, flavour: Flavour) -> Result<Rc<Self>, PatternError> {
        RECENT.with_borrow_mut(|recent| {
            let same =
                |entry: &Entry| entry.source == source && entry.flags == flags && entry.flavour == flavour;
            if let Some(place) = recent.iter().position(same) {
                let entry = recent.remove(place).expect("it was just found");
                let pattern = Rc::clone(&entry.pattern);
                recent.push_front(entry);
                return Ok(pattern);
            }
            let pattern = Rc::new(Self::new(source, flags, flavour)?);
            if pattern.is_small() {
                let (source, flags) = (source.to_owned(), flags.to_owned());
                recent.push_front(Entry { source, flags, flavour, pattern: Rc::clone(&pattern) });
                recent.truncate(PATTERNS_MAX);
            }
            Ok(pattern)
        })
    }

    /// True if it is kept for the next use.
    pub(crate) fn is_small(&self) -> bool {
        self.memory_usage() <= PATTERN_BYTES_MAX
    }

    pub(super) fn memory_usage(&self) -> usize {
        match &self.engine {
            Engine::Linear(linear) => linear.memory_usage(),
            Engine::Backtracking(program) => program.memory_usage(),
        }
    }
}
