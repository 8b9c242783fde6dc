//! Filters on element names. Names stand in the definitions, not in the rows, so they become the ids of the
//! elements that carry them, definition by definition.

use super::super::Gateway;
use super::super::findings::Findings;
use super::super::problem::Problem;
use super::super::search::{NO_KEY, passes, tests};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_bpmn::Process;
use tidemill_model::{DefinitionKey, Text};
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
    // Faults in them were found when the filter was read.
    let tests = tests("elementName", FieldKind::Text, given, &mut Findings::default());
    // Versions of a process mostly have the same names: they are asked for together.
    let mut definitions: BTreeMap<Vec<Text>, Vec<Value>> = BTreeMap::new();
    for (key, process) in processes {
        let ids = named(process, &tests);
        if !ids.is_empty() {
            definitions.entry(ids).or_default().push(key.key().into());
        }
    }
    let any = definitions.into_iter().map(|(ids, definitions)| {
        let ids = ids.into_iter().map(Value::from).collect();
        Filter::default().is(Field::DefinitionKey, Test::In(definitions)).is(Field::ElementId, Test::In(ids))
    });
    let any: Vec<Filter<Field>> = any.collect();
    filter.all.push(match any.is_empty() {
        true => Condition::Is(Field::Key, Test::eq(NO_KEY)),
        false => Condition::Any(any),
    });
}

/// The elements of one process whose names pass.
fn named(process: &Process, tests: &[Test]) -> Vec<Text> {
    let has_name = |label: &str| passes(Some(&Value::Text(label.into())), tests);
    let named = process.elements().iter().filter(|element| has_name(element.label()));
    named.map(|element| element.id.clone()).collect()
}
