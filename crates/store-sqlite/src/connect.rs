//! Connections and their settings.

use crate::error::Fault;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;
use tidemill_store::Result;

/// Readers open the file read-only, so that no defect of a search can write past the writer and the fence that it checks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Writer,
    Checkpointer,
    Reader,
}

/// Statements that a connection keeps prepared; searches come in many shapes.
const STATEMENTS_KEPT: usize = 256;

/// Of a new file; an old one keeps its own. A commit writes whole pages, and most of those it touches are at the edge
/// of a table where little has changed: larger ones would write twice as much.
const PAGE_BYTES: u64 = 4096;

/// The part of the file that a connection keeps in memory. A commit that has moved pages of a tree (most
/// have) makes SQLite look at every page it keeps: 14,000 of them cost a tenth of a millisecond in each
/// commit, and far more on a busy machine. A page that is missing here is one read from the system's cache away.
const CACHE_KIB: i64 = 16 << 10;

pub(crate) fn open(path: &Path, role: Role) -> Result<Connection> {
    connect(path, role).map_err(|error| Fault::from(error).at(path))
}

fn connect(path: &Path, role: Role) -> rusqlite::Result<Connection> {
    let flags = match role {
        Role::Writer => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        Role::Checkpointer => OpenFlags::SQLITE_OPEN_READ_WRITE,
        Role::Reader => OpenFlags::SQLITE_OPEN_READ_ONLY,
    };
    // SQLite's own mutex is not needed: one thread at a time uses a connection, which the types already ensure.
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    // A checkpoint holds up others for a moment only. Without a time-out such a moment would be an error.
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // Negative: in KiB, not in pages.
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    // Sorting large results must not write files beside the store, where there may be no room.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    match role {
        Role::Writer => {
            connection.pragma_update(None, "page_size", PAGE_BYTES)?;
            // With a write-ahead log readers see a fixed state while the writer goes on, and neither waits for the other.
            connection.pragma_update(None, "journal_mode", "WAL")?;
            // Every commit is synced: an answered command must survive a loss of power.
            connection.pragma_update(None, "synchronous", "FULL")?;
            // Checkpoints are made by a thread of their own. Made by a commit, they would hold up whoever waits for that one.
            connection.pragma_update(None, "wal_autocheckpoint", 0)?;
            // A log that has grown under load gives its room back to the disk.
            connection.pragma_update(None, "journal_size_limit", 256 << 20)?;
        }
        // The database must be on disk before the log may start over. Otherwise a loss of power could leave commits in neither.
        Role::Checkpointer => connection.pragma_update(None, "synchronous", "FULL")?,
        // Only reads take lists as parameters (`rarray`).
        Role::Reader => rusqlite::vtab::array::load_module(&connection)?,
    }
    Ok(connection)
}

/// Beyond this size the file counts as full.
pub(crate) fn limit_size(connection: &Connection, path: &Path, bytes: u64) -> Result<()> {
    let limit = || -> rusqlite::Result<()> {
        let page_bytes: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        // SQLite counts in pages, and an existing file may have another page size than new ones get.
        let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page_bytes.max(1);
        connection.pragma_update(None, "max_page_count", pages.max(1))
    };
    limit().map_err(|error| Fault::from(error).at(path))
}
