//! The retention that operators have set.

use crate::error::Outcome;
use rusqlite::{Connection, OptionalExtension, params};
use tidemill_store::{Kept, Retention};

const HISTORY: &str = "history_retention_ms";
const LOG: &str = "log_retention_ms";

pub(super) fn read(connection: &Connection) -> Outcome<Retention> {
    let value = |name: &str| -> Outcome<Option<Kept>> {
        let mut statement = connection.prepare_cached("SELECT value FROM settings WHERE name = ?1")?;
        let millis: Option<i64> = statement.query_row([name], |row| row.get(0)).optional()?;
        Ok(millis.map(Kept::from_millis))
    };
    Ok(Retention { history: value(HISTORY)?, log: value(LOG)? })
}

pub(super) fn set(connection: &Connection, retention: Retention) -> Outcome<()> {
    for (name, kept) in [(HISTORY, retention.history), (LOG, retention.log)] {
        match kept {
            Some(kept) => connection.execute(
                "INSERT OR REPLACE INTO settings VALUES (?1, ?2)",
                params![name, kept.to_millis()],
            )?,
            // No row means that operators have set nothing, which differs from "keep for ever" (-1).
            None => connection.execute("DELETE FROM settings WHERE name = ?1", [name])?,
        };
    }
    Ok(())
}
