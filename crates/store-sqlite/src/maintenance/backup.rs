//! A copy of the file as it is at one moment, while work goes on: SQLite writes what one read transaction sees to a
//! new file. The log of the store cannot start over before that is done, so it grows meanwhile.

use crate::SqliteStore;
use crate::connect::{self, Role};
use crate::error::Fault;
use crate::files;
use crate::last::BACKUP;
use rusqlite::Connection;
use std::fs::File;
use std::path::{Path, PathBuf};
use tidemill_store::{Error, Result};

impl SqliteStore {
    /// The copy appears under its name only when it is whole and on disk.
    pub(super) async fn copy_to(&self, file: &Path) -> Result<()> {
        let (source, file) = (self.path.clone(), file.to_owned());
        let copy = tokio::task::spawn_blocking(move || copy(&source, &file)).await;
        copy.unwrap_or_else(|error| {
            Err(Error::Failed { place: "the backup".to_owned(), reason: error.to_string() })
        })
    }
}

fn copy(source: &Path, file: &Path) -> Result<()> {
    let unfinished = unfinished(file);
    let failed = |error: std::io::Error| Error::Failed {
        place: file.display().to_string(),
        reason: format!("the backup could not be written: {error}"),
    };
    let directory = directory_of(file);
    if let Some(reason) = obstacle(source, file, directory) {
        return Err(Error::Failed { place: file.display().to_string(), reason });
    }
    // An earlier attempt may have left a file behind.
    let _ = std::fs::remove_file(&unfinished);
    let name = unfinished.to_str().ok_or_else(|| failed(std::io::ErrorKind::InvalidFilename.into()))?;
    // SQLite writes to an empty file as it is, so that nobody else can read the copy.
    drop(files::open_private(&unfinished)?);
    // The copy has a connection of its own, because it may take minutes and searches would miss one of theirs for as long.
    let connection = connect::open(source, Role::Reader)?;
    connection.execute("VACUUM INTO ?1", [name]).map_err(|error| Fault::from(error).at(&unfinished))?;
    mark(&unfinished).map_err(|error| Fault::from(error).at(&unfinished))?;
    // The file must be on disk before it gets its name, and the directory after it. Otherwise a loss of power
    // could leave an empty file under the name of a backup.
    File::open(&unfinished).and_then(|written| written.sync_all()).map_err(failed)?;
    std::fs::rename(&unfinished, file).map_err(failed)?;
    File::open(directory).and_then(|opened| opened.sync_all()).map_err(failed)
}

/// A server that finds the copy in the place of its store knows that this is meant.
fn mark(copy: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(copy)?;
    connection.execute("INSERT OR REPLACE INTO settings VALUES (?1, 1)", [BACKUP])?;
    Ok(())
}

fn directory_of(file: &Path) -> &Path {
    file.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Why nothing new can be written there, as far as that can be told beforehand.
fn obstacle(source: &Path, file: &Path, directory: &Path) -> Option<String> {
    if is_companion(source, file) {
        // SQLite would take it for a part of the store: a journal is played back into it with the next start.
        Some("this name belongs to the store itself; name another file".to_owned())
    } else if file.is_dir() {
        Some("it is a directory; name a new file in it".to_owned())
    } else if file.exists() {
        Some("it exists, and a backup overwrites nothing; name a new file".to_owned())
    } else if !directory.is_dir() {
        Some(format!("there is no directory {} on the server's machine; make it first", directory.display()))
    } else {
        None
    }
}

fn unfinished(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".unfinished");
    name.into()
}

/// True if the name is one of those that belong to the store, under whatever path.
fn is_companion(source: &Path, file: &Path) -> bool {
    let is_same = |other: &Path| files::real_path(file).is_ok_and(|file| file == other);
    is_same(source) || files::COMPANIONS.iter().any(|suffix| is_same(&files::beside(source, suffix)))
}
