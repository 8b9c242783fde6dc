//! The one way to say no: problem+json answers (RFC 9457), with the titles and texts that clients match on.

use super::schema::check::Misfit;
use crate::broker::CommandError;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::time::Duration;
use tidemill_model::{Rejection, RejectionCode};

/// A store that is away is often back in seconds.
const STORE_RETRY_AFTER: Duration = Duration::from_secs(1);
const OVERLOAD_RETRY_AFTER: Duration = Duration::from_secs(2);

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    title: Cow<'static, str>,
    detail: String,
    /// Members beyond the standard ones.
    more: Map<String, Value>,
    retry_after: Option<Duration>,
}

impl Problem {
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    pub(crate) fn new(
        status: StatusCode,
        title: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Problem {
        let (title, detail) = (title.into(), detail.into());
        Problem { status, title, detail, more: Map::new(), retry_after: None }
    }

    /// The request could not be read.
    pub(crate) fn bad_request(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "Bad Request", detail)
    }

    /// The request was read, but breaks a rule.
    pub(crate) fn invalid_argument(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "INVALID_ARGUMENT", detail)
    }

    /// A read that finds nothing.
    pub(crate) fn not_found(thing: &str, key: i64) -> Problem {
        let detail = format!("{thing} with key '{key}' not found");
        Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", detail)
    }

    pub(crate) fn internal(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL", detail)
    }

    /// There is no room just now.
    pub(crate) fn overloaded(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "RESOURCE_EXHAUSTED", detail)
            .retry_after(OVERLOAD_RETRY_AFTER)
    }

    pub(crate) fn rejected(intent: &str, rejection: &Rejection) -> Problem {
        let code = rejection.code.name();
        let (status, title) = match rejection.code {
            RejectionCode::InvalidArgument => (StatusCode::BAD_REQUEST, code),
            RejectionCode::NotFound => (StatusCode::NOT_FOUND, code),
            RejectionCode::AlreadyExists | RejectionCode::InvalidState => (StatusCode::CONFLICT, code),
            RejectionCode::Forbidden => (StatusCode::FORBIDDEN, code),
            RejectionCode::ProcessingError | RejectionCode::ExceededSize => {
                (StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL")
            }
        };
        let detail = format!("Command '{intent}' rejected with code '{code}': {}", rejection.reason);
        Problem::new(status, title, detail)
    }

    pub(crate) fn command(intent: &str, error: CommandError) -> Problem {
        match error {
            CommandError::Rejected(rejection) => Problem::rejected(intent, &rejection),
            CommandError::Overloaded { reason, retry_after } => Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "RESOURCE_EXHAUSTED",
                format!("Expected to run the command, but {reason}. Try again later"),
            )
            .retry_after(retry_after),
            CommandError::RateLimited { retry_after } => Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "RESOURCE_EXHAUSTED",
                "Expected to run the command, but the tenant sends more commands than it may. Try again later",
            )
            .retry_after(retry_after),
            CommandError::TimedOut => Problem::new(
                StatusCode::GATEWAY_TIMEOUT,
                "DEADLINE_EXCEEDED",
                format!("Expected to answer command '{intent}' in time, but it takes longer; it goes on"),
            ),
            CommandError::NotEnded(instance) => Problem::new(
                StatusCode::GATEWAY_TIMEOUT,
                "DEADLINE_EXCEEDED",
                format!(
                    "Expected process instance with key '{instance}' to end in time, but it takes longer; it goes on"
                ),
            )
            .with("processInstanceKey", instance.to_string()),
            CommandError::Unavailable(reason) => Problem::new(
                StatusCode::BAD_GATEWAY,
                "UNAVAILABLE",
                format!("Expected to reach the engine, but no connection is left: {reason}"),
            ),
            CommandError::NotBegun(reason) => Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "UNAVAILABLE",
                format!("Expected to run the command, but it could not be begun: {reason}. Try again"),
            )
            .retry_after(STORE_RETRY_AFTER),
            CommandError::Moved => Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "UNAVAILABLE",
                "Expected to run the command, but its partition is moving to another node. Try again",
            )
            .retry_after(Duration::from_secs(1)),
            CommandError::OtherRequest => Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "INVALID_ARGUMENT",
                "The Idempotency-Key was used before for a request with another content",
            ),
            CommandError::Internal(reason) => Problem::internal(reason),
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn with(mut self, member: &str, value: impl Into<Value>) -> Problem {
        self.more.insert(member.to_owned(), value.into());
        self
    }

    fn retry_after(mut self, after: Duration) -> Problem {
        self.retry_after = Some(after);
        self
    }

    pub(crate) fn to_json(&self, instance: &str) -> Value {
        let mut problem = json!({
            "type": "about:blank",
            "title": self.title,
            "status": self.status.as_u16(),
            "detail": self.detail,
            "instance": instance,
        });
        if let Value::Object(members) = &mut problem {
            members.extend(self.more.clone());
        }
        problem
    }

    /// `instance` is the path of the request.
    pub(crate) fn into_response(self, instance: &str) -> Response {
        let body = self.to_json(instance).to_string();
        let media_type = HeaderValue::from_static("application/problem+json");
        let mut response = (self.status, [(header::CONTENT_TYPE, media_type)], body).into_response();
        // The rest of such a request is not read.
        if matches!(self.status, StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT) {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(after) = self.retry_after {
            let seconds = HeaderValue::from(after.as_secs().max(1));
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

impl From<tidemill_store::Error> for Problem {
    /// The log gets the whole error, the client what it may know.
    fn from(error: tidemill_store::Error) -> Problem {
        use tidemill_store::Error;
        let told = error.for_clients();
        match error {
            Error::BadCursor(_) => Problem::invalid_argument(format!("Expected to read a page, but {told}.")),
            Error::PageTooLarge { .. } => {
                Problem::invalid_argument(format!("Expected to read a page, but {told}."))
            }
            Error::TooSlow { .. } => {
                let detail = format!("Expected to read, but {told}");
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, "DEADLINE_EXCEEDED", detail)
            }
            Error::Unavailable { .. } | Error::FullForNow { .. } => {
                // The node tells once that the store is gone.
                tracing::debug!(%error, "a read failed");
                Problem::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "UNAVAILABLE",
                    format!("Expected to read, but {told}"),
                )
                .retry_after(STORE_RETRY_AFTER)
            }
            // Until somebody has repaired the store.
            error if error.is_fatal() => {
                tracing::error!(%error, "a read failed");
                Problem::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "UNAVAILABLE",
                    format!("Expected to read, but {told}"),
                )
            }
            other => {
                tracing::error!(error = %other, "a read failed");
                Problem::internal(format!("Expected to read, but {told}"))
            }
        }
    }
}

impl From<Misfit> for Problem {
    fn from(misfit: Misfit) -> Problem {
        let problem = Problem::bad_request(misfit.detail).with("path", misfit.path);
        match misfit.did_you_mean {
            Some(word) => problem.with("didYouMean", word),
            None => problem,
        }
    }
}
