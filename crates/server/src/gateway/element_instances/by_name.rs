//! Searches in the order of element names. Rows do not have the names, so what is found is put in order here;
//! that bounds how much may be found.

use super::super::Gateway;
use super::super::listing;
use super::super::problem::Problem;
use super::{Processes, label, processes};
use serde_json::Value as Json;
use tidemill_model::ElementInstanceKey;
use tidemill_store::query::{
    ElementInstanceField as Field, Filter, Page, PageStart, Results, Search, TOTAL_MAX, Value,
};
use tidemill_store::view::ElementInstanceView;

/// Comes before every other number, as nulls do.
const NULL: Value = Value::Int(i64::MIN);

pub(super) fn is_wanted(tree: &Json) -> bool {
    tree["sort"].as_array().is_some_and(|sort| sort.iter().any(|one| one["field"] == "elementName"))
}

/// One page of all that passes the filter, in the order of the request's `sort`.
pub(super) async fn page(
    gateway: &Gateway,
    tree: &Json,
    search: Search<Field>,
) -> Result<Results<ElementInstanceView>, Problem> {
    let mut found = everything(gateway, search.filter).await?;
    let processes = processes(gateway, &found).await?;
    listing::arrange(tree, &mut found, |element, field| value(element, field, &processes))?;
    let sort = signature(&tree["sort"]);
    let (from, to) = bounds(&found, &search.page, sort)?;
    let cursor = |element: &ElementInstanceView| format!("{sort:08x}{:016x}", element.key.0);
    let total = found.len() as u64;
    let items: Vec<_> = found.drain(from..to).collect();
    let (start_cursor, end_cursor) = (items.first().map(cursor), items.last().map(cursor));
    Ok(Results { items, total, has_more_total: false, start_cursor, end_cursor })
}

/// By key, which decides between elements that are equal in everything else.
async fn everything(gateway: &Gateway, filter: Filter<Field>) -> Result<Vec<ElementInstanceView>, Problem> {
    let limit = TOTAL_MAX as u32;
    let all = Search::of(filter).page(Page { limit, start: PageStart::Offset(0) });
    let found = gateway.queries.element_instances(&all).await?;
    if found.has_more_total || found.total > TOTAL_MAX {
        return Err(Problem::invalid_argument(format!(
            "Expected at most {TOTAL_MAX} elements to sort by elementName, but there are more. Use a narrower filter."
        )));
    }
    Ok(found.items)
}

fn value(element: &ElementInstanceView, field: &str, processes: &Processes) -> Value {
    match field {
        "elementName" => Value::Text(label(element, processes).clone()),
        "elementId" => Value::Text(element.element_id.clone()),
        "processDefinitionId" => Value::Text(element.process_id.clone()),
        "tenantId" => Value::Text(element.tenant.0.clone()),
        "type" => Value::Text(element.kind.name().into()),
        "state" => Value::Text(element.state.name().into()),
        "processInstanceKey" => Value::Int(element.instance.0),
        "processDefinitionKey" => Value::Int(element.definition.0),
        "startDate" => Value::Int(element.started_at.0),
        "endDate" => element.ended_at.map_or(NULL, |time| Value::Int(time.0)),
        "incidentKey" => element.incident.map_or(NULL, |key| Value::Int(key.0)),
        _ => Value::Int(element.key.0),
    }
}

/// A cursor names an element and the sort that it was given out with, in digits that clients take for base64.
fn bounds(found: &[ElementInstanceView], page: &Page, sort: u32) -> Result<(usize, usize), Problem> {
    let place = |cursor: &str| {
        let key =
            cursor.strip_prefix(&format!("{sort:08x}")).and_then(|key| i64::from_str_radix(key, 16).ok());
        let place = found.iter().position(|element| Some(element.key) == key.map(ElementInstanceKey));
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
