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
use tidemill_store::query::{Order, Search, Sort};

/// The search that a body asks for, without being read from a store yet.
pub(crate) fn requested<F: Searchable>(call: &Call) -> Result<Search<F>, Problem> {
    translate(&call.tree()?)
}

pub(crate) fn translate<F: Searchable>(tree: &Value) -> Result<Search<F>, Problem> {
    let mut findings = Findings::default();
    let filter = filter::translate(&tree["filter"], &mut findings);
    let sort = sort(&tree["sort"], &mut findings);
    let page = page::translate(&tree["page"], &mut findings);
    findings.finish()?;
    Ok(Search { filter, sort, page, is_brief: false })
}

/// Field names and directions, as they were given.
pub(crate) fn criteria<'a>(list: &'a Value, findings: &mut Findings) -> Vec<(&'a str, Order)> {
    let mut criteria = Vec::new();
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
