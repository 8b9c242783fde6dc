//! Deletions of ended instances: a bounded number of rows with each commit.

use super::index::unindex_instance;
use super::{List, count_field, forget_keys};
use crate::entry::{Entry, entries, read};
use crate::keys::Keys;
use crate::row::{read_instance, unpacked_all};
use crate::store::RedisStore;
use crate::writes::{GOES, HASH, Writes, number};
use std::collections::BTreeMap;
use tidemill_model::{Change, Entity, Key, ProcessInstanceKey};
use tidemill_store::{DELETED_ROWS_MAX, Result};

impl List<'_> {
    /// Rows that were stored before this batch.
    pub(super) async fn delete_stored(&mut self, store: &RedisStore) -> Result<()> {
        for instance in &self.batch.deletions {
            let mut stored = Stored::read(store, self.keys, *instance, DELETED_ROWS_MAX).await?;
            stored.ends_now = self.batch.changes.iter().any(|change| is_end_of(change, *instance));
            stored.delete(&mut self.writes, self.keys, "UNLINK")?;
        }
        Ok(())
    }
}

/// The rows that an ended instance has left, or as many of them as may be deleted at once.
pub(crate) struct Stored {
    instance: ProcessInstanceKey,
    json: Option<Vec<u8>>,
    entries: Vec<Entry>,
    /// It lives until the batch that deletes it.
    pub(crate) ends_now: bool,
}

fn is_end_of(change: &Change, instance: ProcessInstanceKey) -> bool {
    matches!(change, Change::End { entity: Entity::ProcessInstance(row), .. } if row.key == instance)
}

impl Stored {
    pub(crate) async fn read(
        store: &RedisStore,
        keys: &Keys,
        instance: ProcessInstanceKey,
        rows_max: usize,
    ) -> Result<Stored> {
        let mut pipeline = redis::pipe();
        pipeline.cmd("GET").arg(keys.instance(instance));
        // An entry has one row at least.
        pipeline.cmd("XRANGE").arg(keys.events(instance)).arg("-").arg("+").arg("COUNT").arg(rows_max);
        let mut answers = store.read_all(pipeline).await?.into_iter();
        let json = read(answers.next().unwrap_or(redis::Value::Nil))?;
        let mut entries = entries(answers.next().unwrap_or(redis::Value::Array(Vec::new())))?;
        let mut rows = 0;
        let fitting = entries.iter().take_while(|entry| {
            rows += entry.number("n") as usize;
            rows <= rows_max
        });
        let fitting = fitting.count();
        entries.truncate(fitting);
        Ok(Stored { instance, json, entries, ends_now: false })
    }

    /// `drop` tells how the row of the instance goes.
    pub(crate) fn delete(&self, writes: &mut Writes, keys: &Keys, drop: &'static str) -> Result<()> {
        let name = keys.instance(self.instance);
        if let Some(json) = &self.json {
            let stored = read_instance(&name, json)?;
            if !stored.is_ended && !self.ends_now {
                return Ok(());
            }
            unindex_instance(writes, keys, &stored.instance);
            writes.alone(GOES, drop, name, [] as [&str; 0]);
        }
        let events = keys.events(self.instance);
        for entry in &self.entries {
            let rows = unpacked_all(&events, entry.bytes("rows").unwrap_or_default())?;
            self.forget(writes, keys, entry, &rows);
        }
        writes.alone(GOES, "drop_empty", events, [] as [&str; 0]);
        Ok(())
    }

    fn forget(&self, writes: &mut Writes, keys: &Keys, entry: &Entry, rows: &[Entity]) {
        let mut counts: BTreeMap<String, i64> = BTreeMap::new();
        let mut definition = None;
        for row in rows {
            if let Entity::ElementInstance(element) = row {
                definition = Some(element.origin.definition);
                *counts.entry(count_field(element)).or_default() -= 1;
            }
        }
        // Without elements there is nothing to count, and any hash of the partition will do.
        let counts_key = definition.map_or_else(|| keys.owner(), |definition| keys.counts(definition));
        let mut args = vec![number(writes.key(counts_key, HASH)), entry.id.clone().into_bytes()];
        args.extend(counts.into_iter().flat_map(|(field, change)| [field.into_bytes(), number(change)]));
        writes.alone(GOES, "forget", keys.events(self.instance), args);
        let found_by_key = rows.iter().filter(|row| crate::row::is_found_by_key(row.kind()));
        forget_keys(writes, keys, found_by_key.map(|row| Key(row.numbers().0)));
    }
}
