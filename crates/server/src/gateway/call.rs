//! One request on its way through the gateway: what came in, and the ways to read it.

use super::bodies::Share;
use super::findings::Findings;
use super::problem::Problem;
use super::schema::{Api, Operation, check};
use super::{Gateway, json};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;
use tidemill_model::{Key, Variables};

pub(crate) struct Call {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) operation: &'static Operation,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Of the memory for bodies.
    pub(crate) _share: Share,
    pub(crate) parameters: Vec<String>,
    pub(crate) query: String,
}

/// The result of a handler: a response, or the problem that is shown instead.
pub(crate) type Handled = Result<Response, Problem>;

impl Call {
    /// The key in the path.
    pub(crate) fn key<K: From<Key>>(&self) -> Result<K, Problem> {
        let name = self.operation.parameters().next().unwrap_or_default();
        let text = self.parameters.first().map_or("", String::as_str);
        let number = text
            .parse()
            .map_err(|_| Problem::bad_request(format!("Failed to convert '{name}' with value: '{text}'")))?;
        Ok(K::from(Key(number)))
    }

    /// A true-or-false parameter of the query.
    pub(crate) fn query_flag(&self, name: &str) -> Result<Option<bool>, Problem> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        match pairs.rev_find_value(name) {
            None => Ok(None),
            Some("") => Ok(None),
            Some(word) if is_one_of(word, ["true", "on", "yes", "1"]) => Ok(Some(true)),
            Some(word) if is_one_of(word, ["false", "off", "no", "0"]) => Ok(Some(false)),
            Some(other) => {
                Err(Problem::bad_request(format!("Failed to convert '{name}' with value: '{other}'")))
            }
        }
    }

    /// The body, read straight from its bytes. Where it cannot be read, the description of the operation tells
    /// what is wrong with it.
    pub(crate) fn body<T: DeserializeOwned>(&self) -> Result<Option<T>, Problem> {
        if self.has_no_body()? {
            return Ok(None);
        }
        serde_json::from_slice(&self.body).map_err(|error| self.unreadable(&error))
    }

    pub(crate) fn required_body<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        self.body()?.ok_or_else(missing_body)
    }

    /// The body as a tree that fits its description; for searches, which are translated member by member.
    pub(crate) fn tree(&self) -> Result<Value, Problem> {
        if self.has_no_body()? {
            return Ok(Value::Null);
        }
        let mut tree = serde_json::from_slice(&self.body).map_err(|error| not_json(&error))?;
        match check::misfit(Api::get(), &self.operation.request, &mut tree) {
            Some(misfit) => Err(misfit.into()),
            None => Ok(tree),
        }
    }

    fn has_no_body(&self) -> Result<bool, Problem> {
        if self.body.iter().all(u8::is_ascii_whitespace) {
            return if self.operation.request.is_required() { Err(missing_body()) } else { Ok(true) };
        }
        Ok(false)
    }

    fn unreadable(&self, error: &serde_json::Error) -> Problem {
        let Ok(mut tree) = serde_json::from_slice::<Value>(&self.body) else { return not_json(error) };
        match check::misfit(Api::get(), &self.operation.request, &mut tree) {
            Some(misfit) => misfit.into(),
            None => Problem::bad_request("Request property [] cannot be parsed")
                .with("reason", error.to_string())
                .with("line", error.line())
                .with("column", error.column()),
        }
    }
}

fn is_one_of(word: &str, known: [&str; 4]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn missing_body() -> Problem {
    Problem::bad_request("Required request body is missing")
}

fn not_json(error: &serde_json::Error) -> Problem {
    Problem::bad_request("Failed to read request")
        .with("reason", error.to_string())
        .with("line", error.line())
        .with("column", error.column())
}

/// A body must say that it is JSON, wherever it goes: web pages may send anything else to servers of others without
/// being asked first, a body that says nothing of itself included.
/// A body that is required must do so even where it is empty.
pub(crate) fn check_json(headers: &HeaderMap, body: &[u8], is_required: bool) -> Result<(), Problem> {
    if !is_required && body.iter().all(u8::is_ascii_whitespace) {
        return Ok(());
    }
    let Some(given) = headers.get(header::CONTENT_TYPE) else { return Err(unsupported_media_type("null")) };
    let given = given.to_str().unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    Err(unsupported_media_type(given))
}

pub(crate) fn unsupported_media_type(given: &str) -> Problem {
    let detail = format!("Content-Type '{given}' is not supported.");
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported Media Type", detail)
}

/// The last value of a name, as later parameters override earlier ones.
trait Pairs<'a> {
    fn rev_find_value(self, name: &str) -> Option<&'a str>;
}

impl<'a, I: Iterator<Item = (&'a str, &'a str)>> Pairs<'a> for I {
    fn rev_find_value(self, name: &str) -> Option<&'a str> {
        self.filter(|(known, _)| *known == name).last().map(|(_, value)| value)
    }
}

/// Variables of a body; the raw text must be an object.
pub(crate) fn variables(raw: Option<&RawValue>) -> Result<Variables, Problem> {
    let Some(raw) = raw else { return Ok(Variables::default()) };
    let variables = Variables::parse(raw.get()).map_err(|error| {
        Problem::bad_request("Request property [variables] cannot be parsed")
            .with("path", "$.variables")
            .with("reason", error.to_string())
    })?;
    let mut findings = Findings::default();
    for (name, _) in variables.iter() {
        findings.text("variables", name.to_string());
    }
    findings.finish()?;
    Ok(variables)
}

/// The answer to a command that has nothing to tell.
pub(crate) fn done(_: tidemill_model::Answer) -> Response {
    json::no_content()
}
