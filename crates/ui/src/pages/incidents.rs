//! Open incidents: those that have the same message together, then one by one.

use super::Shown;
use crate::Sources;
use crate::frame::{Page, Place};
use crate::parts::{Action, Step, pager, time, total};
use crate::query::{Query, link};
use axum::extract::{RawQuery, State};
use maud::{Markup, html};
use serde_json::json;
use std::sync::Arc;
use tidemill_store::query::{Filter, IncidentField, Order, Search, Test};
use tidemill_store::view::{ErrorStatistics, IncidentView};

const PATH: &str = "/ui/incidents";
/// Messages that are shown with their counts.
const GROUPS: usize = 20;
/// Characters of a message in a list; its page shows all of it.
const BRIEF_CHARS: usize = 300;

pub(crate) async fn show(State(sources): State<Arc<Sources>>, RawQuery(query): RawQuery) -> Shown {
    let query = Query::read(query.as_deref());
    let mut filter = Filter::default().is(IncidentField::State, Test::eq("ACTIVE"));
    for (name, field) in [
        ("process", IncidentField::ProcessId),
        ("element", IncidentField::ElementId),
        ("message", IncidentField::ErrorMessage),
    ] {
        if let Some(value) = query.get(name) {
            filter = filter.is(field, Test::eq(value));
        }
    }
    let search = Search::of(filter).sort_by(IncidentField::Key, Order::Descending).page(query.page());
    let found = sources.store.incidents(&search).await?;
    let groups = sources.store.error_statistics().await?;
    let content = html! {
        h1 { "Incidents " span.quiet { (total(&found)) } }
        @if groups.is_empty() {
            p.empty { "Nothing is stuck." }
        } @else {
            section { h2 { "By message" } (by_message(&groups)) }
            section {
                h2 { "One by one" }
                @if query.get("message").is_some() { p { a href=(PATH) { "Show all" } } }
                (table(&found.items))
                (pager(PATH, &query, &found))
            }
        }
    };
    Ok(Page::new(Place::Incidents, "Incidents", content))
}

fn by_message(groups: &[ErrorStatistics]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th.number { "Instances" } th { "Message" } } }
            tbody {
                @for group in groups.iter().take(GROUPS) {
                    tr {
                        td.number { (group.active_instances) }
                        td { a href=(link(PATH, "message", &group.message)) { (brief(&group.message)) } }
                    }
                }
            }
        } }
    }
}

pub(crate) fn table(incidents: &[IncidentView]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th { "Instance" } th { "Process" } th { "Element" } th { "Kind" } th { "Message" } th { "Since" } th.needs-script { "Repair" } } }
            tbody {
                @for incident in incidents {
                    tr {
                        td { a href={ "/ui/instances/" (incident.instance) } { (incident.instance) } }
                        td { (incident.process_id) }
                        td { code { (incident.element_id) } }
                        td { (incident.kind.name()) }
                        td { (brief(&incident.message)) }
                        td { (time(incident.created_at)) }
                        td.needs-script { (retry(incident)) }
                    }
                }
            }
        } }
    }
}

/// Runs again what has failed. A job gets one more try first: without one, its incident would come back at once.
pub(crate) fn retry(incident: &IncidentView) -> Markup {
    let more = incident.job.map(|job| Step {
        method: "PATCH",
        path: format!("/v2/jobs/{job}"),
        body: json!({"changeset": {"retries": 1}}),
    });
    let resolve = Step::post(format!("/v2/incidents/{}/resolution", incident.key), json!({}));
    Action {
        steps: more.into_iter().chain([resolve]).collect(),
        fields: html! {},
        button: "Retry",
        question: None,
        then: None,
    }
    .form()
}

fn brief(message: &str) -> String {
    let mut text: String = message.chars().take(BRIEF_CHARS).collect();
    if text.len() < message.len() {
        text.push('…');
    }
    text
}
