//! The diagram of a process definition as a picture, for pages that show instances.

use super::{Operations, answered, number};
use crate::gateway::call::Handled;
use crate::gateway::problem::Problem;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use tidemill_diagram::{Diagram, Overlays, Style, Theme};
use tidemill_model::DefinitionKey;

pub(super) async fn of_definition(
    State(operations): State<Operations>,
    path: Path<String>,
    uri: Uri,
) -> Response {
    answered(drawn(&operations, &path, uri.query()).await, &uri)
}

async fn drawn(operations: &Operations, key: &str, query: Option<&str>) -> Handled {
    let key = DefinitionKey(number("processDefinitionKey", key)?);
    let theme = theme(query.unwrap_or_default())?;
    let Some(xml) = operations.gateway.definitions.definition_xml(key).await? else {
        return Err(Problem::not_found("Process Definition", key.0));
    };
    // A large model takes longer than other requests should have to wait.
    let drawing = tokio::task::spawn_blocking(move || {
        let style = Style { theme, ..Style::default() };
        Diagram::read(xml.as_bytes()).map(|diagram| diagram.to_svg(&style, &Overlays::default()))
    });
    let svg = drawing
        .await
        .map_err(|_| Problem::internal("Expected to draw the diagram, but a defect stopped it"))?;
    let svg = svg.map_err(|error| {
        Problem::internal(format!(
            "Expected to draw process definition {}, but it cannot be read: {error}",
            key.0
        ))
    })?;
    // Opened by itself, the picture is a page of this server; it needs nothing from anywhere.
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'")),
    ];
    Ok((headers, svg).into_response())
}

fn theme(query: &str) -> Result<Theme, Problem> {
    match query {
        "" | "theme=light" => Ok(Theme::Light),
        "theme=dark" => Ok(Theme::Dark),
        other => Err(Problem::bad_request(format!(
            "Expected theme=light or theme=dark, but the query is '{other}'"
        ))),
    }
}
