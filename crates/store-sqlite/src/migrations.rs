//! Forward migrations of the file. A few lines of our own instead of a crate for many databases, which would bring forty others along.
//! The table of versions is the one that the crate of earlier versions has made, so that their files go on.

use crate::error::{Fault, Outcome};
use rusqlite::{Connection, OptionalExtension, params};
use siphasher::sip::SipHasher13;
use std::hash::{Hash, Hasher};
use std::path::Path;
use tidemill_store::Error;

struct Migration {
    name: &'static str,
    sql: &'static str,
}

const fn migration(name: &'static str, sql: &'static str) -> Migration {
    Migration { name, sql }
}

/// In order; the n-th brings the file to version n.
const MIGRATIONS: &[Migration] = &[
    migration("tables", include_str!("../migrations/V1__tables.sql")),
    migration("in_hand", include_str!("../migrations/V2__in_hand.sql")),
    migration("searches", include_str!("../migrations/V3__searches.sql")),
    migration("timer_shards", include_str!("../migrations/V4__timer_shards.sql")),
];

/// The name and the columns are those of the crate `refinery`.
const VERSIONS: &str = "CREATE TABLE IF NOT EXISTS refinery_schema_history (version int4 PRIMARY KEY, \
    name VARCHAR(255), applied_on VARCHAR(255), checksum VARCHAR(255))";

pub(crate) fn known_version() -> u32 {
    MIGRATIONS.len() as u32
}

/// None for a new file.
pub(crate) fn found_version(connection: &Connection) -> Outcome<Option<u32>> {
    let has_history: bool = connection.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE name = 'refinery_schema_history'",
        [],
        |row| row.get(0),
    )?;
    if !has_history {
        return Ok(None);
    }
    let sql = "SELECT max(version) FROM refinery_schema_history";
    Ok(connection.query_row(sql, [], |row| row.get(0)).optional()?.flatten())
}

/// Each migration is one transaction with the note of its version: a server that dies here goes on with the next one.
pub(crate) fn run(connection: &mut Connection, path: &Path) -> Outcome<()> {
    connection.execute(VERSIONS, [])?;
    for (n, migration) in MIGRATIONS.iter().enumerate() {
        let version = n as i32 + 1;
        let checksum = migration.checksum(version).to_string();
        // SQLite undoes changes of tables and indexes with the transaction, so a migration that fails halfway leaves nothing.
        let transaction = connection.transaction()?;
        let sql = "SELECT checksum FROM refinery_schema_history WHERE version = ?1";
        let applied: Option<String> = transaction.query_row(sql, [version], |row| row.get(0)).optional()?;
        match applied {
            // A migration that was changed after it had run would leave two kinds of files under one version.
            Some(applied) if applied != checksum => {
                let reason =
                    format!("its version {version} ('{}') is not that of this program", migration.name);
                return Err(Fault::Store(Error::Failed { place: path.display().to_string(), reason }));
            }
            Some(_) => continue,
            None => {}
        }
        transaction.execute_batch(migration.sql)?;
        transaction.execute(
            "INSERT INTO refinery_schema_history VALUES (?1, ?2, ?3, ?4)",
            params![version, migration.name, jiff::Timestamp::now().to_string(), checksum],
        )?;
        transaction.commit()?;
    }
    Ok(())
}

impl Migration {
    /// As files of earlier versions have it.
    fn checksum(&self, version: i32) -> u64 {
        // The hasher of the standard library promises no fixed results between versions; this one does.
        let mut hasher = SipHasher13::new();
        self.name.hash(&mut hasher);
        version.hash(&mut hasher);
        self.sql.hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::MIGRATIONS;

    /// As they stand in files that earlier versions have made. A migration that was published is never changed.
    #[test]
    fn checksums_are_those_of_existing_files() {
        let checksums: Vec<u64> =
            MIGRATIONS.iter().enumerate().map(|(n, migration)| migration.checksum(n as i32 + 1)).collect();
        assert_eq!(
            checksums,
            [5801219988694128121, 3224503952418545280, 5814538564902927304, 14686596783095979240]
        );
    }
}
