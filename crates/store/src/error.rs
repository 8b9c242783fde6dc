//! Errors of a store. Each names the place and the remedy for an operator.

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

    /// A partition that went on would build on rows that are missing or wrong, so all writing ends.
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

    /// After a failed sync nobody knows what is on disk, so writing again could lose what was answered.
    #[error("{place} could not be read or written: {reason}. Check the disk and start the server again")]
    Io { place: String, reason: String },

    /// A server keeps rows in memory that it alone changes: a second one on the same file would work on old rows.
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

    /// The store is short of space, memory or connections just now. Nothing was written; it is tried again.
    #[error("{place} has no room just now: {reason}")]
    FullForNow { place: String, reason: String },

    /// The cursor is not one that this sort has given out.
    #[error("the cursor '{0}' does not belong to this search")]
    BadCursor(String),

    /// A search of one client must not keep a connection from all others.
    #[error("the read took longer than {limit_ms} ms and was given up; use a narrower filter")]
    TooSlow { limit_ms: u64 },

    #[error(
        "the items of the page have more than {} MB of text; ask for fewer items (page.limit)",
        bytes_max >> 20
    )]
    PageTooLarge { bytes_max: usize },

    #[error("the store is closed: {0}")]
    Closed(String),

    #[error("{place}: {reason}")]
    Failed { place: String, reason: String },
}

impl Error {
    /// Nothing can be written any more until somebody has repaired the store.
    /// A partition stops at such an error. At any other it takes itself again and goes on.
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

impl Error {
    /// The part of the error that a client may know. Paths, addresses and the words of databases are for operators, who find them in the
    /// log.
    pub fn for_clients(&self) -> String {
        match self {
            Error::BadCursor(_) | Error::TooSlow { .. } | Error::PageTooLarge { .. } => self.to_string(),
            Error::Fenced { partition, .. } => format!("partition {partition} has another owner now"),
            Error::Refused { culprit: Some(culprit), .. } => format!("the store refuses {culprit}"),
            Error::Refused { culprit: None, .. } => "the store refuses a part of it".to_owned(),
            Error::OutcomeUnknown { .. } => "it is not known whether the commit took place".to_owned(),
            Error::Unavailable { .. } => "the store cannot be reached just now".to_owned(),
            Error::FullForNow { .. } => "the store has no room just now".to_owned(),
            error if error.is_fatal() => {
                "the store writes nothing more until an operator has repaired it; the log of the server tells why"
                    .to_owned()
            }
            _ => "the store failed; the log of the server tells why".to_owned(),
        }
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

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn clients_learn_neither_places_nor_statements() {
        let (place, reason) = ("/data/tidemill.db".to_owned(), "near \"x\": error in SELECT x".to_owned());
        let path = std::path::PathBuf::from(&place);
        for error in [
            Error::Refused { culprit: None, reason: reason.clone() },
            Error::OutcomeUnknown { reason: reason.clone() },
            Error::Corrupt { place: place.clone(), reason: reason.clone() },
            Error::Full { place: place.clone(), reason: reason.clone() },
            Error::ReadOnly { place: place.clone(), reason: reason.clone() },
            Error::Io { place: place.clone(), reason: reason.clone() },
            Error::Locked { path, by: reason.clone() },
            Error::NewerSchema { place: place.clone(), found: 2, known: 1 },
            Error::OtherPartitionCount { place: place.clone(), found: 2, asked: 1 },
            Error::Unavailable { place: place.clone(), reason: reason.clone() },
            Error::FullForNow { place: place.clone(), reason: reason.clone() },
            Error::Closed(format!("{place}: {reason}")),
            Error::Failed { place: place.clone(), reason: reason.clone() },
        ] {
            let told = error.for_clients();
            assert!(!told.contains('/') && !told.contains("SELECT"), "{error:?} is told as: {told}");
        }
    }
}
