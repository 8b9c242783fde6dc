//! One server per file. The lock lies in a file of its own beside the database and says who holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tidemill_store::{Error, Result};

/// What every SQLite database begins with.
const HEADER: &[u8] = b"SQLite format 3\0";

/// Held until dropped; the operating system lets go of it when the process dies.
pub(crate) struct FileLock {
    _file: File,
}

impl FileLock {
    pub(crate) fn take(database: &Path) -> Result<FileLock> {
        leave_other_files_alone(database)?;
        let path = lock_path(database);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| cannot_open(&path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut by = String::new();
                // The holder's note is a courtesy: without it the refusal stands all the same.
                let _ = file.read_to_string(&mut by);
                let by =
                    if by.trim().is_empty() { "another process".to_owned() } else { by.trim().to_owned() };
                return Err(Error::Locked { path: database.to_owned(), by });
            }
            Err(TryLockError::Error(error)) => return Err(cannot_open(&path, &error)),
        }
        write_note(&mut file).map_err(|error| cannot_open(&path, &error))?;
        Ok(FileLock { _file: file })
    }
}

/// Not even a lock is laid beside a file that is no database.
fn leave_other_files_alone(path: &Path) -> Result<()> {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEADER.len() as u64).read_to_end(&mut start));
    if read.is_err() || start.is_empty() || start == HEADER {
        return Ok(());
    }
    Err(Error::Failed {
        place: path.display().to_string(),
        reason: "this is no store of Tidemill. Give it a file of its own; if it was one, restore a backup"
            .into(),
    })
}

fn lock_path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

fn write_note(file: &mut File) -> std::io::Result<()> {
    let since = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M:%SZ");
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    write!(file, "process {} (since {since})", std::process::id())
}

fn cannot_open(path: &Path, error: &std::io::Error) -> Error {
    let (place, reason) = (path.display().to_string(), error.to_string());
    match error.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            Error::ReadOnly { place, reason }
        }
        std::io::ErrorKind::StorageFull => Error::Full { place, reason },
        _ => Error::Failed { place, reason },
    }
}
