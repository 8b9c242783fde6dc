//! Keys: 64-bit numbers that carry the partition they were made on. One type per kind of thing,
//! so that a job key cannot be passed where an instance key is meant.

use crate::PartitionId;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt;

/// Bits of a key that count; the partition stands above them.
const COUNTER_BITS: u32 = 51;

/// A key of any kind: `partition << 51 | counter`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key(pub i64);

impl Key {
    pub fn new(partition: PartitionId, counter: u64) -> Key {
        assert!(counter < 1 << COUNTER_BITS, "a partition has used up its keys");
        Key((i64::from(partition.0) << COUNTER_BITS) | counter as i64)
    }

    /// The partition that made this key; none for numbers that no partition can have made.
    pub fn partition(self) -> Option<PartitionId> {
        u16::try_from(self.0 >> COUNTER_BITS).ok().filter(|id| *id > 0).map(PartitionId)
    }

    pub fn counter(self) -> u64 {
        (self.0 & ((1 << COUNTER_BITS) - 1)) as u64
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Text where people and scripts read it: beyond partition 3, JavaScript would lose the last digits of a number.
impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(&self.0)
        } else {
            serializer.serialize_i64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        if deserializer.is_human_readable() {
            String::deserialize(deserializer)?.parse().map(Key).map_err(D::Error::custom)
        } else {
            i64::deserialize(deserializer).map(Key)
        }
    }
}

/// Gives the list of keys to a macro, for whatever must exist for each of them: `for_each_key!([name] [passed on])`.
#[macro_export]
macro_rules! for_each_key {
    ([$($then:tt)+] [$($with:tt)*]) => {
        $($then)+! {
            [$($with)*]
            ProcessInstanceKey
            /// Also names the scope of a process instance: its root scope has the instance's own key.
            ElementInstanceKey
            /// A deployed version of a process.
            DefinitionKey
            DeploymentKey
            FormKey
            ResourceKey
            VariableKey
            JobKey
            LeaseKey
            UserTaskKey
            IncidentKey
            TimerKey
            MessageKey
            SubscriptionKey
            SignalKey
        }
    };
}

macro_rules! keys {
    ([] $($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
        #[serde(from = "Key", into = "Key")]
        pub struct $name(pub i64);

        impl $name {
            pub fn key(self) -> Key {
                Key(self.0)
            }

            pub fn partition(self) -> Option<PartitionId> {
                self.key().partition()
            }
        }

        impl crate::registry::EntityKey for $name {
            fn numbers(self) -> (i64, i64) {
                (self.0, 0)
            }
        }

        impl From<Key> for $name {
            fn from(key: Key) -> Self {
                $name(key.0)
            }
        }

        impl From<$name> for Key {
            fn from(key: $name) -> Key {
                Key(key.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

for_each_key!([keys] []);

impl ProcessInstanceKey {
    /// The scope that holds the instance's own variables and top-level elements.
    pub fn scope(self) -> ElementInstanceKey {
        ElementInstanceKey(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_tells_its_partition_and_counter() {
        let key = Key::new(PartitionId(3), 42);
        assert_eq!(key.partition(), Some(PartitionId(3)));
        assert_eq!(key.counter(), 42);
        assert_eq!(Key::new(PartitionId(1), 1).0, 2_251_799_813_685_249);
    }

    #[test]
    fn made_up_numbers_have_no_partition() {
        assert_eq!(Key(0).partition(), None);
        assert_eq!(Key(-5).partition(), None);
        assert_eq!(Key(17).partition(), None);
    }
}
