//! One instance: where its tokens are, what is stuck, what it knows, what it waits for, and what happened.

use super::instance_parts::{self as parts, Timers};
use super::{Shown, key};
use crate::frame::{Page, Place};
use crate::pages::{incidents, instances, tasks};
use crate::parts::{Action, Step, cut, key as shown_key, optional_time, state, time};
use crate::problem::Problem;
use crate::{Sources, picture};
use axum::extract::{Path, State};
use maud::{Markup, html};
use serde_json::json;
use std::sync::Arc;
use tidemill_diagram::Overlays;
use tidemill_model::ProcessInstanceKey;
use tidemill_model::entity::InstanceState;
use tidemill_store::query::{
    Condition, ElementInstanceField, Field, Filter, IncidentField, JobField, MessageSubscriptionField, Order,
    Page as Rows, PageStart, ProcessInstanceField, Search, Test, UserTaskField, VariableField,
};
use tidemill_store::view::ProcessInstanceView;

/// Rows of each list; what has more says so.
const ROWS: u32 = 100;

pub(crate) async fn show(State(sources): State<Arc<Sources>>, Path(text): Path<String>) -> Shown {
    let key = ProcessInstanceKey(key("process instance", &text)?);
    let Some(instance) = sources.store.process_instance(key).await? else {
        return Err(Problem::not_found("process instance", &text));
    };
    let is_active = instance.state == InstanceState::Active;
    let name = instance.process_name.as_deref().unwrap_or(&instance.process_id);
    let content = html! {
        h1 { (name) " " span.quiet { (key) } }
        (facts(&instance))
        @if is_active { (cancel(&instance)) }
        (drawn(&sources, &instance).await?)
        (stuck(&sources, key).await?)
        (waiting(&sources, &instance).await?)
        (variables(&sources, &instance).await?)
        (called(&sources, key).await?)
        (happened(&sources, key).await?)
    };
    Ok(Page::new(Place::Instances, format!("{name} {key}"), content))
}

fn facts(instance: &ProcessInstanceView) -> Markup {
    html! {
        dl.facts {
            dt { "State" } dd { (state(instance.state, instance.has_incident)) }
            dt { "Key" } dd { (shown_key(instance.key.0)) }
            dt { "Process" } dd { a href={ "/ui/processes/" (instance.definition) } { code { (instance.process_id) } " version " (instance.version) } }
            @if let Some(business_id) = &instance.business_id { dt { "Business id" } dd { (business_id) } }
            @if let Some(parent) = instance.parent_instance { dt { "Called by" } dd { a href={ "/ui/instances/" (parent) } { (parent) } } }
            dt { "Started" } dd { (time(instance.started_at)) }
            dt { "Ended" } dd { (optional_time(instance.ended_at)) }
        }
    }
}

fn cancel(instance: &ProcessInstanceView) -> Markup {
    Action {
        steps: vec![Step::post(format!("/v2/process-instances/{}/cancellation", instance.key), json!({}))],
        fields: html! {},
        button: "Cancel instance",
        question: Some(
            "Cancel this instance? Whatever it waits for ends, and it cannot be started again from here.",
        ),
        then: None,
    }
    .form()
}

async fn drawn(sources: &Sources, instance: &ProcessInstanceView) -> Result<Markup, Problem> {
    let statistics = sources.store.instance_statistics(instance.key).await?;
    let mut overlays: Overlays = picture::overlays(&statistics);
    let taken = sources.store.flows_taken(instance.key).await?;
    let process = sources.broker.process(instance.definition).await?;
    if let (Some(taken), Some(process)) = (taken, process) {
        taken.flows.iter().for_each(|flow| overlays.take(process.flow(flow).id.as_str()));
    }
    Ok(picture::draw(sources.store.definition_xml(instance.definition).await?, overlays).await)
}

/// The first rows of a search, in the order of their keys.
fn first<F: Field>(filter: Filter<F>) -> Search<F> {
    Search::of(filter)
        .sort_by(F::key(), Order::Ascending)
        .page(Rows { limit: ROWS, start: PageStart::Offset(0) })
        .brief()
}

fn of_instance<F>(field: F, key: ProcessInstanceKey) -> Filter<F> {
    Filter::default().is(field, Test::eq(key.0))
}

async fn stuck(sources: &Sources, key: ProcessInstanceKey) -> Result<Markup, Problem> {
    let active =
        Filter::default().is(IncidentField::State, Test::eq("ACTIVE")).and(Condition::WithinInstance(key));
    let found = sources.store.incidents(&first(active)).await?;
    Ok(html! {
        @if !found.items.is_empty() {
            section.stuck {
                h2 { "Incidents" }
                p.quiet { "Mend the cause, for example by changing a variable below, then retry." }
                @for incident in &found.items {
                    article {
                        h3 { (incident.kind.name()) " at " code { (incident.element_id) } }
                        pre { (incident.message) }
                        (incidents::retry(incident))
                    }
                }
                (cut(&found))
            }
        }
    })
}

async fn waiting(sources: &Sources, instance: &ProcessInstanceView) -> Result<Markup, Problem> {
    if instance.state != InstanceState::Active {
        return Ok(html! {});
    }
    let key = instance.key;
    let jobs = of_instance(JobField::ProcessInstance, key).is(JobField::EndTime, Test::Exists(false));
    let jobs = sources.store.jobs(&first(jobs)).await?;
    let open = of_instance(UserTaskField::ProcessInstance, key).is(UserTaskField::State, Test::eq("CREATED"));
    let open = sources.store.user_tasks(&first(open)).await?;
    let messages = of_instance(MessageSubscriptionField::ProcessInstance, key);
    let messages = messages.is(MessageSubscriptionField::State, Test::eq("CREATED"));
    let messages = sources.store.message_subscriptions(&first(messages)).await?;
    let timers = Timers::read(sources, instance).await?;
    Ok(html! {
        section {
            h2 { "Waits for" }
            @if jobs.items.is_empty() && open.items.is_empty() && messages.items.is_empty() && timers.is_empty() {
                p.empty { "Nothing of its own; called instances may be running." }
            }
            @if !open.items.is_empty() { h3 { "Tasks" } (tasks::table(&open.items)) (cut(&open)) }
            @if !jobs.items.is_empty() { h3 { "Jobs" } (parts::jobs(&jobs.items)) (cut(&jobs)) }
            @if !timers.is_empty() { h3 { "Timers" } (timers.table()) }
            @if !messages.items.is_empty() { h3 { "Messages" } (parts::messages(&messages.items)) (cut(&messages)) }
        }
    })
}

async fn variables(sources: &Sources, instance: &ProcessInstanceView) -> Result<Markup, Problem> {
    let found =
        sources.store.variables(&first(of_instance(VariableField::ProcessInstance, instance.key))).await?;
    let is_active = instance.state == InstanceState::Active;
    Ok(html! {
        section {
            h2 { "Variables" }
            @if found.items.is_empty() { p.empty { "None." } } @else { (parts::variables(&found.items, instance.key)) (cut(&found)) }
            @if is_active { (parts::set_variable(instance.key)) }
        }
    })
}

async fn called(sources: &Sources, key: ProcessInstanceKey) -> Result<Markup, Problem> {
    let found = sources
        .store
        .process_instances(&first(of_instance(ProcessInstanceField::ParentInstance, key)))
        .await?;
    Ok(html! {
        @if !found.items.is_empty() {
            section { h2 { "Called instances" } (instances::table(&found.items)) (cut(&found)) }
        }
    })
}

async fn happened(sources: &Sources, key: ProcessInstanceKey) -> Result<Markup, Problem> {
    let elements = sources
        .store
        .element_instances(&first(of_instance(ElementInstanceField::ProcessInstance, key)))
        .await?;
    Ok(html! { section { h2 { "What happened" } (parts::timeline(&elements.items)) (cut(&elements)) } })
}
