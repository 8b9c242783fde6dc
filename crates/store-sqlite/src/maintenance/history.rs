//! Removing history in steps of so many rows, whatever an instance has left behind: one step is what a commit may have to
//! wait for.

use crate::element_counts;
use crate::error::Outcome;
use rusqlite::{Connection, params};
use tidemill_model::entity::ElementInstance;
use tidemill_model::{Remains, Timestamp};
use tidemill_store::DELETED_ROWS_MAX;
use tidemill_store_sql::{Tables, history_tables};

/// The tables of everything that can be left of an instance but its own row, with what tells their rows apart.
/// The first of the history tables is that of instances, which is treated apart: its row says whether there is anything left.
fn tables() -> impl Iterator<Item = (&'static str, String)> {
    history_tables().into_iter().skip(1).map(|(table, key)| (table, key.join(", ")))
}

pub(super) struct Purged {
    /// Those of which nothing is left.
    pub(super) instances: usize,
    pub(super) has_more: bool,
}

/// One step of removing what has ended before this time, the oldest first.
pub(super) fn purge_some(
    connection: &Connection,
    ended_before: Timestamp,
    instances_max: usize,
) -> Outcome<Purged> {
    let mut statement = connection.prepare_cached(
        "SELECT key FROM process_instances_history WHERE ended_at < ?1 ORDER BY ended_at LIMIT ?2",
    )?;
    let most = instances_max.min(DELETED_ROWS_MAX);
    let keys: Vec<i64> = statement
        .query_map(params![ended_before.0, most as i64], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let (mut rows_left, mut instances) = (DELETED_ROWS_MAX, 0);
    // The budget is one for all instances of the step: a thousand small ones or a part of a large one take the same time.
    for key in &keys {
        if !delete_up_to(connection, *key, &mut rows_left)? {
            return Ok(Purged { instances, has_more: true });
        }
        instances += 1;
    }
    Ok(Purged { instances, has_more: keys.len() == most })
}

/// Deletes a part of an instance within a commit: the row of the instance itself, so that it is shown no longer, and the next rows
/// of what belonged to it. The follow-up of the same commit comes back for the rest.
pub(crate) fn delete_some(connection: &Connection, instance: i64) -> Outcome<()> {
    delete_instance(connection, instance)?;
    delete_belongings(connection, instance, &mut { DELETED_ROWS_MAX }).map(drop)
}

/// Counts no further than one commit deletes.
pub(crate) fn remains(connection: &Connection, instance: i64) -> Outcome<Remains> {
    let sql = "SELECT 1 FROM process_instances_history WHERE key = ?1";
    let is_ended_instance = connection.prepare_cached(sql)?.exists([instance])?;
    let mut rows = 0;
    for (table, _) in tables() {
        // One more than a commit deletes tells that there is more, without counting the rest.
        let most = DELETED_ROWS_MAX + 1 - rows;
        let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {table} WHERE instance_key = ?1 LIMIT ?2)");
        let count = |row: &rusqlite::Row<'_>| row.get::<_, usize>(0);
        rows += connection.prepare_cached(&sql)?.query_row(params![instance, most as i64], count)?;
    }
    let has_more = rows > DELETED_ROWS_MAX;
    Ok(Remains { is_ended_instance, rows: rows.min(DELETED_ROWS_MAX), has_more })
}

/// For a purge, the row of the instance itself goes last: as long as it is there, the next purge comes back for the rest.
fn delete_up_to(connection: &Connection, instance: i64, rows_left: &mut usize) -> Outcome<bool> {
    if !delete_belongings(connection, instance, rows_left)? {
        return Ok(false);
    }
    *rows_left -= 1;
    delete_instance(connection, instance)?;
    Ok(true)
}

fn delete_instance(connection: &Connection, instance: i64) -> Outcome<()> {
    connection.prepare_cached("DELETE FROM process_instances_history WHERE key = ?1")?.execute([instance])?;
    Ok(())
}

/// False where there was no room for more rows.
fn delete_belongings(connection: &Connection, instance: i64, rows_left: &mut usize) -> Outcome<bool> {
    for (table, key) in tables() {
        if *rows_left == 0 {
            return Ok(false);
        }
        let most = *rows_left as i64;
        if table == ElementInstance::HISTORY {
            // The rows must still be there, because this counts them.
            element_counts::subtract(connection, instance, most)?;
        }
        let sql = format!(
            "DELETE FROM {table} WHERE ({key}) IN \
             (SELECT {key} FROM {table} WHERE instance_key = ?1 ORDER BY {key} LIMIT ?2)"
        );
        *rows_left -= connection.prepare_cached(&sql)?.execute(params![instance, most])?;
    }
    Ok(*rows_left > 0)
}
