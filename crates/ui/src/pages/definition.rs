//! One version of a process: its diagram with counts, its versions, and how to start it.

use super::{Shown, key};
use crate::frame::{Page, Place};
use crate::parts::{Action, Step, json_field, text_field};
use crate::problem::Problem;
use crate::query::link;
use crate::{Sources, picture};
use axum::extract::{Path, State};
use maud::{Markup, html};
use serde_json::json;
use std::sync::Arc;
use tidemill_model::DefinitionKey;
use tidemill_model::entity::ProcessDefinition;
use tidemill_store::query::Filter;
use tidemill_store::view::VersionStatistics;

pub(crate) async fn show(State(sources): State<Arc<Sources>>, Path(text): Path<String>) -> Shown {
    let key = DefinitionKey(key("process definition", &text)?);
    let Some(definition) = sources.store.definition(key).await? else {
        return Err(Problem::not_found("process definition", &text));
    };
    let statistics = sources.store.definition_statistics(key, &Filter::default()).await?;
    let versions = sources.store.version_statistics(Some(&definition.tenant), &definition.process_id).await?;
    let xml = sources.store.definition_xml(key).await?;
    let name = definition.name.as_deref().unwrap_or(&definition.process_id);
    let content = html! {
        h1 { (name) " " span.quiet { "version " (definition.version) } }
        p {
            code { (definition.process_id) } " · "
            a href=(link("/ui/instances", "definition", &text)) { "Instances of this version" } " · "
            a href={ "/v2/process-definitions/" (key) "/xml" } { "BPMN file" }
        }
        (picture::draw(xml, picture::overlays(&statistics)).await)
        p.legend { span.dot.active {} "active" span.dot.incident {} "with an incident" span.dot.completed {} "completed" }
        section { h2 { "Start an instance" } (start_form(&definition)) }
        section { h2 { "Versions" } (table(&versions, key)) }
    };
    Ok(Page::new(Place::Processes, format!("{name} version {}", definition.version), content))
}

fn start_form(definition: &ProcessDefinition) -> Markup {
    let body = json!({
        "processDefinitionKey": definition.key.to_string(),
        "businessId": "$businessId",
        "variables": "$json:variables",
        "tenantId": definition.tenant.as_str(),
    });
    let fields = html! {
        (text_field("businessId", "Business id (may be empty)", ""))
        (json_field("variables", "Variables", "{}"))
    };
    Action {
        steps: vec![Step::post("/v2/process-instances", body)],
        fields,
        button: "Start",
        question: None,
        then: Some("/ui/instances/$processInstanceKey"),
    }
    .form()
}

fn table(versions: &[VersionStatistics], shown: DefinitionKey) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th.number { "Version" } th { "Name" } th.number { "Running" } th.number { "Incidents" } } }
            tbody {
                @for version in versions.iter().rev() {
                    tr aria-current=[(version.definition == shown).then_some("true")] {
                        td.number { a href={ "/ui/processes/" (version.definition) } { (version.version) } }
                        td { (version.name.as_deref().unwrap_or_default()) }
                        td.number { (version.active_without_incident + version.active_with_incident) }
                        td.number { (version.active_with_incident) }
                    }
                }
            }
        } }
    }
}
