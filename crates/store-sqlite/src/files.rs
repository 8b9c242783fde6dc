//! The files of a store: where they really lie, and that only their owner can read them.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tidemill_store::{Error, Result};

/// Variables and messages of all tenants lie in these files, so no other user of the machine may read them.
const OWNER_ONLY: u32 = 0o600;
/// The files that SQLite and this store lay beside the database.
/// A backup must not take one of these names, and permissions are set on all of them.
pub(crate) const COMPANIONS: [&str; 5] = ["-wal", "-shm", "-journal", ".lock", ".last"];

/// The path without links, so that one file has one name. The file itself may be missing.
pub(crate) fn real_path(path: &Path) -> Result<PathBuf> {
    let whole = match path.canonicalize() {
        // A link that leads nowhere would be followed to a new store in a place that nobody has named.
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => {
            let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let directory = directory.unwrap_or(Path::new(".")).canonicalize();
            directory.map(|directory| directory.join(path.file_name().unwrap_or(OsStr::new("."))))
        }
        whole => whole,
    };
    whole.map_err(|error| cannot_open(path, &error))
}

pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Opens a file, or makes one that only its owner can read.
pub(crate) fn open_private(path: &Path) -> Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(OWNER_ONLY)
        .open(path)
        .map_err(|error| cannot_open(path, &error))
}

/// Earlier versions left the files to be read by everybody. SQLite makes its own like the database.
pub(crate) fn close_to_others(database: &Path) -> Result<()> {
    let companions = COMPANIONS.iter().map(|suffix| beside(database, suffix));
    for path in companions.chain([database.to_owned()]) {
        let Ok(metadata) = std::fs::metadata(&path) else { continue };
        if metadata.permissions().mode() & 0o077 != 0 {
            std::fs::set_permissions(&path, Permissions::from_mode(OWNER_ONLY))
                .map_err(|error| cannot_open(&path, &error))?;
        }
    }
    Ok(())
}

pub(crate) fn cannot_open(path: &Path, error: &std::io::Error) -> Error {
    let (place, reason) = (path.display().to_string(), error.to_string());
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Error::ReadOnly { place, reason },
        // Unlike a disk that fills up under a running server, this stops the start: nothing waits that could be tried again.
        ErrorKind::StorageFull => Error::Full { place, reason },
        _ => Error::Failed { place, reason },
    }
}
