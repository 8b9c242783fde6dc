//! The definitions that are kept: so many, and so many bytes. Those go first that were not used for the longest time.

use hashlink::LruCache;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;
use tidemill_bpmn::Process;
use tidemill_model::DefinitionKey;
use tidemill_model::entity::ProcessDefinition;

/// How much the cache may hold. The bound that is reached first counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    pub(super) entries_max: usize,
    pub(super) bytes_max: usize,
}

#[derive(Clone)]
pub(super) struct Entry {
    pub(super) head: Arc<ProcessDefinition>,
    /// The version of the definitions that the head was read at. The process never changes, but its head does when it is deleted.
    pub(super) as_of: u64,
    pub(super) process: Arc<Process>,
    pub(super) bytes: usize,
    pub(super) uses: u64,
}

pub(super) struct Entries {
    by_key: LruCache<DefinitionKey, Entry, FxBuildHasher>,
    bytes: usize,
    bounds: Bounds,
}

impl Entries {
    pub(super) fn new(bounds: Bounds) -> Entries {
        Entries { by_key: LruCache::with_hasher(usize::MAX, FxBuildHasher), bytes: 0, bounds }
    }

    /// It counts as used.
    pub(super) fn get(&mut self, key: DefinitionKey, uses: u64) -> Option<&mut Entry> {
        let entry = self.by_key.get_mut(&key)?;
        entry.uses += uses;
        Some(entry)
    }

    pub(super) fn contains(&self, key: DefinitionKey) -> bool {
        self.by_key.contains_key(&key)
    }

    /// Gives the number of those that had to leave for it. One that is larger than the whole cache leaves itself.
    pub(super) fn insert(&mut self, entry: Entry) -> usize {
        let key = entry.head.key;
        self.bytes += entry.bytes;
        if let Some(before) = self.by_key.insert(key, entry) {
            self.bytes -= before.bytes;
        }
        let mut evicted = 0;
        while self.by_key.len() > self.bounds.entries_max || self.bytes > self.bounds.bytes_max {
            let Some((_, entry)) = self.by_key.remove_lru() else { break };
            self.bytes -= entry.bytes;
            evicted += 1;
        }
        evicted
    }

    pub(super) fn remove(&mut self, key: DefinitionKey) -> bool {
        let removed = self.by_key.remove(&key);
        self.bytes -= removed.as_ref().map_or(0, |entry| entry.bytes);
        removed.is_some()
    }

    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Those first that were not used for the longest time.
    pub(super) fn coldest_first(&self) -> impl Iterator<Item = &Entry> {
        self.by_key.iter().map(|(_, entry)| entry)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use tidemill_model::entity::DefinitionState;
    use tidemill_model::{DeploymentKey, TenantId, Timestamp};

    const XML: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
        <process id="p" isExecutable="true"><startEvent id="s"/></process></definitions>"#;

    pub(in super::super) fn entry(key: i64, bytes: usize) -> Entry {
        let head = ProcessDefinition {
            key: DefinitionKey(key),
            tenant: TenantId::default(),
            process_id: "p".into(),
            version: 1,
            version_tag: None,
            name: None,
            resource_name: "p.bpmn".into(),
            checksum: "0".into(),
            deployment: DeploymentKey(1),
            deployed_at: Timestamp(0),
            has_start_form: false,
            state: DefinitionState::Active,
        };
        let process = tidemill_bpmn::read_process(XML.as_bytes(), "p").expect("a process");
        Entry { head: Arc::new(head), as_of: 0, process: Arc::new(process), bytes, uses: 0 }
    }

    fn keys(entries: &Entries) -> Vec<i64> {
        entries.coldest_first().map(|entry| entry.head.key.0).collect()
    }

    #[test]
    fn the_one_that_was_not_used_for_longest_leaves_when_there_are_too_many() {
        let mut entries = Entries::new(Bounds { entries_max: 2, bytes_max: 1_000 });
        assert_eq!(entries.insert(entry(1, 10)), 0);
        assert_eq!(entries.insert(entry(2, 10)), 0);
        assert!(entries.get(DefinitionKey(1), 3).is_some());
        assert_eq!(entries.insert(entry(3, 10)), 1);
        assert_eq!(keys(&entries), [1, 3]);
        assert_eq!((entries.len(), entries.bytes()), (2, 20));
    }

    #[test]
    fn bytes_are_bounded_too_and_what_fits_nowhere_is_not_kept() {
        let mut entries = Entries::new(Bounds { entries_max: 100, bytes_max: 100 });
        entries.insert(entry(1, 40));
        entries.insert(entry(2, 40));
        assert_eq!(entries.insert(entry(3, 40)), 1);
        assert_eq!(keys(&entries), [2, 3]);
        assert_eq!(entries.insert(entry(4, 101)), 3);
        assert_eq!((entries.len(), entries.bytes()), (0, 0));
    }

    #[test]
    fn one_that_comes_again_or_goes_leaves_no_bytes_behind() {
        let mut entries = Entries::new(Bounds { entries_max: 10, bytes_max: 100 });
        entries.insert(entry(1, 40));
        entries.insert(entry(1, 60));
        assert_eq!((entries.len(), entries.bytes()), (1, 60));
        assert!(entries.remove(DefinitionKey(1)) && !entries.remove(DefinitionKey(1)));
        assert_eq!((entries.len(), entries.bytes()), (0, 0));
    }
}
