//! Why a command was refused. The codes are those that clients know from the API.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub enum RejectionCode {
    InvalidArgument,
    NotFound,
    AlreadyExists,
    InvalidState,
    Forbidden,
    ProcessingError,
    ExceededSize,
}

impl RejectionCode {
    pub fn name(self) -> &'static str {
        match self {
            RejectionCode::InvalidArgument => "INVALID_ARGUMENT",
            RejectionCode::NotFound => "NOT_FOUND",
            RejectionCode::AlreadyExists => "ALREADY_EXISTS",
            RejectionCode::InvalidState => "INVALID_STATE",
            RejectionCode::Forbidden => "FORBIDDEN",
            RejectionCode::ProcessingError => "PROCESSING_ERROR",
            RejectionCode::ExceededSize => "EXCEEDED_BATCH_RECORD_SIZE",
        }
    }
}

/// A refused command: it has changed nothing.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, thiserror::Error)]
#[error("{}: {reason}", code.name())]
pub struct Rejection {
    pub code: RejectionCode,
    /// "Expected to ..., but ...".
    pub reason: String,
}

impl Rejection {
    pub fn new(code: RejectionCode, reason: impl Into<String>) -> Rejection {
        Rejection { code, reason: reason.into() }
    }

    pub fn invalid_argument(reason: impl Into<String>) -> Rejection {
        Rejection::new(RejectionCode::InvalidArgument, reason)
    }

    pub fn not_found(reason: impl Into<String>) -> Rejection {
        Rejection::new(RejectionCode::NotFound, reason)
    }

    pub fn invalid_state(reason: impl Into<String>) -> Rejection {
        Rejection::new(RejectionCode::InvalidState, reason)
    }

    pub fn already_exists(reason: impl Into<String>) -> Rejection {
        Rejection::new(RejectionCode::AlreadyExists, reason)
    }
}
