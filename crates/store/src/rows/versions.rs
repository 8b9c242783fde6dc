//! Versions of deployed things, found in the ways that models name them.

use crate::Lookup;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::entity::{Form, ProcessDefinition, Resource};
use tidemill_model::{FormKey, TenantId};

/// The common part of processes, forms and resources.
pub(super) trait Version {
    fn id(&self) -> (&str, &TenantId);
    fn version(&self) -> i32;
}

macro_rules! versions {
    ($($entity:ident: $id:ident;)+) => {$(
        impl Version for $entity {
            fn id(&self) -> (&str, &TenantId) {
                (&self.$id, &self.tenant)
            }

            fn version(&self) -> i32 {
                self.version
            }
        }
    )+};
}

versions! {
    ProcessDefinition: process_id;
    Form: form_id;
    Resource: resource_id;
}

pub fn find_form(
    forms: &BTreeMap<FormKey, Arc<Form>>,
    tenant: &TenantId,
    id: &str,
    lookup: &Lookup,
) -> Option<Arc<Form>> {
    let is_meant = |row: &Form| match lookup {
        Lookup::Latest => true,
        Lookup::VersionTag(tag) => row.version_tag.as_ref() == Some(tag),
        Lookup::Deployment(key) => row.deployment == *key,
    };
    let is_named = |row: &Form| row.form_id == id && row.tenant == *tenant && !row.is_deleted;
    forms.values().filter(|row| is_named(row) && is_meant(row)).max_by_key(|row| row.version).cloned()
}

/// All versions, deleted ones included, in their order.
/// Deleted ones count, because their numbers must not be given again.
pub(super) fn all_versions<K, T: Version>(
    table: &BTreeMap<K, Arc<T>>,
    tenant: &TenantId,
    id: &str,
) -> Vec<Arc<T>> {
    let mut versions: Vec<_> = table.values().filter(|row| row.id() == (id, tenant)).cloned().collect();
    versions.sort_by_key(|row| row.version());
    versions
}
