//! The keys under which commands speak of an instance: its own and those of what belongs to it.

use std::collections::HashSet;
use tidemill_model::ProcessInstanceKey;
use tidemill_store::query::{
    ElementInstanceField, Filter, IncidentField, JobField, Page, PageStart, Search, Test, UserTaskField,
};
use tidemill_store::{Result, Store};

/// Of each kind. A larger instance is found by its own key and by the first of its belongings.
const ROWS_MAX: u32 = 10_000;

pub(super) async fn of(store: &dyn Store, instance: ProcessInstanceKey) -> Result<HashSet<i64>> {
    let mut keys = HashSet::from([instance.0]);
    let elements = store.element_instances(&search(ElementInstanceField::ProcessInstance, instance)).await?;
    keys.extend(elements.items.iter().map(|element| element.key.0));
    let jobs = store.jobs(&search(JobField::ProcessInstance, instance)).await?;
    keys.extend(jobs.items.iter().map(|job| job.key.0));
    let tasks = store.user_tasks(&search(UserTaskField::ProcessInstance, instance)).await?;
    keys.extend(tasks.items.iter().map(|task| task.key.0));
    let incidents = store.incidents(&search(IncidentField::ProcessInstance, instance)).await?;
    keys.extend(incidents.items.iter().map(|incident| incident.key.0));
    Ok(keys)
}

fn search<F: tidemill_store::query::Field>(field: F, instance: ProcessInstanceKey) -> Search<F> {
    let page = Page { limit: ROWS_MAX, start: PageStart::Offset(0) };
    Search::of(Filter::default().is(field, Test::eq(instance.key()))).page(page)
}
