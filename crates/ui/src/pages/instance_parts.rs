//! The lists on the page of an instance.

use crate::Sources;
use crate::parts::{Action, Step, badge, json_field, optional_time, state, text_field, time};
use crate::problem::Problem;
use maud::{Markup, html};
use serde_json::json;
use std::sync::Arc;
use tidemill_model::entity::{Timer, TimerPurpose};
use tidemill_model::{Entity, Need, PartitionId, ProcessInstanceKey, Text};
use tidemill_store::LIST_ROWS_MAX;
use tidemill_store::query::BRIEF_CHARS_MAX;
use tidemill_store::view::{
    ElementInstanceView, JobView, MessageSubscriptionView, ProcessInstanceView, VariableView,
};

/// Characters of a value that are shown at once; the rest unfolds.
const VALUE_CHARS: usize = 200;

/// The timers that an instance waits for, with the ids of their elements.
pub(super) struct Timers {
    due: Vec<(Timer, Option<Text>)>,
    is_complete: bool,
}

impl Timers {
    pub(super) async fn read(sources: &Sources, instance: &ProcessInstanceView) -> Result<Timers, Problem> {
        let process = sources.broker.process(instance.definition).await?;
        let partition = instance.key.partition().unwrap_or(PartitionId::FIRST);
        let loaded = sources.store.load(partition, &[Need::Instance(instance.key)], LIST_ROWS_MAX).await?;
        let loaded = loaded.into_iter().next().unwrap_or_default();
        let is_complete = !loaded.is_large;
        let element_id = |timer: &Timer| match &timer.purpose {
            TimerPurpose::Catch { target, .. } => {
                process.as_ref().map(|process| process.element(*target).id.clone())
            }
            _ => None,
        };
        let timers = loaded.entities.into_iter().filter_map(|entity| match entity {
            Entity::Timer(timer) => Some(Arc::unwrap_or_clone(timer)),
            _ => None,
        });
        let mut due: Vec<(Timer, Option<Text>)> =
            timers.map(|timer| (timer.clone(), element_id(&timer))).collect();
        due.sort_by_key(|(timer, _)| timer.due_at);
        Ok(Timers { due, is_complete })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.due.is_empty()
    }

    pub(super) fn table(&self) -> Markup {
        html! {
            div.scroll tabindex="0" { table {
                thead { tr { th { "Element" } th { "Due" } th { "Left" } } }
                tbody {
                    @for (timer, element_id) in &self.due {
                        tr {
                            td { @match element_id { Some(id) => code { (id) }, None => "retry of a job" } }
                            td { (time(timer.due_at)) }
                            td data-countdown=(timer.due_at.0) {}
                        }
                    }
                }
            } }
            @if !self.is_complete { p.quiet { "A very large instance: only timers of its outermost scope are shown." } }
        }
    }
}

pub(super) fn jobs(jobs: &[JobView]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th { "Element" } th { "Type" } th { "State" } th.number { "Retries" } th { "Worker" } th { "Held until" } th { "Error" } } }
            tbody {
                @for job in jobs {
                    tr {
                        td { code { (job.element_id) } }
                        td { (job.job_type) }
                        td { (badge(&job.state.name().to_lowercase(), job.state.name())) }
                        td.number { (job.retries) }
                        td { (job.worker.as_deref().unwrap_or("–")) }
                        td { (optional_time(job.deadline)) }
                        td { (job.error_message.as_deref().unwrap_or_default()) }
                    }
                }
            }
        } }
    }
}

pub(super) fn messages(subscriptions: &[MessageSubscriptionView]) -> Markup {
    html! {
        @for subscription in subscriptions {
            article {
                p { code { (subscription.element_id) } " waits for the message " strong { (subscription.message_name) } " with the key " code { (subscription.correlation_key.as_deref().unwrap_or_default()) } }
                (publish(subscription))
            }
        }
    }
}

fn publish(subscription: &MessageSubscriptionView) -> Markup {
    let body = json!({
        "name": subscription.message_name.as_str(),
        "correlationKey": subscription.correlation_key.as_deref().unwrap_or_default(),
        "timeToLive": 0,
        "variables": "$json:variables",
        "tenantId": subscription.tenant.as_str(),
    });
    Action {
        steps: vec![Step::post("/v2/messages/publication", body)],
        fields: json_field("variables", "Variables of the message", "{}"),
        button: "Send this message",
        question: None,
        then: None,
    }
    .form()
}

pub(super) fn variables(variables: &[VariableView], instance: ProcessInstanceKey) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th { "Name" } th { "Value" } th { "Scope" } } }
            tbody {
                @for variable in variables {
                    tr {
                        td { code { (variable.name) } }
                        td { (value(variable)) }
                        td { @if variable.scope.0 == instance.0 { span.quiet { "instance" } } @else { code { (variable.scope) } } }
                    }
                }
            }
        } }
    }
}

/// A value; a long one unfolds, a very long one leads to the API, which has all of it.
pub(super) fn value(variable: &VariableView) -> Markup {
    let text = variable.value.as_str();
    let Some((end, _)) = text.char_indices().nth(VALUE_CHARS) else {
        return html! { code.value { (text) } };
    };
    let is_cut = text.char_indices().nth(BRIEF_CHARS_MAX).is_some();
    let shown: String = text.chars().take(BRIEF_CHARS_MAX).collect();
    html! {
        details { summary { code.value { (&text[..end]) "…" } } pre { (shown) @if is_cut { "…" } } }
        @if is_cut { a href={ "/v2/variables/" (variable.key) } { "Whole value" } }
    }
}

pub(super) fn set_variable(instance: ProcessInstanceKey) -> Markup {
    let fields = html! {
        (text_field("name", "Name", ""))
        (json_field("value", "Value (JSON)", ""))
    };
    Action {
        steps: vec![Step {
            method: "PUT",
            path: format!("/v2/element-instances/{instance}/variables"),
            body: json!({"variables": {"$name": "$json:value"}}),
        }],
        fields,
        button: "Set variable",
        question: None,
        then: None,
    }
    .form()
}

pub(super) fn timeline(elements: &[ElementInstanceView]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th { "Element" } th { "Kind" } th { "State" } th { "Started" } th { "Ended" } } }
            tbody {
                @for element in elements {
                    tr data-element=(element.element_id) {
                        td { code { (element.element_id) } }
                        td { (element.kind.name()) }
                        td { (state(element.state, element.has_incident)) }
                        td { (time(element.started_at)) }
                        td { (optional_time(element.ended_at)) }
                    }
                }
            }
        } }
    }
}
