//! Executable processes for readers outside the loops. A definition never changes, so what is here stays true.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tidemill_bpmn::Process;
use tidemill_model::DefinitionKey;
use tidemill_store::{Result, Store};

/// Definitions kept at most; beyond that the cache starts over.
const DEFINITIONS_MAX: usize = 1_000;

pub(super) struct DefinitionCache {
    store: Arc<dyn Store>,
    processes: Mutex<BTreeMap<DefinitionKey, Arc<Process>>>,
}

impl DefinitionCache {
    pub(super) fn new(store: Arc<dyn Store>) -> DefinitionCache {
        DefinitionCache { store, processes: Mutex::new(BTreeMap::new()) }
    }

    pub(super) async fn process(&self, key: DefinitionKey) -> Result<Option<Arc<Process>>> {
        if let Some(process) = self.processes.lock().expect("nobody panics while holding it").get(&key) {
            return Ok(Some(process.clone()));
        }
        let Some(head) = self.store.definition(key).await? else { return Ok(None) };
        let Some(xml) = self.store.definition_xml(key).await? else { return Ok(None) };
        let Ok(document) = tidemill_bpmn::read(xml.as_bytes()) else { return Ok(None) };
        let found = document.processes.into_iter().find(|process| *process.id() == head.process_id);
        let Some(process) = found.map(Arc::new) else { return Ok(None) };
        let mut processes = self.processes.lock().expect("nobody panics while holding it");
        if processes.len() >= DEFINITIONS_MAX {
            processes.clear();
        }
        processes.insert(key, process.clone());
        Ok(Some(process))
    }
}
