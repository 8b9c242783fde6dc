//! Lists rows that are still alive, for tests that expect none.

use crate::Memory;
use crate::tables::Tabled;
use std::collections::BTreeMap;
use tidemill_model::{EntityKind, Stored, for_each_kind};

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
