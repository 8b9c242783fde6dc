//! The versions of processes by their id, as the store told them. They count for as long as no definition has changed anywhere; after a
//! minute they are read again all the same.

use hashlink::LruCache;
use rustc_hash::FxBuildHasher;
use std::sync::Mutex;
use std::time::Duration;
use tidemill_model::{Entity, TenantId, Text};
use tokio::time::Instant;

const NAMES_MAX: usize = 10_000;
/// A safety net only: each commit, each beat and each deployment tells the version of the definitions.
const KEPT_FOR: Duration = Duration::from_secs(60);
const UNPOISONED: &str = "nobody panics while holding it";

type Name = (TenantId, Text);

struct Versions {
    entities: Vec<Entity>,
    as_of: u64,
    read_at: Instant,
}

pub(super) struct Latest(Mutex<LruCache<Name, Versions, FxBuildHasher>>);

impl Latest {
    pub(super) fn new() -> Latest {
        Latest(Mutex::new(LruCache::with_hasher(NAMES_MAX, FxBuildHasher)))
    }

    pub(super) fn get(&self, name: &Name, as_of: u64) -> Option<Vec<Entity>> {
        let mut names = self.0.lock().expect(UNPOISONED);
        let known = names.get(name)?;
        if known.as_of == as_of && known.read_at.elapsed() < KEPT_FOR {
            return Some(known.entities.clone());
        }
        names.remove(name);
        None
    }

    /// `as_of` is the version of the definitions that was known before they were read.
    pub(super) fn insert(&self, name: Name, as_of: u64, entities: &[Entity]) {
        // Timers of start events belong to the first partition, which reads them itself, and change without a deployment.
        let entities = entities.iter().filter(|entity| !matches!(entity, Entity::Timer(_))).cloned();
        let versions = Versions { entities: entities.collect(), as_of, read_at: Instant::now() };
        self.0.lock().expect(UNPOISONED).insert(name, versions);
    }

    pub(super) fn len(&self) -> usize {
        self.0.lock().expect(UNPOISONED).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_counts_until_a_definition_changes_or_a_minute_has_passed() {
        let (latest, name) = (Latest::new(), (TenantId::default(), Text::from("order")));
        latest.insert(name.clone(), 7, &[]);
        assert!(latest.get(&name, 7).is_some());
        tokio::time::advance(KEPT_FOR - Duration::from_millis(1)).await;
        assert!(latest.get(&name, 7).is_some());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(latest.get(&name, 7).is_none(), "the net");
        latest.insert(name.clone(), 7, &[]);
        assert!(latest.get(&name, 8).is_none(), "something was deployed");
        assert_eq!(latest.len(), 0);
    }
}
