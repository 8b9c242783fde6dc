//! The command line's way to a server: one blocking HTTP client, answers as JSON, failures that tell what to do.

mod failure;
mod multipart;
mod remote;
mod variables;

pub(crate) use failure::Failure;
pub(crate) use multipart::NewFile;
pub(crate) use remote::{Remote, RemoteCommand, Session};
pub(crate) use variables::VariablesArgument;

use serde_json::Value;
use std::time::Duration;
use ureq::http::{Method, Request, Response};
use ureq::{Agent, AsSendBody, Body};

const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Pages and XML files may be large; anything beyond this is a mistake.
const ANSWER_BYTES_MAX: u64 = 256 * 1024 * 1024;

pub(crate) struct Client {
    agent: Agent,
    url: String,
}

impl Client {
    pub(crate) fn new(url: &str) -> Client {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT_MAX))
            .proxy(None)
            .user_agent(concat!("tidemill/", env!("CARGO_PKG_VERSION")))
            .build();
        Client { agent: config.into(), url: url.trim_end_matches('/').to_owned() }
    }

    pub(crate) fn get(&self, path: &str) -> Result<Value, Failure> {
        self.send(Method::GET, path, None, ())
    }

    pub(crate) fn delete(&self, path: &str) -> Result<Value, Failure> {
        self.send(Method::DELETE, path, None, ())
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        self.send(Method::POST, path, Some("application/json"), body.to_string())
    }

    pub(crate) fn patch(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        self.send(Method::PATCH, path, Some("application/json"), body.to_string())
    }

    pub(crate) fn deploy(&self, files: &[NewFile]) -> Result<Value, Failure> {
        let (media_type, body) = multipart::encode(files);
        self.send(Method::POST, "/v2/deployments", Some(&media_type), body)
    }

    fn send(
        &self,
        method: Method,
        path: &str,
        media_type: Option<&str>,
        body: impl AsSendBody,
    ) -> Result<Value, Failure> {
        let unreachable = |reason: String| Failure::Unreachable { url: self.url.clone(), reason };
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        if let Some(media_type) = media_type {
            request = request.header("content-type", media_type);
        }
        let request = request.body(body).map_err(|error| unreachable(error.to_string()))?;
        let answer = self.agent.run(request).map_err(|error| unreachable(error.to_string()))?;
        self.read(answer)
    }

    fn read(&self, mut answer: Response<Body>) -> Result<Value, Failure> {
        let status = answer.status().as_u16();
        let text = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string();
        let text = text.map_err(|error| Failure::Unreachable {
            url: self.url.clone(),
            reason: format!("the answer broke off: {error}"),
        })?;
        let body = if text.trim().is_empty() { Ok(Value::Null) } else { serde_json::from_str(&text) };
        match body {
            Ok(body) if (200..300).contains(&status) => Ok(body),
            Ok(problem) => Err(Failure::Refused { status, problem }),
            Err(_) => Err(Failure::NotTidemill { url: self.url.clone(), status }),
        }
    }
}
