//! The node's one cache of definitions: loops, gateway and readers take executable processes from here. A process never changes, so
//! what is here stays true; what the cache lets go of leaves the loops too.

mod entries;
mod flights;
mod latest;
mod report;
mod size;
mod warm_up;

pub use report::{CacheReport, ReportedDefinition};
pub use size::note_allocation;
pub(crate) use warm_up::warm_up;

use crate::metrics::{Metrics, OTHER};
use entries::{Bounds, Entries, Entry};
use flights::{Flights, Promised};
use latest::Latest;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tidemill_bpmn::Process;
use tidemill_engine::ReadProcess;
use tidemill_model::entity::{DefinitionState, ProcessDefinition};
use tidemill_model::{DefinitionKey, Entity, Need, PartitionId, ResourceKey, TenantId, Text};
use tidemill_store::{LIST_ROWS_MAX, Loaded, Result, Store};
use tokio::sync::futures::OwnedNotified;
use tokio::time::Instant;

const UNPOISONED: &str = "nobody panics while holding it";
/// Unreadable definitions that were told; beyond that they are told again.
const TOLD_MAX: usize = 1_000;

/// The settings of the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DefinitionCacheConfig {
    pub entries_max: usize,
    pub bytes_max: usize,
    /// The definitions of active instances are loaded when the node starts.
    pub warms_up: bool,
}

impl Default for DefinitionCacheConfig {
    fn default() -> DefinitionCacheConfig {
        DefinitionCacheConfig { entries_max: 1_000, bytes_max: 100 << 20, warms_up: true }
    }
}

pub(crate) struct DefinitionCache {
    config: DefinitionCacheConfig,
    store: Arc<dyn Store>,
    /// The newest version of definitions that this node has heard of.
    newest: Arc<AtomicU64>,
    entries: Mutex<Entries>,
    flights: Flights,
    latest: Latest,
    /// Moves whenever an entry leaves.
    evictions: AtomicU64,
    metrics: Arc<Metrics>,
    told: Mutex<BTreeSet<DefinitionKey>>,
}

/// The answers of the cache and the store to the needs of a loop.
#[derive(Default)]
pub(crate) struct Answered {
    pub(crate) rows: Vec<(Need, Loaded)>,
    pub(crate) processes: Vec<(DefinitionKey, ReadProcess)>,
}

/// The purpose for which a row was read from the store.
enum Asked {
    AsItIs(Need),
    /// The definition with its file.
    File(DefinitionKey),
    /// The process is there; its head may be out of date.
    Head(DefinitionKey, Arc<Process>),
    Versions(TenantId, Text),
}

impl Asked {
    fn need(&self) -> Need {
        match self {
            Asked::AsItIs(need) => need.clone(),
            Asked::File(key) => Need::Definition(*key),
            Asked::Head(key, _) => Need::ResourceByKey(ResourceKey(key.0)),
            Asked::Versions(tenant, process_id) => {
                Need::Process { tenant: tenant.clone(), process_id: process_id.clone() }
            }
        }
    }
}

impl DefinitionCache {
    pub(crate) fn new(
        config: DefinitionCacheConfig,
        store: Arc<dyn Store>,
        newest: Arc<AtomicU64>,
        metrics: Arc<Metrics>,
    ) -> DefinitionCache {
        let bounds = Bounds { entries_max: config.entries_max, bytes_max: config.bytes_max };
        DefinitionCache {
            config,
            store,
            newest,
            entries: Mutex::new(Entries::new(bounds)),
            flights: Flights::default(),
            latest: Latest::new(),
            evictions: AtomicU64::new(0),
            metrics,
            told: Mutex::new(BTreeSet::new()),
        }
    }

    /// A process in its executable form; none for an unknown key, or where this version cannot read its file.
    pub(crate) async fn process(&self, key: DefinitionKey) -> Result<Option<Arc<Process>>> {
        if let Some(entry) = self.entries.lock().expect(UNPOISONED).get(key, 1) {
            self.metrics.cache.hits.with([entry.head.tenant.as_str()]).add(1);
            return Ok(Some(entry.process.clone()));
        }
        let answered = self.load(PartitionId::FIRST, vec![Need::Definition(key)]).await?;
        let found = answered.processes.into_iter().find(|(found, _)| *found == key);
        Ok(found.and_then(|(_, read)| read.ok()))
    }

    /// Answers the needs of a loop: definitions from here where they are here, everything else from the store, in one round trip.
    pub(crate) async fn load(&self, partition: PartitionId, needs: Vec<Need>) -> Result<Answered> {
        let mut answered = Answered::default();
        let mut open = needs;
        while !open.is_empty() {
            // Read before the store is: whatever was deployed after that makes what is read now out of date.
            let as_of = self.newest.load(Ordering::Acquire);
            let mut promised = self.flights.promise();
            let mut asked = Vec::new();
            let mut awaited = Vec::new();
            for need in open {
                asked.extend(self.look_up(
                    partition,
                    need,
                    as_of,
                    &mut promised,
                    &mut awaited,
                    &mut answered,
                ));
            }
            if !asked.is_empty() {
                let needs: Vec<Need> = asked.iter().map(Asked::need).collect();
                let began = Instant::now();
                let loaded = self.store.load(partition, &needs, LIST_ROWS_MAX).await?;
                for (asked, loaded) in asked.into_iter().zip(loaded) {
                    self.take_in(asked, loaded, as_of, began, &mut answered);
                }
            }
            drop(promised);
            open = Vec::new();
            for (key, end) in awaited {
                end.await;
                open.push(Need::Definition(key));
            }
        }
        Ok(answered)
    }

    /// Answers a need from memory, waits for whoever loads it already, or tells what to ask the store.
    fn look_up(
        &self,
        partition: PartitionId,
        need: Need,
        as_of: u64,
        promised: &mut Promised,
        awaited: &mut Vec<(DefinitionKey, OwnedNotified)>,
        answered: &mut Answered,
    ) -> Option<Asked> {
        match need {
            Need::Definition(key) => {
                let mut entries = self.entries.lock().expect(UNPOISONED);
                if let Some(entry) = entries.get(key, 0) {
                    if entry.as_of != as_of {
                        return Some(Asked::Head(key, entry.process.clone()));
                    }
                    answered.add(key, Some(entry.head.clone()), Some(Ok(entry.process.clone())));
                    return None;
                }
                drop(entries);
                match promised.add(key) {
                    None => Some(Asked::File(key)),
                    Some(end) => {
                        awaited.push((key, end));
                        None
                    }
                }
            }
            // The first partition deploys: what it knows of versions decides over the next number, so it asks the store itself.
            Need::Process { tenant, process_id } if partition != PartitionId::FIRST => {
                let name = (tenant, process_id);
                let Some(entities) = self.latest.get(&name, as_of) else {
                    return Some(Asked::Versions(name.0, name.1));
                };
                let need = Need::Process { tenant: name.0, process_id: name.1 };
                answered.rows.push((need, Loaded { entities, ..Loaded::default() }));
                None
            }
            need => Some(Asked::AsItIs(need)),
        }
    }

    fn take_in(&self, asked: Asked, loaded: Loaded, as_of: u64, began: Instant, answered: &mut Answered) {
        match asked {
            Asked::AsItIs(need) => answered.rows.push((need, loaded)),
            Asked::Versions(tenant, process_id) => {
                self.latest.insert((tenant.clone(), process_id.clone()), as_of, &loaded.entities);
                answered.rows.push((Need::Process { tenant, process_id }, loaded));
            }
            Asked::Head(key, process) => {
                let head = head_of(&loaded.entities);
                self.refresh(key, head.as_ref(), as_of);
                let read = head.is_some().then_some(Ok(process));
                answered.add(key, head, read);
            }
            Asked::File(key) => {
                let head = head_of(&loaded.entities);
                let file = loaded.entities.iter().find_map(|entity| match entity {
                    Entity::ProcessXml(file) => Some(file.xml.clone()),
                    _ => None,
                });
                let read = head.as_ref().zip(file).map(|(head, xml)| self.read(head, &xml, as_of));
                let tenant = head.as_ref().map_or(OTHER, |head| head.tenant.as_str());
                self.metrics.cache.misses.with([tenant]).add(1);
                self.metrics.cache.load_times.note(began.elapsed());
                answered.add(key, head, read);
            }
        }
    }

    /// Compiles a file and keeps what came out. A file that cannot be read is not kept: whoever asks again tries again.
    fn read(&self, head: &Arc<ProcessDefinition>, xml: &str, as_of: u64) -> ReadProcess {
        let (read, bytes) =
            size::measured(|| tidemill_bpmn::read_process(xml.as_bytes(), &head.process_id).map(Arc::new));
        match read {
            Ok(process) => {
                let bytes = bytes.unwrap_or_else(|| size::guessed(xml.len()));
                let entry = Entry { head: head.clone(), as_of, process: process.clone(), bytes, uses: 1 };
                let evicted = self.entries.lock().expect(UNPOISONED).insert(entry);
                self.note_evictions(evicted);
                Ok(process)
            }
            Err(reason) => {
                self.tell_unreadable(head, &reason);
                Err(reason.into())
            }
        }
    }

    /// The head of a definition that is here was read again. One that was deleted leaves.
    fn refresh(&self, key: DefinitionKey, head: Option<&Arc<ProcessDefinition>>, as_of: u64) {
        let mut entries = self.entries.lock().expect(UNPOISONED);
        match head.filter(|head| head.state != DefinitionState::Deleted) {
            Some(head) => {
                if let Some(entry) = entries.get(key, 0).filter(|entry| entry.as_of < as_of) {
                    entry.head = head.clone();
                    entry.as_of = as_of;
                }
            }
            None => {
                let has_left = entries.remove(key);
                drop(entries);
                self.note_evictions(usize::from(has_left));
            }
        }
    }

    fn note_evictions(&self, count: usize) {
        if count > 0 {
            self.metrics.cache.evictions.add(count as u64);
            self.evictions.fetch_add(count as u64, Ordering::AcqRel);
        }
    }

    fn tell_unreadable(&self, head: &ProcessDefinition, reason: &str) {
        let mut told = self.told.lock().expect(UNPOISONED);
        if told.len() >= TOLD_MAX {
            told.clear();
        }
        if told.insert(head.key) {
            tracing::error!(
                definition = %head.key,
                process_id = %head.process_id,
                version = head.version,
                reason,
                "a stored definition cannot be read by this version: nothing is lost, but what needs it waits for a version \
                 that can"
            );
        }
    }

    /// Somebody has heard of this version of the definitions: what was read before may be out of date.
    pub(crate) fn note_version(&self, version: u64) {
        self.newest.fetch_max(version, Ordering::AcqRel);
    }

    pub(crate) fn process_id(&self, key: DefinitionKey) -> Option<Text> {
        self.entries.lock().expect(UNPOISONED).get(key, 0).map(|entry| entry.head.process_id.clone())
    }

    /// Moves whenever a definition leaves.
    pub(crate) fn evictions(&self) -> u64 {
        self.evictions.load(Ordering::Acquire)
    }

    /// Those of these that are no longer here.
    pub(crate) fn absent(&self, keys: Vec<DefinitionKey>) -> Vec<DefinitionKey> {
        let entries = self.entries.lock().expect(UNPOISONED);
        keys.into_iter().filter(|key| !entries.contains(*key)).collect()
    }

    /// A loop has used what it has from here.
    pub(crate) fn note_uses(&self, uses: &[(DefinitionKey, u32)]) {
        let mut entries = self.entries.lock().expect(UNPOISONED);
        for (key, count) in uses {
            let count = u64::from(*count);
            let tenant = entries.get(*key, count).map(|entry| entry.head.tenant.clone());
            let tenant = tenant.as_ref().map_or(OTHER, TenantId::as_str);
            self.metrics.cache.hits.with([tenant]).add(count);
        }
    }

    pub(crate) fn report(&self) -> CacheReport {
        let entries = self.entries.lock().expect(UNPOISONED);
        CacheReport {
            entries: entries.len(),
            entries_max: self.config.entries_max,
            bytes: entries.bytes(),
            bytes_max: self.config.bytes_max,
            hits: self.metrics.cache.hits.sum(),
            misses: self.metrics.cache.misses.sum(),
            evictions: self.metrics.cache.evictions.get(),
            latest_entries: self.latest.len(),
            largest: report::largest(&entries),
            coldest: report::coldest(&entries),
        }
    }

    /// Entries and their bytes.
    pub(crate) fn fill(&self) -> (usize, usize) {
        let entries = self.entries.lock().expect(UNPOISONED);
        (entries.len(), entries.bytes())
    }
}

impl Answered {
    fn add(&mut self, key: DefinitionKey, head: Option<Arc<ProcessDefinition>>, read: Option<ReadProcess>) {
        let entities = head.into_iter().map(Entity::ProcessDefinition).collect();
        self.rows.push((Need::Definition(key), Loaded { entities, ..Loaded::default() }));
        self.processes.extend(read.map(|read| (key, read)));
    }
}

fn head_of(entities: &[Entity]) -> Option<Arc<ProcessDefinition>> {
    entities.iter().find_map(|entity| match entity {
        Entity::ProcessDefinition(head) => Some(head.clone()),
        _ => None,
    })
}
