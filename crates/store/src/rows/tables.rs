//! Rows in memory: one ordered map per kind of entity, under what identifies a row.

use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::entity::*;
use tidemill_model::{Entity, Stored, TenantId, Text};

/// Partition, due time and key: the order of the schedule.
/// With this order, a page of due timers is a range of the map.
pub type TimerId = (u16, i64, i64);
/// Correlation key, process id and tenant: of each there is one lock.
type LockId = (Text, Text, TenantId);

/// A row is identified by its key, but for two kinds.
macro_rules! id_type {
    (Timer) => {
        TimerId
    };
    (MessageStartLock) => {
        LockId
    };
    ($kind:ident) => {
        <$kind as Stored>::Key
    };
}

macro_rules! id_of {
    (Timer, $row:expr) => {
        timer_id($row)
    };
    (MessageStartLock, $row:expr) => {
        lock_id($row)
    };
    ($kind:ident, $row:expr) => {
        $row.key()
    };
}

fn timer_id(timer: &Timer) -> TimerId {
    // A key without a partition cannot be; 0 is the number of none.
    let partition = timer.key.partition().map_or(0, |partition| partition.0);
    (partition, timer.due_at.0, timer.key.0)
}

fn lock_id(lock: &MessageStartLock) -> LockId {
    (lock.correlation_key.clone(), lock.process_id.clone(), lock.tenant.clone())
}

/// A kind of row with a table of its own.
pub trait Tabled: Stored {
    type Id: Ord + Clone;

    fn table(tables: &Tables) -> &BTreeMap<Self::Id, Arc<Self>>;

    fn table_mut(tables: &mut Tables) -> &mut BTreeMap<Self::Id, Arc<Self>>;
}

macro_rules! tables {
    ([] $($kind:ident in $rows:ident $facts:tt)+) => {
        #[derive(Clone, Default)]
        pub struct Tables {
            $(pub $rows: BTreeMap<id_type!($kind), Arc<$kind>>,)+
        }

        $(
            impl Tabled for $kind {
                type Id = id_type!($kind);

                fn table(tables: &Tables) -> &BTreeMap<Self::Id, Arc<Self>> {
                    &tables.$rows
                }

                fn table_mut(tables: &mut Tables) -> &mut BTreeMap<Self::Id, Arc<Self>> {
                    &mut tables.$rows
                }
            }
        )+

        impl Tables {
            pub fn put(&mut self, entity: &Entity) {
                match entity {
                    $(Entity::$kind(row) => drop(self.$rows.insert(id_of!($kind, row), row.clone())),)+
                }
            }

            pub fn remove(&mut self, entity: &Entity) {
                match entity {
                    $(Entity::$kind(row) => drop(self.$rows.remove(&id_of!($kind, row))),)+
                }
            }

            pub fn contains(&self, entity: &Entity) -> bool {
                match entity {
                    $(Entity::$kind(row) => self.$rows.contains_key(&id_of!($kind, row)),)+
                }
            }
        }
    };
}

tidemill_model::for_each_entity!([tables] []);
