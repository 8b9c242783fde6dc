//! Walks up through scopes and callers.

use super::views::Views;
use crate::view::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::entity::{ElementInstance, ProcessInstance};
use tidemill_model::{ElementInstanceKey, ProcessInstanceKey, Text};

impl Views<'_> {
    fn element_row(&self, key: ElementInstanceKey) -> Option<&Arc<ElementInstance>> {
        self.live.element_instances.get(&key).or_else(|| self.history.element_instances.get(&key))
    }

    fn instance_row(&self, key: ProcessInstanceKey) -> Option<&Arc<ProcessInstance>> {
        self.live.process_instances.get(&key).or_else(|| self.history.process_instances.get(&key))
    }

    pub fn visible_variables(&self, scope: ElementInstanceKey) -> Vec<VariableView> {
        let mut visible: BTreeMap<Text, VariableView> = BTreeMap::new();
        let mut next = Some(scope);
        while let Some(scope) = next {
            for variable in self.of::<VariableField>().filter(|variable| variable.scope == scope) {
                // The walk goes from the inside out, so the first of a name stays: it hides those around it.
                visible.entry(variable.name.clone()).or_insert(variable);
            }
            next = self.element_row(scope).map(|element| element.parent);
        }
        visible.into_values().collect()
    }

    pub fn flows_taken(&self, instance: ProcessInstanceKey) -> Option<FlowsTaken> {
        let row = self.instance_row(instance)?;
        let view = self.instance_view(row);
        Some(FlowsTaken {
            instance,
            root: view.root,
            definition: view.definition,
            process_id: view.process_id,
            tenant: view.tenant,
            flows: row.flows_taken.clone(),
        })
    }

    fn instance_view(&self, row: &ProcessInstance) -> ProcessInstanceView {
        let definition = self.live.process_definitions.get(&row.definition).map(|definition| &**definition);
        // Only facts are taken from the view that do not depend on whether the instance has ended.
        ProcessInstanceView::of(&Row { entity: row, definition, has_ended: false })
    }

    /// From the root down to the instance itself; empty for a root.
    pub fn call_hierarchy(&self, instance: ProcessInstanceKey) -> Option<Vec<CallHierarchyEntry>> {
        let mut hierarchy = Vec::new();
        let mut next = self.instance_row(instance);
        while let Some(row) = next {
            let view = self.instance_view(row);
            hierarchy.push(CallHierarchyEntry {
                instance: view.key,
                definition: view.definition,
                process_id: view.process_id,
                process_name: view.process_name,
                tenant: view.tenant,
            });
            next = row.parent.and_then(|parent| self.instance_row(parent.instance));
        }
        hierarchy.reverse();
        match hierarchy.len() {
            0 => None,
            1 => Some(Vec::new()),
            _ => Some(hierarchy),
        }
    }
}
