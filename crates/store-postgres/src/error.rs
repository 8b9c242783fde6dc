//! From SQLSTATEs and lost connections to errors that say what to do.

use tidemill_store::{CodecError, Error};
use tokio_postgres::error::SqlState;

/// The connection is gone or was never there: whatever was asked, there is no answer.
pub(crate) fn is_connection(error: &tokio_postgres::Error) -> bool {
    match error.as_db_error() {
        None => error.is_closed() || has_io_source(error),
        Some(db) => {
            let code = db.code().code();
            // Connection errors, a server that shuts down, and a session that was ended because it stood idle in a transaction.
            code.starts_with("08") || code.starts_with("57P") || code == "25P03"
        }
    }
}

fn has_io_source(error: &tokio_postgres::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if inner.is::<std::io::Error>() {
            return true;
        }
        source = inner.source();
    }
    false
}

/// Nothing was written, and the same transaction may go through the next time.
pub(crate) fn is_passing(error: &tokio_postgres::Error) -> bool {
    matches!(error.code(), Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED))
}

/// One row is at fault: text that is not text, a broken constraint, something too large.
pub(crate) fn is_refusal(error: &tokio_postgres::Error) -> bool {
    error.code().is_some_and(|code| ["22", "23", "54"].iter().any(|class| code.code().starts_with(class)))
}

pub(crate) fn classify(place: &str, limit_ms: u64, error: &tokio_postgres::Error) -> Error {
    let place = place.to_owned();
    let reason = told(error);
    if is_connection(error) {
        return Error::Unavailable { place, reason };
    }
    if is_refusal(error) {
        return Error::Refused { culprit: None, reason };
    }
    match error.code() {
        // Statements are cancelled by the time limit that we have set.
        Some(&SqlState::QUERY_CANCELED) => Error::TooSlow { limit_ms },
        // A standby that has not been promoted yet.
        Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => Error::Unavailable { place, reason },
        Some(code) if code.code().starts_with("53") => Error::FullForNow { place, reason },
        _ => Error::Failed { place, reason },
    }
}

/// With what the driver keeps in the sources of its errors.
pub(crate) fn told(error: &tokio_postgres::Error) -> String {
    if let Some(db) = error.as_db_error() {
        let detail = db.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
        return format!("{} [{}]{detail}", db.message(), db.code().code());
    }
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}

pub(crate) fn unreadable(error: CodecError) -> Error {
    Error::Corrupt { place: "a stored row".into(), reason: error.to_string() }
}
