//! A store in memory that answers what the engine needs. Entities can go through their written form, as in a
//! real one.

use std::collections::BTreeMap;
use tidemill_engine::{Need, Supply};
use tidemill_model::entity::*;
use tidemill_model::{Change, ElementInstanceKey, Entity, EntityKind, JobKey, ProcessInstanceKey};

/// An instance with more rows than this is loaded piece by piece.
const LARGE_INSTANCE_ROWS: usize = 1_000;
const PAGE: usize = 100;

#[derive(Default)]
pub struct MemoryStore {
    live: BTreeMap<(EntityKind, i64, i64), Entity>,
    /// Every entity is written as text and read back when it is stored.
    pub writes_text: bool,
    pub ended: Vec<Entity>,
    pub large_instance_rows: Option<usize>,
}

impl MemoryStore {
    pub fn apply(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Put(entity) => {
                    let stored = if self.writes_text { through_text(&entity) } else { entity };
                    self.live.insert(id(&stored), stored);
                }
                Change::Remove(entity) => {
                    assert!(self.live.remove(&id(&entity)).is_some(), "removes what it has: {entity:?}");
                }
                Change::End { entity, was_stored } => {
                    let was_there = self.live.remove(&id(&entity)).is_some();
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
            Need::LoopOutputs(body) => (self.matching(|e| matches!(e, Entity::LoopOutput(o) if o.body == *body)), true),
            Need::Job(key) => self.instance_of(|e| matches!(e, Entity::Job(job) if job.key == *key)),
            Need::UserTask(key) => self.instance_of(|e| matches!(e, Entity::UserTask(task) if task.key == *key)),
            Need::Incident(key) => {
                self.instance_of(|e| matches!(e, Entity::Incident(incident) if incident.key == *key))
            }
            Need::MessageSubscription(key) => {
                self.instance_of(|e| matches!(e, Entity::MessageSubscription(s) if s.key == *key))
            }
            Need::Box(name) => (
                self.matching(|entity| match entity {
                    Entity::Message(m) => {
                        m.tenant == name.tenant
                            && m.name == name.message_name
                            && m.correlation_key == name.correlation_key
                    }
                    Entity::BoxSubscription(s) => {
                        s.tenant == name.tenant
                            && s.message_name == name.message_name
                            && s.correlation_key == name.correlation_key
                    }
                    Entity::MessageStartLock(lock) => {
                        lock.tenant == name.tenant && lock.correlation_key == name.correlation_key
                    }
                    _ => false,
                }),
                true,
            ),
            Need::Signals { tenant, name, after } => {
                let mut found = self.matching(|entity| {
                    matches!(entity, Entity::SignalSubscription(s)
                        if s.origin.tenant == *tenant && s.signal_name == *name && Some(s.key) > *after)
                });
                let is_complete = found.len() <= PAGE;
                found.truncate(PAGE);
                (found, is_complete)
            }
            Need::Starts { tenant, kind, name } => (
                self.matching(|entity| {
                    matches!(entity, Entity::StartSubscription(s)
                        if s.tenant == *tenant && s.kind == *kind && s.name == *name)
                }),
                true,
            ),
            Need::WaitingJobs { job_type, after } => {
                let mut jobs: Vec<_> = self.of(|entity| match entity {
                    Entity::Job(job) if job.job_type == *job_type && job.state == JobState::Waiting => Some(job),
                    _ => None,
                });
                jobs.retain(|job| job.lease.is_none());
                jobs.sort_by_key(|job| (std::cmp::Reverse(job.priority), job.key));
                if let Some((priority, key)) = after {
                    let last = (std::cmp::Reverse(*priority), *key);
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
        Supply { need, entities, is_complete }
    }

    pub fn leases(&self) -> Vec<std::sync::Arc<JobLease>> {
        self.of(|entity| if let Entity::JobLease(lease) = entity { Some(lease) } else { None })
    }

    fn matching(&self, is_wanted: impl Fn(&Entity) -> bool) -> Vec<Entity> {
        self.live().filter(is_wanted).collect()
    }

    fn instance_of(&self, is_wanted: impl Fn(&Entity) -> bool) -> (Vec<Entity>, bool) {
        match self.live().find(is_wanted).and_then(|entity| instance_of(&entity).zip(element_of(&entity))) {
            Some((instance, element)) => {
                let (rows, is_complete) = self.instance(instance);
                if is_complete { (rows, true) } else { (self.large_element(element), false) }
            }
            None => (Vec::new(), true),
        }
    }

    fn instance(&self, key: ProcessInstanceKey) -> (Vec<Entity>, bool) {
        let rows = self.matching(|entity| instance_of(entity) == Some(key));
        if rows.len() <= self.large_instance_rows.unwrap_or(LARGE_INSTANCE_ROWS) {
            return (rows, true);
        }
        let own = |entity: &Entity| {
            matches!(entity, Entity::ProcessInstance(_)) || element_of(entity) == Some(key.scope())
        };
        (rows.into_iter().filter(own).collect(), false)
    }

    fn element(&self, key: ElementInstanceKey) -> (Vec<Entity>, bool) {
        let element = self.live().find(|e| matches!(e, Entity::ElementInstance(e) if e.key == key));
        let instance = match element {
            Some(Entity::ElementInstance(element)) => element.origin.instance,
            _ => ProcessInstanceKey(key.0),
        };
        let (rows, is_complete) = self.instance(instance);
        if is_complete { (rows, true) } else { (self.large_element(key), false) }
    }

    fn large_element(&self, key: ElementInstanceKey) -> Vec<Entity> {
        let is_of_job = |timer: &Timer| match &timer.purpose {
            TimerPurpose::JobBackoff { job, .. } => self.job_stands_on(*job, key),
            _ => false,
        };
        self.matching(|entity| {
            element_of(entity) == Some(key) && !matches!(entity, Entity::LoopOutput(_))
                || matches!(entity, Entity::ProcessInstance(i) if i.key.scope() == key)
                || matches!(entity, Entity::Timer(timer) if is_of_job(timer))
        })
    }

    fn job_stands_on(&self, job: JobKey, element: ElementInstanceKey) -> bool {
        let row = self.live.get(&(EntityKind::Job, job.0, 0));
        matches!(row, Some(Entity::Job(job)) if job.element_instance == element)
    }

    fn children(&self, scope: ElementInstanceKey, after: Option<ElementInstanceKey>) -> (Vec<Entity>, bool) {
        let mut children: Vec<_> = self.of(|entity| match entity {
            Entity::ElementInstance(e) if e.parent == scope && Some(e.key) > after => Some(e.key),
            _ => None,
        });
        children.sort();
        let is_complete = children.len() <= PAGE;
        children.truncate(PAGE);
        (children.into_iter().flat_map(|child| self.large_element(child)).collect(), is_complete)
    }
}

fn through_text(entity: &Entity) -> Entity {
    let text = serde_json::to_string(entity).expect("entities can be written");
    let read = serde_json::from_str(&text).expect("entities can be read");
    assert_eq!(*entity, read, "nothing is lost on the way");
    read
}

fn instance_of(entity: &Entity) -> Option<ProcessInstanceKey> {
    Some(match entity {
        Entity::ProcessInstance(row) => row.key,
        Entity::ElementInstance(row) => row.origin.instance,
        Entity::Variable(row) => row.origin.instance,
        Entity::Job(row) => row.origin.instance,
        Entity::UserTask(row) => row.origin.instance,
        Entity::Incident(row) => row.origin.instance,
        Entity::MessageSubscription(row) => row.origin.instance,
        Entity::SignalSubscription(row) => row.origin.instance,
        Entity::LoopInput(row) => row.origin.instance,
        Entity::LoopOutput(row) => row.origin.instance,
        Entity::Timer(row) => match &row.purpose {
            TimerPurpose::Catch { origin, .. } | TimerPurpose::JobBackoff { origin, .. } => origin.instance,
            _ => return None,
        },
        _ => return None,
    })
}

/// The element or scope that an entity hangs on.
fn element_of(entity: &Entity) -> Option<ElementInstanceKey> {
    Some(match entity {
        Entity::ElementInstance(row) => row.key,
        Entity::Variable(row) => row.scope,
        Entity::Job(row) => row.element_instance,
        Entity::UserTask(row) => row.element_instance,
        Entity::Incident(row) => row.element_instance,
        Entity::MessageSubscription(row) => row.element_instance,
        Entity::SignalSubscription(row) => row.element_instance,
        Entity::LoopInput(row) => row.body,
        Entity::LoopOutput(row) => row.body,
        Entity::Timer(row) => match &row.purpose {
            TimerPurpose::Catch { element_instance, .. } => *element_instance,
            _ => return None,
        },
        _ => return None,
    })
}

fn id(entity: &Entity) -> (EntityKind, i64, i64) {
    let (first, second) = match entity {
        Entity::ProcessInstance(row) => (row.key.0, 0),
        Entity::ElementInstance(row) => (row.key.0, 0),
        Entity::Variable(row) => (row.key.0, 0),
        Entity::Job(row) => (row.key.0, 0),
        Entity::JobLease(row) => (row.lease.key.0, 0),
        Entity::UserTask(row) => (row.key.0, 0),
        Entity::Incident(row) => (row.key.0, 0),
        Entity::Timer(row) => (row.key.0, 0),
        Entity::Message(row) => (row.key.0, 0),
        Entity::MessageSubscription(row) => (row.key.0, 0),
        Entity::BoxSubscription(row) => (row.key.0, 0),
        Entity::MessageStartLock(row) => (row.instance.0, 0),
        Entity::MessageCorrelation(row) => (row.subscription.0, row.message.0),
        Entity::SignalSubscription(row) => (row.key.0, 0),
        Entity::StartSubscription(row) => (row.key.0, 0),
        Entity::LoopInput(row) => (row.body.0, 0),
        Entity::LoopOutput(row) => (row.body.0, i64::from(row.loop_counter)),
        Entity::ProcessDefinition(row) => (row.key.0, 0),
        Entity::ProcessXml(row) => (row.definition.0, 0),
        Entity::Form(row) => (row.key.0, 0),
        Entity::Resource(row) => (row.key.0, 0),
    };
    (entity.kind(), first, second)
}
