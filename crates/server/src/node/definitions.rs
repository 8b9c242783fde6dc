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
    /// None stands for a definition that this version cannot read: it is told once and not tried again.
    processes: Mutex<BTreeMap<DefinitionKey, Option<Arc<Process>>>>,
}

impl DefinitionCache {
    pub(super) fn new(store: Arc<dyn Store>) -> DefinitionCache {
        DefinitionCache { store, processes: Mutex::new(BTreeMap::new()) }
    }

    pub(super) async fn process(&self, key: DefinitionKey) -> Result<Option<Arc<Process>>> {
        if let Some(process) = self.processes.lock().expect("nobody panics while holding it").get(&key) {
            return Ok(process.clone());
        }
        let Some(head) = self.store.definition(key).await? else { return Ok(None) };
        let Some(xml) = self.store.definition_xml(key).await? else { return Ok(None) };
        let process = match tidemill_bpmn::read_process(xml.as_bytes(), &head.process_id) {
            Ok(process) => Some(Arc::new(process)),
            Err(reason) => {
                tracing::warn!(
                    definition = %key,
                    process_id = %head.process_id,
                    version = head.version,
                    reason,
                    "a stored definition cannot be read by this version: answers lack what only its file says"
                );
                None
            }
        };
        let mut processes = self.processes.lock().expect("nobody panics while holding it");
        if processes.len() >= DEFINITIONS_MAX {
            processes.clear();
        }
        processes.insert(key, process.clone());
        Ok(process)
    }
}
