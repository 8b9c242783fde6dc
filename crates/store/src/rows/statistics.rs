//! Counts over instances, elements and incidents.

use super::views::Views;
use crate::query::Filter;
use crate::view::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use tidemill_model::entity::{DefinitionState, InstanceState};
use tidemill_model::{DefinitionKey, ProcessInstanceKey, TenantId, Text};

impl Views<'_> {
    pub fn instance_statistics(&self, instance: ProcessInstanceKey) -> Vec<ElementStatistics> {
        count(self.of::<ElementInstanceField>().filter(|element| element.instance == instance))
    }

    pub fn definition_statistics(
        &self,
        definition: DefinitionKey,
        filter: &Filter<ProcessInstanceField>,
    ) -> Vec<ElementStatistics> {
        let elements = self.of::<ElementInstanceField>().filter(|element| element.definition == definition);
        // Without a filter no instance has to be looked at.
        if filter.all.is_empty() {
            return count(elements);
        }
        let of_definition =
            self.of::<ProcessInstanceField>().filter(|instance| instance.definition == definition);
        let passing = of_definition.filter(|instance| filter.passes(instance, self));
        let passing: BTreeSet<ProcessInstanceKey> = passing.map(|instance| instance.key).collect();
        count(elements.filter(|element| passing.contains(&element.instance)))
    }

    pub fn process_statistics(&self) -> Vec<ProcessStatistics> {
        self.count_processes(|definitions| self.active(definitions))
    }

    /// With counts of live instances, without and with an incident, of a process's definitions.
    pub fn count_processes(&self, active: impl Fn(&[DefinitionKey]) -> [u64; 2]) -> Vec<ProcessStatistics> {
        let mut processes: BTreeMap<(Text, TenantId), Vec<ProcessDefinitionView>> = BTreeMap::new();
        for definition in self
            .of::<ProcessDefinitionField>()
            .filter(|definition| definition.state != DefinitionState::Deleted)
        {
            let id = (definition.process_id.clone(), definition.tenant.clone());
            processes.entry(id).or_default().push(definition);
        }
        let counted = processes.into_iter().map(|((process_id, tenant), versions)| {
            let keys: Vec<DefinitionKey> = versions.iter().map(|version| version.key).collect();
            // The name may change from version to version; lists show that of the latest.
            let latest = versions.iter().max_by_key(|version| version.version);
            let [active_without_incident, active_with_incident] = active(&keys);
            ProcessStatistics {
                process_id,
                tenant,
                latest_name: latest.and_then(|version| version.name.clone()),
                has_multiple_versions: versions.len() > 1,
                active_without_incident,
                active_with_incident,
            }
        });
        counted.collect()
    }

    pub fn version_statistics(&self, tenant: Option<&TenantId>, process_id: &str) -> Vec<VersionStatistics> {
        self.count_versions(tenant, process_id, |definitions| self.active(definitions))
    }

    pub fn count_versions(
        &self,
        tenant: Option<&TenantId>,
        process_id: &str,
        active: impl Fn(&[DefinitionKey]) -> [u64; 2],
    ) -> Vec<VersionStatistics> {
        let versions = self.of::<ProcessDefinitionField>().filter(|definition| {
            definition.state != DefinitionState::Deleted
                && definition.process_id == process_id
                && tenant.is_none_or(|tenant| definition.tenant == *tenant)
        });
        let counted = versions.map(|version| {
            let [active_without_incident, active_with_incident] = active(&[version.key]);
            VersionStatistics {
                definition: version.key,
                process_id: version.process_id,
                name: version.name,
                version: version.version,
                tenant: version.tenant,
                active_without_incident,
                active_with_incident,
            }
        });
        let mut counted: Vec<VersionStatistics> = counted.collect();
        counted.sort_by(|a, b| (a.version, &a.tenant).cmp(&(b.version, &b.tenant)));
        counted
    }

    /// Live instances of these definitions, without and with an incident.
    fn active(&self, definitions: &[DefinitionKey]) -> [u64; 2] {
        let live = self.live.process_instances.values().filter(|row| definitions.contains(&row.definition));
        let (stuck, running): (Vec<_>, Vec<_>) = live.partition(|row| row.incidents > 0);
        [running.len() as u64, stuck.len() as u64]
    }

    pub fn error_statistics(&self) -> Vec<ErrorStatistics> {
        let mut instances: BTreeMap<&str, BTreeSet<ProcessInstanceKey>> = BTreeMap::new();
        for incident in self.live.incidents.values() {
            instances.entry(&incident.message).or_default().insert(incident.origin.instance);
        }
        let counted = instances.into_iter().map(|(message, instances)| ErrorStatistics {
            hash: error_hash(message),
            message: message.to_owned(),
            active_instances: instances.len() as u64,
        });
        let mut counted: Vec<ErrorStatistics> = counted.collect();
        // The sort is stable, so errors that are equally frequent stay in the order of their texts.
        counted.sort_by_key(|error| Reverse(error.active_instances));
        counted
    }
}

/// Per element id.
fn count(elements: impl Iterator<Item = ElementInstanceView>) -> Vec<ElementStatistics> {
    let mut counts: BTreeMap<Text, ElementStatistics> = BTreeMap::new();
    for element in elements {
        let element_id = element.element_id.clone();
        let counted = counts.entry(element.element_id).or_insert(ElementStatistics {
            element_id,
            active: 0,
            completed: 0,
            canceled: 0,
            incidents: 0,
        });
        match (element.state, element.has_incident) {
            (InstanceState::Completed, _) => counted.completed += 1,
            (InstanceState::Terminated, _) => counted.canceled += 1,
            (InstanceState::Active, false) => counted.active += 1,
            (InstanceState::Active, true) => counted.incidents += 1,
        }
    }
    counts.into_values().collect()
}
