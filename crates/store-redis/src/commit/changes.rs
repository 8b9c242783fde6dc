//! Each change as writes to the place of its row.

use super::List;
use crate::row::{Home, instance_json, packed};
use crate::writes::{COMES, GOES, HASH};
use std::collections::BTreeSet;
use tidemill_model::entity::ProcessInstance;
use tidemill_model::{Change, Ended, Entity, EntityKind, TenantId, Text};
use tidemill_store::{Culprit, Error, Result};

impl List<'_> {
    pub(super) fn change_all(&mut self) -> Result<()> {
        self.check_versions()?;
        for change in &self.batch.changes {
            match change {
                Change::Put(entity) if entity.kind().ended() == Ended::HistoryFromTheStart => {
                    self.end(entity)
                }
                Change::Put(entity) => self.put(entity),
                Change::Remove(entity) => self.remove(entity, false),
                Change::End { entity, was_stored } => {
                    if *was_stored {
                        self.remove(entity, true);
                    }
                    if entity.kind().ended().is_kept() {
                        self.end(entity);
                    }
                }
            }
        }
        let is_deployment = |change: &Change| is_definition(change.entity().kind());
        if self.batch.changes.iter().any(is_deployment) {
            let version = self.store.space.catalog().version();
            self.writes.alone(COMES, "INCR", version, [] as [&str; 0]);
        }
        Ok(())
    }

    fn put(&mut self, entity: &Entity) {
        if let Entity::ProcessInstance(instance) = entity {
            return self.put_instance(instance);
        }
        if let Some(home) = Home::of(entity) {
            self.writes.add(COMES, "HSET", self.home(&home), [home.field.into_bytes(), packed(entity)]);
        }
        self.index(entity);
    }

    fn put_instance(&mut self, instance: &ProcessInstance) {
        let json = instance_json(instance, false, self.batch.id.0);
        self.writes.alone(COMES, "SET", self.keys.instance(instance.key), [json]);
        let mark = if instance.incidents > 0 { "!" } else { "" };
        let fields = [instance.key.to_string(), format!("{}{mark}", instance.definition)];
        let counts = self.keys.named("active-counts");
        self.writes.add_with(COMES, "live", self.keys.named("active"), Some((counts, HASH)), fields);
        self.index_instance(instance);
    }

    fn remove(&mut self, entity: &Entity, has_ended: bool) {
        if let Entity::ProcessInstance(instance) = entity {
            let counts = self.keys.named("active-counts");
            let key = [instance.key.to_string()];
            self.writes.add_with(GOES, "unlive", self.keys.named("active"), Some((counts, HASH)), key);
            if !has_ended {
                self.writes.alone(GOES, "UNLINK", self.keys.instance(instance.key), [] as [&str; 0]);
                self.unindex_instance(instance);
            }
            return;
        }
        if let Some(home) = Home::of(entity) {
            self.writes.add(GOES, "HDEL", self.home(&home), [home.field]);
        }
        self.unindex(entity, has_ended);
    }

    fn home(&self, home: &Home) -> String {
        let keys = if home.is_deployed { self.store.space.catalog() } else { self.keys };
        keys.named(&home.hash)
    }

    /// Of each id and version there is one.
    fn check_versions(&mut self) -> Result<()> {
        let mut known = BTreeSet::new();
        let hash = self.store.space.catalog().named("definition-ids");
        for change in &self.batch.changes {
            let (Change::Put(entity) | Change::Remove(entity) | Change::End { entity, .. }) = change;
            let Some(version) = version_of(entity) else { continue };
            let key = entity.numbers().0;
            let field = version_field(&version);
            if !matches!(change, Change::Put(_)) {
                self.writes.add(GOES, "HDEL", hash.clone(), [field]);
                continue;
            }
            let culprit = Culprit { kind: entity.kind(), key };
            let reason = "there is another row of the same id and version";
            if !known.insert(field.clone()) {
                return Err(Error::Refused { culprit: Some(culprit), reason: reason.into() });
            }
            self.condition(hash.clone(), field.as_bytes(), Some(&key.to_string()), (Some(&culprit), reason));
            self.writes.add(COMES, "HSET", hash.clone(), [field, key.to_string()]);
        }
        Ok(())
    }
}

fn is_definition(kind: EntityKind) -> bool {
    matches!(
        kind,
        EntityKind::ProcessDefinition
            | EntityKind::Form
            | EntityKind::Resource
            | EntityKind::StartSubscription
    )
}

type Version<'e> = (EntityKind, &'e Text, &'e TenantId, i32);

fn version_of(entity: &Entity) -> Option<Version<'_>> {
    let (id, tenant, version) = match entity {
        Entity::ProcessDefinition(row) => (&row.process_id, &row.tenant, row.version),
        Entity::Form(row) => (&row.form_id, &row.tenant, row.version),
        Entity::Resource(row) => (&row.resource_id, &row.tenant, row.version),
        _ => return None,
    };
    Some((entity.kind(), id, tenant, version))
}

/// The id comes last, because it may have any characters; tenants have no line breaks.
fn version_field((kind, id, tenant, version): &Version<'_>) -> String {
    format!("{kind:?}\n{version}\n{tenant}\n{id}")
}
