//! Taking requests of other nodes, from those who know the secret.

use super::{PATH, PeerRequest, SECRET_HEADER};
use crate::node::Node;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// A deployment is the largest of all requests.
const REQUEST_BYTES_MAX: usize = 256 << 20;

#[derive(Clone)]
struct Door {
    node: Arc<Node>,
    secret: Arc<str>,
}

pub(crate) fn routes(node: Arc<Node>, secret: &str) -> Router {
    Router::new().route(PATH, post(take)).with_state(Door { node, secret: secret.into() })
}

async fn take(State(door): State<Door>, request: Request<Body>) -> Response {
    let given = request.headers().get(SECRET_HEADER).map_or(&b""[..], |given| given.as_bytes());
    if !bool::from(given.ct_eq(door.secret.as_bytes())) {
        door.node.note_stranger();
        let reason = "the cluster secret is another one; give all nodes of a store the same --cluster-secret";
        return (StatusCode::UNAUTHORIZED, reason).into_response();
    }
    let body = match axum::body::to_bytes(request.into_body(), REQUEST_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    match tidemill_store::unpack::<PeerRequest>(&body) {
        Ok(request) => tidemill_store::pack(&door.node.reply(request).await).into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    }
}
