//! Forgetting, a bounded piece at a time.

use crate::commit::Stored;
use crate::entry::{entries, read};
use crate::keys::Keys;
use crate::library;
use crate::store::RedisStore;
use crate::writes::{GOES, Writes, number};
use async_trait::async_trait;
use std::collections::HashMap;
use tidemill_model::{DefinitionKey, ProcessInstanceKey, Timestamp};
use tidemill_store::{Kept, Maintenance, Result, Retention};

/// Entries of ended instances that a purge looks at, of each definition.
const ENTRIES_PER_LOOK: usize = 20;

#[async_trait]
impl Maintenance for RedisStore {
    async fn purge_history(&self, ended_before: Timestamp, limit: usize) -> Result<usize> {
        let mut gone = 0;
        for (_, keys) in self.space.all() {
            gone += self.purge_partition(keys, ended_before, limit.saturating_sub(gone)).await?;
        }
        // Whoever purges to make room looks at how much there is now.
        self.look_at_memory().await?;
        Ok(gone)
    }

    async fn purge_results(&self, before: Timestamp, limit: usize) -> Result<usize> {
        self.purge_values("results", before, limit).await
    }

    async fn purge_idempotency(&self, before: Timestamp, limit: usize) -> Result<usize> {
        self.purge_values("answers", before, limit).await
    }

    async fn purge_batches(&self, before: Timestamp, limit: usize) -> Result<usize> {
        let mut gone = 0;
        for (_, keys) in self.space.all().take_while(|_| limit > 0) {
            let args = [number(before.0), number(limit)];
            gone +=
                read::<usize>(self.run(&library::call("trim", &[keys.log(), keys.owner()], &args)).await?)?;
        }
        Ok(gone)
    }

    async fn retention(&self) -> Result<Retention> {
        let meta = self.space.common().named("meta");
        let set: HashMap<String, String> = read(self.read(redis::cmd("HGETALL").arg(meta)).await?)?;
        let kept = |name: &str| set.get(name).and_then(|text| text.parse().ok()).map(Kept::from_millis);
        Ok(Retention { history: kept("history-retention"), log: kept("log-retention") })
    }

    async fn set_retention(&self, retention: Retention) -> Result<()> {
        let meta = self.space.common().named("meta");
        let text = |kept: Option<Kept>| kept.map(Kept::to_millis).map(number).unwrap_or_default();
        let args = [
            b"history-retention".to_vec(),
            text(retention.history),
            b"log-retention".to_vec(),
            text(retention.log),
        ];
        // A full server takes it too, because it is how room is made.
        self.run(&library::call("set", &[meta], &args)).await.map(drop)
    }
}

impl RedisStore {
    async fn purge_values(&self, name: &str, before: Timestamp, limit: usize) -> Result<usize> {
        let mut gone = 0;
        for (_, keys) in self.space.all() {
            let names = [keys.named(name), keys.named(&format!("{name}-age"))];
            let args = [number(before.0), number(limit.saturating_sub(gone))];
            gone += read::<usize>(self.run(&library::call("purge", &names, &args)).await?)?;
        }
        Ok(gone)
    }

    /// The oldest instances of a partition, over all its definitions.
    async fn purge_partition(&self, keys: &Keys, before: Timestamp, limit: usize) -> Result<usize> {
        if limit == 0 {
            return Ok(0);
        }
        loop {
            let (gone, is_over) = self.purge_oldest(keys, before, limit).await?;
            if gone > 0 || is_over {
                return Ok(gone);
            }
        }
    }

    /// Gives the number of instances, and whether there was nothing to do at all.
    async fn purge_oldest(&self, keys: &Keys, before: Timestamp, limit: usize) -> Result<(usize, bool)> {
        let mut old: Vec<(i64, ProcessInstanceKey)> = Vec::new();
        let mut spent: Vec<(DefinitionKey, String)> = Vec::new();
        for definition in self.processes_of(keys).await? {
            for entry in self.oldest_ended(keys, definition).await? {
                let listed = listed(entry.text("instances"));
                let due: Vec<_> = listed.iter().filter(|(at, _)| *at < before.0).copied().collect();
                let present = self.present(keys, &due).await?;
                if present.is_empty() && due.len() == listed.len() {
                    spent.push((definition, entry.id.clone()));
                }
                old.extend(present);
            }
        }
        old.sort();
        old.truncate(limit);
        let mut gone = 0;
        for (_, instance) in &old {
            gone += self.forget(keys, *instance).await?;
        }
        self.drop_entries(keys, &spent).await?;
        Ok((gone, old.is_empty() && spent.is_empty()))
    }

    async fn oldest_ended(&self, keys: &Keys, definition: DefinitionKey) -> Result<Vec<crate::entry::Entry>> {
        let mut question = redis::cmd("XRANGE");
        question.arg(keys.ended(definition)).arg("-").arg("+").arg("COUNT").arg(ENTRIES_PER_LOOK);
        entries(self.read(&question).await?)
    }

    /// Those of which something is left.
    async fn present(
        &self,
        keys: &Keys,
        listed: &[(i64, ProcessInstanceKey)],
    ) -> Result<Vec<(i64, ProcessInstanceKey)>> {
        let mut pipeline = redis::pipe();
        for (_, instance) in listed {
            pipeline.cmd("EXISTS").arg(keys.instance(*instance)).arg(keys.events(*instance));
        }
        let answers = self.read_all(pipeline).await?;
        let mut present = Vec::new();
        for (row, answer) in listed.iter().zip(answers) {
            if read::<u8>(answer)? > 0 {
                present.push(*row);
            }
        }
        Ok(present)
    }

    /// All that is left of an ended instance. Gives 1 for an instance that was there.
    async fn forget(&self, keys: &Keys, instance: ProcessInstanceKey) -> Result<usize> {
        let stored = Stored::read(self, keys, instance, usize::MAX >> 16).await?;
        let mut writes = Writes::default();
        stored.delete(&mut writes, keys, "drop")?;
        let (names, args) = writes.into_call(Vec::new());
        read(self.run(&library::call("forget", &names, &args)).await?)
    }

    async fn drop_entries(&self, keys: &Keys, spent: &[(DefinitionKey, String)]) -> Result<()> {
        if spent.is_empty() {
            return Ok(());
        }
        let mut writes = Writes::default();
        for (definition, id) in spent {
            writes.add(GOES, "XDEL", keys.ended(*definition), [id.as_str()]);
        }
        let (names, args) = writes.into_call(Vec::new());
        self.run(&library::call("forget", &names, &args)).await.map(drop)
    }

    /// Definitions that have ended instances in a partition.
    pub(crate) async fn processes_of(&self, keys: &Keys) -> Result<Vec<DefinitionKey>> {
        let keys: Vec<i64> = read(self.read(redis::cmd("SMEMBERS").arg(keys.named("processes"))).await?)?;
        Ok(keys.into_iter().map(DefinitionKey).collect())
    }

    /// Ended instances with the times of their ends; some may be gone already.
    pub(crate) async fn ended_in(
        &self,
        keys: &Keys,
        definitions: Option<&[DefinitionKey]>,
    ) -> Result<Vec<(i64, ProcessInstanceKey)>> {
        let definitions = match definitions {
            Some(definitions) => definitions.to_vec(),
            None => self.processes_of(keys).await?,
        };
        let mut pipeline = redis::pipe();
        for definition in &definitions {
            pipeline.cmd("XRANGE").arg(keys.ended(*definition)).arg("-").arg("+");
        }
        let mut ended = Vec::new();
        for answer in self.read_all(pipeline).await? {
            ended.extend(entries(answer)?.iter().flat_map(|entry| listed(entry.text("instances"))));
        }
        Ok(ended)
    }
}

/// Times and keys, as an entry of ended instances lists them.
fn listed(text: &str) -> Vec<(i64, ProcessInstanceKey)> {
    let pair = |pair: &str| {
        let (key, at) = pair.split_once(':')?;
        Some((at.parse().ok()?, ProcessInstanceKey(key.parse().ok()?)))
    };
    text.split(' ').filter_map(pair).collect()
}
