//! Opening a file: whose it is, which version it has, and how many partitions it was made with.

use crate::error::{Fault, Outcome};
use crate::migrations;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;
use tidemill_model::PartitionCount;
use tidemill_store::{Error, Result};

/// "Tide" in the header of the file, so that a file of another program is not taken for a store.
const APPLICATION_ID: i64 = 0x5469_6465;

/// The order matters: whether the file is ours is settled before anything is written to it, and its version
/// before a migration runs.
pub(crate) fn prepare(connection: &mut Connection, path: &Path, partitions: PartitionCount) -> Result<()> {
    check_owner(connection, path).map_err(|fault| fault.at(path))?;
    check_version(connection, path).map_err(|fault| fault.at(path))?;
    if let Some((found, known)) = older_version(connection).map_err(|fault| fault.at(path))? {
        let mb = std::fs::metadata(path).map_or(0, |file| file.len() >> 20);
        tracing::info!(file = %path.display(), "bringing a file of {mb} MB from version {found} to {known}: indexes may be \
             built, which takes some seconds per million instances");
    }
    migrations::run(connection, path).map_err(|fault| fault.at(path))?;
    check_partitions(connection, path, partitions).map_err(|fault| fault.at(path))?;
    end_leases(connection).map_err(|fault| fault.at(path))
}

/// The holders of all partitions are dead, because this process has the lock on the file: nobody has to wait for a
/// lease to run out.
fn end_leases(connection: &Connection) -> Outcome<()> {
    connection.execute("UPDATE partitions SET expires_at = 0 WHERE holder IS NOT NULL", [])?;
    // The nodes of the file were starts of this same server, and all of them have ended.
    connection.execute("DELETE FROM nodes", [])?;
    Ok(())
}

fn check_owner(connection: &Connection, path: &Path) -> Outcome<()> {
    let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if id == APPLICATION_ID {
        return Ok(());
    }
    // An empty file has the id 0 as well, and so has a database of somebody who never set one. Only tables tell them apart.
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if id != 0 || tables > 0 {
        return Err(Fault::Store(Error::Failed {
            place: path.display().to_string(),
            reason: "this is the database of another program. Give Tidemill a file of its own".into(),
        }));
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(())
}

/// The version of the file and that of this program, where the file is older.
fn older_version(connection: &Connection) -> Outcome<Option<(u32, u32)>> {
    let known = migrations::known_version();
    Ok(migrations::found_version(connection)?.filter(|found| *found < known).map(|found| (found, known)))
}

/// Before migrations run: an older server must not write into a schema that it does not know.
fn check_version(connection: &Connection, path: &Path) -> Outcome<()> {
    let known = migrations::known_version();
    match migrations::found_version(connection)? {
        Some(found) if found > known => {
            Err(Fault::Store(Error::NewerSchema { place: path.display().to_string(), found, known }))
        }
        _ => Ok(()),
    }
}

/// The number of partitions is fixed when the file is made, because keys and correlation keys lead to partitions by it.
fn check_partitions(connection: &mut Connection, path: &Path, asked: PartitionCount) -> Outcome<()> {
    let transaction = connection.transaction()?;
    let found: Option<u16> = transaction
        .query_row("SELECT value FROM settings WHERE name = 'partitions'", [], |row| row.get(0))
        .optional()?;
    match found {
        Some(found) if found != asked.0 => {
            return Err(Fault::Store(Error::OtherPartitionCount {
                place: path.display().to_string(),
                found,
                asked: asked.0,
            }));
        }
        Some(_) => {}
        None => {
            transaction.execute("INSERT INTO settings VALUES ('partitions', ?1)", [asked.0])?;
            transaction.execute("INSERT INTO settings VALUES ('definitions_version', 0)", [])?;
            for partition in asked.ids() {
                transaction.execute(
                    // A new partition counts as released, because nobody has died here: the first owner need
                    // not look for a command that kills. Keys begin with 1, so that 0 can stand for "none".
                    "INSERT INTO partitions (partition_id, epoch, next_key, was_released) VALUES (?1, 0, 1, 1)",
                    [partition.0],
                )?;
            }
        }
    }
    transaction.commit()?;
    Ok(())
}
