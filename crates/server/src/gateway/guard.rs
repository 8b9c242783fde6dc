//! Keeps web pages away from a server that trusts everybody on its machine: a page that somebody looks at there
//! could send requests too, under its own origin or under a name that it lets point here.

use super::problem::Problem;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use std::net::IpAddr;

const SITE: header::HeaderName = header::HeaderName::from_static("sec-fetch-site");
const MODE: header::HeaderName = header::HeaderName::from_static("sec-fetch-mode");

/// Lets through what comes from this machine's programs and from pages that this machine serves.
pub(super) async fn only_local(request: Request, next: Next) -> Response {
    match refusal(request.headers()) {
        Some(problem) => problem.into_response(request.uri().path()),
        None => next.run(request).await,
    }
}

fn refusal(headers: &HeaderMap) -> Option<Problem> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let hint = "Start the server with --insecure-no-auth to let it through";
    if let Some(host) = text(header::HOST).filter(|host| !is_local(host)) {
        let detail = format!("Expected a request to this machine, but it names the host '{host}'. {hint}");
        return Some(Problem::new(StatusCode::MISDIRECTED_REQUEST, "Misdirected Request", detail));
    }
    page_of_others(headers).map(|problem| problem.with("remedy", hint))
}

/// Recognizes requests that a web page of somebody else has sent. Browsers tell where a page comes from whenever it could change something.
pub(super) fn page_of_others(headers: &HeaderMap) -> Option<Problem> {
    let text = |name| headers.get(name).map(|value: &header::HeaderValue| value.to_str().unwrap_or_default());
    let refused = |from: &str| {
        let detail = format!("Expected no request of a foreign web page, but it comes from '{from}'");
        Some(Problem::new(StatusCode::FORBIDDEN, "FORBIDDEN", detail))
    };
    let Some(origin) = text(header::ORIGIN) else {
        // A page that somebody has followed a link to comes as `navigate` and changes nothing.
        let is_foreign = text(SITE).is_some_and(|site| site == "cross-site");
        let is_visit = text(MODE) == Some("navigate");
        return if is_foreign && !is_visit { refused("another site") } else { None };
    };
    if origin.split_once("://").is_some_and(|(_, host)| is_local(host)) {
        return None;
    }
    refused(origin)
}

/// True if a host, with or without a port, is this machine by whatever resolver.
fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(header: header::HeaderName, value: &str) -> Option<StatusCode> {
        let mut headers = HeaderMap::new();
        headers.insert(header, value.parse().expect("a value"));
        refusal(&headers).map(|problem| problem.status())
    }

    #[test]
    fn this_machine_has_few_names() {
        for host in ["localhost", "LocalHost:8080", "127.0.0.1:9", "127.1.2.3", "[::1]:8080", "[::1]"] {
            assert_eq!(status(header::HOST, host), None, "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:8080", "10.0.0.1", "127.0.0.1.evil.example", ""]
        {
            assert_eq!(status(header::HOST, host), Some(StatusCode::MISDIRECTED_REQUEST), "{host}");
        }
    }

    #[test]
    fn pages_of_others_are_refused() {
        assert_eq!(status(header::ORIGIN, "http://localhost:3000"), None);
        for origin in ["https://evil.example", "null", "http://127.0.0.1.evil.example"] {
            assert_eq!(status(header::ORIGIN, origin), Some(StatusCode::FORBIDDEN), "{origin}");
        }
        assert_eq!(status(SITE, "cross-site"), Some(StatusCode::FORBIDDEN));
        assert_eq!(status(SITE, "same-origin"), None);
        assert!(refusal(&HeaderMap::new()).is_none());
    }
}
