//! The frame around the content of every page: head, navigation, and the headers of the answer.

use crate::assets;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use twox_hash::XxHash64;

/// Nothing inline and nothing from elsewhere: a name or a variable that looks like HTML could do no harm even if it were
/// ever written unescaped.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The places of the navigation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Dashboard,
    Processes,
    Instances,
    Tasks,
    Incidents,
    Cluster,
    Elsewhere,
}

/// Each place with its address, its name, and the key that leads there.
const PLACES: [(Place, &str, &str, &str); 6] = [
    (Place::Dashboard, "/ui", "Dashboard", "d"),
    (Place::Processes, "/ui/processes", "Processes", "p"),
    (Place::Instances, "/ui/instances", "Instances", "i"),
    (Place::Tasks, "/ui/tasks", "Tasks", "t"),
    (Place::Incidents, "/ui/incidents", "Incidents", "n"),
    (Place::Cluster, "/ui/cluster", "Cluster", "c"),
];

/// A page: its title, where it stands in the navigation, and its content.
pub(crate) struct Page {
    pub(crate) status: StatusCode,
    pub(crate) place: Place,
    pub(crate) title: String,
    pub(crate) content: Markup,
}

impl Page {
    pub(crate) fn new(place: Place, title: impl Into<String>, content: Markup) -> Page {
        Page { status: StatusCode::OK, place, title: title.into(), content }
    }

    fn markup(&self) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · Tidemill" }
                    link rel="icon" href="data:,";
                    link rel="stylesheet" href=(assets::style_path());
                    script type="module" src=(assets::script_path()) {}
                }
                body {
                    a.skip href="#main" { "Skip to content" }
                    header.top {
                        a.brand href="/ui" { "Tidemill" }
                        nav aria-label="Main" {
                            @for (place, path, name, key) in PLACES {
                                a href=(path) data-key=(key) aria-current=[(place == self.place).then_some("page")] { (name) }
                            }
                            a href="/docs" { "API" }
                        }
                    }
                    main id="main" tabindex="-1" { (self.content) }
                    footer { p { "Tidemill " (env!("CARGO_PKG_VERSION")) " · press " kbd { "?" } " for keyboard shortcuts" } }
                }
            }
        }
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let text = self.markup().into_string();
        let tag = format!("\"{:016x}\"", XxHash64::oneshot(0, text.as_bytes()));
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(header::ETAG, HeaderValue::from_str(&tag).expect("hex digits in quotes"));
        (self.status, headers, text).into_response()
    }
}

/// Answers without content when the browser has this very page already. Pages ask every two seconds whether they have changed, so most
/// answers are of this kind.
pub(crate) async fn unless_known(request: Request, next: Next) -> Response {
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let response = next.run(request).await;
    match known {
        Some(tag) if response.headers().get(header::ETAG) == Some(&tag) => {
            (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response()
        }
        _ => response,
    }
}
