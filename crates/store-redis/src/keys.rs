//! The names of keys. Each begins with the tag of its partition in braces.

use crate::tag;
use tidemill_model::{
    BoxName, DefinitionKey, Key, PartitionCount, PartitionId, ProcessInstanceKey, TenantId,
};

/// Entries of one block of the index by key.
const KEYS_PER_BLOCK: u64 = 1024;
/// Bytes of one entry: the kind of row, and the key of its instance.
pub(crate) const KEY_BYTES: u64 = 9;

/// The names of one partition's keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    prefix: String,
}

/// The names of all keys of a store.
#[derive(Debug)]
pub(crate) struct Space {
    common: Keys,
    partitions: Vec<Keys>,
}

impl Space {
    pub(crate) fn new(prefix: &str, count: PartitionCount) -> Space {
        let of =
            |id: PartitionId| Keys { prefix: format!("{{{}}}:", tag::of_partition(prefix, id.0, count.0)) };
        Space { common: Space::common_of(prefix), partitions: count.ids().map(of).collect() }
    }

    /// Keys that belong to no partition.
    pub(crate) fn common_of(prefix: &str) -> Keys {
        Keys { prefix: format!("{{{prefix}}}:") }
    }

    pub(crate) fn common(&self) -> &Keys {
        &self.common
    }

    /// None for a partition that the store does not have.
    pub(crate) fn of(&self, partition: PartitionId) -> Option<&Keys> {
        self.partitions.get(usize::from(partition.0).checked_sub(1)?)
    }

    /// The keys of the partition that has made this key.
    pub(crate) fn of_key(&self, key: Key) -> Option<&Keys> {
        self.of(key.partition()?)
    }

    /// Deployed things live in the first partition.
    pub(crate) fn catalog(&self) -> &Keys {
        &self.partitions[0]
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (PartitionId, &Keys)> {
        (1..).map(PartitionId).zip(&self.partitions)
    }
}

impl Keys {
    pub(crate) fn named(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub(crate) fn owner(&self) -> String {
        self.named("owner")
    }

    pub(crate) fn inbox(&self) -> String {
        self.named("inbox")
    }

    pub(crate) fn log(&self) -> String {
        self.named("log")
    }

    pub(crate) fn timers(&self) -> String {
        self.named("timers")
    }

    pub(crate) fn shard(&self) -> String {
        self.named("shard")
    }

    pub(crate) fn version(&self) -> String {
        self.named("definitions-version")
    }

    pub(crate) fn instance(&self, instance: ProcessInstanceKey) -> String {
        self.named(&format!("instances-{instance}"))
    }

    pub(crate) fn events(&self, instance: ProcessInstanceKey) -> String {
        self.named(&format!("events-{instance}"))
    }

    pub(crate) fn live(&self, instance: ProcessInstanceKey) -> String {
        self.named(&format!("live-{instance}"))
    }

    pub(crate) fn jobs(&self, job_type: &str) -> String {
        self.named(&format!("jobs-{job_type}"))
    }

    pub(crate) fn ended(&self, definition: DefinitionKey) -> String {
        self.named(&format!("ended-{definition}"))
    }

    pub(crate) fn counts(&self, definition: DefinitionKey) -> String {
        self.named(&format!("counts-{definition}"))
    }

    pub(crate) fn signals(&self, tenant: &TenantId, name: &str) -> String {
        self.named(&format!("signals-{}/{name}", escaped(tenant.as_str())))
    }

    pub(crate) fn locks(&self, tenant: &TenantId, correlation_key: &str) -> String {
        self.named(&format!("locks-{}/{correlation_key}", escaped(tenant.as_str())))
    }

    /// The block of the index that a key stands in, and where.
    pub(crate) fn block(&self, key: Key) -> (String, u64) {
        let counter = key.counter();
        let name = self.named(&format!("keys-{}", counter / KEYS_PER_BLOCK));
        (name, counter % KEYS_PER_BLOCK * KEY_BYTES)
    }
}

/// Without the tag, because it is named in other rows of the same partition.
pub(crate) fn box_name(name: &BoxName) -> String {
    let BoxName { tenant, message_name, correlation_key } = name;
    format!("box-{}/{}/{correlation_key}", escaped(tenant.as_str()), escaped(message_name))
}

/// So that the parts of a name stay apart.
fn escaped(part: &str) -> String {
    part.replace('%', "%25").replace('/', "%2F")
}

/// A key as a text of which the order is that of keys.
pub(crate) fn ordered(key: i64) -> String {
    format!("{key:019}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_have_names_of_their_own() {
        let of = |tenant: &str, name: &str, key: &str| {
            box_name(&BoxName {
                tenant: TenantId(tenant.into()),
                message_name: name.into(),
                correlation_key: key.into(),
            })
        };
        assert_eq!(of("a", "b", "c/d"), "box-a/b/c/d");
        assert_ne!(of("a", "b/c", "d"), of("a", "b", "c/d"));
    }
}
