//! Order and pages.

/// Totals are exact up to here. Counting further could cost as much as reading all of history.
pub const TOTAL_MAX: u64 = 10_000;

/// A total that takes longer to count is given up: the page is what was asked for.
pub const COUNT_LIMIT_MS: u64 = 500;

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

impl Page {
    /// The number of all items, where this page tells it.
    pub fn total_from(&self, items: usize) -> Option<u64> {
        match self.start {
            // A page that is not full shows everything there is from its start on.
            PageStart::Offset(offset) if 0 < items && items < self.limit as usize => {
                Some(u64::from(offset) + items as u64)
            }
            _ => None,
        }
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

impl<V> Results<V> {
    /// A page whose total took too long to count: it tells what was seen, and that there may be more.
    pub fn uncounted(items: Vec<(V, String)>, page: &Page) -> Results<V> {
        let before = if let PageStart::Offset(offset) = page.start { u64::from(offset) } else { 0 };
        let seen = before + items.len() as u64;
        Results { has_more_total: true, ..Results::new(items, seen) }
    }

    /// From the page's items with the cursors that lead to them; the total may be counted too far.
    pub fn new(mut items: Vec<(V, String)>, total: u64) -> Results<V> {
        let start_cursor = items.first().map(|(_, cursor)| cursor.clone());
        // This one can be taken, but the first one must be copied: a page of one item needs its cursor twice.
        let end_cursor = items.last_mut().map(|(_, cursor)| std::mem::take(cursor));
        Results {
            items: items.into_iter().map(|(view, _)| view).collect(),
            total: total.min(TOTAL_MAX),
            has_more_total: total > TOTAL_MAX,
            start_cursor,
            end_cursor,
        }
    }
}
