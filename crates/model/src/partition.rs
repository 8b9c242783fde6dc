//! Partitions: the unit of order, ownership and scale, and who is responsible for what.

use crate::{TenantId, Text};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Partition ids start at 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
#[serde(transparent)]
pub struct PartitionId(pub u16);

impl PartitionId {
    /// Deployments and start timers live here.
    pub const FIRST: PartitionId = PartitionId(1);
}

impl fmt::Display for PartitionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The number of partitions that the store was made with. It is fixed, because keys carry their partition.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(transparent)]
pub struct PartitionCount(pub u16);

impl PartitionCount {
    pub const ONE: PartitionCount = PartitionCount(1);

    pub fn ids(self) -> impl Iterator<Item = PartitionId> {
        (1..=self.0).map(PartitionId)
    }

    /// Where messages with this correlation key are kept, whatever their name: so that the start lock
    /// per process id and correlation key has one home.
    pub fn of_correlation_key(self, tenant: &TenantId, correlation_key: &Text) -> PartitionId {
        self.of_hash(&[tenant.as_str(), correlation_key])
    }

    /// Where a create with this idempotency key runs, so that its retry meets it there.
    pub fn of_idempotency_key(self, tenant: &TenantId, key: &str) -> PartitionId {
        self.of_hash(&[tenant.as_str(), key])
    }

    fn of_hash(self, parts: &[&str]) -> PartitionId {
        // FNV-1a: must never change, because stored messages were placed by it.
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for part in parts {
            for byte in part.bytes().chain([0xff]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        PartitionId((hash % u64::from(self.0)) as u16 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placement_is_stable_and_within_bounds() {
        let count = PartitionCount(8);
        let tenant = TenantId::default();
        for n in 0..1000 {
            let id = count.of_correlation_key(&tenant, &Text::from(format!("order-{n}")));
            assert!((1..=8).contains(&id.0));
        }
        assert_eq!(count.of_correlation_key(&tenant, &Text::from("order-1")), PartitionId(5));
    }
}
