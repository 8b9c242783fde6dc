//! Compares the `Accept` of a client with the media types of an operation's answers.

use super::problem::Problem;
use super::schema::{Content, Operation};
use axum::http::{HeaderMap, StatusCode, header};

const JSON: [&str; 3] =
    ["application/json", "application/vnd.camunda.api.keys.string+json", "application/problem+json"];

/// Refuses a request whose answer its sender would not read.
pub(super) fn check(headers: &HeaderMap, operation: &Operation) -> Result<(), Problem> {
    let mut accepted = headers.get_all(header::ACCEPT).iter().peekable();
    if accepted.peek().is_none() {
        return Ok(());
    }
    let offered = offered(operation);
    let mut ranges = accepted.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    if ranges.any(|range| offered.iter().any(|offered| takes(range, offered))) {
        return Ok(());
    }
    let detail = format!("Acceptable representations: [{}].", offered.join(", "));
    Err(Problem::new(StatusCode::NOT_ACCEPTABLE, "Not Acceptable", detail))
}

fn offered(operation: &Operation) -> Vec<&'static str> {
    let other = operation.answers.iter().find_map(|answer| match answer.content {
        Content::Other(media_type) => Some(media_type),
        _ => None,
    });
    match other {
        Some(media_type) => vec![media_type, "application/problem+json"],
        None => JSON.to_vec(),
    }
}

/// True if a media range, parameters aside, covers a media type. An empty range says nothing.
fn takes(range: &str, offered: &str) -> bool {
    let range = range.split(';').next().unwrap_or_default().trim();
    let Some((kind, subtype)) = range.split_once('/') else { return range.is_empty() };
    let (offered_kind, offered_subtype) = offered.split_once('/').unwrap_or((offered, ""));
    let is_subtype = match subtype.strip_prefix('*') {
        Some(suffix) => suffix.is_empty() || offered_subtype.ends_with(suffix),
        None => subtype.eq_ignore_ascii_case(offered_subtype),
    };
    kind == "*" || (kind.eq_ignore_ascii_case(offered_kind) && is_subtype)
}

#[cfg(test)]
mod tests {
    use super::takes;

    #[test]
    fn ranges_cover_types() {
        for range in ["*/*", "application/*", "application/JSON; q=0.5", " application/json", ""] {
            assert!(takes(range, "application/json"), "{range}");
        }
        assert!(takes("application/*+json", "application/problem+json"));
        for range in ["text/html", "text/*", "application/xml", "application/*+json"] {
            assert!(!takes(range, "application/json"), "{range}");
        }
    }
}
