//! Deployed things as the engine wants them: all versions at once.

use super::instances::append;
use crate::Loaded;
use crate::rows::Tables;
use crate::rows::versions::all_versions;
use tidemill_model::entity::TimerPurpose;
use tidemill_model::{DefinitionKey, Entity, FormKey, ResourceKey, TenantId};

/// Start events and their timers come with the versions: a new version replaces those of the last one.
pub(super) fn process(live: &Tables, tenant: &TenantId, process_id: &str) -> Loaded {
    let versions = all_versions(&live.process_definitions, tenant, process_id);
    let keys: Vec<DefinitionKey> = versions.iter().map(|version| version.key).collect();
    let mut entities: Vec<Entity> = versions.into_iter().map(Entity::from).collect();
    append(
        &live.start_subscriptions,
        |row| row.process_id == process_id && row.tenant == *tenant,
        &mut entities,
    );
    append(
        &live.timers,
        |row| matches!(&row.purpose, TimerPurpose::Start { definition, .. } if keys.contains(definition)),
        &mut entities,
    );
    Loaded { entities, ..Loaded::default() }
}

pub(super) fn definition(live: &Tables, key: DefinitionKey) -> Loaded {
    let definition = live.process_definitions.get(&DefinitionKey(key.0)).cloned().map(Entity::from);
    let file = live.process_files.get(&key).cloned().map(Entity::from);
    Loaded { entities: definition.into_iter().chain(file).collect(), ..Loaded::default() }
}

pub(super) fn form(live: &Tables, tenant: &TenantId, form_id: &str) -> Loaded {
    let versions = all_versions(&live.forms, tenant, form_id);
    Loaded { entities: versions.into_iter().map(Entity::from).collect(), ..Loaded::default() }
}

pub(super) fn resource(live: &Tables, tenant: &TenantId, resource_id: &str) -> Loaded {
    let versions = all_versions(&live.resources, tenant, resource_id);
    Loaded { entities: versions.into_iter().map(Entity::from).collect(), ..Loaded::default() }
}

/// Keys are unique over the three tables, so at most one row is found.
pub(super) fn by_key(live: &Tables, key: ResourceKey) -> Loaded {
    let definition = live.process_definitions.get(&DefinitionKey(key.0)).cloned().map(Entity::from);
    let form = live.forms.get(&FormKey(key.0)).cloned().map(Entity::from);
    let resource = live.resources.get(&key).cloned().map(Entity::from);
    Loaded { entities: definition.into_iter().chain(form).chain(resource).collect(), ..Loaded::default() }
}
