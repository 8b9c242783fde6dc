//! Deployed definitions in memory: versions by process id, and the compiled processes. Which of these stay is decided by the cache of the
//! node: what that lets go of leaves here at the end of the batch.

use super::Working;
use crate::stop::{Stepped, Stop};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use tidemill_bpmn::Process;
use tidemill_model::entity::{
    DefinitionState, Form, ProcessDefinition, ProcessXml, Resource, StartSubscription,
};
use tidemill_model::{DefinitionKey, DeploymentKey, Need, Rejection, RejectionCode, TenantId, Text};

/// Compiled processes outlive the rows of their instances: compiling takes a while, and a definition never changes.
#[derive(Default)]
pub(crate) struct Catalog {
    compiled: FxHashMap<DefinitionKey, Compiled>,
    /// Compiled by the current command.
    added: Vec<DefinitionKey>,
    /// Compiled by commands of the open batch.
    deployed: Vec<DefinitionKey>,
    /// To be let go of when the batch ends: its commands may need them, and must not have to load them again and again.
    leaving: Vec<DefinitionKey>,
    /// Those that were looked up since the last time that uses were taken.
    /// Lookups have a shared reference only, hence the cell. The node's cache decides by these uses what stays in memory.
    used: RefCell<Vec<DefinitionKey>>,
    /// The reasons why this version cannot read the files of these definitions. Files never change, so each is tried once.
    unreadable: FxHashMap<DefinitionKey, Arc<str>>,
    /// Unreadable definitions that were not yet logged.
    untold: Vec<UnreadableDefinition>,
}

struct Compiled {
    process: Arc<Process>,
    /// How often it was looked up since the last time that uses were taken.
    /// A counter beside the process, and not a call into the cache: a hit must touch the core's own memory only.
    uses: Cell<u32>,
}

impl From<Arc<Process>> for Compiled {
    fn from(process: Arc<Process>) -> Compiled {
        Compiled { process, uses: Cell::new(0) }
    }
}

/// A stored definition whose file this version of the engine cannot read, as after a return to an older version. Nothing that needs it
/// can run before a version is there that can.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnreadableDefinition {
    pub key: DefinitionKey,
    pub process_id: Text,
    pub version: i32,
    pub reason: Arc<str>,
}

/// Unreadable definitions that are remembered; beyond that they are tried again.
/// Definitions can be deployed without end, so what is known of them must be bounded.
const UNREADABLE_MAX: usize = 1_000;

/// A process as it was compiled, or the reason why this version cannot read its file.
pub type ReadProcess = Result<Arc<Process>, Arc<str>>;

/// A definition ready to run.
#[derive(Clone)]
pub(crate) struct Definition {
    pub(crate) head: Arc<ProcessDefinition>,
    pub(crate) process: Arc<Process>,
}

impl Catalog {
    /// The key is noted for `undo`: the command may still fail.
    pub(crate) fn add(&mut self, key: DefinitionKey, process: Arc<Process>) {
        self.compiled.insert(key, process.into());
        self.added.push(key);
    }

    fn get(&self, key: DefinitionKey) -> Option<&Arc<Process>> {
        let compiled = self.compiled.get(&key)?;
        let uses = compiled.uses.get();
        if uses == 0 {
            self.used.borrow_mut().push(key);
        }
        compiled.uses.set(uses.saturating_add(1));
        Some(&compiled.process)
    }

    fn is_tried(&self, key: DefinitionKey) -> bool {
        self.compiled.contains_key(&key) || self.unreadable.contains_key(&key)
    }

    fn take_in(&mut self, key: DefinitionKey, head: &ProcessDefinition, read: ReadProcess) {
        // The first one stays, so that all commands share one copy.
        if self.is_tried(key) {
            return;
        }
        match read {
            Ok(process) => drop(self.compiled.insert(key, process.into())),
            Err(reason) => {
                self.unreadable.insert(key, reason.clone());
                let (process_id, version) = (head.process_id.clone(), head.version);
                self.untold.push(UnreadableDefinition { key, process_id, version, reason });
            }
        }
    }

    pub(super) fn keep(&mut self) {
        self.deployed.append(&mut self.added);
    }

    pub(super) fn len(&self) -> usize {
        self.compiled.len() + self.unreadable.len()
    }

    /// A deployment that was undone may give its keys to another one, so what it has compiled must not stay under them.
    pub(super) fn undo(&mut self) {
        for key in self.added.drain(..) {
            self.compiled.remove(&key);
        }
    }
}

impl Working {
    /// The definition with this key, in whatever state it is.
    pub(crate) fn definition(&self, key: DefinitionKey) -> Stepped<Definition> {
        self.find_definition(key)?.ok_or_else(|| Stop::broken(format!("definition {key} is not there")))
    }

    pub(crate) fn find_definition(&self, key: DefinitionKey) -> Stepped<Option<Definition>> {
        let head = self.find::<ProcessDefinition>(key, || Need::Definition(key))?;
        let Some(head) = head else { return Ok(None) };
        match self.catalog.get(key) {
            Some(process) => Ok(Some(Definition { head: head.clone(), process: process.clone() })),
            None => match self.catalog.unreadable.get(&key) {
                Some(reason) => Err(Stop::Unreadable(key, unreadable(head, reason))),
                None if self.is_answered(&Need::Definition(key)) => {
                    Err(Stop::broken(format!("definition {key} has no file")))
                }
                None => Err(Need::Definition(key).into()),
            },
        }
    }

    /// The stored facts of a definition. Commands that need no more than these go on although the file cannot
    /// be read: instances of such a definition can be cancelled.
    pub(crate) fn definition_head(&self, key: DefinitionKey) -> Stepped<&Arc<ProcessDefinition>> {
        let head = self.find::<ProcessDefinition>(key, || Need::Definition(key))?;
        head.ok_or_else(|| Stop::broken(format!("definition {key} is not there")))
    }

    /// This version cannot read the definition, as far as it has tried.
    pub(crate) fn is_unreadable(&self, key: DefinitionKey) -> bool {
        self.catalog.unreadable.contains_key(&key)
    }

    /// Takes in a process that was compiled elsewhere, for a definition whose head was supplied.
    pub fn supply_process(&mut self, key: DefinitionKey, read: ReadProcess) {
        if let Some(head) = self.get::<ProcessDefinition>(key).cloned() {
            self.catalog.take_in(key, &head, read);
        }
    }

    pub(super) fn compile(&mut self, xml: &ProcessXml) {
        if !self.catalog.is_tried(xml.definition)
            && let Some(head) = self.get::<ProcessDefinition>(xml.definition).cloned()
        {
            let read = tidemill_bpmn::read_process(xml.xml.as_bytes(), &head.process_id);
            self.catalog.take_in(xml.definition, &head, read.map(Arc::new).map_err(Arc::from));
        }
    }

    /// How often compiled processes were looked up since the last call.
    pub fn take_definition_uses(&mut self) -> Vec<(DefinitionKey, u32)> {
        let used = std::mem::take(self.catalog.used.get_mut());
        let uses = used.into_iter().filter_map(|key| {
            let compiled = self.catalog.compiled.get(&key)?;
            Some((key, compiled.uses.replace(0)))
        });
        uses.collect()
    }

    /// Metrics ask for it after each commit, so it comes from memory or not at all: a name is not worth a read.
    pub fn process_id(&self, key: DefinitionKey) -> Option<Text> {
        self.get::<ProcessDefinition>(key).map(|head| head.process_id.clone())
    }

    /// The processes that are compiled here.
    pub fn compiled(&self) -> Vec<DefinitionKey> {
        self.catalog.compiled.keys().copied().collect()
    }

    /// Lets go of compiled processes when the batch ends. A command that needs one after that asks for it again.
    pub fn let_go_of_processes(&mut self, keys: impl IntoIterator<Item = DefinitionKey>) {
        let compiled = &self.catalog.compiled;
        // Keys that are not compiled here are skipped: one that is compiled later in this batch must not leave with them.
        self.catalog.leaving.extend(keys.into_iter().filter(|key| compiled.contains_key(key)));
    }

    /// The processes that deployments have compiled here since the last call.
    pub fn take_deployed(&mut self) -> Vec<DefinitionKey> {
        std::mem::take(&mut self.catalog.deployed)
    }

    /// Goes on with the process that all share instead of the one that was compiled here. They are the same, but for the memory.
    pub fn share_process(&mut self, key: DefinitionKey, process: Arc<Process>) {
        if let Some(compiled) = self.catalog.compiled.get_mut(&key) {
            compiled.process = process;
        }
    }

    /// Does so now: no command waits that may need them.
    pub fn drop_leaving_processes(&mut self) {
        for key in std::mem::take(&mut self.catalog.leaving) {
            self.catalog.compiled.remove(&key);
            self.residence.standing.remove(&Need::Definition(key));
        }
        // All of them go at once, because none is worth more than another. Those that are needed are read and tried again.
        if self.catalog.unreadable.len() > UNREADABLE_MAX {
            for (key, _) in std::mem::take(&mut self.catalog.unreadable) {
                self.residence.standing.remove(&Need::Definition(key));
            }
        }
    }

    /// The definitions that were found unreadable since the last call, for the log.
    pub fn take_unreadable(&mut self) -> Vec<UnreadableDefinition> {
        std::mem::take(&mut self.catalog.untold)
    }

    /// All versions of a process, oldest first.
    pub(crate) fn versions(
        &self,
        tenant: &TenantId,
        process_id: &Text,
    ) -> Stepped<Vec<Arc<ProcessDefinition>>> {
        self.require(Need::Process { tenant: tenant.clone(), process_id: process_id.clone() })?;
        let found = self.index().processes.get(&(tenant.clone(), process_id.clone()));
        let mut versions: Vec<_> = found
            .into_iter()
            .flat_map(|process| &process.definitions)
            .filter_map(|key| self.get::<ProcessDefinition>(*key).cloned())
            .collect();
        versions.sort_unstable_by_key(|definition| definition.version);
        Ok(versions)
    }

    pub(crate) fn latest(
        &self,
        tenant: &TenantId,
        process_id: &Text,
    ) -> Stepped<Option<Arc<ProcessDefinition>>> {
        Ok(self.active_versions(tenant, process_id)?.pop())
    }

    pub(crate) fn active_versions(
        &self,
        tenant: &TenantId,
        process_id: &Text,
    ) -> Stepped<Vec<Arc<ProcessDefinition>>> {
        let mut versions = self.versions(tenant, process_id)?;
        versions.retain(|definition| definition.state == DefinitionState::Active);
        Ok(versions)
    }

    pub(crate) fn form_versions(&self, tenant: &TenantId, form_id: &Text) -> Stepped<Vec<Arc<Form>>> {
        self.require(Need::Form { tenant: tenant.clone(), form_id: form_id.clone() })?;
        let found = self.index().forms.get(&(tenant.clone(), form_id.clone()));
        let mut versions: Vec<_> =
            found.into_iter().flatten().filter_map(|key| self.get::<Form>(*key).cloned()).collect();
        versions.sort_unstable_by_key(|form| form.version);
        Ok(versions)
    }

    pub(crate) fn resource_versions(
        &self,
        tenant: &TenantId,
        resource_id: &Text,
    ) -> Stepped<Vec<Arc<Resource>>> {
        self.require(Need::Resource { tenant: tenant.clone(), resource_id: resource_id.clone() })?;
        let found = self.index().resources.get(&(tenant.clone(), resource_id.clone()));
        let mut versions: Vec<_> =
            found.into_iter().flatten().filter_map(|key| self.get::<Resource>(*key).cloned()).collect();
        versions.sort_unstable_by_key(|resource| resource.version);
        Ok(versions)
    }

    /// The heads of definitions, forms and resources are read again; compiled processes never change.
    /// Definitions that the open batch has deployed stay: the store does not have them yet.
    pub(super) fn forget_definitions(&mut self) {
        self.unload_unchanged::<ProcessDefinition>();
        self.unload_unchanged::<Form>();
        self.unload_unchanged::<Resource>();
        self.unload_unchanged::<StartSubscription>();
    }

    /// Rows that the open batch changes stay, because the store does not have them yet: a deployment that waits for its commit would lose
    /// what it has deployed.
    fn unload_unchanged<R: super::Tabled>(&mut self) {
        let table = R::table(&self.tables);
        let keys: Vec<_> = table.rows().map(|row| row.key()).filter(|key| !table.is_dirty(*key)).collect();
        for key in keys {
            self.unload::<R>(key);
        }
    }
}

fn unreadable(head: &ProcessDefinition, reason: &str) -> Rejection {
    Rejection::new(
        RejectionCode::ProcessingError,
        format!(
            "Expected process '{}' in version {} (definition {}) to be readable, but this version of Tidemill cannot read \
             its file: {reason}. Start the version that deployed it, or a newer one",
            head.process_id, head.version, head.key
        ),
    )
}

/// Picks the version that a binding means.
pub(crate) fn by_tag<'a, T>(
    versions: &'a [Arc<T>],
    tag_of: impl Fn(&T) -> Option<&Text>,
    tag: &Text,
) -> Option<&'a Arc<T>> {
    versions.iter().rev().find(|version| tag_of(version) == Some(tag))
}

pub(crate) fn by_deployment<T>(
    versions: &[Arc<T>],
    deployment_of: impl Fn(&T) -> DeploymentKey,
    deployment: DeploymentKey,
) -> Option<&Arc<T>> {
    versions.iter().rev().find(|version| deployment_of(version) == deployment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Loops look definitions up with every step. The fastest of many rounds counts, because other work on the machine slows the rest down.
    #[test]
    fn a_hit_is_a_lookup_in_a_table_of_its_own() {
        const LOOKUPS: u32 = 1_000;
        let xml = tidemill_bpmn::builder::ModelBuilder::process("p").start("s").end("e").xml();
        let process = tidemill_bpmn::read_process(xml.as_bytes(), "p").map(Arc::new).expect("a process");
        let mut catalog = Catalog::default();
        for key in 0..1_000 {
            catalog.add(DefinitionKey(key), process.clone());
        }
        let mut fastest = Duration::MAX;
        for round in 0..200 {
            let began = Instant::now();
            for number in 0..LOOKUPS {
                let key = DefinitionKey(i64::from((number * 7 + round) % 1_000));
                std::hint::black_box(catalog.get(key)).expect("it is there");
            }
            fastest = fastest.min(began.elapsed());
        }
        let limit = if cfg!(debug_assertions) { 500 } else { 50 };
        assert!(fastest < Duration::from_nanos(limit) * LOOKUPS, "{:?} each", fastest / LOOKUPS);
    }
}
