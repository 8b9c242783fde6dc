//! Reading for the engine: live entities, for many needs in one round trip.

use crate::{IdempotentAnswer, Result};
use async_trait::async_trait;
use tidemill_model::{Entity, Need, PartitionId, ProcessInstanceKey, Remains, TenantId, Text};

/// An instance with more live entities than this is loaded piece by piece.
/// Below it, one read brings all that any command of the instance can need. Above it, that read would grow with the instance.
pub const INSTANCE_ENTITIES_MAX: usize = 1000;

/// Rows of a list that are read at once, unless a caller has a reason for another number.
pub const LIST_ROWS_MAX: u32 = 1_000;

/// The answer to one need: empty where nothing was found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Loaded {
    /// The instance that the need led to.
    pub instance: Option<ProcessInstanceKey>,
    pub entities: Vec<Entity>,
    /// The instance has too many entities to be loaded whole: what is not here may still exist.
    pub is_large: bool,
    /// A limit has cut the list.
    pub has_more: bool,
}

#[async_trait]
pub trait Load: Send + Sync {
    /// One answer per need, in the same order. Message boxes, signals, waiting jobs and leases are those of this
    /// partition. Lists that have a place to go on from (`after`) end after so many rows.
    async fn load(&self, partition: PartitionId, needs: &[Need], list_rows_max: u32) -> Result<Vec<Loaded>>;

    /// Counts the rows that are left of instances that are not live, in the same order, for their deletion. Rows are counted up
    /// to `DELETED_ROWS_MAX`.
    async fn remains(&self, instances: &[ProcessInstanceKey]) -> Result<Vec<Remains>>;

    /// Earlier answers under these idempotency keys.
    /// Each partition answers for itself: a retry must go to the partition where its first request ran.
    async fn answers(
        &self,
        partition: PartitionId,
        keys: &[(TenantId, Text)],
    ) -> Result<Vec<Option<IdempotentAnswer>>>;
}
