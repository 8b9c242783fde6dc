//! The planner: which instances can have rows that pass a filter. It gives too many rather than too few.

use super::Kind;
use super::filter::{Within, keys_of, texts_of, within};
use crate::entry::read;
use crate::keys::{KEY_BYTES, Keys};
use crate::row::read_key_entry;
use crate::store::RedisStore;
use std::collections::BTreeSet;
use tidemill_model::{DefinitionKey, Key, ProcessInstanceKey};
use tidemill_store::Result;
use tidemill_store::query::{Field, Filter, IncidentField, UserTaskField};

type Instances = BTreeSet<ProcessInstanceKey>;

/// Keys that stand in the index of rows.
const ROW_KEYS: [&str; 5] = ["jobKey", "userTaskKey", "variableKey", "incidentKey", "messageSubscriptionKey"];
/// The same for keys that may also be those of an instance's own scope.
const SCOPE_KEYS: [&str; 3] = ["elementInstanceKey", "elementInstanceScopeKey", "scopeKey"];
/// States of user tasks that have ended.
const ENDED_TASKS: [&str; 3] = ["COMPLETED", "CANCELED", "FAILED"];

impl RedisStore {
    /// In the order of their keys.
    pub(super) async fn candidates<F: Field>(&self, filter: &Filter<F>) -> Result<Vec<ProcessInstanceKey>> {
        let found = match self.by_keys(filter).await? {
            Some(found) => found,
            None => match self.by_index(filter).await? {
                Some(found) => found,
                None => self.by_definition(filter).await?,
            },
        };
        Ok(found.into_iter().collect())
    }

    /// A filter that names keys.
    async fn by_keys<F: Field>(&self, filter: &Filter<F>) -> Result<Option<Instances>> {
        if let Some(keys) = keys_of(filter, "processInstanceKey") {
            return Ok(Some(keys.into_iter().map(ProcessInstanceKey).collect()));
        }
        let own = F::key().name();
        if let Some(keys) = keys_of(filter, own).filter(|_| ROW_KEYS.contains(&own)) {
            let keys: Vec<Key> = keys.into_iter().map(Key).collect();
            return Ok(Some(self.instances_by_key(&keys).await?.into_iter().flatten().collect()));
        }
        if let Some(keys) = SCOPE_KEYS.iter().find_map(|name| keys_of(filter, name)) {
            let keys: Vec<Key> = keys.into_iter().map(Key).collect();
            let found = self.instances_by_key(&keys).await?;
            let own =
                |(found, key): (Option<ProcessInstanceKey>, Key)| found.unwrap_or(ProcessInstanceKey(key.0));
            return Ok(Some(found.into_iter().zip(keys).map(own).collect()));
        }
        match within(filter) {
            Some(Within::Instance(root)) => Ok(Some(self.tree(root).await?)),
            Some(Within::Element(element)) => {
                let found = self.instances_by_key(&[element.key()]).await?.remove(0);
                Ok(Some(self.tree(found.unwrap_or(ProcessInstanceKey(element.0))).await?))
            }
            None => Ok(None),
        }
    }

    /// A filter that names something with an index of its own.
    async fn by_index<F: Field>(&self, filter: &Filter<F>) -> Result<Option<Instances>> {
        let is_about = |name: &str| F::key().name() == name;
        if Kind::of::<F>() == Kind::Instances {
            if let Some(parents) = keys_of(filter, "parentProcessInstanceKey") {
                let mut called = Instances::new();
                for parent in parents {
                    called.extend(self.called_from(ProcessInstanceKey(parent)).await?);
                }
                return Ok(Some(called));
            }
            if let Some(ids) = texts_of(filter, "businessId") {
                return self.by_business_ids(&ids).await.map(Some);
            }
        }
        let states = texts_of(filter, "state").unwrap_or_default();
        if is_about(IncidentField::key().name()) && states == ["ACTIVE"] {
            return self.noted("incidents").await.map(Some);
        }
        let is_open = !states.is_empty() && states.iter().all(|state| !ENDED_TASKS.contains(state));
        if is_about(UserTaskField::key().name()) && is_open {
            return self.noted("tasks").await.map(Some);
        }
        Ok(None)
    }

    async fn by_definition<F: Field>(&self, filter: &Filter<F>) -> Result<Instances> {
        let definitions = match keys_of(filter, "processDefinitionKey") {
            Some(keys) => Some(keys.into_iter().map(DefinitionKey).collect::<Vec<_>>()),
            None => self.definitions_named(filter).await?,
        };
        let state = texts_of(filter, "state").unwrap_or_default();
        let is_live = Kind::of::<F>() == Kind::Instances && state == ["ACTIVE"];
        let mut found = Instances::new();
        for (_, keys) in self.space.all() {
            if Kind::of::<F>() == Kind::Belongings && definitions.is_none() {
                found.extend(self.with_rows(keys).await?);
            }
            // The live ones first: one that ends in between is then seen among the ended.
            found.extend(self.active_in(keys, definitions.as_deref()).await?);
            if !is_live {
                let ended = self.ended_in(keys, definitions.as_deref()).await?;
                found.extend(ended.into_iter().map(|(_, instance)| instance));
            }
        }
        Ok(found)
    }

    /// Definitions with the process ids that a filter names.
    async fn definitions_named<F: Field>(&self, filter: &Filter<F>) -> Result<Option<Vec<DefinitionKey>>> {
        let Some(ids) = texts_of(filter, "processDefinitionId") else { return Ok(None) };
        let catalog = self.catalog().await?;
        let rows = catalog.rows.process_definitions.values();
        let named = rows.filter(|row| ids.contains(&row.process_id.as_str()));
        let named: Vec<DefinitionKey> = named.map(|row| row.key).collect();
        // Rows whose definition is not known show an empty id.
        Ok((!ids.contains(&"")).then_some(named))
    }

    pub(super) async fn active_in(
        &self,
        keys: &Keys,
        definitions: Option<&[DefinitionKey]>,
    ) -> Result<Vec<ProcessInstanceKey>> {
        let active: Vec<(i64, String)> =
            read(self.read(redis::cmd("HGETALL").arg(keys.named("active"))).await?)?;
        let wanted: Option<BTreeSet<i64>> = definitions.map(|keys| keys.iter().map(|key| key.0).collect());
        let is_wanted = |definition: &str| match &wanted {
            Some(wanted) => definition.trim_end_matches('!').parse().is_ok_and(|key| wanted.contains(&key)),
            None => true,
        };
        let active = active.into_iter().filter(|(_, definition)| is_wanted(definition));
        Ok(active.map(|(key, _)| ProcessInstanceKey(key)).collect())
    }

    /// All instances that rows of a partition belong to.
    async fn with_rows(&self, keys: &Keys) -> Result<Instances> {
        let blocks: Vec<String> =
            read(self.read(redis::cmd("SMEMBERS").arg(keys.named("key-blocks"))).await?)?;
        let mut found = Instances::new();
        for block in blocks {
            let entries: Option<Vec<u8>> = read(self.read(redis::cmd("GET").arg(block)).await?)?;
            let entries = entries.unwrap_or_default();
            found.extend(entries.chunks(KEY_BYTES as usize).filter_map(read_key_entry));
        }
        Ok(found)
    }

    async fn by_business_ids(&self, ids: &[&str]) -> Result<Instances> {
        let mut pipeline = redis::pipe();
        for (_, keys) in self.space.all() {
            for id in ids {
                pipeline.cmd("ZRANGEBYLEX").arg(keys.named("business"));
                pipeline.arg(format!("[{id}\0")).arg(format!("({id}\u{1}"));
            }
        }
        let mut found = Instances::new();
        for answer in self.read_all(pipeline).await? {
            let members: Vec<String> = read(answer)?;
            let keys = members.iter().filter_map(|member| member.rsplit_once('\0')?.1.parse().ok());
            found.extend(keys.map(ProcessInstanceKey));
        }
        Ok(found)
    }

    /// The instance and all that were called from it, at any depth.
    pub(super) async fn tree(&self, root: ProcessInstanceKey) -> Result<Instances> {
        let mut found = Instances::from([root]);
        let mut open = vec![root];
        while let Some(caller) = open.pop() {
            let called = self.called_from(caller).await?;
            open.extend(called.into_iter().filter(|key| found.insert(*key)));
        }
        Ok(found)
    }

    async fn called_from(&self, caller: ProcessInstanceKey) -> Result<Vec<ProcessInstanceKey>> {
        let mut pipeline = redis::pipe();
        for (_, keys) in self.space.all() {
            pipeline.cmd("ZRANGEBYLEX").arg(keys.named("called"));
            pipeline.arg(format!("[{caller}:")).arg(format!("({caller};"));
        }
        let mut called = Vec::new();
        for answer in self.read_all(pipeline).await? {
            let members: Vec<String> = read(answer)?;
            let keys = members.iter().filter_map(|member| member.rsplit_once(':')?.1.parse().ok());
            called.extend(keys.map(ProcessInstanceKey));
        }
        Ok(called)
    }

    /// The instances that a hash names for its live rows.
    pub(super) async fn noted(&self, hash: &str) -> Result<Instances> {
        let mut pipeline = redis::pipe();
        for (_, keys) in self.space.all() {
            pipeline.cmd("HVALS").arg(keys.named(hash));
        }
        let mut found = Instances::new();
        for answer in self.read_all(pipeline).await? {
            found.extend(read::<Vec<i64>>(answer)?.into_iter().map(ProcessInstanceKey));
        }
        Ok(found)
    }
}
