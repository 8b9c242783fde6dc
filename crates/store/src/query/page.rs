//! Order and pages.

/// Totals are exact up to here.
pub const TOTAL_MAX: u64 = 10_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    #[default]
    Ascending,
    Descending,
}

/// Nulls come before everything else in ascending order, behind it in descending order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sort<F> {
    pub field: F,
    pub order: Order,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// 0 gives no items and the total.
    pub limit: u32,
    pub start: PageStart,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PageStart {
    Offset(u32),
    /// Behind the item that this cursor was given out with.
    After(String),
    /// The items just before it, in the order of the sort.
    Before(String),
}

impl Default for Page {
    fn default() -> Page {
        Page { limit: 100, start: PageStart::Offset(0) }
    }
}

/// One page of what was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Results<V> {
    pub items: Vec<V>,
    /// Of all pages; exact unless `has_more_total`.
    pub total: u64,
    pub has_more_total: bool,
    pub start_cursor: Option<String>,
    pub end_cursor: Option<String>,
}
