//! Reads see every command that was answered, on every node: what was committed when a read begins reaches the tables before it
//! looks at them.

use super::{Follower, plain};
use crate::PostgresStore;
use crate::call::{Call, Param, small};
use std::sync::Arc;
use tidemill_model::{Key, PartitionId, Stored};
use tidemill_store::Result;
use tidemill_store::query::{Condition, Search, Test, Value};
use tidemill_store_sql::{Column, SearchTable};

/// Partitions with records that have not reached the tables. From a floor on: rows that were deleted below it stay in the index until
/// a vacuum, and each look would pass over all of them.
const LATE: &str = "SELECT p FROM unnest($1::smallint[], $2::bigint[]) u(p, floor) \
    WHERE EXISTS (SELECT 1 FROM redo WHERE partition_id = p AND number > floor)";

impl Follower {
    /// Asks the store, because another node may own the partition by now.
    pub(crate) async fn catch_up(self: &Arc<Self>, partitions: &[PartitionId]) -> Result<()> {
        let ids = partitions.iter().map(|partition| small(*partition)).collect();
        let floors = partitions.iter().map(|partition| self.of(*partition).floor()).collect();
        let late = self.pool.read_one(Call::new(LATE, [Param::Smalls(ids), Param::Keys(floors)])).await?;
        if !late.is_empty() {
            self.note_read();
        }
        for row in &late {
            self.round(PartitionId(row.get::<_, i16>(0) as u16)).await?;
        }
        Ok(())
    }

    /// For the owner of a partition, who knows by itself what is outstanding.
    pub(crate) async fn catch_up_owned(self: &Arc<Self>, partition: PartitionId) -> Result<()> {
        match self.of(partition).is_empty() {
            Some(true) => Ok(()),
            Some(false) => self.round(partition).await,
            None => self.catch_up(&[partition]).await,
        }
    }
}

impl PostgresStore {
    /// Before a read of what belongs to this key. Numbers that are no key belong to nothing.
    pub(crate) async fn catch_up_key(&self, key: i64) -> Result<()> {
        match Key(key).partition().filter(|partition| partition.0 <= self.partitions.0) {
            Some(partition) => self.follower.catch_up(&[partition]).await,
            None => Ok(()),
        }
    }

    /// Before a search: waits for one partition where all rows that can be found are of one.
    pub(crate) async fn catch_up_for<F: SearchTable>(&self, search: &Search<F>) -> Result<()> {
        if plain::is_deployed(<F::Row as Stored>::KIND) {
            return Ok(());
        }
        match search.filter.all.iter().find_map(instance_of).filter(|_| only_own_columns(search)) {
            Some(key) => self.catch_up_key(key).await,
            None => self.catch_up_all().await,
        }
    }

    /// Before a read that may find rows of all partitions.
    pub(crate) async fn catch_up_all(&self) -> Result<()> {
        let partitions: Vec<PartitionId> = self.partitions.ids().collect();
        self.follower.catch_up(&partitions).await
    }
}

/// The key in a condition that only rows of its partition can pass.
fn instance_of<F: SearchTable>(condition: &Condition<F>) -> Option<i64> {
    match condition {
        Condition::Is(field, Test::Eq(Value::Int(key))) if F::KEY == "key" => {
            let names_partition = matches!(
                field.column(),
                Column::Own("key" | "instance_key" | "element_instance" | "scope_key")
            );
            names_partition.then_some(*key)
        }
        _ => None,
    }
}

/// Other conditions may look at rows of other partitions.
fn only_own_columns<F>(search: &Search<F>) -> bool {
    search.filter.all.iter().all(|condition| matches!(condition, Condition::Is(..)))
}
