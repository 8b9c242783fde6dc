//! The servers, and which of them has which partition.

use super::Shown;
use crate::Sources;
use crate::frame::{Page, Place};
use crate::parts::badge;
use axum::extract::State;
use maud::html;
use std::sync::Arc;

pub(crate) async fn show(State(sources): State<Arc<Sources>>) -> Shown {
    let topology = sources.broker.topology();
    let troubles = sources.broker.unready().into_iter().chain(sources.broker.troubles());
    let troubles: Vec<String> = troubles.collect();
    let content = html! {
        h1 { "Cluster" }
        @if troubles.is_empty() {
            p { (badge("active", "Ready")) " Every partition has an owner." }
        } @else {
            ul { @for trouble in &troubles { li { (badge("incident", "Trouble")) " " (trouble) } } }
        }
        div.scroll tabindex="0" { table {
            thead { tr { th { "Server" } th { "Address" } th { "Version" } th { "Partitions" } } }
            tbody {
                @for node in &topology.nodes {
                    tr {
                        td { (node.name) }
                        td { code { (node.host) ":" (node.port) } }
                        td { (node.version) }
                        td { @for owned in &node.partitions { (badge(if owned.is_healthy { "active" } else { "incident" }, &owned.id.to_string())) " " } }
                    }
                }
            }
        } }
        p.quiet { (topology.partitions.0) " partitions in all. " code { "tidemill admin partitions" } " moves them." }
    };
    Ok(Page::new(Place::Cluster, "Cluster", content))
}
