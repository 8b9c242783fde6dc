//! Short lists that a store gives whole: filtered, sorted and paged here.

use super::findings::Findings;
use super::problem::Problem;
use super::search;
use serde_json::Value as Json;
use std::cmp::Ordering;
use tidemill_store::query::{Condition, Filter, Order, Value};

/// True if a row passes a filter of plain fields.
pub(super) fn passes<F: Copy>(filter: &Filter<F>, value: impl Fn(F) -> Option<Value>) -> bool {
    filter.all.iter().all(|condition| match condition {
        Condition::Is(field, test) => search::passes(value(*field).as_ref(), std::slice::from_ref(test)),
        _ => false,
    })
}

/// Sorts by the `sort` of a request; rows that are equal in it keep their order. Gives the bounds of its page.
pub(super) fn arrange<T>(
    tree: &Json,
    list: &mut [T],
    value: impl Fn(&T, &str) -> Value,
) -> Result<(usize, usize), Problem> {
    let mut findings = Findings::default();
    let criteria = search::criteria(&tree["sort"], &mut findings);
    let bounds = search::bounds(&tree["page"], &mut findings);
    findings.finish()?;
    list.sort_by(|a, b| {
        let differences = criteria.iter().map(|(field, order)| {
            let ordering = compare(&value(a, field), &value(b, field));
            if *order == Order::Descending { ordering.reverse() } else { ordering }
        });
        differences.fold(Ordering::Equal, Ordering::then)
    });
    Ok(bounds)
}

fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_are_sorted_by_all_criteria_and_paged() {
        let mut rows = [("a", 1), ("b", 2), ("c", 1)];
        let tree = json!({
            "sort": [{"field": "n", "order": "DESC"}, {"field": "name"}],
            "page": {"from": 1, "limit": 1},
        });
        let value = |row: &(&str, i64), field: &str| match field {
            "n" => Value::Int(row.1),
            _ => Value::Text(row.0.into()),
        };
        assert_eq!(arrange(&tree, &mut rows, value), Ok((1, 1)));
        assert_eq!(rows, [("b", 2), ("a", 1), ("c", 1)]);
    }
}
