//! Access to the endpoints for operators: from the machine itself, or with the secret.

use crate::gateway::Gateway;
use crate::gateway::call::check_json;
use crate::gateway::guard::page_of_others;
use crate::gateway::problem::Problem;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use std::net::SocketAddr;
use std::sync::Arc;
use subtle::ConstantTimeEq;

#[derive(Clone)]
pub(super) struct Door {
    secret: Option<Arc<str>>,
}

impl Door {
    pub(super) fn new(secret: Option<String>) -> Door {
        Door { secret: secret.map(Arc::from) }
    }

    /// A wrong secret is refused from everywhere: who shows one wants to know whether it is right.
    fn refusal(&self, headers: &HeaderMap, peer: Option<SocketAddr>) -> Option<Problem> {
        let is_here = peer.is_some_and(|peer| peer.ip().is_loopback()) && !is_passed_on(headers);
        match (headers.get(header::AUTHORIZATION), &self.secret) {
            (Some(given), Some(secret)) if is_bearer(given.as_bytes(), secret) => None,
            (Some(_), Some(_)) => Some(unauthorized(
                "Expected the cluster secret that the server was started with (--cluster-secret, \
                 TIDEMILL_CLUSTER_SECRET), but got another one",
            )),
            (None, _) | (_, None) if is_here => None,
            (None, Some(_)) => Some(unauthorized(
                "Expected the cluster secret as a bearer token (--cluster-secret), because the request comes from \
                 another machine",
            )),
            (_, None) => Some(Problem::new(
                StatusCode::FORBIDDEN,
                "FORBIDDEN",
                "Administration is offered on the machine of the server only; give the server a cluster secret to \
                 reach it from elsewhere",
            )),
        }
    }
}

fn is_bearer(given: &[u8], secret: &str) -> bool {
    let token = given.split_at_checked(7).filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"bearer "));
    token.is_some_and(|(_, token)| token.trim_ascii().ct_eq(secret.as_bytes()).into())
}

/// A proxy on the machine speaks for somebody who may be anywhere.
fn is_passed_on(headers: &HeaderMap) -> bool {
    ["forwarded", "x-forwarded-for", "via"].iter().any(|name| headers.contains_key(*name))
}

fn unauthorized(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", detail)
}

pub(super) async fn guard(State(door): State<Door>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0);
    // Wherever the server listens, no web page of others may administer it.
    let refusal = page_of_others(request.headers()).or_else(|| door.refusal(request.headers(), peer));
    match refusal {
        Some(problem) => problem.into_response(request.uri().path()),
        None => next.run(request).await,
    }
}

/// Bodies are read as everywhere: so large, within their time, as JSON only.
pub(in crate::gateway) async fn read(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let (head, body) = request.into_parts();
    let limit = gateway.config.body_bytes_max;
    let read = gateway.body_room.read(&head.headers, body, limit).await;
    let read = read.and_then(|body| check_json(&head.headers, &body.bytes, false).map(|()| body));
    match read {
        // The share is given back when the answer is made.
        Ok(body) => next.run(Request::from_parts(head, Body::from(body.bytes.clone()))).await,
        Err(problem) => problem.into_response(&path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "between the two of us";

    fn status(secret: Option<&str>, peer: &str, headers: &[(&'static str, &str)]) -> Option<u16> {
        let map = headers
            .iter()
            .map(|(name, value)| (header::HeaderName::from_static(name), value.parse().expect("a value")));
        let door = Door::new(secret.map(str::to_owned));
        let refusal = door.refusal(&map.collect(), Some(peer.parse().expect("an address")));
        refusal.map(|problem| problem.status().as_u16())
    }

    #[test]
    fn whoever_is_on_the_machine_may_come_in() {
        for peer in ["127.0.0.1:1", "[::1]:1"] {
            assert_eq!(status(None, peer, &[]), None);
            assert_eq!(status(Some(SECRET), peer, &[]), None);
        }
        assert_eq!(status(None, "10.0.0.1:1", &[]), Some(403));
        assert_eq!(status(None, "127.0.0.1:1", &[("x-forwarded-for", "10.0.0.1")]), Some(403));
        assert_eq!(status(None, "10.0.0.1:1", &[("authorization", "Bearer guessed")]), Some(403));
    }

    #[test]
    fn the_secret_opens_the_door_from_anywhere() {
        let right = format!("Bearer {SECRET}");
        for peer in ["10.0.0.1:1", "127.0.0.1:1"] {
            assert_eq!(status(Some(SECRET), peer, &[("authorization", &right)]), None);
            assert_eq!(status(Some(SECRET), peer, &[("authorization", "Bearer guessed")]), Some(401));
            assert_eq!(status(Some(SECRET), peer, &[("authorization", SECRET)]), Some(401));
        }
        assert_eq!(status(Some(SECRET), "10.0.0.1:1", &[]), Some(401));
        let passed_on = [("via", "1.1 proxy"), ("authorization", right.as_str())];
        assert_eq!(status(Some(SECRET), "127.0.0.1:1", &passed_on), None);
    }
}
