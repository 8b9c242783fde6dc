//! The number of the last batch, kept beside the store, so that a store which has lost batches does not pass for whole.
//! It is written without a sync behind every commit: it may fall behind the store, but is never ahead of it.

use crate::error::Fault;
use crate::files;
use rusqlite::{Connection, OptionalExtension};
use std::cell::Cell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use tidemill_store::{Error, Result};

const SUFFIX: &str = ".last";
const INTRODUCTION: &str = "the last batch of this store: ";
/// A setting of copies: whoever puts one in the place of a store wants to go back.
pub(crate) const BACKUP: &str = "is_backup";

/// SQLite drops what it cannot read at the end of its log without a word, so only a number beside the store can tell that something is
/// missing.
pub(crate) struct LastBatch {
    file: File,
    /// Spares a write behind transactions without a batch, such as appends to the inbox.
    written: Cell<i64>,
}

/// Refuses to make a new store where one has been.
pub(crate) fn refuse_emptied(database: &Path) -> Result<()> {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    if size(database) > 0 {
        return Ok(());
    }
    let (last, log) = (files::beside(database, SUFFIX), files::beside(database, "-wal"));
    if last.exists() {
        let state = if database.exists() { "it is empty" } else { "it is missing" };
        return Err(Error::Failed {
            place: database.display().to_string(),
            reason: format!(
                "{state}, but a store has been here. Put it back, or restore a backup in its place; to begin with a \
                 new store, delete {}",
                last.display()
            ),
        });
    }
    if size(&log) > 0 {
        return Err(Error::Failed {
            place: database.display().to_string(),
            reason: format!(
                "it is empty or missing, but its log {} is there. Put the store back, or restore a backup in its \
                 place; to begin with a new store, delete the log",
                log.display()
            ),
        });
    }
    Ok(())
}

impl LastBatch {
    /// Compares what was noted with what the store has.
    pub(crate) fn open(connection: &Connection, database: &Path) -> Result<LastBatch> {
        let fault = |error: rusqlite::Error| Fault::from(error).at(database);
        let found = newest(connection).map_err(fault)?;
        let path = files::beside(database, SUFFIX);
        // A note that cannot be read counts as none: a crash may have torn it, and it proves nothing then.
        let noted = std::fs::read_to_string(&path).ok().and_then(|text| number(&text));
        let is_backup = take_backup_mark(connection).map_err(fault)?;
        if let Some(noted) = noted.filter(|noted| *noted > found && !is_backup) {
            return Err(Error::Failed {
                place: database.display().to_string(),
                reason: format!(
                    "it ends with batch {found}, but batch {noted} was written and answered. The last part of it is \
                     lost, as by a damaged log ({}) or by an older copy of the file. Restore what is missing; to go on \
                     without it, delete {}",
                    files::beside(database, "-wal").display(),
                    path.display()
                ),
            });
        }
        let last = LastBatch { file: files::open_private(&path)?, written: Cell::new(-1) };
        last.note(found);
        // From here on it is known that there is a store.
        last.file.sync_all().map_err(|error| files::cannot_open(&path, &error))?;
        Ok(last)
    }

    /// To be called when the batch is durable. A failure leaves an older number, which is true as well.
    pub(crate) fn note(&self, number: i64) {
        if number != self.written.replace(number) {
            // Twenty digits, so that every number overwrites the whole one before it. It is not synced,
            // because a second sync would double the cost of a commit.
            let _ = self.file.write_all_at(format!("{INTRODUCTION}{number:020}\n").as_bytes(), 0);
        }
    }
}

/// The number never falls, because purges keep the last batch of each partition and of each shard.
pub(crate) fn newest(connection: &Connection) -> rusqlite::Result<i64> {
    // Batches of both kinds are counted, because either may be the only one that a store writes.
    connection
        .prepare_cached(
            "SELECT ifnull((SELECT max(number) FROM batches), 0) + ifnull((SELECT max(number) FROM timer_batches), 0)",
        )?
        .query_row([], |row| row.get(0))
}

fn number(text: &str) -> Option<i64> {
    text.strip_prefix(INTRODUCTION)?.trim().parse().ok()
}

/// The first server on a restored backup takes the mark away.
/// If the mark stayed, every later loss of batches would pass for a restored backup.
fn take_backup_mark(connection: &Connection) -> rusqlite::Result<bool> {
    let mark: Option<i64> = connection
        .query_row("SELECT value FROM settings WHERE name = ?1", [BACKUP], |row| row.get(0))
        .optional()?;
    if mark.is_some() {
        connection.execute("DELETE FROM settings WHERE name = ?1", [BACKUP])?;
    }
    Ok(mark.is_some())
}
