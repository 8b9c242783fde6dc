//! The first page: how much runs, what is stuck, what came last.

use super::Shown;
use crate::Sources;
use crate::frame::{Page, Place};
use crate::pages::{incidents, instances, processes};
use crate::parts::total;
use axum::extract::State;
use maud::{Markup, html};
use std::sync::Arc;
use tidemill_store::query::{
    Filter, IncidentField, Order, Page as Rows, PageStart, ProcessInstanceField, Search, Test, UserTaskField,
};
use tidemill_store::view::ProcessStatistics;

const NEWEST: u32 = 8;

pub(crate) async fn show(State(sources): State<Arc<Sources>>) -> Shown {
    let few = Rows { limit: NEWEST, start: PageStart::Offset(0) };
    let newest = Search::default().sort_by(ProcessInstanceField::Key, Order::Descending).page(few.clone());
    let active = Filter::default().is(IncidentField::State, Test::eq("ACTIVE"));
    let open = Search::of(active).sort_by(IncidentField::Key, Order::Descending).page(few.clone());
    let created = Filter::default().is(UserTaskField::State, Test::eq("CREATED"));
    let tasks = Search::of(created).page(Rows { limit: 0, ..few });
    let statistics = sources.store.process_statistics().await?;
    let instances = sources.store.process_instances(&newest).await?;
    let incidents = sources.store.incidents(&open).await?;
    let tasks = sources.store.user_tasks(&tasks).await?;
    let sum = |count: fn(&ProcessStatistics) -> u64| statistics.iter().map(count).sum::<u64>().to_string();
    let running = sum(|one| one.active_without_incident + one.active_with_incident);
    let stuck = sum(|one| one.active_with_incident);
    let content = html! {
        h1 { "Dashboard" }
        ul.figures {
            (figure("/ui/instances?state=ACTIVE", &running, "running instances"))
            (figure("/ui/instances?state=ACTIVE&incident=yes", &stuck, "of them with an incident"))
            (figure("/ui/incidents", &total(&incidents), "open incidents"))
            (figure("/ui/tasks", &total(&tasks), "open tasks"))
        }
        @if statistics.is_empty() {
            (processes::first_steps())
        } @else {
            section {
                h2 { "Processes with running instances" }
                (processes::busiest(&statistics))
            }
            section {
                h2 { "Newest instances" }
                (instances::table(&instances.items))
                p { a href="/ui/instances" { "All instances" } }
            }
            @if !incidents.items.is_empty() {
                section {
                    h2 { "Newest incidents" }
                    (incidents::table(&incidents.items))
                    p { a href="/ui/incidents" { "All incidents" } }
                }
            }
        }
    };
    Ok(Page::new(Place::Dashboard, "Dashboard", content))
}

fn figure(path: &str, number: &str, of: &str) -> Markup {
    html! { li { a href=(path) { strong { (number) } " " span { (of) } } } }
}
