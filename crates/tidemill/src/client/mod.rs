//! The command line's way to a server: one blocking HTTP client, answers as JSON, failures that tell what to do.
//! Variables pass as the text they are, so that no digit of theirs is lost.

mod failure;
mod multipart;
mod remote;
mod variables;

pub(crate) use failure::Failure;
pub(crate) use multipart::NewFile;
pub(crate) use remote::{Remote, RemoteCommand, Session, URL_DEFAULT, newest_first};
pub(crate) use variables::{VariablesArgument, is_object, no_variables};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;
use ureq::http::{Method, Request, Response};
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
    pub(crate) fn new(url: &str) -> Client {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT_MAX))
            .proxy(None)
            .user_agent(concat!("tidemill/", env!("CARGO_PKG_VERSION")))
            .build();
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

    /// Posts what must happen once, however often it is sent.
    pub(crate) fn post_once(
        &self,
        path: &str,
        idempotency_key: &str,
        body: &impl Serialize,
    ) -> Result<Value, Failure> {
        self.send(Method::POST, path, &[JSON, ("idempotency-key", idempotency_key)], text(body))
    }

    pub(crate) fn patch(&self, path: &str, body: &impl Serialize) -> Result<Value, Failure> {
        self.send(Method::PATCH, path, &[JSON], text(body))
    }

    pub(crate) fn deploy(&self, files: &[NewFile]) -> Result<Value, Failure> {
        let (media_type, body) = multipart::encode(files);
        self.send(Method::POST, "/v2/deployments", &[("content-type", &media_type)], body)
    }

    fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsSendBody,
    ) -> Result<T, Failure> {
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
            ureq::Error::BadUri(_) | ureq::Error::Http(_) | ureq::Error::TlsRequired => {
                Failure::BadUrl { url, reason }
            }
            _ => Failure::Unreachable { url, reason },
        }
    }

    fn read<T: DeserializeOwned>(&self, mut answer: Response<Body>) -> Result<T, Failure> {
        let status = answer.status().as_u16();
        let text = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string();
        let text = text.map_err(|error| Failure::Unreachable {
            url: self.url.clone(),
            reason: format!("the answer broke off: {error}"),
        })?;
        let text = if text.trim().is_empty() { "null" } else { &text };
        let foreign = |_| Failure::NotTidemill { url: self.url.clone(), status };
        if (200..300).contains(&status) {
            return serde_json::from_str(text).map_err(foreign);
        }
        Err(Failure::Refused { status, problem: serde_json::from_str(text).map_err(foreign)? })
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
