//! From SQLite's codes to errors that say what to do.

use rusqlite::ffi::ErrorCode;
use std::path::Path;
use tidemill_model::EntityKind;
use tidemill_store::{CodecError, Culprit, Error};

/// An error of SQLite as it was met; the place is added where it is known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Store(#[from] Error),
    #[error(transparent)]
    Codec(#[from] CodecError),
    #[error("{kind:?} {key}: {source}")]
    Row { kind: EntityKind, key: i64, source: rusqlite::Error },
}

pub(crate) type Outcome<T> = std::result::Result<T, Fault>;

impl Fault {
    pub(crate) fn at(self, path: &Path) -> Error {
        let place = path.display().to_string();
        match self {
            Fault::Store(error) => error,
            // The bytes were written by this program: if they cannot be read, the file is damaged.
            Fault::Codec(error) => Error::Corrupt { place, reason: error.to_string() },
            Fault::Sqlite(error) => classify(place, &error, None),
            Fault::Row { kind, key, source } => classify(place, &source, Some(Culprit { kind, key })),
        }
    }
}

fn classify(place: String, error: &rusqlite::Error, culprit: Option<Culprit>) -> Error {
    let reason = error.to_string();
    match error.sqlite_error_code() {
        // SQLite has undone the transaction and the file is as it was, so the same work is tried again until there is room.
        Some(ErrorCode::DiskFull) => Error::FullForNow {
            place,
            reason: format!(
                "{reason}. Free some space on its disk; nothing that was answered is lost, and work goes on by itself"
            ),
        },
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            Error::ReadOnly { place, reason }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Corrupt { place, reason },
        // The row itself is at fault, and so would be the next try. The partition puts aside the command that has made it.
        Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch) => {
            Error::Refused { culprit, reason }
        }
        // This is fatal, because after a failed sync nobody knows which pages have reached the disk.
        Some(ErrorCode::SystemIoFailure) => Error::Io { place, reason },
        // This is not fatal: a backup tool or a shell that holds the file lets go of it again.
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::Locked { path: place.into(), by: format!("another program ({reason})") }
        }
        _ => Error::Failed { place, reason },
    }
}
