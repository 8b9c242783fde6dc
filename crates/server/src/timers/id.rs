//! Ids of timers. A generated one carries the partition, the key and the due time, so that nobody has to look it up; one that a
//! client has chosen is hashed with its tenant and namespace, which decides about its partition too.

use std::hash::Hasher;
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_timers::block::{PlaceId, Scope};
use tidemill_timers::shard::Address;
use tidemill_timers::slot::DUE_MS_MAX;
use tidemill_timers::varint::{put, take};

/// Generated ids begin with this, and no other.
pub const GENERATED: &str = "tm_";
/// Bytes of an id that a client has chosen.
pub const ID_BYTES_MAX: usize = 256;
/// Names of paths beside those of timers.
const TAKEN: [&str; 8] =
    ["bulk", "bulk-cancel", "counts", "dead-letters", "namespaces", "occurrences", "search", "stream"];

/// Without letters that look like others.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const CHECK_BYTES: usize = 3;

/// Where a timer is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimerAddress {
    pub partition: PartitionId,
    pub address: Address,
}

/// Why an id cannot be one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IdError {
    #[error("Expected an id that is not empty")]
    Empty,
    #[error("Expected an id of at most {ID_BYTES_MAX} bytes")]
    Long,
    #[error("Expected an id without control characters and slashes")]
    Letters,
    #[error("Expected an id that does not begin with {GENERATED}, as generated ids do")]
    Generated,
    #[error("Expected another id, because the API has a path of this name")]
    Taken,
}

/// Fails if a client may not choose this id.
pub fn check_own(id: &str) -> Result<(), IdError> {
    if id.is_empty() {
        Err(IdError::Empty)
    } else if id.len() > ID_BYTES_MAX {
        Err(IdError::Long)
    } else if id.chars().any(|letter| letter.is_control() || letter == '/') {
        Err(IdError::Letters)
    } else if id.starts_with(GENERATED) {
        Err(IdError::Generated)
    } else if TAKEN.contains(&id) {
        Err(IdError::Taken)
    } else {
        Ok(())
    }
}

/// The address of an id, whoever has made it; none for a generated one that was never given out in this namespace.
pub fn find(scope: &Scope, id: &str, count: PartitionCount) -> Option<TimerAddress> {
    match id.strip_prefix(GENERATED) {
        Some(letters) => read(scope, letters).filter(|found| (1..=count.0).contains(&found.partition.0)),
        None => Some(own(scope, id, count)),
    }
}

/// The address of an id that a client has chosen.
pub fn own(scope: &Scope, id: &str, count: PartitionCount) -> TimerAddress {
    // Another hash than that of the place, or all places of a partition would begin alike.
    let number = hash(scope, id, 3) % u64::from(count.0.max(1));
    TimerAddress { partition: PartitionId(number as u16 + 1), address: Address::Own(place_of_own(scope, id)) }
}

/// The place of an id that a client has chosen.
pub(super) fn place_of_own(scope: &Scope, id: &str) -> PlaceId {
    let half = |seed| u128::from(hash(scope, id, seed));
    PlaceId::of_own_id(half(1) << 64 | half(2))
}

fn hash(scope: &Scope, id: &str, seed: u64) -> u64 {
    let name = [scope.tenant.as_bytes(), scope.namespace.as_bytes(), id.as_bytes()].join(&0);
    twox_hash::XxHash64::oneshot(seed, &name)
}

/// The text of a generated id.
pub fn generated(scope: &Scope, partition: PartitionId, key: i64, due_ms: i64) -> String {
    let mut bytes = Vec::with_capacity(32);
    for number in [u64::from(partition.0), key as u64, due_ms as u64] {
        put(&mut bytes, number);
    }
    let check = check(scope, &bytes);
    bytes.extend_from_slice(&check);
    let mut text = String::with_capacity(GENERATED.len() + 2 * bytes.len());
    text.push_str(GENERATED);
    let (mut bits, mut held) = (0u32, 0u32);
    for byte in bytes {
        (bits, held) = (bits << 8 | u32::from(byte), held + 8);
        while held >= 5 {
            held -= 5;
            text.push(LETTERS[(bits >> held) as usize & 31] as char);
        }
        bits &= (1 << held) - 1;
    }
    if held > 0 {
        text.push(LETTERS[(bits << (5 - held)) as usize & 31] as char);
    }
    text
}

fn read(scope: &Scope, letters: &str) -> Option<TimerAddress> {
    let mut bytes = Vec::with_capacity(20);
    let (mut bits, mut held) = (0u32, 0u32);
    for letter in letters.bytes() {
        let value = LETTERS.iter().position(|known| *known == letter)? as u32;
        (bits, held) = (bits << 5 | value, held + 5);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    // Each id has one text.
    if bits != 0 || held >= 5 {
        return None;
    }
    let (numbers, given) = bytes.split_at_checked(bytes.len().checked_sub(CHECK_BYTES)?)?;
    if check(scope, numbers) != *given {
        return None;
    }
    let mut rest = numbers;
    let [partition, key, due_ms] = [take(&mut rest)?, take(&mut rest)?, take(&mut rest)?];
    let due_ms = i64::try_from(due_ms).ok().filter(|due_ms| *due_ms <= DUE_MS_MAX)?;
    let partition = PartitionId(u16::try_from(partition).ok().filter(|_| rest.is_empty())?);
    let key = i64::try_from(key).ok()?;
    Some(TimerAddress { partition, address: Address::Generated { key, due_ms } })
}

/// An id of one namespace is none in another, and one that was mistyped is hardly ever one.
fn check(scope: &Scope, numbers: &[u8]) -> [u8; CHECK_BYTES] {
    let mut hash = twox_hash::XxHash64::with_seed(4);
    for part in [scope.tenant.as_bytes(), &[0], scope.namespace.as_bytes(), &[0], numbers] {
        hash.write(part);
    }
    let [first, second, third, ..] = hash.finish().to_le_bytes();
    [first, second, third]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(namespace: &str) -> Scope {
        Scope { tenant: "<default>".into(), namespace: namespace.into() }
    }

    const COUNT: PartitionCount = PartitionCount(7);

    #[test]
    fn a_generated_id_leads_back_and_only_in_its_namespace() {
        let orders = scope("orders");
        for (key, due_ms) in [(1, 0), (127, 1), (128, 1_700_000_000_000), (i64::MAX, DUE_MS_MAX)] {
            let text = generated(&orders, PartitionId(7), key, due_ms);
            let address = Address::Generated { key, due_ms };
            assert_eq!(
                find(&orders, &text, COUNT),
                Some(TimerAddress { partition: PartitionId(7), address })
            );
            assert_eq!(find(&scope("others"), &text, COUNT), None);
            assert_eq!(find(&orders, &text, PartitionCount(6)), None);
        }
        // Clients keep them: their text must stay the same.
        assert_eq!(generated(&orders, PartitionId(1), 5, 1_700_000_000_000), "tm_042r1m4nzyy33bkfww");
    }

    #[test]
    fn what_was_mistyped_is_no_id() {
        let orders = scope("orders");
        let text = generated(&orders, PartitionId(3), 77, 1_700_000_000_000);
        for at in GENERATED.len()..text.len() {
            for letter in "0a7z".chars().filter(|letter| !text[at..].starts_with(*letter)) {
                let mut other = text.clone();
                other.replace_range(at..=at, &letter.to_string());
                assert_eq!(find(&orders, &other, COUNT), None, "{other}");
            }
        }
        for other in ["tm_", "tm_0", "tm_ÄÄ", &text[..text.len() - 1], &format!("{text}0")] {
            assert_eq!(find(&orders, other, COUNT), None, "{other}");
        }
    }

    #[test]
    fn own_ids_are_apart_in_each_namespace() {
        let [a, b] = ["a", "b"].map(|namespace| own(&scope(namespace), "x", COUNT));
        assert_ne!(a.address, b.address);
        let partitions: std::collections::BTreeSet<_> =
            (0..100).map(|n| own(&scope("a"), &format!("order-{n}"), COUNT).partition).collect();
        assert_eq!(partitions.len(), 7, "they go to all partitions");
        assert_eq!(own(&scope("orders"), "order-1", COUNT).partition, PartitionId(6));
    }

    #[test]
    fn clients_may_choose_most_ids() {
        let wrong = [
            ("", IdError::Empty),
            ("a/b", IdError::Letters),
            ("a\nb", IdError::Letters),
            ("tm_1", IdError::Generated),
            ("search", IdError::Taken),
        ];
        for (id, reason) in wrong {
            assert_eq!(check_own(id), Err(reason), "{id:?}");
        }
        assert_eq!(check_own(&"x".repeat(257)), Err(IdError::Long));
        assert_eq!(check_own("Bestellung 7 ü"), Ok(()));
    }
}
