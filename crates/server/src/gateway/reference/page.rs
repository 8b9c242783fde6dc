//! The page at `/docs`: made once by the server, complete without scripts; a script of its own adds a filter and
//! requests to this server. Everything comes from this server, and nothing is inline, so a strict policy holds.

use super::examples::{self, Example};
use super::{Entry, groups, openapi, words};
use axum::Router;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;
use std::fmt::Write;
use std::sync::OnceLock;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const INTRODUCTION: &str = include_str!("introduction.html");
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(in crate::gateway) fn routes() -> Router {
    Router::new()
        .route("/docs", get(|| async { served("text/html; charset=utf-8", html()) }))
        .route("/docs/page.css", get(|| async { served("text/css; charset=utf-8", STYLE) }))
        .route("/docs/page.js", get(|| async { served("text/javascript; charset=utf-8", SCRIPT) }))
}

fn served(media_type: &'static str, text: &'static str) -> Response {
    let headers: [(HeaderName, HeaderValue); 4] = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        // A new version of the server has a new page.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, text).into_response()
}

fn html() -> &'static str {
    static PAGE: OnceLock<String> = OnceLock::new();
    PAGE.get_or_init(|| {
        let (mut list, mut body) = (String::new(), String::new());
        for (group, entries) in groups() {
            let anchor = group.to_lowercase().replace(' ', "-");
            add(&mut list, format_args!("<li><a href=\"#{anchor}\">{}</a><ul>", escaped(&group)));
            add(
                &mut body,
                format_args!("<section class=\"group\"><h2 id=\"{anchor}\">{}</h2>", escaped(&group)),
            );
            for entry in &entries {
                let (id, summary) = (entry.text("operationId"), escaped(entry.text("summary")));
                let method = &entry.method;
                let found_by = escaped(&format!("{method} {} {id} {summary}", entry.path).to_lowercase());
                let link = "<li data-words=\"{}\"><a href=\"#{}\"><b class=\"{}\">{}</b> {}</a></li>";
                let parts = [found_by.as_str(), id, method, method, &summary];
                list.push_str(&parts.iter().fold(link.to_owned(), |text, part| text.replacen("{}", part, 1)));
                operation(&mut body, entry, &found_by);
            }
            list.push_str("</ul></li>");
            body.push_str("</section>");
        }
        let template = include_str!("page.html");
        let version = env!("CARGO_PKG_VERSION");
        [("VERSION", version), ("INTRODUCTION", INTRODUCTION), ("LIST", &list), ("OPERATIONS", &body)]
            .iter()
            .fold(template.to_owned(), |page, (name, text)| page.replace(&format!("<!--{name}-->"), text))
    })
}

impl Entry {
    fn text(&self, member: &str) -> &str {
        self.described[member].as_str().unwrap_or_default()
    }
}

fn operation(out: &mut String, entry: &Entry, found_by: &str) {
    let (id, method, path) = (entry.text("operationId"), &entry.method, escaped(&entry.path));
    add(
        out,
        format_args!(
            "<article id=\"{id}\" data-words=\"{found_by}\"><h3><b class=\"{method}\">{method}</b> <code>{path}</code> \
             <a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to {id}\">#</a></h3>\
             <p class=\"summary\">{}<code class=\"id\">{id}</code></p><p>{}</p>",
            escaped(entry.text("summary")),
            with_code(&escaped(entry.text("description")))
        ),
    );
    parameters(out, entry);
    let schemas = &openapi::document()["components"]["schemas"];
    for (media_type, content) in members(&entry.described["requestBody"]["content"]) {
        let shape = words::schema(&content["schema"], schemas);
        block(out, &format!("Request, {media_type}"), &shape);
    }
    for (status, answer) in members(&entry.described["responses"]) {
        for (media_type, content) in members(&answer["content"]) {
            if !content["schema"].is_null() && status != "default" {
                let shape = words::schema(&content["schema"], schemas);
                block(out, &format!("Answer {status}, {media_type}"), &shape);
            }
        }
    }
    let example = examples::find(id);
    if let Some(example) = example {
        block_open(out, "Example request", &curl(entry, example));
        block_open(out, &format!("Its answer: {}", example.status), &shown(&example.answer));
    }
    try_it(out, entry, example);
    out.push_str("</article>");
}

fn parameters(out: &mut String, entry: &Entry) {
    let parameters = entry.described["parameters"].as_array().filter(|list| !list.is_empty());
    let Some(parameters) = parameters else { return };
    out.push_str("<table><caption>Parameters</caption><tbody>");
    for parameter in parameters {
        let text = |member: &str| escaped(parameter[member].as_str().unwrap_or_default());
        let is_required = if parameter["required"] == true { "required" } else { "" };
        let shape = escaped(&words::schema(&parameter["schema"], &Value::Null));
        let (name, place) = (text("name"), text("in"));
        add(
            out,
            format_args!(
                "<tr><th scope=\"row\"><code>{name}</code></th><td>{place}</td><td>{shape}</td><td>{is_required}</td></tr>"
            ),
        );
    }
    out.push_str("</tbody></table>");
}

/// The example as a command that works in a shell.
fn curl(entry: &Entry, example: &Example) -> String {
    let mut text = format!("curl -X {} 'http://127.0.0.1:8080{}'", entry.method, example.path);
    for file in &example.files {
        add(&mut text, format_args!(" \\\n  -F resources=@{file}"));
    }
    if let Some(body) = &example.body {
        let body = shown(body).replace('\'', "'\\''");
        add(&mut text, format_args!(" \\\n  -H 'Content-Type: application/json' \\\n  -d '{body}'"));
    }
    text
}

/// A form whose fields are those of the example; the script sends it.
fn try_it(out: &mut String, entry: &Entry, example: Option<&Example>) {
    let (id, method, path) = (entry.text("operationId"), &entry.method, escaped(&entry.path));
    add(
        out,
        format_args!(
            "<details class=\"try\"><summary>Try it on this server</summary>\
             <form data-method=\"{method}\" data-path=\"{path}\">"
        ),
    );
    for parameter in entry.described["parameters"].as_array().into_iter().flatten() {
        let text = |member: &str| escaped(parameter[member].as_str().unwrap_or_default());
        let (name, place) = (text("name"), text("in"));
        let field = format!("{id}-{name}");
        let required = if parameter["required"] == true { " required" } else { "" };
        add(
            out,
            format_args!(
                "<label for=\"{field}\">{name} <small>{place}</small></label>\
                 <input id=\"{field}\" name=\"{name}\" data-in=\"{place}\" autocomplete=\"off\"{required}>"
            ),
        );
    }
    let content = &entry.described["requestBody"]["content"];
    if content["multipart/form-data"].is_object() {
        add(
            out,
            format_args!(
                "<label for=\"{id}-files\">resources <small>files</small></label>\
                 <input id=\"{id}-files\" type=\"file\" name=\"resources\" multiple required>"
            ),
        );
    } else if content.is_object() {
        let body = example.and_then(|example| example.body.as_ref()).map(shown).unwrap_or_default();
        add(
            out,
            format_args!(
                "<label for=\"{id}-body\">body <small>JSON</small></label>\
                 <textarea id=\"{id}-body\" name=\"body\" rows=\"8\" spellcheck=\"false\">{}</textarea>",
                escaped(&body)
            ),
        );
    }
    out.push_str("<button type=\"submit\">Send</button><pre class=\"answer\" aria-live=\"polite\" tabindex=\"0\" hidden></pre></form></details>");
}

fn block(out: &mut String, title: &str, text: &str) {
    add(
        out,
        format_args!(
            "<details class=\"shape\"><summary>{}</summary><pre>{}</pre></details>",
            escaped(title),
            escaped(text)
        ),
    );
}

fn block_open(out: &mut String, title: &str, text: &str) {
    add(out, format_args!("<h4>{}</h4><pre tabindex=\"0\">{}</pre>", escaped(title), escaped(text)));
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "no content".to_owned(),
        Value::String(text) => text.clone(),
        other => format!("{other:#}"),
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn add(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a text can always grow");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Marks text between backquotes as code.
fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(n, part)| if n % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}
