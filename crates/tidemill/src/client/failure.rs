//! Failures between the command line and a server, and the exit codes that scripts see.

use crate::output::finding;
use serde_json::Value;
use std::fmt;

#[derive(Debug)]
pub(crate) enum Failure {
    Unreachable {
        url: String,
        reason: String,
    },
    /// The server said no, with a problem document.
    Refused {
        status: u16,
        problem: Value,
    },
    NotTidemill {
        url: String,
        status: u16,
    },
    BadUrl {
        url: String,
        reason: String,
    },
    /// Nobody vouches for the server that answers there.
    BadAuthority {
        url: String,
        reason: String,
    },
}

/// The members of every problem document; whatever else is there is shown by name.
const STANDARD_MEMBERS: [&str; 5] = ["type", "title", "status", "detail", "instance"];

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::BadUrl { .. } | Failure::BadAuthority { .. } => 2,
            Failure::Unreachable { .. } | Failure::NotTidemill { .. } => 3,
            Failure::Refused { status: 404, .. } => 4,
            Failure::Refused { status: 429 | 500.., .. } => 6,
            Failure::Refused { .. } => 5,
        }
    }

    /// The items of the page are too long to be sent together.
    pub(crate) fn asks_for_smaller_page(&self) -> bool {
        let Failure::Refused { status: 400, problem } = self else { return false };
        problem["detail"].as_str().is_some_and(|detail| detail.contains("(page.limit)"))
    }

    /// The same request may do better later.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self.exit_code(), 3 | 6)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Unreachable { url, reason } => write!(
                f,
                "no server answers at {url}: {reason}. Start one with `tidemill serve`, or name another with --url"
            ),
            Failure::NotTidemill { url, status } => {
                write!(f, "{url} answered with status {status} and no JSON; is it a Tidemill server?")
            }
            Failure::BadUrl { url, reason } => {
                write!(f, "'{url}' is no address of a server: {reason}. It looks like http://127.0.0.1:8080")
            }
            Failure::BadAuthority { url, reason } => write!(
                f,
                "{url} cannot be trusted: {reason}. Name the file with the certificate of its authority with --ca FILE"
            ),
            // The findings say all that the detail says, and where.
            Failure::Refused { problem, .. } if has_findings(problem) => {
                let findings = problem["findings"].as_array().into_iter().flatten();
                write!(f, "nothing was deployed")?;
                findings.map(finding).try_for_each(|line| write!(f, "\n{line}"))
            }
            Failure::Refused { status, problem } => {
                match problem["detail"].as_str().or(problem["title"].as_str()) {
                    Some(detail) => write!(f, "{detail}")?,
                    None => write!(f, "the server answered with status {status}")?,
                }
                for (name, value) in problem.as_object().into_iter().flatten() {
                    if !STANDARD_MEMBERS.contains(&name.as_str()) && !says_nothing(value) {
                        write!(f, "\n  {name}: {}", plain(value))?;
                    }
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Failure {}

fn has_findings(problem: &Value) -> bool {
    problem["findings"].as_array().is_some_and(|findings| !findings.is_empty())
}

fn says_nothing(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().map(|item| format!("\n    {item}")).collect()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_refusal_shows_its_detail_and_everything_beyond_the_standard() {
        let problem = json!({"type": "about:blank", "title": "Bad Request", "status": 400, "instance": "/x",
            "detail": "Request property [nam] cannot be parsed", "didYouMean": "name", "line": 3, "findings": null});
        let failure = Failure::Refused { status: 400, problem };
        assert_eq!(
            failure.to_string(),
            "Request property [nam] cannot be parsed\n  didYouMean: name\n  line: 3"
        );
    }

    #[test]
    fn scripts_can_tell_failures_apart() {
        let refused = |status| Failure::Refused { status, problem: Value::Null }.exit_code();
        assert_eq!([refused(404), refused(400), refused(409), refused(503), refused(429)], [4, 5, 5, 6, 6]);
    }
}
