//! A search: what, in which order, which page.

use super::{Field, Filter, Order, Page, Sort};

/// The part of a long value that a brief search shows. Camunda cuts long values at the same length.
pub const BRIEF_CHARS_MAX: usize = 8191;

#[derive(Clone, PartialEq, Debug)]
pub struct Search<F> {
    pub filter: Filter<F>,
    /// The entity's key, ascending, always follows as the last criterion.
    /// Without the key, rows that are equal in all sorted fields could change places between two pages.
    pub sort: Vec<Sort<F>>,
    pub page: Page,
    /// Long values are cut: nothing beyond `BRIEF_CHARS_MAX` and one more character is read of them.
    pub is_brief: bool,
}

impl<F> Default for Search<F> {
    fn default() -> Self {
        Search { filter: Filter::default(), sort: Vec::new(), page: Page::default(), is_brief: false }
    }
}

impl<F: Field> Search<F> {
    pub fn of(filter: Filter<F>) -> Self {
        Search { filter, ..Search::default() }
    }

    pub fn sort_by(mut self, field: F, order: Order) -> Self {
        self.sort.push(Sort { field, order });
        self
    }

    pub fn page(mut self, page: Page) -> Self {
        self.page = page;
        self
    }

    pub fn brief(mut self) -> Self {
        self.is_brief = true;
        self
    }

    /// The sort with the key behind it; nothing after the key can matter.
    pub fn total_order(&self) -> Vec<Sort<F>> {
        let mut order: Vec<Sort<F>> = Vec::new();
        for sort in &self.sort {
            // A field that comes a second time cannot change the order, and SQL stores would compare it for every row.
            if order.iter().all(|known| known.field != sort.field) {
                order.push(*sort);
            }
            if sort.field == F::key() {
                return order;
            }
        }
        order.push(Sort { field: F::key(), order: Order::Ascending });
        order
    }
}
