//! Questions that tests ask a store in the end: which rows are still alive, and what owners that died were about to do.

use crate::Memory;
use std::collections::BTreeMap;
use tidemill_model::{EntityKind, PartitionId, Stored, Text, for_each_kind};
use tidemill_store::rows::Tabled;

impl Memory {
    /// Live rows by kind, without those that belong to deployed definitions; kinds without rows are left out.
    pub fn live_rows(&self) -> BTreeMap<&'static str, usize> {
        let store = self.open();
        let state = store.state();
        let mut counts = vec![("inbox entries", state.inbox.len()), ("dead letters", state.letters.len())];
        for_each_kind!(R => if !is_deployed(R::KIND) {
            counts.push((R::ROWS, R::table(&state.live).len()));
        });
        counts.into_iter().filter(|(_, rows)| *rows > 0).collect()
    }

    /// The business ids of instances that have not ended.
    pub fn live_business_ids(&self) -> Vec<Text> {
        let store = self.open();
        let state = store.state();
        state.live.process_instances.values().filter_map(|row| row.business_id.clone()).collect()
    }

    /// The values of all variables with this name, of ended instances too. A search makes the views of all variables first, which is too
    /// slow for a simulator that looks after every change.
    pub fn values_of(&self, name: &str) -> Vec<String> {
        let store = self.open();
        let state = store.state();
        let rows = state.live.variables.values().chain(state.history.variables.values());
        rows.filter(|row| row.name == name).map(|row| row.value.as_str().to_owned()).collect()
    }

    /// By how much timers were fired before the clock of the store showed their time, in milliseconds.
    pub fn fired_early_ms(&self) -> Vec<i64> {
        self.open().state().fired_early_ms.clone()
    }

    /// The notes that owners of a partition have found after predecessors that did not release it: each names the commands that were in
    /// hand at one death.
    pub fn inherited_notes(&self, partition: PartitionId) -> Vec<Vec<u8>> {
        let store = self.open();
        let state = store.state();
        state.partitions.get(&partition).map(|row| row.inherited_notes.clone()).unwrap_or_default()
    }
}

fn is_deployed(kind: EntityKind) -> bool {
    matches!(
        kind,
        EntityKind::ProcessDefinition
            | EntityKind::ProcessXml
            | EntityKind::Form
            | EntityKind::Resource
            | EntityKind::StartSubscription
    )
}
