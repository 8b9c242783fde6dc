//! How the engine asks for what it misses, and how the answer reaches it.

use crate::stop::{Stepped, Stop};
use rustc_hash::FxHashSet;
use std::fmt;
use tidemill_model::{Entity, Need, ProcessInstanceKey};

/// The rows that were found for a need.
#[derive(Clone, PartialEq, Debug)]
pub struct Supply {
    pub need: Need,
    pub entities: Vec<Entity>,
    /// For instances: everything is here, not only the instance row. For lists: nothing comes after.
    pub is_complete: bool,
}

/// Everything a command missed. It has changed nothing. The caller of the engine brings it and runs the command again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Missing {
    /// Live rows: what the store has goes to [`Working::supply`](crate::Working::supply).
    pub rows: Vec<Need>,
    /// Ended instances whose remaining rows are to be counted, for
    /// [`Working::supply_remains`](crate::Working::supply_remains).
    pub remains: Vec<ProcessInstanceKey>,
    /// A block of at least so many keys is to be reserved with
    /// [`Working::reserve_keys`](crate::Working::reserve_keys); 0 where there are enough.
    pub keys: u64,
}

impl Missing {
    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.remains.is_empty() && self.keys == 0
    }
}

impl From<Need> for Missing {
    fn from(need: Need) -> Missing {
        Missing { rows: vec![need], ..Missing::default() }
    }
}

/// Gathers the needs of all items of a list, so that one load brings them. A command runs again after each load, so asking for
/// one item after the other would cost the square of the list's length.
#[derive(Default)]
pub(crate) struct Missed {
    missing: Missing,
    seen: FxHashSet<Need>,
}

impl Missed {
    /// Gives the value that was found. If it is missing, remembers the need and gives nothing.
    pub(crate) fn unless_missing<T>(&mut self, found: Stepped<T>) -> Stepped<Option<T>> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(Stop::Need(missing)) => {
                let Missing { rows, remains, keys } = missing;
                self.missing.rows.extend(rows.into_iter().filter(|need| self.seen.insert(need.clone())));
                self.missing.remains.extend(remains);
                self.missing.keys = self.missing.keys.max(keys);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// Stops with everything that is missing.
    pub(crate) fn stop_if_any(self) -> Stepped {
        if self.missing.is_empty() { Ok(()) } else { Err(Stop::Need(self.missing)) }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "needs {self:?}")
    }
}
