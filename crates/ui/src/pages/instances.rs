//! Search for process instances. Every filter stands in the address.

use super::{Shown, key};
use crate::Sources;
use crate::frame::{Page, Place};
use crate::parts::{optional_time, pager, state, time, total};
use crate::problem::Problem;
use crate::query::Query;
use axum::extract::{RawQuery, State};
use maud::{Markup, html};
use std::sync::Arc;
use tidemill_store::query::{Condition, Filter, Order, ProcessInstanceField, Search, Test, VariableScope};
use tidemill_store::view::ProcessInstanceView;

const PATH: &str = "/ui/instances";
const STATES: [(&str, &str); 4] =
    [("", "Any state"), ("ACTIVE", "Active"), ("COMPLETED", "Completed"), ("TERMINATED", "Cancelled")];

pub(crate) async fn show(State(sources): State<Arc<Sources>>, RawQuery(query): RawQuery) -> Shown {
    let query = Query::read(query.as_deref());
    let search = Search::of(filter(&query)?);
    let search = search.sort_by(ProcessInstanceField::Key, Order::Descending).page(query.page());
    let found = sources.store.process_instances(&search).await?;
    let content = html! {
        h1 { "Instances " span.quiet { (total(&found)) } }
        (form(&query))
        @if found.items.is_empty() {
            p.empty { "No instance passes this filter." }
        } @else {
            (table(&found.items))
            (pager(PATH, &query, &found))
        }
    };
    Ok(Page::new(Place::Instances, "Instances", content))
}

fn filter(query: &Query) -> Result<Filter<ProcessInstanceField>, Problem> {
    use ProcessInstanceField as Field;
    let mut filter = Filter::default();
    for (name, field) in
        [("state", Field::State), ("process", Field::ProcessId), ("business", Field::BusinessId)]
    {
        if let Some(value) = query.get(name) {
            filter = filter.is(field, text_test(value));
        }
    }
    if let Some(definition) = query.get("definition") {
        filter = filter.is(Field::DefinitionKey, Test::eq(key("process definition", definition)?));
    }
    if query.get("incident").is_some() {
        filter = filter.is(Field::HasIncident, Test::eq(true));
    }
    if let Some(name) = query.get("variable") {
        let value =
            query.get("value").map(|value| vec![Test::eq(json_text(value).as_str())]).unwrap_or_default();
        let condition = Condition::HasVariable { scope: VariableScope::Anywhere, name: name.into(), value };
        filter = filter.and(condition);
    }
    Ok(filter)
}

/// Equal, or with a pattern where there is a star.
fn text_test(value: &str) -> Test {
    if value.contains('*') { Test::Like(value.into()) } else { Test::eq(value) }
}

/// Values are stored as JSON. A text may be typed without its quotes.
fn json_text(value: &str) -> String {
    match serde_json::from_str::<&serde_json::value::RawValue>(value) {
        Ok(_) => value.to_owned(),
        Err(_) => serde_json::Value::from(value).to_string(),
    }
}

fn form(query: &Query) -> Markup {
    let value = |name| query.get(name).unwrap_or_default();
    html! {
        form.filter method="get" action=(PATH) {
            label { span { "State" } select name="state" {
                @for (name, text) in STATES { option value=(name) selected[name == value("state")] { (text) } }
            } }
            label { span { "Process id" } input name="process" value=(value("process")); }
            label { span { "Business id" } input name="business" value=(value("business")); }
            label { span { "Variable" } input name="variable" value=(value("variable")); }
            label { span { "with the value" } input name="value" value=(value("value")); }
            label.check { input type="checkbox" name="incident" value="yes" checked[query.get("incident").is_some()]; span { "with an incident" } }
            @if let Some(definition) = query.get("definition") { input type="hidden" name="definition" value=(definition); }
            button type="submit" { "Search" }
            a href=(PATH) { "Clear" }
        }
    }
}

pub(crate) fn table(instances: &[ProcessInstanceView]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th { "Instance" } th { "State" } th { "Process" } th.number { "Version" } th { "Business id" } th { "Started" } th { "Ended" } } }
            tbody {
                @for instance in instances {
                    tr {
                        td { a href={ (PATH) "/" (instance.key) } { (instance.key) } }
                        td { (state(instance.state, instance.has_incident)) }
                        td { (instance.process_name.as_deref().unwrap_or(&instance.process_id)) }
                        td.number { (instance.version) }
                        td { (instance.business_id.as_deref().unwrap_or_default()) }
                        td { (time(instance.started_at)) }
                        td { (optional_time(instance.ended_at)) }
                    }
                }
            }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_may_be_typed_without_quotes() {
        assert_eq!(json_text("12"), "12");
        assert_eq!(json_text("\"12\""), "\"12\"");
        assert_eq!(json_text("A-1"), "\"A-1\"");
        assert_eq!(json_text("a \"b\""), "\"a \\\"b\\\"\"");
    }
}
