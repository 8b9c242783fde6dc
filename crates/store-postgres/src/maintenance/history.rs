//! Statements that delete history in pieces: so many rows of each table and instance, whatever an instance has left
//! behind. A commit runs them once, a purge again and again.

use crate::call::{Call, Param};
use crate::periods::belonging_tables;
use tidemill_model::{ProcessInstanceKey, Remains};
use tidemill_store::DELETED_ROWS_MAX;
use tokio_postgres::Row;

/// Rows are found by instance and deleted by their place. The same place in another day is another row: it goes only if
/// it belongs to one of the instances as well. The condition on the instance must not lead to its index, which would
/// read all rows of a large instance for each piece.
fn delete_from(table: &str) -> String {
    format!(
        "DELETE FROM {table} WHERE ctid = ANY(ARRAY(SELECT x.place FROM unnest($1::bigint[]) k \
         CROSS JOIN LATERAL (SELECT ctid AS place FROM {table} WHERE instance_key = k LIMIT $2) x)) \
         AND instance_key + 0 = ANY($1)"
    )
}

/// The next rows of what belonged to these instances, one statement per table. Each gives the number of rows that are
/// gone. Counts of elements follow what was deleted here, so that whoever deletes the same row takes it off once.
pub(crate) fn delete_belongings(instances: &[i64]) -> Vec<Call<'static>> {
    let statement = |table: &str| {
        let delete = delete_from(table);
        match table {
            "element_instances_history" => format!(
                "WITH gone AS ({delete} RETURNING partition_id, definition_key, element_id, state), \
                 counted AS (INSERT INTO element_counts (partition_id, definition_key, element_id, state, count) \
                 SELECT partition_id, definition_key, element_id, state, -count(*) FROM gone GROUP BY 1, 2, 3, 4) \
                 SELECT count(*) FROM gone"
            ),
            _ => format!("WITH gone AS ({delete} RETURNING 1) SELECT count(*) FROM gone"),
        }
    };
    let params = || [instances.to_vec().into(), Param::from(DELETED_ROWS_MAX as i64)];
    belonging_tables().map(|table| Call::once(statement(table), params())).collect()
}

/// The rows of the instances themselves; gives one row for each.
pub(crate) fn delete_instances(instances: &[i64]) -> Call<'static> {
    let sql = "DELETE FROM process_instances_history WHERE key = ANY($1) \
        AND partition_id = ANY(ARRAY(SELECT (k >> 51)::smallint FROM unnest($1::bigint[]) k)) RETURNING 1";
    Call::once(sql, [instances.to_vec().into()])
}

/// Deletes a part of ended instances within a commit: their own rows, so that they are shown no longer, and the next rows of what
/// belonged to them.
pub(crate) fn delete_some(instances: &[ProcessInstanceKey]) -> Vec<Call<'static>> {
    if instances.is_empty() {
        return Vec::new();
    }
    let keys: Vec<i64> = instances.iter().map(|instance| instance.0).collect();
    let mut calls = vec![delete_instances(&keys)];
    calls.extend(delete_belongings(&keys));
    calls
}

/// For each instance: its key, whether its own row is there, and how many others, counted no further than one more than
/// a commit deletes.
pub(crate) fn remains_call(instances: &[ProcessInstanceKey]) -> Call<'static> {
    let counts: Vec<String> = belonging_tables()
        .map(|table| {
            format!("(SELECT count(*) FROM (SELECT 1 FROM {table} WHERE instance_key = k LIMIT $2) x)")
        })
        .collect();
    let sql = format!(
        "SELECT k, EXISTS (SELECT 1 FROM process_instances_history \
         WHERE partition_id = (k >> 51)::smallint AND key = k), {} FROM unnest($1::bigint[]) k",
        counts.join(" + ")
    );
    let keys: Vec<i64> = instances.iter().map(|instance| instance.0).collect();
    Call::once(sql, [keys.into(), Param::from(DELETED_ROWS_MAX as i64 + 1)])
}

pub(crate) fn remains(row: &Row) -> Remains {
    let rows = usize::try_from(row.get::<_, i64>(2)).unwrap_or_default();
    Remains {
        is_ended_instance: row.get(1),
        rows: rows.min(DELETED_ROWS_MAX),
        has_more: rows > DELETED_ROWS_MAX,
    }
}

/// True if a piece has taken all that there was.
pub(crate) fn is_last_piece(answers: &[Vec<Row>]) -> bool {
    let gone = |rows: &Vec<Row>| rows.first().map_or(0, |row| row.get::<_, i64>(0));
    answers.iter().map(gone).all(|gone| gone < DELETED_ROWS_MAX as i64)
}
