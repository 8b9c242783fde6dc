//! One server per file, by whatever name it is called: the file itself is locked, not only a file beside it. The file
//! beside it says who holds the lock.

use crate::files;
use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use tidemill_store::{Error, Result};

/// The bytes that every SQLite database begins with.
const HEADER: &[u8] = b"SQLite format 3\0";

/// Which file a name leads to: device and number.
pub(crate) type Identity = (u64, u64);

/// The files that this process has open. SQLite loses its own locks on a file when the process closes that file anywhere, so it
/// must not even be looked into a second time.
static OPEN: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// Held until dropped; the operating system lets go of it when the process dies. The lock is of the kind
/// `flock`, which does not meet the record locks that SQLite itself lays on the file.
pub(crate) struct FileLock {
    pub(crate) identity: Identity,
    /// Closed before `OPEN` forgets the file.
    files: Option<(File, File)>,
}

impl FileLock {
    /// `database` must be the real path. The file is made if it is missing.
    pub(crate) fn take(database: &Path) -> Result<FileLock> {
        if let Ok(identity) = identity(database)
            && OPEN.lock().expect("nobody panics with it").contains(&identity)
        {
            return Err(Error::Locked { path: database.to_owned(), by: holder(database) });
        }
        // This opens and closes the file, so it must come after the look into `OPEN`.
        leave_other_files_alone(database)?;
        let path = files::beside(database, ".lock");
        let mut note = files::open_private(&path)?;
        lock(&note, &path, database)?;
        // A hard link gives the file a second name with another `.lock` beside it. Only the lock on the file itself meets both.
        let file = files::open_private(database)?;
        lock(&file, database, database)?;
        let identity = identity(database).map_err(|error| files::cannot_open(database, &error))?;
        write_note(&mut note).map_err(|error| files::cannot_open(&path, &error))?;
        OPEN.lock().expect("nobody panics with it").insert(identity);
        Ok(FileLock { identity, files: Some((file, note)) })
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        self.files.take();
        OPEN.lock().expect("nobody panics with it").remove(&self.identity);
    }
}

pub(crate) fn identity(path: &Path) -> std::io::Result<Identity> {
    std::fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

fn lock(file: &File, path: &Path, database: &Path) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(Error::Locked { path: database.to_owned(), by: holder(database) })
        }
        Err(TryLockError::Error(error)) => Err(files::cannot_open(path, &error)),
    }
}

/// The holder's note is a courtesy: without it the refusal stands all the same.
fn holder(database: &Path) -> String {
    let note = std::fs::read_to_string(files::beside(database, ".lock")).unwrap_or_default();
    if note.trim().is_empty() { "another process".to_owned() } else { note.trim().to_owned() }
}

/// Not even a lock is laid beside a file that is no database.
fn leave_other_files_alone(path: &Path) -> Result<()> {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEADER.len() as u64).read_to_end(&mut start));
    // A file that is missing or empty becomes a store; an error of this read comes again with the open that follows.
    if read.is_err() || start.is_empty() || start == HEADER {
        return Ok(());
    }
    Err(Error::Failed {
        place: path.display().to_string(),
        reason: "this is no store of Tidemill. Give it a file of its own; if it was one, restore a backup"
            .into(),
    })
}

fn write_note(file: &mut File) -> std::io::Result<()> {
    let since = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M:%SZ");
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    write!(file, "process {} (since {since})", std::process::id())
}
