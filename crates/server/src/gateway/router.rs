//! Every path of the API, made from its description: those we offer lead to their handlers, the rest of what
//! clients know says so, anything else is not found.

use super::call::{Call, Handled, check_json};
use super::handlers::{self, Handler};
use super::observed::{Observer, observe};
use super::problem::Problem;
use super::schema::{Api, Operation, Request as RequestShape};
use super::{Gateway, accept, docs, operations, timers};
use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter};
use futures_util::FutureExt;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

const BASE: &str = "/v2";
/// Operations on whole clusters have a base of their own.
const CLUSTER_BASE: &str = "/cluster/v2/";

pub(super) fn router(gateway: Arc<Gateway>) -> Router {
    let observer = Observer::new(gateway.metrics.clone());
    let mut paths: BTreeMap<String, MethodRouter> = BTreeMap::new();
    for operation in &Api::get().operations {
        let filter = MethodFilter::try_from(method(operation)).expect("descriptions use common methods");
        let (gateway, handler) = (Arc::clone(&gateway), handlers::find(operation.id));
        let handle = move |parameters: Result<RawPathParams, RawPathParamsRejection>, request: Request| {
            serve(Arc::clone(&gateway), operation, handler, parameters, request)
        };
        let route = paths.entry(numbered(&full_path(operation))).or_default();
        *route = std::mem::take(route).on(filter, handle);
    }
    let mut router = docs::routes(Arc::clone(&gateway)).merge(gateway.internal.clone());
    router = router.merge(gateway.pages.clone().unwrap_or_default());
    router = router.merge(timers::routes(Arc::clone(&gateway)));
    router = router.merge(operations::routes(gateway));
    for (path, route) in paths {
        router = router.route(&path, route);
    }
    router
        .fallback(unknown_path)
        .method_not_allowed_fallback(unknown_method)
        .layer(axum::middleware::from_fn_with_state(observer, observe))
}

fn method(operation: &Operation) -> Method {
    operation.method.parse().expect("descriptions use common methods")
}

fn full_path(operation: &Operation) -> String {
    if operation.path.starts_with(CLUSTER_BASE) {
        return operation.path.to_owned();
    }
    format!("{BASE}{}", operation.path)
}

/// Parameters by place: operations of one path may call them by different names.
fn numbered(path: &str) -> String {
    let mut count = 0;
    let segments = path.split('/').map(|segment| {
        if segment.starts_with('{') {
            count += 1;
            format!("{{p{count}}}")
        } else {
            segment.to_owned()
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

async fn serve(
    gateway: Arc<Gateway>,
    operation: &'static Operation,
    handler: Option<Handler>,
    parameters: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> Response {
    let path = request.uri().path().to_owned();
    let Some(handler) = handler else { return not_offered(operation).into_response(&path) };
    let outcome = match parameters {
        // A defect in one handler must not take down the connection with other requests on it.
        Ok(parameters) => AssertUnwindSafe(handle(gateway, operation, handler, parameters, request))
            .catch_unwind()
            .await
            .unwrap_or_else(|_| {
                Err(Problem::internal("Expected to handle the request, but a defect stopped it"))
            }),
        Err(_) => Err(Problem::bad_request("The path has bytes that are no UTF-8 text")),
    };
    outcome.unwrap_or_else(|problem| problem.into_response(&path))
}

async fn handle(
    gateway: Arc<Gateway>,
    operation: &'static Operation,
    handler: Handler,
    parameters: RawPathParams,
    request: Request,
) -> Handled {
    let (head, body) = request.into_parts();
    check_encoding(&head.headers)?;
    let limit = match operation.request {
        RequestShape::Multipart => gateway.config.deployment_bytes_max,
        _ => gateway.config.body_bytes_max,
    };
    let body = gateway.body_room.read(&head.headers, body, limit).await?;
    if !matches!(operation.request, RequestShape::Multipart) {
        check_json(&head.headers, &body.bytes, operation.request.is_required())?;
    }
    accept::check(&head.headers, operation)?;
    let call = Call {
        operation,
        headers: head.headers,
        body: body.bytes,
        _share: body.share,
        parameters: parameters.iter().map(|(_, value)| value.to_owned()).collect(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        gateway,
    };
    handler(call).await
}

/// Bodies are read as they are; a packed one would only look like broken JSON.
fn check_encoding(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(given) = headers.get(header::CONTENT_ENCODING) else { return Ok(()) };
    let given = given.to_str().unwrap_or_default();
    if given.eq_ignore_ascii_case("identity") {
        return Ok(());
    }
    let detail = format!("Content-Encoding '{given}' is not supported.");
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported Media Type", detail))
}

fn not_offered(operation: &Operation) -> Problem {
    let detail = format!("{} {} ({}) is not offered", operation.method, full_path(operation), operation.id);
    Problem::new(StatusCode::NOT_IMPLEMENTED, "Not Implemented", detail).with("operationId", operation.id)
}

async fn unknown_path(method: Method, uri: Uri) -> Response {
    let detail = format!("No endpoint {method} {}.", uri.path());
    Problem::new(StatusCode::NOT_FOUND, "Not Found", detail).into_response(uri.path())
}

async fn unknown_method(method: Method, uri: Uri) -> Response {
    let detail = format!("Method '{method}' is not supported.");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed", detail).into_response(uri.path())
}
