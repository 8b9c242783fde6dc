//! What can go wrong in a store, told so that an operator knows the place and the remedy.

use std::path::PathBuf;
use tidemill_model::{EntityKind, PartitionId};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody else owns the partition now: drop what is in memory.
    #[error("partition {partition} is owned by another holder (epoch {epoch} is over); nothing was written")]
    Fenced { partition: PartitionId, epoch: u64 },

    /// One row cannot be stored. The batch was rolled back; it goes through without the culprit.
    #[error("the store refuses {}: {reason}", culprit.as_ref().map_or("a row of this batch".to_owned(), ToString::to_string))]
    Refused { culprit: Option<Culprit>, reason: String },

    /// The commit may or may not have happened. Acquire the partition again, then ask for the batch by its id.
    #[error("it is not known whether the commit took place: {reason}")]
    OutcomeUnknown { reason: String },

    #[error("{place} is damaged: {reason}. Nothing more is written. Stop the server and restore a backup")]
    Corrupt { place: String, reason: String },

    #[error(
        "no space left for {place}: {reason}. Free some space and start the server again; nothing committed is lost"
    )]
    Full { place: String, reason: String },

    #[error(
        "{place} cannot be written: {reason}. Give the server write access to the file and its directory"
    )]
    ReadOnly { place: String, reason: String },

    #[error("{place} could not be read or written: {reason}. Check the disk and start the server again")]
    Io { place: String, reason: String },

    #[error("{} is in use by {by}. Stop that server first, or give this one another file", path.display())]
    Locked { path: PathBuf, by: String },

    #[error(
        "{place} was written by a newer Tidemill (schema {found}; this one knows up to {known}). Use that version or a newer one"
    )]
    NewerSchema { place: String, found: u32, known: u32 },

    #[error(
        "{place} was made with {found} partitions, but {asked} are configured. Set partitions = {found}; the number is fixed for the life of a store"
    )]
    OtherPartitionCount { place: String, found: u16, asked: u16 },

    /// The store cannot be reached just now. Nothing is lost; it is tried again.
    #[error("{place} cannot be reached: {reason}")]
    Unavailable { place: String, reason: String },

    /// The cursor is not one that this sort has given out.
    #[error("the cursor '{0}' does not belong to this search")]
    BadCursor(String),

    #[error("the read took longer than {limit_ms} ms and was given up; use a narrower filter")]
    TooSlow { limit_ms: u64 },

    #[error("the store is closed: {0}")]
    Closed(String),

    #[error("{place}: {reason}")]
    Failed { place: String, reason: String },
}

impl Error {
    /// Nothing can be written any more until somebody has repaired the store.
    pub fn is_fatal(&self) -> bool {
        matches!(
            self,
            Error::Corrupt { .. }
                | Error::Full { .. }
                | Error::ReadOnly { .. }
                | Error::Io { .. }
                | Error::Closed(_)
        )
    }
}

/// The entity that a store cannot take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Culprit {
    pub kind: EntityKind,
    pub key: i64,
}

impl std::fmt::Display for Culprit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}", self.kind, self.key)
    }
}
