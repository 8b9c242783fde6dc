//! History: the events of each instance, which instances have ended, and how often each element has.

use super::List;
use crate::row::{instance_json, packed_all};
use crate::writes::{COMES, number};
use std::collections::BTreeMap;
use tidemill_model::entity::{ElementInstance, InstanceState};
use tidemill_model::{DefinitionKey, Entity};

/// Rows of one entry of an instance's events. Half of what one commit may delete, so that entries go as a whole.
const ROWS_PER_ENTRY: usize = 500;
/// Instances of one entry of those that have ended.
const INSTANCES_PER_ENTRY: usize = 500;

impl List<'_> {
    pub(super) fn end(&mut self, entity: &Entity) {
        if let Entity::ProcessInstance(instance) = entity {
            if self.deleted.contains(&instance.key) {
                return self.unindex_instance(instance);
            }
            let json = instance_json(instance, true, self.batch.id.0);
            self.writes.alone(COMES, "SET", self.keys.instance(instance.key), [json]);
            self.index_instance(instance);
            return;
        }
        let Some(belonging) = entity.belongs_to() else { return };
        // An instance that ends and is deleted in one batch leaves nothing.
        if self.deleted.contains(&belonging.instance) {
            return super::forget_keys(
                &mut self.writes,
                self.keys,
                [tidemill_model::Key(entity.numbers().0)],
            );
        }
        self.index_key(entity);
        if let Entity::ElementInstance(element) = entity {
            let counts = self.keys.counts(element.origin.definition);
            *self.counts.entry((counts, count_field(element))).or_default() += 1;
        }
        self.ended.entry(belonging.instance).or_default().push(entity.clone());
    }

    pub(super) fn write_history(&mut self) {
        for (instance, rows) in std::mem::take(&mut self.ended) {
            for (n, rows) in rows.chunks(ROWS_PER_ENTRY).enumerate() {
                let fields = [
                    self.entry_id(n),
                    b"at".to_vec(),
                    number(self.batch.at.0),
                    b"n".to_vec(),
                    number(rows.len()),
                    b"rows".to_vec(),
                    packed_all(rows),
                ];
                self.writes.alone(COMES, "XADD", self.keys.events(instance), fields);
            }
        }
        for ((counts, field), change) in std::mem::take(&mut self.counts) {
            self.writes.alone(COMES, "HINCRBY", counts, [field.into_bytes(), number(change)]);
        }
        self.note_ended();
    }

    /// Ended instances by definition, in the order of their ends, many in one entry.
    fn note_ended(&mut self) {
        let mut ended: BTreeMap<DefinitionKey, Vec<(i64, i64)>> = BTreeMap::new();
        for change in &self.batch.changes {
            let tidemill_model::Change::End { entity: Entity::ProcessInstance(row), .. } = change else {
                continue;
            };
            if !self.deleted.contains(&row.key) {
                let at = row.ended_at.unwrap_or(row.started_at);
                ended.entry(row.definition).or_default().push((at.0, row.key.0));
            }
        }
        for (definition, instances) in ended {
            for (n, instances) in instances.chunks(INSTANCES_PER_ENTRY).enumerate() {
                let last = instances.iter().map(|(at, _)| *at).max().unwrap_or_default();
                let listed: Vec<String> = instances.iter().map(|(at, key)| format!("{key}:{at}")).collect();
                let fields = [
                    self.entry_id(n),
                    b"at".to_vec(),
                    number(last),
                    b"instances".to_vec(),
                    listed.join(" ").into_bytes(),
                ];
                self.writes.alone(COMES, "XADD", self.keys.ended(definition), fields);
            }
            self.writes.add(COMES, "SADD", self.keys.named("processes"), [definition.to_string()]);
        }
    }

    pub(super) fn entry_id(&self, n: usize) -> Vec<u8> {
        format!("{}-{n}", self.batch.id.0).into_bytes()
    }
}

/// Under which an ended element is counted: its state, and its id.
pub(crate) fn count_field(element: &ElementInstance) -> String {
    let has_incident = element.incident.is_some() || element.incidents_below > 0;
    let state = match (InstanceState::from(element.state), has_incident) {
        (InstanceState::Completed, _) => "completed",
        (InstanceState::Terminated, _) => "canceled",
        (InstanceState::Active, false) => "active",
        (InstanceState::Active, true) => "incidents",
    };
    format!("{state}:{}", element.element_id)
}
