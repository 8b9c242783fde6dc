//! The deployed processes, and how to deploy one.

use super::Shown;
use crate::Sources;
use crate::frame::{Page, Place};
use crate::parts::{badge, pager};
use crate::query::{Query, link};
use axum::extract::{RawQuery, State};
use maud::{Markup, html};
use std::sync::Arc;
use tidemill_store::query::{Filter, Order, ProcessDefinitionField, Search, Test};
use tidemill_store::view::{ProcessDefinitionView, ProcessStatistics};

const PATH: &str = "/ui/processes";
/// Processes that the dashboard shows.
const BUSIEST: usize = 10;

pub(crate) async fn show(State(sources): State<Arc<Sources>>, RawQuery(query): RawQuery) -> Shown {
    let query = Query::read(query.as_deref());
    let mut filter = Filter::default().is(ProcessDefinitionField::IsLatestVersion, Test::eq(true));
    if let Some(process) = query.get("process") {
        filter = filter.is(ProcessDefinitionField::ProcessId, Test::Like(format!("*{process}*").into()));
    }
    let search =
        Search::of(filter).sort_by(ProcessDefinitionField::ProcessId, Order::Ascending).page(query.page());
    let found = sources.store.process_definitions(&search).await?;
    let statistics = sources.store.process_statistics().await?;
    let content = html! {
        h1 { "Processes" }
        (deploy_form())
        form.filter method="get" action=(PATH) {
            label { span { "Id contains" } input name="process" value=(query.get("process").unwrap_or_default()); }
            button type="submit" { "Search" }
        }
        @if found.items.is_empty() && query.get("process").is_none() {
            (first_steps())
        } @else {
            (table(&found.items, &statistics))
            (pager(PATH, &query, &found))
        }
    };
    Ok(Page::new(Place::Processes, "Processes", content))
}

fn table(definitions: &[ProcessDefinitionView], statistics: &[ProcessStatistics]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th { "Process" } th { "Id" } th.number { "Version" } th.number { "Running" } th.number { "Incidents" } } }
            tbody {
                @for definition in definitions {
                    @let counts = statistics.iter().find(|one| one.process_id == definition.process_id && one.tenant == definition.tenant);
                    tr {
                        td { a href={ (PATH) "/" (definition.key) } { (definition.name.as_deref().unwrap_or(&definition.process_id)) } }
                        td { code { (definition.process_id) } }
                        td.number { (definition.version) }
                        td.number { (counts.map_or(0, |one| one.active_without_incident + one.active_with_incident)) }
                        td.number { (counts.map_or(0, |one| one.active_with_incident)) }
                    }
                }
            }
        } }
    }
}

/// The processes that most instances run in.
pub(crate) fn busiest(statistics: &[ProcessStatistics]) -> Markup {
    let mut busiest: Vec<&ProcessStatistics> = statistics.iter().collect();
    busiest.sort_by_key(|one| std::cmp::Reverse(one.active_with_incident + one.active_without_incident));
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th { "Process" } th.number { "Running" } th { "Incidents" } } }
            tbody {
                @for one in busiest.into_iter().take(BUSIEST) {
                    tr {
                        td { a href=(link("/ui/instances", "process", &one.process_id)) { (one.latest_name.as_deref().unwrap_or(&one.process_id)) } }
                        td.number { (one.active_with_incident + one.active_without_incident) }
                        td { @if one.active_with_incident > 0 { (badge("incident", &format!("{} with an incident", one.active_with_incident))) } }
                    }
                }
            }
        } }
    }
}

/// Shown while nothing is deployed.
pub(crate) fn first_steps() -> Markup {
    html! {
        section.empty {
            h2 { "No process is deployed yet" }
            p { "Drop a BPMN file on the page of " a href=(PATH) { "processes" } ", or deploy one from a shell:" }
            pre { "tidemill deploy examples/order.bpmn" }
        }
    }
}

fn deploy_form() -> Markup {
    html! {
        form.deploy.needs-script data-deploy {
            label { span { "Deploy: drop BPMN or form files here, or choose them" } input type="file" name="resources" multiple accept=".bpmn,.xml,.form,.rpa"; }
            button type="submit" { "Deploy" }
            output role="alert" {}
        }
    }
}
