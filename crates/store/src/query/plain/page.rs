//! Order and pages of what passes.

use super::{Related, Shown};
use crate::Result;
use crate::query::{Cursor, CursorValue, Order, PageStart, Results, Search, Sort};
use std::cmp::Ordering;

/// One page of the views that pass, in the order of the search, with the total over all pages.
pub fn find<F: Shown>(
    views: impl IntoIterator<Item = F::View>,
    search: &Search<F>,
    related: &dyn Related,
) -> Result<Results<F::View>> {
    let order = search.total_order();
    let cursor = match &search.page.start {
        PageStart::Offset(_) => None,
        PageStart::After(text) | PageStart::Before(text) => Some(decode::<F>(text, &order)?),
    };
    let passing = views.into_iter().filter(|view| search.filter.passes(view, related));
    // The sort values are taken once for each row, because sorting compares each row many times.
    let mut found: Vec<(Cursor, F::View)> =
        passing.map(|view| (place_of(&view, &order, related), view)).collect();
    found.sort_by(|a, b| compare(&a.0, &b.0, &order));
    let total = found.len() as u64;
    let range = page_of(&search.page.start, cursor.as_ref(), &found, &order, search.page.limit as usize);
    let items = found.drain(range).map(|(place, mut view)| {
        if search.is_brief {
            F::shorten(&mut view);
        }
        (view, place.encode(&order))
    });
    Ok(Results::new(items.collect(), total))
}

/// Where the page lies among all that was found.
fn page_of<F: Shown>(
    start: &PageStart,
    cursor: Option<&Cursor>,
    found: &[(Cursor, F::View)],
    order: &[Sort<F>],
    limit: usize,
) -> std::ops::Range<usize> {
    // A cursor need not lead to a row: its item may be gone. The page begins where it would stand.
    let count_below = |is_below: fn(Ordering) -> bool| {
        cursor.map_or(0, |cursor| found.partition_point(|(place, _)| is_below(compare(place, cursor, order))))
    };
    match start {
        PageStart::Offset(offset) => {
            let from = found.len().min(*offset as usize);
            from..found.len().min(from + limit)
        }
        PageStart::After(_) => {
            let from = count_below(Ordering::is_le);
            from..found.len().min(from + limit)
        }
        PageStart::Before(_) => {
            let to = count_below(Ordering::is_lt);
            // These are the items right before the cursor, not the first ones of all.
            to.saturating_sub(limit)..to
        }
    }
}

/// The values of the sort fields, with the tie break behind them where the entity has one.
fn place_of<F: Shown>(view: &F::View, order: &[Sort<F>], related: &dyn Related) -> Cursor {
    let values = order.iter().map(|sort| sort.field.value(view, related).to_sort_value());
    Cursor { values: values.chain(F::tie_break(view).map(CursorValue::Int)).collect() }
}

/// Both lengths are tried, because without a view it is not known whether an entity has a tie break.
fn decode<F: Shown>(text: &str, order: &[Sort<F>]) -> Result<Cursor> {
    Cursor::decode(text, order, order.len()).or_else(|_| Cursor::decode(text, order, order.len() + 1))
}

/// The tie break ascends.
fn compare<F>(a: &Cursor, b: &Cursor, order: &[Sort<F>]) -> Ordering {
    let directions = order.iter().map(|sort| sort.order).chain(std::iter::repeat(Order::Ascending));
    let mut compared = a.values.iter().zip(&b.values).zip(directions).map(|((a, b), order)| match order {
        Order::Ascending => a.cmp(b),
        Order::Descending => b.cmp(a),
    });
    compared.find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
}
