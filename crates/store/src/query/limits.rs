//! Limits on the size of a search. Databases refuse statements beyond sizes of their own; these lie below all of them, so that a
//! search is answered by every store or refused by none.

use super::{Condition, Filter};

/// Conditions of one filter, those of its alternatives and related rows included.
pub const CONDITIONS_MAX: usize = 300;

/// Conditions on variables, elements, incidents or jobs of one filter: each is a search of its own.
pub const RELATED_MAX: usize = 30;

/// Values that one list (`$in`, `$notIn`) may have.
pub const LIST_VALUES_MAX: usize = 20_000;

/// Fields that a search may be sorted by.
pub const SORTS_MAX: usize = 50;

impl<F> Filter<F> {
    /// Number of conditions at any depth.
    pub fn conditions(&self) -> usize {
        self.all.iter().map(Condition::conditions).sum()
    }
}

impl<F> Filter<F> {
    /// Number of conditions about rows that belong to the rows searched for.
    pub fn related(&self) -> usize {
        let related = |condition: &Condition<F>| match condition {
            Condition::Any(filters) => filters.iter().map(Filter::related).sum(),
            Condition::Is(..) => 0,
            _ => 1,
        };
        self.all.iter().map(related).sum()
    }
}

impl<F> Condition<F> {
    fn conditions(&self) -> usize {
        match self {
            Condition::Any(filters) => filters.iter().map(|filter| 1 + filter.conditions()).sum(),
            Condition::HasVariable { value, .. } => 1 + value.len(),
            Condition::HasElement(tests) => 1 + tests.len(),
            Condition::HasIncident(tests) => 1 + tests.len(),
            Condition::HasJob(tests) => 1 + tests.len(),
            Condition::Is(..) | Condition::WithinInstance(_) | Condition::WithinElement(_) => 1,
        }
    }
}
