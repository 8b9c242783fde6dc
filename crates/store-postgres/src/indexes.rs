//! Indexes that a migration has given to the parents of time partitions: those of the days that are already there are
//! built one after the other beside the work, so that neither a start nor a commit waits for them.

use crate::connect::{Connector, Role, Settings, quoted};
use crate::schema;
use tidemill_store::Result;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error, Row};

/// A day, or the default partition, without a usable index of its parent: (parent's index, its definition, the day).
const MISSING: &str = "SELECT x.indexrelid::regclass::text, pg_get_indexdef(x.indexrelid), c.relname::text, i.relname::text \
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_inherits h ON h.inhparent = x.indrelid \
    JOIN pg_class c ON c.oid = h.inhrelid \
    WHERE NOT x.indisvalid AND i.relkind = 'I' AND i.relnamespace = $1::text::regnamespace \
    AND NOT EXISTS (SELECT 1 FROM pg_inherits ih JOIN pg_index cx ON cx.indexrelid = ih.inhrelid \
    WHERE ih.inhparent = x.indexrelid AND cx.indrelid = c.oid) ORDER BY 1, 3";

/// True if an index of this schema is not usable yet.
pub(crate) const ARE_MISSING: &str = "SELECT EXISTS (SELECT 1 FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid \
    WHERE NOT x.indisvalid AND i.relkind = 'I' AND i.relnamespace = current_schema()::regnamespace)";

/// Builds what is missing; nothing where another node does. False where it has to be tried again.
pub(crate) async fn build_missing(connector: &Connector, schema: &str, is_pooled: bool) -> Result<bool> {
    // The lock is held by a transaction on a connection of its own: an index is built outside of any.
    let settings = Settings::new(schema, Role::Search { limit_ms: 0 }, is_pooled);
    let (mut holder, _) = connector.open(&settings).await?;
    let (client, _) = connector.open(&settings).await?;
    let built = async {
        let lock = holder.transaction().await?;
        lock.batch_execute(&format!(
            "{} SET LOCAL statement_timeout TO 0; SET LOCAL idle_in_transaction_session_timeout TO 0;",
            settings.in_transaction
        ))
        .await?;
        if !schema::try_lock(&lock, &format!("{schema} builds")).await? {
            return Ok(false);
        }
        // Ends what the last statement has left open: building waits for every snapshot that is older.
        lock.batch_execute("SELECT 1").await?;
        let missing = client.query_typed(MISSING, &[(&quoted(schema), Type::TEXT)]).await?;
        for (n, row) in missing.iter().enumerate() {
            build(&client, schema, row, (n + 1, missing.len())).await?;
        }
        lock.commit().await?;
        Ok::<bool, Error>(true)
    };
    built.await.map_err(|error| connector.error(&error))
}

async fn build(client: &Client, schema: &str, row: &Row, (n, count): (usize, usize)) -> Result<(), Error> {
    let (parent, definition, day): (&str, &str, &str) = (row.get(0), row.get(1), row.get(2));
    let name = child_name(row.get(3), day);
    tracing::info!(index = name, "building an index beside the work, {n} of {count}");
    let schema = quoted(schema);
    // An index that an earlier try has left behind is not usable.
    client.batch_execute(&format!("DROP INDEX CONCURRENTLY IF EXISTS {schema}.{}", quoted(&name))).await?;
    // CONCURRENTLY lets commits go on meanwhile. It cannot run in a transaction, so a try that fails leaves
    // an unusable index behind.
    client.batch_execute(&of_day(definition, &schema, day, &name)).await?;
    let parent = if parent.contains('.') { parent.to_owned() } else { format!("{schema}.{parent}") };
    let attach = format!("ALTER INDEX {parent} ATTACH PARTITION {schema}.{}", quoted(&name));
    client.batch_execute(&attach).await
}

/// The parent's definition, for one day: `CREATE INDEX name ON ONLY table USING ...`.
fn of_day(definition: &str, schema: &str, day: &str, name: &str) -> String {
    let columns = definition.split_once(" USING ").map_or("", |(_, columns)| columns);
    format!("CREATE INDEX CONCURRENTLY {} ON {schema}.{} USING {columns}", quoted(name), quoted(day))
}

/// Names have 63 bytes at most: the day is kept, and what tells the index from others of its table.
fn child_name(index: &str, day: &str) -> String {
    let suffix = day.rsplit('_').next().unwrap_or_default();
    format!("{}_{suffix}", &index[..index.len().min(52)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_a_day_has_the_columns_of_its_parent() {
        let parent = "CREATE INDEX i ON ONLY s.t USING btree (a) WHERE (a IS NOT NULL)";
        let day = of_day(parent, "\"s\"", "t_d20000", "i_d20000");
        assert_eq!(
            day,
            "CREATE INDEX CONCURRENTLY \"i_d20000\" ON \"s\".\"t_d20000\" USING btree (a) WHERE (a IS NOT NULL)"
        );
        assert!(child_name("process_instances_history_terminated_by_definition", "t_d20000").len() < 63);
    }
}
