//! The command line's way to a server: one blocking HTTP client, answers as JSON, failures that tell what to do.
//! Variables pass as the text they are, so that no digit of theirs is lost.

mod failure;
mod listing;
mod multipart;
mod once;
mod remote;
mod tls;
mod variables;

pub(crate) use failure::Failure;
pub(crate) use listing::{Listing, Paging};
pub(crate) use multipart::NewFile;
pub(crate) use once::Once;
pub(crate) use remote::{Remote, RemoteCommand, Session, URL_DEFAULT, newest_first};
pub(crate) use variables::{VariablesArgument, is_object, no_variables};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use ureq::config::{Config, ConfigBuilder};
use ureq::http::{Method, Request, Response};
use ureq::typestate::AgentScope;
use ureq::{Agent, AsSendBody, Body};

const JSON: (&str, &str) = ("content-type", "application/json");
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Pages and XML files may be large; anything beyond this is a mistake.
const ANSWER_BYTES_MAX: u64 = 256 * 1024 * 1024;

pub(crate) struct Client {
    agent: Agent,
    url: String,
    authorization: Option<String>,
}

impl Client {
    /// For `http://` addresses.
    pub(crate) fn new(url: &str) -> Client {
        Client::with_config(url, config().build())
    }

    /// For addresses that people give: with `https://` the server must show a certificate of an authority that is
    /// named, or that the system knows.
    pub(crate) fn connect(url: &str, authority: Option<&Path>) -> Result<Client, Failure> {
        let is_secure = url.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"));
        match is_secure {
            true => Ok(Client::with_config(url, config().tls_config(tls::config(url, authority)?).build())),
            false => Ok(Client::new(url)),
        }
    }

    fn with_config(url: &str, config: Config) -> Client {
        let url = url.trim_end_matches('/').to_owned();
        Client { agent: config.into(), url, authorization: None }
    }

    /// Shows a token with every request.
    pub(crate) fn with_token(self, token: Option<&str>) -> Client {
        Client { authorization: token.map(|token| format!("Bearer {token}")), ..self }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn get(&self, path: &str) -> Result<Value, Failure> {
        self.send(Method::GET, path, &[], ())
    }

    pub(crate) fn delete(&self, path: &str) -> Result<Value, Failure> {
        self.send(Method::DELETE, path, &[], ())
    }

    pub(crate) fn post(&self, path: &str, body: &impl Serialize) -> Result<Value, Failure> {
        self.ask(path, body)
    }

    /// Like `post`, for answers with members that a tree of values cannot hold as they are.
    pub(crate) fn ask<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, Failure> {
        self.send(Method::POST, path, &[JSON], text(body))
    }

    /// Sends a command that has a name: it happens once, however often it is sent.
    pub(crate) fn command<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        idempotency_key: Option<&str>,
        body: &impl Serialize,
    ) -> Result<T, Failure> {
        let named = idempotency_key.map(|key| ("idempotency-key", key));
        let headers: Vec<_> = [JSON].into_iter().chain(named).collect();
        self.send(method, path, &headers, text(body))
    }

    /// As part of a trace, where there is one.
    pub(crate) fn post_traced(
        &self,
        path: &str,
        idempotency_key: &str,
        traceparent: Option<&str>,
        body: &impl Serialize,
    ) -> Result<Value, Failure> {
        let traced = traceparent.map(|context| ("traceparent", context));
        let headers: Vec<_> =
            [JSON, ("idempotency-key", idempotency_key)].into_iter().chain(traced).collect();
        self.send(Method::POST, path, &headers, text(body))
    }

    pub(crate) fn post_once(
        &self,
        path: &str,
        idempotency_key: Option<&str>,
        body: &impl Serialize,
    ) -> Result<Value, Failure> {
        self.command(Method::POST, path, idempotency_key, body)
    }

    /// A file as it is.
    pub(crate) fn download(&self, path: &str) -> Result<String, Failure> {
        let (status, text) = self.exchange(Method::GET, path, &[], ())?;
        match status {
            200..300 => Ok(text),
            _ => Err(self.refusal(status, &text)),
        }
    }

    pub(crate) fn patch(&self, path: &str, body: &impl Serialize) -> Result<Value, Failure> {
        self.send(Method::PATCH, path, &[JSON], text(body))
    }

    /// Sends lines of JSON; the answer has a line for each.
    pub(crate) fn post_lines(&self, path: &str, lines: &str) -> Result<String, Failure> {
        let headers = [("content-type", "application/x-ndjson")];
        let (status, text) = self.exchange(Method::POST, path, &headers, lines)?;
        match status {
            200..300 => Ok(text),
            _ => Err(self.refusal(status, &text)),
        }
    }

    pub(crate) fn deploy(&self, files: &[NewFile]) -> Result<Value, Failure> {
        self.deploy_once(files, None)
    }

    pub(crate) fn deploy_once(
        &self,
        files: &[NewFile],
        idempotency_key: Option<&str>,
    ) -> Result<Value, Failure> {
        let (media_type, body) = multipart::encode(files);
        let named = idempotency_key.map(|key| ("idempotency-key", key));
        let headers: Vec<_> = [("content-type", media_type.as_str())].into_iter().chain(named).collect();
        self.send(Method::POST, "/v2/deployments", &headers, body)
    }

    fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsSendBody,
    ) -> Result<T, Failure> {
        let (status, text) = self.exchange(method, path, headers, body)?;
        let text = if text.trim().is_empty() { "null" } else { &text };
        match status {
            200..300 => serde_json::from_str(text).map_err(|_| self.foreign(status)),
            _ => Err(self.refusal(status, text)),
        }
    }

    fn refusal(&self, status: u16, text: &str) -> Failure {
        match serde_json::from_str(text) {
            Ok(problem) => Failure::Refused { status, problem },
            Err(_) => self.foreign(status),
        }
    }

    fn foreign(&self, status: u16) -> Failure {
        Failure::NotTidemill { url: self.url.clone(), status }
    }

    /// The status and the text of an answer.
    fn exchange(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsSendBody,
    ) -> Result<(u16, String), Failure> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        let request = request
            .body(body)
            .map_err(|error| Failure::BadUrl { url: self.url.clone(), reason: error.to_string() })?;
        let answer = self.agent.run(request).map_err(|error| self.unsent(&error))?;
        self.read(answer)
    }

    fn unsent(&self, error: &ureq::Error) -> Failure {
        let (url, reason) = (self.url.clone(), error.to_string());
        match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => Failure::BadUrl { url, reason },
            // Rustls tells what is wrong with a certificate as an error of I/O.
            error if is_distrust(error) => Failure::BadAuthority { url, reason },
            _ => Failure::Unreachable { url, reason },
        }
    }

    fn read(&self, mut answer: Response<Body>) -> Result<(u16, String), Failure> {
        let status = answer.status().as_u16();
        let text = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string();
        let text = text.map_err(|error| Failure::Unreachable {
            url: self.url.clone(),
            reason: format!("the answer broke off: {error}"),
        })?;
        Ok((status, text))
    }
}

fn config() -> ConfigBuilder<AgentScope> {
    Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(CONNECT_MAX))
        .proxy(None)
        .user_agent(concat!("tidemill/", env!("CARGO_PKG_VERSION")))
}

/// True if the server is there, but its certificate is not believed.
fn is_distrust(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Rustls(rustls::Error::InvalidCertificate(_)) => true,
        ureq::Error::Io(error) => error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<rustls::Error>())
            .is_some_and(|error| matches!(error, rustls::Error::InvalidCertificate(_))),
        _ => false,
    }
}

/// A name that somebody has typed, as a part of a path.
pub(crate) fn path_segment(name: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:".contains(byte);
    name.bytes()
        .map(|byte| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn text(body: &impl Serialize) -> String {
    serde_json::to_string(body).expect("requests have names of members only")
}
