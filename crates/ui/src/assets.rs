//! Style sheet and script. Their addresses contain a hash of their content, so browsers may keep them for ever and still
//! get new ones from a new version of the server.

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::LazyLock;
use twox_hash::XxHash64;

const STYLE: &str = include_str!("../assets/pages.css");
const SCRIPT: &str = include_str!("../assets/pages.js");

static STYLE_PATH: LazyLock<String> = LazyLock::new(|| path_of(STYLE, "css"));
static SCRIPT_PATH: LazyLock<String> = LazyLock::new(|| path_of(SCRIPT, "js"));

pub(crate) fn style_path() -> &'static str {
    &STYLE_PATH
}

pub(crate) fn script_path() -> &'static str {
    &SCRIPT_PATH
}

pub(crate) fn routes() -> Router {
    Router::new()
        .route(style_path(), get(|| async { served("text/css; charset=utf-8", STYLE) }))
        .route(script_path(), get(|| async { served("text/javascript; charset=utf-8", SCRIPT) }))
}

fn path_of(content: &str, extension: &str) -> String {
    format!("/ui-assets/pages-{:016x}.{extension}", XxHash64::oneshot(0, content.as_bytes()))
}

fn served(media_type: &'static str, text: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable")),
    ];
    (headers, text).into_response()
}
