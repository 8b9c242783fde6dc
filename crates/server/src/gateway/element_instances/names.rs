//! Filters on element names. Names stand in the definitions, not in the rows, so they become the ids of the
//! elements that carry them, definition by definition.

use super::super::Gateway;
use super::super::findings::Findings;
use super::super::problem::Problem;
use super::super::search::{NO_KEY, passes, tests};
use serde_json::Value as Json;
use std::sync::Arc;
use tidemill_bpmn::Process;
use tidemill_model::DefinitionKey;
use tidemill_store::query::{
    Condition, ElementInstanceField as Field, FieldKind, Filter, Page, PageStart, Search, Test, Value,
};

/// Adds what the `elementName` members of a filter and of its alternatives ask for.
pub(super) async fn resolve(
    gateway: &Gateway,
    tree: &Json,
    filter: &mut Filter<Field>,
) -> Result<(), Problem> {
    let alternatives = tree["$or"].as_array().map_or(&[][..], Vec::as_slice);
    if tree["elementName"].is_null() && alternatives.iter().all(|one| one["elementName"].is_null()) {
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

fn narrow(filter: &mut Filter<Field>, tree: &Json, processes: &Processes) {
    let given = &tree["elementName"];
    if given.is_null() {
        return;
    }
    // Names are plain texts: nothing about them can be wrong.
    let tests = tests("elementName", FieldKind::Text, given, &mut Findings::default());
    let any = processes.iter().filter_map(|(key, process)| named(*key, process, &tests)).collect::<Vec<_>>();
    filter.all.push(match any.is_empty() {
        true => Condition::Is(Field::Key, Test::eq(NO_KEY)),
        false => Condition::Any(any),
    });
}

/// The elements of one process whose names pass.
fn named(definition: DefinitionKey, process: &Process, tests: &[Test]) -> Option<Filter<Field>> {
    let has_name = |label: &str| passes(Some(&Value::Text(label.into())), tests);
    let named = process.elements().iter().filter(|element| has_name(element.label()));
    let ids: Vec<Value> = named.map(|element| element.id.clone().into()).collect();
    if ids.is_empty() {
        return None;
    }
    let of_definition = Filter::default().is(Field::DefinitionKey, Test::eq(definition.key()));
    Some(of_definition.is(Field::ElementId, Test::In(ids)))
}
