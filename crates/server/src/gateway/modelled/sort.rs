//! Searches in the order of what stands in the model. Rows do not have it, so what is found is put in order here; that
//! bounds how much may be found.

use super::super::Gateway;
use super::super::listing;
use super::super::problem::Problem;
use super::{Modelled, Models};
use serde_json::Value as Json;
use tidemill_store::query::{Filter, Page, PageStart, Results, Search, TOTAL_MAX, Value};

fn wanted<F: Modelled>(tree: &Json) -> Option<&str> {
    let mut fields = tree["sort"].as_array()?.iter().filter_map(|one| one["field"].as_str());
    fields.find(|field| F::MEMBERS.contains(field))
}

pub(super) fn is_wanted<F: Modelled>(tree: &Json) -> bool {
    wanted::<F>(tree).is_some()
}

/// One page of all that passes the filter, in the order of the request's `sort`.
pub(super) async fn page<F: Modelled>(
    gateway: &Gateway,
    tree: &Json,
    search: Search<F>,
) -> Result<Results<F::View>, Problem> {
    let mut found = everything(gateway, tree, search.filter).await?;
    let models = Models::of::<F>(gateway, &found).await?;
    listing::arrange(tree, &mut found, |row, field| match F::MEMBERS.contains(&field) {
        true => Value::Text(
            models.element::<F>(row).and_then(|element| F::fact(element, field)).unwrap_or_default().into(),
        ),
        false => F::stored(row, field),
    })?;
    let sort = signature(&tree["sort"]);
    let (from, to) = bounds::<F>(&found, &search.page, sort)?;
    let cursor = |row: &F::View| format!("{sort:08x}{:016x}", F::row_key(row));
    let total = found.len() as u64;
    let items: Vec<_> = found.drain(from..to).collect();
    let (start_cursor, end_cursor) = (items.first().map(cursor), items.last().map(cursor));
    Ok(Results { items, total, has_more_total: false, start_cursor, end_cursor })
}

/// By key, which decides between rows that are equal in everything else.
async fn everything<F: Modelled>(
    gateway: &Gateway,
    tree: &Json,
    filter: Filter<F>,
) -> Result<Vec<F::View>, Problem> {
    let limit = TOTAL_MAX as u32;
    let all = Search::of(filter).page(Page { limit, start: PageStart::Offset(0) });
    let found = F::find(&*gateway.queries, &all).await?;
    if found.has_more_total || found.total > TOTAL_MAX {
        return Err(Problem::invalid_argument(format!(
            "Expected at most {TOTAL_MAX} elements to sort by {}, but there are more. Use a narrower filter.",
            wanted::<F>(tree).unwrap_or_default()
        )));
    }
    Ok(found.items)
}

/// A cursor names an element and the sort that it was given out with, in digits that clients take for base64.
fn bounds<F: Modelled>(found: &[F::View], page: &Page, sort: u32) -> Result<(usize, usize), Problem> {
    let place = |cursor: &str| {
        let key =
            cursor.strip_prefix(&format!("{sort:08x}")).and_then(|key| i64::from_str_radix(key, 16).ok());
        let place = found.iter().position(|row| Some(F::row_key(row)) == key);
        place.ok_or_else(|| Problem::from(tidemill_store::Error::BadCursor(cursor.to_owned())))
    };
    let limit = page.limit as usize;
    let from = match &page.start {
        PageStart::Offset(from) => (*from as usize).min(found.len()),
        PageStart::After(cursor) => place(cursor)? + 1,
        PageStart::Before(cursor) => {
            let to = place(cursor)?;
            return Ok((to.saturating_sub(limit), to));
        }
    };
    Ok((from, (from + limit).min(found.len())))
}

fn signature(sort: &Json) -> u32 {
    let text = sort.to_string();
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
