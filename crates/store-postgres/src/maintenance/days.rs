//! Dropping whole days. Rows of instances that have not ended by then, and the last batch of a partition that
//! has been idle since, are kept: they move to the default partition.

use crate::PostgresStore;
use crate::connect::{Role, Settings};
use crate::periods::{INSTANCES_TABLE, LOG_TABLE, belonging_tables, day_of, name};
use crate::schema;
use tidemill_model::Timestamp;
use tidemill_store::{DAY_MS, Result};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, Transaction};

/// Dropping needs a lock that commits wait for: better to try again later than to hold them up.
const LOCK_LIMIT: &str = "SET LOCAL lock_timeout TO '200ms'; SET LOCAL statement_timeout TO 0; \
    SET LOCAL idle_in_transaction_session_timeout TO 0;";

impl PostgresStore {
    /// The oldest day that lies wholly before this time. Gives the number of instances that went, at least one.
    pub(super) async fn drop_history_day(&self, before: Timestamp) -> Result<usize> {
        let day = self.oldest_day(INSTANCES_TABLE).await?;
        match day.filter(|day| (day + 1) * DAY_MS <= before.0) {
            Some(day) => self.in_transaction(async |transaction| drop_history(transaction, day).await).await,
            None => Ok(0),
        }
    }

    /// The last batch of each partition is kept: an owner may still have to find out whether it was written.
    pub(super) async fn drop_log_day(&self, before: Timestamp) -> Result<usize> {
        let day = self.oldest_day(LOG_TABLE).await?;
        match day.filter(|day| (day + 1) * DAY_MS <= before.0) {
            Some(day) => self.in_transaction(async |transaction| drop_log(transaction, day).await).await,
            None => Ok(0),
        }
    }

    async fn oldest_day(&self, table: &str) -> Result<Option<i64>> {
        let sql = "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
            WHERE i.inhparent = $1::text::regclass";
        let rows = self.loads.read_one(crate::call::Call::new(sql, [table.into()])).await?;
        Ok(rows.iter().filter_map(|row| day_of(table, row.get::<_, &str>(0))).min())
    }

    /// 0 where the lock could not be had.
    async fn in_transaction(
        &self,
        work: impl AsyncFnOnce(&Transaction<'_>) -> Result<usize, Error>,
    ) -> Result<usize> {
        // Looks at whole days: not by index.
        let settings = Settings::new(&self.schema, Role::Search { limit_ms: 0 }, self.is_pooled);
        let (mut client, _) = self.writes.connector().open(&settings).await?;
        let done = async {
            let transaction = client.transaction().await?;
            transaction.batch_execute(&format!("{}{LOCK_LIMIT}", settings.in_transaction)).await?;
            // Not the lock of the schema: who starts meanwhile must not wait for a large day.
            schema::lock(&transaction, &format!("{} forgets", self.schema)).await?;
            let done = work(&transaction).await?;
            transaction.commit().await?;
            Ok::<usize, Error>(done)
        };
        match done.await {
            Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => Ok(0),
            done => done.map_err(|error| self.told(&error)),
        }
    }
}

async fn drop_history(transaction: &Transaction<'_>, day: i64) -> Result<usize, Error> {
    let end = (day + 1) * DAY_MS;
    let instances = name(INSTANCES_TABLE, day);
    // This comes first, because it compares with the instances of the day, which are gone afterwards.
    drop_kept(transaction, &instances).await?;
    let row = transaction.query_typed_one(&format!("SELECT count(*) FROM {instances}"), &[]).await?;
    let count: i64 = row.get(0);
    // Rows stay that belong to an instance that lives, or that ended on a later day.
    let keeps = format!(
        "(EXISTS (SELECT 1 FROM process_instances i WHERE i.partition_id = (o.instance_key >> 51)::smallint \
         AND i.key = o.instance_key) OR EXISTS (SELECT 1 FROM process_instances_history i \
         WHERE i.partition_id = (o.instance_key >> 51)::smallint AND i.key = o.instance_key \
         AND i.ended_at >= {end}))"
    );
    let elements = name("element_instances_history", day);
    transaction
        .batch_execute(&format!(
            "INSERT INTO element_counts (partition_id, definition_key, element_id, state, count) \
             SELECT partition_id, definition_key, element_id, state, -count(*) FROM {elements} o \
             WHERE NOT {keeps} GROUP BY 1, 2, 3, 4"
        ))
        .await?;
    // Everything that takes time comes before the first lock.
    for table in belonging_tables() {
        let partition = name(table, day);
        let keep = format!(
            "CREATE TEMP TABLE kept_{table} ON COMMIT DROP AS SELECT * FROM {partition} o WHERE {keeps}"
        );
        transaction.batch_execute(&keep).await?;
    }
    for table in belonging_tables() {
        let partition = name(table, day);
        let swap = format!("DROP TABLE {partition}; INSERT INTO {table} SELECT * FROM kept_{table}");
        transaction.batch_execute(&swap).await?;
    }
    transaction.batch_execute(&format!("DROP TABLE {instances}")).await?;
    Ok(usize::try_from(count).unwrap_or_default().max(1))
}

/// Deletes rows of earlier days that were kept for instances that go now.
async fn drop_kept(transaction: &Transaction<'_>, instances: &str) -> Result<(), Error> {
    let goes = format!("EXISTS (SELECT 1 FROM {instances} i WHERE i.key = o.instance_key)");
    let mut sql = format!(
        "INSERT INTO element_counts (partition_id, definition_key, element_id, state, count) \
         SELECT partition_id, definition_key, element_id, state, -count(*) \
         FROM element_instances_history_default o WHERE {goes} GROUP BY 1, 2, 3, 4;"
    );
    for table in belonging_tables() {
        sql.push_str(&format!("DELETE FROM {table}_default o WHERE {goes};"));
    }
    transaction.batch_execute(&sql).await
}

async fn drop_log(transaction: &Transaction<'_>, day: i64) -> Result<usize, Error> {
    let partition = name(LOG_TABLE, day);
    let row = transaction.query_typed_one(&format!("SELECT count(*) FROM {partition}"), &[]).await?;
    let count: i64 = row.get(0);
    transaction
        .batch_execute(&format!(
            "CREATE TEMP TABLE kept ON COMMIT DROP AS SELECT * FROM {partition} o WHERE NOT EXISTS \
             (SELECT 1 FROM {LOG_TABLE} n WHERE n.partition_id = o.partition_id \
             AND (n.at, n.batch_id) > (o.at, o.batch_id)); \
             DROP TABLE {partition}; INSERT INTO {LOG_TABLE} SELECT * FROM kept"
        ))
        .await?;
    Ok(usize::try_from(count).unwrap_or_default().max(1))
}
