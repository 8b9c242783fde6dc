//! The reasons why a step does not go through. Every function of the engine that can stop returns them.

use crate::need::Missing;
use tidemill_model::entity::IncidentKind;
use tidemill_model::{DefinitionKey, Need, Rejection};

#[derive(Debug)]
pub(crate) enum Stop {
    /// Something is not in memory: nothing of the command counts, it runs again.
    Need(Missing),
    /// The command is refused: nothing of it counts.
    Reject(Rejection),
    /// The command is refused because this version cannot read the definition. The instance that needs it gets an incident.
    Unreadable(DefinitionKey, Rejection),
    /// Model or data failed: becomes an incident on the element whose step this was.
    Fail(Failure),
}

/// A failure of model or data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) kind: IncidentKind,
    pub(crate) message: String,
}

impl Stop {
    pub(crate) fn fail(kind: IncidentKind, message: impl Into<String>) -> Stop {
        Stop::Fail(Failure { kind, message: message.into() })
    }

    /// Makes an incident of a rejection whose cause lies outside of the command that met it, as a definition of another process that
    /// cannot be read: the element waits instead of the sender of the command, who can do nothing about it.
    pub(crate) fn into_incident(self, kind: IncidentKind) -> Stop {
        match self {
            Stop::Reject(rejection) | Stop::Unreadable(_, rejection) => Stop::fail(kind, rejection.reason),
            other => other,
        }
    }

    /// A rule of the engine itself is broken. The command is refused and nothing of it counts.
    pub(crate) fn broken(what: impl std::fmt::Display) -> Stop {
        Stop::Reject(Rejection::new(
            tidemill_model::RejectionCode::ProcessingError,
            format!("Expected the engine's state to be consistent, but {what}"),
        ))
    }
}

impl From<Need> for Stop {
    fn from(need: Need) -> Stop {
        Stop::Need(need.into())
    }
}

impl From<Rejection> for Stop {
    fn from(rejection: Rejection) -> Stop {
        Stop::Reject(rejection)
    }
}

pub(crate) type Stepped<T = ()> = Result<T, Stop>;
