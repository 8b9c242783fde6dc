//! A store in memory that answers what the engine needs. Entities can go through their written form, as in a
//! real one.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use tidemill_engine::Supply;
use tidemill_model::entity::*;
use tidemill_model::{
    Change, ElementInstanceKey, Entity, EntityKind, JobKey, Need, ProcessInstanceKey, TenantId, Text,
};

/// An instance with more rows than this is loaded piece by piece.
const LARGE_INSTANCE_ROWS: usize = 1_000;
const PAGE: usize = 100;

type Id = (EntityKind, i64, i64);

#[derive(Default)]
pub struct MemoryStore {
    live: BTreeMap<Id, Entity>,
    by_instance: Listing<ProcessInstanceKey>,
    by_element: Listing<ElementInstanceKey>,
    by_parent: HashMap<ElementInstanceKey, BTreeSet<ElementInstanceKey>>,
    by_correlation_key: Listing<(TenantId, Text)>,
    by_job: Listing<JobKey>,
    /// Needs that were answered, and the rows that went with them.
    pub loads: Cell<usize>,
    pub rows_loaded: Cell<usize>,
    /// Every entity is written as text and read back when it is stored.
    pub writes_text: bool,
    pub ended: Vec<Entity>,
    pub large_instance_rows: Option<usize>,
}

/// Rows by what they are looked up by, so that tests at size do not wait for the store.
struct Listing<K>(HashMap<K, BTreeSet<Id>>);

impl<K> Default for Listing<K> {
    fn default() -> Self {
        Listing(HashMap::new())
    }
}

impl<K: Eq + Hash> Listing<K> {
    fn note(&mut self, key: Option<K>, id: Id, is_there: bool) {
        let Some(key) = key else { return };
        let ids = self.0.entry(key).or_default();
        if is_there {
            ids.insert(id);
        } else {
            ids.remove(&id);
        }
    }

    fn rows(&self, key: &K, live: &BTreeMap<Id, Entity>) -> Vec<Entity> {
        let ids = self.0.get(key).into_iter().flatten();
        ids.map(|id| live[id].clone()).collect()
    }
}

impl MemoryStore {
    fn put(&mut self, entity: Entity) {
        self.list(&entity, true);
        self.live.insert(id(&entity), entity);
    }

    fn take(&mut self, entity: &Entity) -> bool {
        self.list(entity, false);
        self.live.remove(&id(entity)).is_some()
    }

    fn list(&mut self, entity: &Entity, is_there: bool) {
        let id = id(entity);
        self.by_instance.note(instance_of(entity), id, is_there);
        self.by_element.note(element_of(entity), id, is_there);
        self.by_correlation_key.note(correlation_key_of(entity), id, is_there);
        self.by_job.note(job_of(entity), id, is_there);
        if let Entity::ElementInstance(element) = entity {
            let children = self.by_parent.entry(element.parent).or_default();
            if is_there {
                children.insert(element.key);
            } else {
                children.remove(&element.key);
            }
        }
    }

    pub fn apply(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Put(entity) => {
                    let stored = if self.writes_text { through_text(&entity) } else { entity };
                    self.put(stored);
                }
                Change::Remove(entity) => {
                    assert!(self.take(&entity), "removes what it has: {entity:?}");
                }
                Change::End { entity, was_stored } => {
                    let was_there = self.take(&entity);
                    assert_eq!(was_there, was_stored, "knows what is stored: {entity:?}");
                    self.ended.push(entity);
                }
            }
        }
    }

    pub fn live(&self) -> impl Iterator<Item = Entity> {
        self.live.values().cloned()
    }

    pub fn of<T: 'static>(&self, pick: impl Fn(Entity) -> Option<T>) -> Vec<T> {
        self.live().filter_map(pick).collect()
    }

    /// Rows that are not definitions and their standing subscriptions.
    pub fn left_behind(&self) -> Vec<Entity> {
        let is_standing = |entity: &Entity| match entity {
            Entity::ProcessDefinition(_) | Entity::ProcessXml(_) | Entity::Form(_) | Entity::Resource(_) => {
                true
            }
            Entity::StartSubscription(_) => true,
            Entity::Timer(timer) => matches!(timer.purpose, TimerPurpose::Start { .. }),
            _ => false,
        };
        self.live().filter(|entity| !is_standing(entity)).collect()
    }

    pub fn answer(&self, need: Need) -> Supply {
        let (entities, is_complete) = match &need {
            Need::Instance(key) => self.instance(*key),
            Need::Element(key) => self.element(*key),
            Need::Children { scope, after } => self.children(*scope, *after),
            Need::LoopOutputs(body) => {
                let mut outputs = self.by_element.rows(body, &self.live);
                outputs.retain(|entity| matches!(entity, Entity::LoopOutput(_)));
                (outputs, true)
            }
            Need::InstanceOf(kind, key) => self.instance_of((*kind, key.0, 0)),
            Need::MessageBox(name) => {
                let of_key = (name.tenant.clone(), name.correlation_key.clone());
                let mut rows = self.by_correlation_key.rows(&of_key, &self.live);
                rows.retain(|entity| match entity {
                    Entity::Message(m) => m.name == name.message_name,
                    Entity::BoxSubscription(s) => s.message_name == name.message_name,
                    _ => true,
                });
                (rows, true)
            }
            Need::SignalSubscriptions { tenant, name, after } => {
                let mut found = self.matching_of(EntityKind::SignalSubscription, |entity| {
                    matches!(entity, Entity::SignalSubscription(s)
                        if s.origin.tenant == *tenant && s.signal_name == *name && Some(s.key) > *after)
                });
                let is_complete = found.len() <= PAGE;
                found.truncate(PAGE);
                (found, is_complete)
            }
            Need::Starts { tenant, kind, name } => (
                self.matching_of(EntityKind::StartSubscription, |entity| {
                    matches!(entity, Entity::StartSubscription(s)
                        if s.tenant == *tenant && s.kind == *kind && s.name == *name)
                }),
                true,
            ),
            Need::WaitingJobs { job_type, after } => {
                let jobs = self.of_kind(EntityKind::Job).filter_map(|entity| match entity {
                    Entity::Job(job) if job.job_type == *job_type && job.state == JobState::Waiting => Some(job),
                    _ => None,
                });
                let mut jobs: Vec<_> = jobs.filter(|job| job.lease.is_none()).cloned().collect();
                jobs.sort_by_key(|job| (std::cmp::Reverse(job.priority), job.key));
                if let Some(after) = after {
                    let last = (std::cmp::Reverse(after.priority), after.key);
                    jobs.retain(|job| (std::cmp::Reverse(job.priority), job.key) > last);
                }
                let is_complete = jobs.len() <= PAGE;
                jobs.truncate(PAGE);
                (jobs.into_iter().map(Entity::Job).collect(), is_complete)
            }
            Need::Process { tenant, process_id } => (
                self.matching(|entity| match entity {
                    Entity::ProcessDefinition(d) => d.tenant == *tenant && d.process_id == *process_id,
                    Entity::StartSubscription(s) => s.tenant == *tenant && s.process_id == *process_id,
                    Entity::Timer(timer) => matches!(&timer.purpose,
                        TimerPurpose::Start { tenant: t, process_id: p, .. } if t == tenant && p == process_id),
                    _ => false,
                }),
                true,
            ),
            Need::Definition(key) => (
                self.matching(|entity| match entity {
                    Entity::ProcessDefinition(d) => d.key == *key,
                    Entity::ProcessXml(xml) => xml.definition == *key,
                    _ => false,
                }),
                true,
            ),
            Need::Form { tenant, form_id } => {
                (self.matching(|e| matches!(e, Entity::Form(f) if f.tenant == *tenant && f.form_id == *form_id)), true)
            }
            Need::Resource { tenant, resource_id } => (
                self.matching(
                    |e| matches!(e, Entity::Resource(r) if r.tenant == *tenant && r.resource_id == *resource_id),
                ),
                true,
            ),
            Need::Leases => unreachable!("the harness loads leases itself"),
            Need::ResourceByKey(key) => (
                self.matching(|entity| match entity {
                    Entity::ProcessDefinition(d) => d.key.0 == key.0,
                    Entity::ProcessXml(xml) => xml.definition.0 == key.0,
                    Entity::Form(f) => f.key.0 == key.0,
                    Entity::Resource(r) => r.key.0 == key.0,
                    _ => false,
                }),
                true,
            ),
        };
        self.loads.set(self.loads.get() + 1);
        self.rows_loaded.set(self.rows_loaded.get() + entities.len());
        Supply { need, entities, is_complete }
    }

    fn of_kind(&self, kind: EntityKind) -> impl Iterator<Item = &Entity> {
        self.live.range((kind, i64::MIN, i64::MIN)..=(kind, i64::MAX, i64::MAX)).map(|(_, entity)| entity)
    }

    fn matching_of(&self, kind: EntityKind, is_wanted: impl Fn(&Entity) -> bool) -> Vec<Entity> {
        self.of_kind(kind).filter(|entity| is_wanted(entity)).cloned().collect()
    }

    pub fn leases(&self) -> Vec<std::sync::Arc<JobLease>> {
        self.of(|entity| if let Entity::JobLease(lease) = entity { Some(lease) } else { None })
    }

    fn matching(&self, is_wanted: impl Fn(&Entity) -> bool) -> Vec<Entity> {
        self.live.values().filter(|entity| is_wanted(entity)).cloned().collect()
    }

    fn instance_of(&self, id: Id) -> (Vec<Entity>, bool) {
        match self.live.get(&id).and_then(|entity| instance_of(entity).zip(element_of(entity))) {
            Some((instance, element)) => {
                let (rows, is_complete) = self.instance(instance);
                if is_complete { (rows, true) } else { (self.large_element(element), false) }
            }
            None => (Vec::new(), true),
        }
    }

    fn instance(&self, key: ProcessInstanceKey) -> (Vec<Entity>, bool) {
        let row_count = self.by_instance.0.get(&key).map_or(0, BTreeSet::len);
        if row_count <= self.large_instance_rows.unwrap_or(LARGE_INSTANCE_ROWS) {
            return (self.by_instance.rows(&key, &self.live), true);
        }
        (self.large_element(key.scope()), false)
    }

    fn element(&self, key: ElementInstanceKey) -> (Vec<Entity>, bool) {
        let instance = match self.live.get(&(EntityKind::ElementInstance, key.0, 0)) {
            Some(Entity::ElementInstance(element)) => element.origin.instance,
            _ => ProcessInstanceKey(key.0),
        };
        let (rows, is_complete) = self.instance(instance);
        if is_complete { (rows, true) } else { (self.large_element(key), false) }
    }

    fn large_element(&self, key: ElementInstanceKey) -> Vec<Entity> {
        let mut rows: Vec<Entity> =
            self.live.get(&(EntityKind::ProcessInstance, key.0, 0)).cloned().into_iter().collect();
        for row in self.by_element.rows(&key, &self.live) {
            if let Entity::Job(job) = &row {
                rows.extend(self.by_job.rows(&job.key, &self.live));
            }
            if !matches!(row, Entity::LoopOutput(_)) {
                rows.push(row);
            }
        }
        rows
    }

    fn children(&self, scope: ElementInstanceKey, after: Option<ElementInstanceKey>) -> (Vec<Entity>, bool) {
        let children = self.by_parent.get(&scope).into_iter().flatten().copied();
        let children: Vec<_> = children.filter(|key| Some(*key) > after).take(PAGE + 1).collect();
        let page = children.iter().take(PAGE);
        (page.flat_map(|child| self.large_element(*child)).collect(), children.len() <= PAGE)
    }
}

fn through_text(entity: &Entity) -> Entity {
    let text = serde_json::to_string(entity).expect("entities can be written");
    let read = serde_json::from_str(&text).expect("entities can be read");
    assert_eq!(*entity, read, "nothing is lost on the way");
    read
}

fn instance_of(entity: &Entity) -> Option<ProcessInstanceKey> {
    match entity {
        Entity::ProcessInstance(row) => Some(row.key),
        _ => entity.belongs_to().map(|belonging| belonging.instance),
    }
}

fn correlation_key_of(entity: &Entity) -> Option<(TenantId, Text)> {
    Some(match entity {
        Entity::Message(row) => (row.tenant.clone(), row.correlation_key.clone()),
        Entity::BoxSubscription(row) => (row.tenant.clone(), row.correlation_key.clone()),
        Entity::MessageStartLock(row) => (row.tenant.clone(), row.correlation_key.clone()),
        _ => return None,
    })
}

/// The job whose back-off a timer ends.
fn job_of(entity: &Entity) -> Option<JobKey> {
    match entity {
        Entity::Timer(timer) => match &timer.purpose {
            TimerPurpose::JobBackoff { job, .. } => Some(*job),
            _ => None,
        },
        _ => None,
    }
}

/// The element or scope that an entity hangs on.
fn element_of(entity: &Entity) -> Option<ElementInstanceKey> {
    match entity {
        Entity::ElementInstance(row) => Some(row.key),
        Entity::LoopOutput(row) => Some(row.body),
        _ => entity.belongs_to().and_then(|belonging| belonging.element),
    }
}

fn id(entity: &Entity) -> Id {
    let (first, second) = entity.numbers();
    (entity.kind(), first, second)
}
