//! Limits on the size of a search. Databases refuse statements beyond sizes of their own; these lie below all of them, so that a
//! search is answered by every store or refused by none.

use super::{Condition, Filter};

/// Conditions of one filter, those of its alternatives and related rows included.
pub const CONDITIONS_MAX: usize = 300;

/// Conditions on variables, elements, incidents or jobs of one filter: each is a search of its own.
pub const RELATED_MAX: usize = 30;

/// Values that one list (`$in`, `$notIn`) may have.
pub const LIST_VALUES_MAX: usize = 20_000;

/// Bytes of text that the items of one page may have together. A page is not cut where it is full, because clients that count items
/// would take a short page for the last one.
pub const PAGE_BYTES_MAX: usize = 32 << 20;

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
            // An alternative without conditions has its place in the statement too.
            Condition::Any(filters) => filters.iter().map(|filter| filter.conditions().max(1)).sum(),
            Condition::HasVariable { value, .. } => value.len().max(1),
            Condition::HasElement(tests) => tests.len().max(1),
            Condition::HasIncident(tests) => tests.len().max(1),
            Condition::HasJob(tests) => tests.len().max(1),
            Condition::Is(..) | Condition::WithinInstance(_) | Condition::WithinElement(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Field, ProcessInstanceField, Test, VariableScope};

    #[test]
    fn each_condition_counts_once_wherever_it_stands() {
        let one = || Filter::default().is(<ProcessInstanceField as Field>::key(), Test::eq(1));
        let any = |count: usize| Filter::default().and(Condition::Any((0..count).map(|_| one()).collect()));
        assert_eq!(any(CONDITIONS_MAX).conditions(), CONDITIONS_MAX);
        assert_eq!(any(3).is(<ProcessInstanceField as Field>::key(), Test::eq(2)).conditions(), 4);
        let variable = |value: Vec<Test>| Condition::HasVariable {
            scope: VariableScope::Anywhere,
            name: "a".into(),
            value,
        };
        let with = |condition| Filter::<ProcessInstanceField>::default().and(condition).conditions();
        assert_eq!(with(variable(vec![Test::eq("1")])), 1);
        assert_eq!(with(variable(vec![])), 1);
        assert_eq!(with(Condition::Any(vec![Filter::default(); 5])), 5, "empty ones are not for nothing");
    }
}
