//! Ways to find rows by what they belong to. Every row enters its index when it comes and leaves it when it
//! goes; what a row is filed under never changes while it lives.

use super::links::ScopeLinks;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tidemill_model::entity::*;
use tidemill_model::{
    BoxName, DefinitionKey, ElementInstanceKey, FormKey, JobKey, LeaseKey, MessageKey, ProcessInstanceKey,
    ResourceKey, SubscriptionKey, TenantId, Text, TimerKey,
};

#[derive(Default)]
pub(crate) struct Index {
    /// The key is that of an element instance; the scope of an instance itself has the key of the instance.
    pub(crate) links: FxHashMap<ElementInstanceKey, ScopeLinks>,
    pub(crate) boxes: FxHashMap<BoxName, MessageBox>,
    /// Boxes that may have become empty in this batch. They are dropped at its end, not at once: the next command of the batch may use the
    /// same box, and asking the store again would not show what this batch has changed.
    pub(crate) idle_boxes: Vec<BoxName>,
    pub(crate) locks: FxHashMap<(TenantId, Text, Text), ProcessInstanceKey>,
    /// These are only the ones in memory. The store knows the others, which is why a signal goes over pages of both.
    pub(crate) signals: FxHashMap<(TenantId, Text), BTreeSet<SubscriptionKey>>,
    /// A message or signal looks for its name; a deployment looks for its process. Both lead to the same rows.
    pub(crate) starts: FxHashMap<(TenantId, StartEventKind, Text), BTreeSet<SubscriptionKey>>,
    pub(crate) processes: FxHashMap<(TenantId, Text), ProcessVersions>,
    pub(crate) forms: FxHashMap<(TenantId, Text), BTreeSet<FormKey>>,
    pub(crate) resources: FxHashMap<(TenantId, Text), BTreeSet<ResourceKey>>,
    /// Jobs held under a lease that stands in a row of its own.
    pub(crate) leased: FxHashMap<JobKey, LeaseKey>,
    /// Jobs that wait for a back-off to pass.
    pub(crate) back_offs: FxHashMap<JobKey, TimerKey>,
}

#[derive(Default)]
pub(crate) struct MessageBox {
    /// Ordered by key, which is the order of publication: the oldest message is correlated first.
    pub(crate) messages: BTreeSet<MessageKey>,
    /// The messages among them that wait for busy subscriptions.
    pub(crate) waiting: BTreeSet<MessageKey>,
    pub(crate) subscriptions: BTreeSet<SubscriptionKey>,
}

impl MessageBox {
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.subscriptions.is_empty()
    }
}

/// The rows of one process id.
#[derive(Default)]
pub(crate) struct ProcessVersions {
    pub(crate) definitions: BTreeSet<DefinitionKey>,
    pub(crate) starts: BTreeSet<SubscriptionKey>,
    pub(crate) timers: BTreeSet<TimerKey>,
}

/// A row that is found by more than its key. Rows of kinds that are looked up by key alone have nothing to do here.
pub(crate) trait Filed {
    fn file(&self, _index: &mut Index) {}

    fn unfile(&self, _index: &mut Index) {}
}

impl Index {
    pub(crate) fn links(&mut self, scope: ElementInstanceKey) -> &mut ScopeLinks {
        self.links.entry(scope).or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.links.len()
            + self.boxes.len()
            + self.locks.len()
            + self.signals.len()
            + self.starts.len()
            + self.processes.len()
            + self.forms.len()
            + self.resources.len()
            + self.leased.len()
            + self.back_offs.len()
    }

    /// The scope has gone. The note that only a part of its children was in memory must go with it, or the entry would never be bare.
    fn drop_scope(&mut self, scope: ElementInstanceKey) {
        self.at_links(scope, |links| links.residency = super::Residency::All);
    }

    /// Takes something from a process; one of which nothing is left goes.
    fn at_process(
        &mut self,
        tenant: &TenantId,
        process_id: &Text,
        change: impl FnOnce(&mut ProcessVersions) -> bool,
    ) {
        let name = (tenant.clone(), process_id.clone());
        if let Some(process) = self.processes.get_mut(&name) {
            change(process);
            if process.definitions.is_empty() && process.starts.is_empty() && process.timers.is_empty() {
                self.processes.remove(&name);
            }
        }
    }

    /// Takes something from a message box, and remembers a box that may go.
    /// It goes at the end of the batch only (see `idle_boxes`).
    fn at_box(&mut self, name: BoxName, change: impl FnOnce(&mut MessageBox)) {
        if let Some(found) = self.boxes.get_mut(&name) {
            change(found);
            if found.is_empty() {
                self.idle_boxes.push(name);
            }
        }
    }

    /// Takes something from the links of a scope. Links of which nothing is left go, so that memory follows what lives.
    fn at_links(&mut self, scope: ElementInstanceKey, change: impl FnOnce(&mut ScopeLinks)) {
        if let Some(links) = self.links.get_mut(&scope) {
            change(links);
            if links.is_bare() {
                self.links.remove(&scope);
            }
        }
    }
}

/// Takes a key from a list; a list of which nothing is left goes.
fn remove_from<N: Eq + std::hash::Hash, K: Ord>(lists: &mut FxHashMap<N, BTreeSet<K>>, name: &N, key: &K) {
    if let Some(keys) = lists.get_mut(name) {
        keys.remove(key);
        if keys.is_empty() {
            lists.remove(name);
        }
    }
}

/// In the order of the keys, however a row came back: what follows from it must not depend on that.
fn with<T: Ord, const N: usize>(list: &mut smallvec::SmallVec<[T; N]>, item: T)
where
    [T; N]: smallvec::Array<Item = T>,
{
    let place = list.partition_point(|other| *other < item);
    list.insert(place, item);
}

fn without<T: PartialEq, const N: usize>(list: &mut smallvec::SmallVec<[T; N]>, item: &T)
where
    [T; N]: smallvec::Array<Item = T>,
{
    list.retain(|other| other != item);
}

impl Filed for ProcessInstance {
    fn unfile(&self, index: &mut Index) {
        index.drop_scope(self.key.scope());
    }
}

// Their element names jobs and user tasks, loop inputs and files have the key of what they belong to, and
// correlations are history from the start: nothing looks for these rows in another way.
impl Filed for Job {}
impl Filed for UserTask {}
impl Filed for MessageCorrelation {}
impl Filed for LoopInput {}
impl Filed for ProcessXml {}

impl Filed for ElementInstance {
    fn file(&self, index: &mut Index) {
        index.links(self.parent).children.insert(self.key);
    }

    fn unfile(&self, index: &mut Index) {
        index.at_links(self.parent, |links| {
            links.children.remove(&self.key);
        });
        index.drop_scope(self.key);
    }
}

impl Filed for Variable {
    fn file(&self, index: &mut Index) {
        index.links(self.scope).variables.insert(self.name.clone(), self.key);
    }

    fn unfile(&self, index: &mut Index) {
        index.at_links(self.scope, |links| {
            links.variables.remove(&self.name);
        });
    }
}

impl Filed for Incident {
    fn file(&self, index: &mut Index) {
        with(&mut index.links(self.element_instance).incidents, self.key);
    }

    fn unfile(&self, index: &mut Index) {
        index.at_links(self.element_instance, |links| without(&mut links.incidents, &self.key));
    }
}

impl Filed for Timer {
    fn file(&self, index: &mut Index) {
        match &self.purpose {
            TimerPurpose::Catch { element_instance, .. } => {
                with(&mut index.links(*element_instance).timers, self.key);
            }
            TimerPurpose::Start { process_id, tenant, .. } => {
                let process = (tenant.clone(), process_id.clone());
                index.processes.entry(process).or_default().timers.insert(self.key);
            }
            TimerPurpose::JobBackoff { job, .. } => {
                index.back_offs.insert(*job, self.key);
            }
            TimerPurpose::MessageExpiry { .. } => {}
        }
    }

    fn unfile(&self, index: &mut Index) {
        match &self.purpose {
            TimerPurpose::Catch { element_instance, .. } => {
                index.at_links(*element_instance, |links| without(&mut links.timers, &self.key));
            }
            TimerPurpose::Start { process_id, tenant, .. } => {
                index.at_process(tenant, process_id, |process| process.timers.remove(&self.key));
            }
            TimerPurpose::JobBackoff { job, .. } => {
                index.back_offs.remove(job);
            }
            TimerPurpose::MessageExpiry { .. } => {}
        }
    }
}

impl Filed for MessageSubscription {
    fn file(&self, index: &mut Index) {
        with(&mut index.links(self.element_instance).messages, self.key);
    }

    fn unfile(&self, index: &mut Index) {
        index.at_links(self.element_instance, |links| without(&mut links.messages, &self.key));
    }
}

impl Filed for SignalSubscription {
    fn file(&self, index: &mut Index) {
        with(&mut index.links(self.element_instance).signals, self.key);
        let name = (self.origin.tenant.clone(), self.signal_name.clone());
        index.signals.entry(name).or_default().insert(self.key);
    }

    fn unfile(&self, index: &mut Index) {
        index.at_links(self.element_instance, |links| without(&mut links.signals, &self.key));
        let name = (self.origin.tenant.clone(), self.signal_name.clone());
        remove_from(&mut index.signals, &name, &self.key);
    }
}

/// The index leads from a job to the newest lease that holds it.
impl Filed for JobLease {
    fn file(&self, index: &mut Index) {
        for job in &self.jobs {
            // A lease that comes back must not take a job from the one that holds it since.
            let known = index.leased.entry(*job).or_insert(self.lease.key);
            *known = self.lease.key.max(*known);
        }
    }

    fn unfile(&self, index: &mut Index) {
        for job in &self.jobs {
            if index.leased.get(job) == Some(&self.lease.key) {
                index.leased.remove(job);
            }
        }
    }
}

impl Filed for LoopOutput {
    fn file(&self, index: &mut Index) {
        index.links(self.body).outputs.insert(self.loop_counter);
    }

    fn unfile(&self, index: &mut Index) {
        index.at_links(self.body, |links| {
            links.outputs.remove(&self.loop_counter);
        });
    }
}

impl Filed for Message {
    fn file(&self, index: &mut Index) {
        let found = index.boxes.entry(BoxName::of_message(self)).or_default();
        found.messages.insert(self.key);
        if self.waits_for_busy {
            // Filed by a field of the row, which is why `waits_for_busy` never changes while the message lives.
            found.waiting.insert(self.key);
        }
    }

    fn unfile(&self, index: &mut Index) {
        index.at_box(BoxName::of_message(self), |found| {
            found.messages.remove(&self.key);
            found.waiting.remove(&self.key);
        });
    }
}

impl Filed for BoxSubscription {
    fn file(&self, index: &mut Index) {
        index.boxes.entry(BoxName::of_subscription(self)).or_default().subscriptions.insert(self.key);
    }

    fn unfile(&self, index: &mut Index) {
        index.at_box(BoxName::of_subscription(self), |found| {
            found.subscriptions.remove(&self.key);
        });
    }
}

impl Filed for MessageStartLock {
    fn file(&self, index: &mut Index) {
        let name = (self.tenant.clone(), self.process_id.clone(), self.correlation_key.clone());
        // One instance for each process and correlation key: that is what the lock is for.
        index.locks.insert(name, self.instance);
    }

    fn unfile(&self, index: &mut Index) {
        index.locks.remove(&(self.tenant.clone(), self.process_id.clone(), self.correlation_key.clone()));
    }
}

impl Filed for StartSubscription {
    fn file(&self, index: &mut Index) {
        let name = (self.tenant.clone(), self.kind, self.name.clone());
        index.starts.entry(name).or_default().insert(self.key);
        let process = (self.tenant.clone(), self.process_id.clone());
        index.processes.entry(process).or_default().starts.insert(self.key);
    }

    fn unfile(&self, index: &mut Index) {
        remove_from(&mut index.starts, &(self.tenant.clone(), self.kind, self.name.clone()), &self.key);
        index.at_process(&self.tenant, &self.process_id, |process| process.starts.remove(&self.key));
    }
}

impl Filed for ProcessDefinition {
    fn file(&self, index: &mut Index) {
        let process = (self.tenant.clone(), self.process_id.clone());
        index.processes.entry(process).or_default().definitions.insert(self.key);
    }

    fn unfile(&self, index: &mut Index) {
        index.at_process(&self.tenant, &self.process_id, |process| process.definitions.remove(&self.key));
    }
}

impl Filed for Form {
    fn file(&self, index: &mut Index) {
        index.forms.entry((self.tenant.clone(), self.form_id.clone())).or_default().insert(self.key);
    }

    fn unfile(&self, index: &mut Index) {
        remove_from(&mut index.forms, &(self.tenant.clone(), self.form_id.clone()), &self.key);
    }
}

impl Filed for Resource {
    fn file(&self, index: &mut Index) {
        index.resources.entry((self.tenant.clone(), self.resource_id.clone())).or_default().insert(self.key);
    }

    fn unfile(&self, index: &mut Index) {
        remove_from(&mut index.resources, &(self.tenant.clone(), self.resource_id.clone()), &self.key);
    }
}
