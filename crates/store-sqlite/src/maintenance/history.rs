//! Removing history in steps of so many rows, whatever an instance has left behind: one step is what a commit may have to
//! wait for.

use crate::element_counts;
use crate::error::Outcome;
use rusqlite::{Connection, params};
use tidemill_model::Timestamp;

/// Rows that one step removes at most.
pub(super) const STEP_ROWS_MAX: usize = 1_000;

/// Everything that can be left of an instance, with what tells its rows apart. Elements come first: their counts are
/// kept in step.
const TABLES: [(&str, &str); 7] = [
    ("element_instances_history", "key"),
    ("variables_history", "key"),
    ("jobs_history", "key"),
    ("user_tasks_history", "key"),
    ("incidents_history", "key"),
    ("message_subscriptions_history", "key"),
    ("message_correlations_history", "subscription_key, message_key"),
];

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
    let most = instances_max.min(STEP_ROWS_MAX);
    let keys: Vec<i64> = statement
        .query_map(params![ended_before.0, most as i64], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let (mut rows_left, mut instances) = (STEP_ROWS_MAX, 0);
    for key in &keys {
        if !delete_up_to(connection, *key, &mut rows_left)? {
            return Ok(Purged { instances, has_more: true });
        }
        instances += 1;
    }
    Ok(Purged { instances, has_more: keys.len() == most })
}

/// One step of removing an instance. True when nothing of it is left.
pub(super) fn delete_some(connection: &Connection, instance: i64) -> Outcome<bool> {
    let mut rows_left = STEP_ROWS_MAX;
    delete_up_to(connection, instance, &mut rows_left)
}

/// The row of the instance itself goes last: as long as it is there, somebody comes back for the rest.
fn delete_up_to(connection: &Connection, instance: i64, rows_left: &mut usize) -> Outcome<bool> {
    for (table, key) in TABLES {
        if *rows_left == 0 {
            return Ok(false);
        }
        let most = *rows_left as i64;
        if table == TABLES[0].0 {
            element_counts::subtract(connection, instance, most)?;
        }
        let sql = format!(
            "DELETE FROM {table} WHERE ({key}) IN \
             (SELECT {key} FROM {table} WHERE instance_key = ?1 ORDER BY {key} LIMIT ?2)"
        );
        *rows_left -= connection.prepare_cached(&sql)?.execute(params![instance, most])?;
    }
    if *rows_left == 0 {
        return Ok(false);
    }
    *rows_left -= 1;
    connection.prepare_cached("DELETE FROM process_instances_history WHERE key = ?1")?.execute([instance])?;
    Ok(true)
}
