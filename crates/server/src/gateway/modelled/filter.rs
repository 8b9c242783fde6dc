//! Filters on what stands in the model become filters on the ids of the elements of which it is true, definition by
//! definition.

use super::super::Gateway;
use super::super::findings::Findings;
use super::super::problem::Problem;
use super::super::search::{NO_KEY, passes, tests};
use super::Modelled;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_bpmn::Process;
use tidemill_model::{DefinitionKey, Text};
use tidemill_store::query::{Condition, FieldKind, Filter, Page, PageStart, Search, Test, Value};

/// Adds what a filter and its alternatives ask for of the model.
pub(super) async fn resolve<F: Modelled>(
    gateway: &Gateway,
    tree: &Json,
    filter: &mut Filter<F>,
) -> Result<(), Problem> {
    let asks = |tree: &Json| F::MEMBERS.iter().any(|member| !tree[*member].is_null());
    let alternatives = tree["$or"].as_array().map_or(&[][..], Vec::as_slice);
    if !asks(tree) && !alternatives.iter().any(asks) {
        return Ok(());
    }
    let processes = all_processes(gateway).await?;
    for condition in &mut filter.all {
        if let Condition::Any(filters) = condition {
            filters.iter_mut().zip(alternatives).for_each(|(filter, tree)| narrow(filter, tree, &processes));
        }
    }
    narrow(filter, tree, &processes);
    Ok(())
}

type Processes = Vec<(DefinitionKey, Arc<Process>)>;

async fn all_processes(gateway: &Gateway) -> Result<Processes, Problem> {
    let mut page = Page { limit: 1000, start: PageStart::Offset(0) };
    let mut processes = Vec::new();
    loop {
        let found = gateway.queries.process_definitions(&Search::default().page(page.clone())).await?;
        for definition in &found.items {
            if let Some(process) = gateway.process(definition.key).await? {
                processes.push((definition.key, process));
            }
        }
        match found.end_cursor {
            Some(cursor) if found.items.len() == page.limit as usize => page.start = PageStart::After(cursor),
            _ => return Ok(processes),
        }
    }
}

fn narrow<F: Modelled>(filter: &mut Filter<F>, tree: &Json, processes: &Processes) {
    for member in F::MEMBERS.iter().filter(|member| !tree[**member].is_null()) {
        filter.all.push(condition(member, &tree[*member], processes));
    }
}

fn condition<F: Modelled>(member: &str, given: &Json, processes: &Processes) -> Condition<F> {
    // Faults in them were found when the filter was read.
    let tests = tests(member, FieldKind::Text, given, &mut Findings::default());
    // Versions of a process mostly have the same elements: they are asked for together.
    let mut definitions: BTreeMap<Vec<Text>, Vec<Value>> = BTreeMap::new();
    for (key, process) in processes {
        let ids = matching::<F>(process, member, &tests);
        if !ids.is_empty() {
            definitions.entry(ids).or_default().push(key.key().into());
        }
    }
    let any = definitions.into_iter().map(|(ids, definitions)| {
        let ids = ids.into_iter().map(Value::from).collect();
        Filter::default().is(F::DEFINITION, Test::In(definitions)).is(F::ELEMENT_ID, Test::In(ids))
    });
    let any: Vec<Filter<F>> = any.collect();
    match any.is_empty() {
        true => Condition::Is(F::key(), Test::eq(NO_KEY)),
        false => Condition::Any(any),
    }
}

/// The elements of one process that pass.
fn matching<F: Modelled>(process: &Process, member: &str, tests: &[Test]) -> Vec<Text> {
    let elements = process.elements().iter().filter(|element| F::has_rows(element));
    let matching = elements.filter(|element| {
        let fact = F::fact(element, member).map(|fact| Value::Text(fact.into()));
        passes(fact.as_ref(), tests)
    });
    matching.map(|element| element.id.clone()).collect()
}
