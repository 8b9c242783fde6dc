//! Rows that conditions look at besides the row itself.

use super::views::{Views, both};
use crate::query::plain::Related;
use crate::view::*;
use std::collections::BTreeSet;
use tidemill_model::entity::DefinitionState;
use tidemill_model::{ElementInstanceKey, ProcessInstanceKey};

impl Related for Views<'_> {
    fn is_latest(&self, definition: &ProcessDefinitionView) -> bool {
        let is_newer = |other: &ProcessDefinitionView| {
            (&other.process_id, &other.tenant) == (&definition.process_id, &definition.tenant)
                && other.version > definition.version
                && other.state == DefinitionState::Active
        };
        definition.state == DefinitionState::Active
            && !self.of::<ProcessDefinitionField>().any(|other| is_newer(&other))
    }

    fn variables_of(&self, instance: ProcessInstanceKey) -> Vec<VariableView> {
        self.of::<VariableField>().filter(|variable| variable.instance == instance).collect()
    }

    fn elements_of(&self, instance: ProcessInstanceKey) -> Vec<ElementInstanceView> {
        self.of::<ElementInstanceField>().filter(|element| element.instance == instance).collect()
    }

    fn incidents_of(&self, instance: ProcessInstanceKey) -> Vec<IncidentView> {
        self.of::<IncidentField>().filter(|incident| incident.instance == instance).collect()
    }

    fn jobs_of(&self, instance: ProcessInstanceKey) -> Vec<JobView> {
        self.of::<JobField>().filter(|job| job.instance == instance).collect()
    }

    fn instances_within(&self, instance: ProcessInstanceKey) -> BTreeSet<ProcessInstanceKey> {
        let mut within = BTreeSet::from([instance]);
        let mut open = vec![instance];
        while let Some(caller) = open.pop() {
            let rows = both(&self.live.process_instances, &self.history.process_instances);
            let called = rows.filter(|(row, _)| row.parent.is_some_and(|parent| parent.instance == caller));
            // `within` also keeps the walk from going in circles, should a row ever be its own ancestor.
            open.extend(called.map(|(row, _)| row.key).filter(|key| within.insert(*key)));
        }
        within
    }

    fn elements_within(&self, element: ElementInstanceKey) -> BTreeSet<ElementInstanceKey> {
        let live = &self.live.element_instances;
        // An unknown element has nothing inside; without this look it would at least contain itself.
        if !live.contains_key(&element) && !self.history.element_instances.contains_key(&element) {
            return BTreeSet::new();
        }
        let mut within = BTreeSet::from([element]);
        let mut open = vec![element];
        while let Some(scope) = open.pop() {
            let elements = both(&self.live.element_instances, &self.history.element_instances);
            let inside = elements.filter(|(row, _)| row.parent == scope).map(|(row, _)| row.key);
            let instances = both(&self.live.process_instances, &self.history.process_instances);
            let called =
                instances.filter(|(row, _)| row.parent.is_some_and(|parent| parent.element == scope));
            let next: Vec<_> = inside.chain(called.map(|(row, _)| row.key.scope())).collect();
            open.extend(next.into_iter().filter(|key| within.insert(*key)));
        }
        within
    }
}
