//! Searches, the same way for every entity: a body that fits its description becomes a search of the store,
//! what it finds becomes a page of items.

mod constant;
mod entities;
mod filter;
mod items;
mod page;

pub(crate) use constant::passes;
pub(crate) use filter::{NO_KEY, Searchable, tests};
pub(crate) use items::Items;
pub(crate) use page::{bounds, shown, shown_in_turn, shown_list};

use super::call::Call;
use super::findings::Findings;
use super::problem::Problem;
use serde_json::Value;
use tidemill_store::query::{CONDITIONS_MAX, Filter, Order, RELATED_MAX, SORTS_MAX, Search, Sort};

/// The search that a body asks for, without being read from a store yet.
pub(crate) fn requested<F: Searchable>(call: &Call) -> Result<Search<F>, Problem> {
    translate(&call.tree()?)
}

pub(crate) fn translate<F: Searchable>(tree: &Value) -> Result<Search<F>, Problem> {
    let mut findings = Findings::default();
    let filter: Filter<F> = filter::translate(&tree["filter"], &mut findings);
    check_size(&filter, &mut findings);
    let sort = sort(&tree["sort"], &mut findings);
    let page = page::translate(&tree["page"], &mut findings);
    findings.finish()?;
    Ok(Search { filter, sort, page, is_brief: false })
}

/// Larger filters than every store can answer are refused by all.
fn check_size<F>(filter: &Filter<F>, findings: &mut Findings) {
    let (conditions, related) = (filter.conditions(), filter.related());
    if conditions > CONDITIONS_MAX {
        findings.add(format!(
            "The provided filter exceeds the limit of {CONDITIONS_MAX} conditions: it has {conditions}, those of its \
             alternatives included. To ask for one of many values, use $in"
        ));
    }
    if related > RELATED_MAX {
        findings.add(format!(
            "The provided filter exceeds the limit of {RELATED_MAX} conditions on variables, elements, incidents or \
             jobs: it has {related}"
        ));
    }
}

/// Field names and directions, as they were given.
pub(crate) fn criteria<'a>(list: &'a Value, findings: &mut Findings) -> Vec<(&'a str, Order)> {
    let mut criteria = Vec::new();
    if list.as_array().is_some_and(|list| list.len() > SORTS_MAX) {
        findings.add(format!("The provided sort exceeds the limit of {SORTS_MAX} fields"));
        return criteria;
    }
    for criterion in list.as_array().into_iter().flatten() {
        let order = if criterion["order"] == "DESC" { Order::Descending } else { Order::Ascending };
        match criterion["field"].as_str() {
            Some(field) => criteria.push((field, order)),
            None => findings.add("Sort field must not be null"),
        }
    }
    criteria
}

/// Fields that the store does not know have one value in all rows: they do not change the order.
fn sort<F: Searchable>(list: &Value, findings: &mut Findings) -> Vec<Sort<F>> {
    let known = |(name, order)| Some(Sort { field: F::from_name(name)?, order });
    criteria(list, findings).into_iter().filter_map(known).collect()
}

#[cfg(test)]
#[path = "tests.rs"]
mod translation_tests;
