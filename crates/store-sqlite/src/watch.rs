//! Watches whether the files of a store are still those that the server has opened. Data that is written to a
//! file without a name is gone when the server ends.

use crate::files;
use crate::lock::{self, Identity};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tidemill_store::Error;

/// Besides the database: its log, the index of the log, and the number of the last batch. SQLite keeps the first two for
/// as long as it has the database open.
const WATCHED: [&str; 3] = ["-wal", "-shm", ".last"];

pub(crate) struct Watch {
    database: (PathBuf, Identity),
    companions: Vec<(PathBuf, Identity)>,
}

/// A file that is no longer what it was.
/// The two differ in what can be saved: without a name for the database there is nowhere to save the log to.
pub(crate) enum Missing {
    Database(PathBuf),
    Companion(PathBuf),
}

impl Watch {
    /// To be made when all of them are open.
    pub(crate) fn new(database: &Path, identity: Identity) -> Watch {
        let companions = WATCHED.iter().map(|suffix| files::beside(database, suffix));
        // A file that is not there yet cannot be watched. SQLite makes its own with the first write, which has happened by now.
        let companions = companions.filter_map(|path| Some((path.clone(), lock::identity(&path).ok()?)));
        Watch { database: (database.to_owned(), identity), companions: companions.collect() }
    }

    pub(crate) fn missing(&self) -> Option<Missing> {
        if !is_still(&self.database) {
            return Some(Missing::Database(self.database.0.clone()));
        }
        let companion = self.companions.iter().find(|companion| !is_still(companion))?;
        Some(Missing::Companion(companion.0.clone()))
    }
}

/// Only a name that leads elsewhere counts: a look that fails says nothing.
fn is_still((path, identity): &(PathBuf, Identity)) -> bool {
    match lock::identity(path) {
        Ok(found) => found == *identity,
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

impl Missing {
    pub(crate) fn error(&self) -> Error {
        let (path, remedy) = match self {
            Missing::Database(path) => (path, "put the store back or restore a backup"),
            Missing::Companion(path) => (
                path,
                "remove what stands in its place, and start it again: what was written is in the database itself, and \
                 a start that finds it incomplete says so",
            ),
        };
        let reason = format!(
            "it was removed or replaced while the server works. Nothing more is written. Stop the server, {remedy}"
        );
        Error::Failed { place: path.display().to_string(), reason }
    }
}
