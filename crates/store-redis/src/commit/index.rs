//! The indexes by which rows are found: few, because each member of a sorted set takes more than a hundred bytes.

use super::List;
use crate::keys::{Keys, ordered};
use crate::row::{is_found_by_key, key_entry, score, timer_member};
use crate::writes::{COMES, GOES, SET, Writes};
use tidemill_model::entity::{Job, JobState, ProcessInstance};
use tidemill_model::{Entity, Key};

impl List<'_> {
    pub(super) fn index(&mut self, entity: &Entity) {
        self.index_key(entity);
        match entity {
            Entity::Job(job) => self.index_job(job),
            Entity::UserTask(task) => self.note_instance("tasks", entity, task.origin.instance.0),
            Entity::Incident(incident) => self.note_instance("incidents", entity, incident.origin.instance.0),
            Entity::Timer(timer) => {
                let member = [score(timer.due_at.0), timer_member(timer)];
                self.writes.add(COMES, "ZADD", self.keys.timers(), member);
            }
            Entity::SignalSubscription(row) => {
                let signals = self.keys.signals(&row.origin.tenant, &row.signal_name);
                self.writes.add(COMES, "ZADD", signals, ["0".to_owned(), ordered(row.key.0)]);
            }
            _ => {}
        }
    }

    /// Which instance a row belongs to, by the key of the row.
    pub(super) fn index_key(&mut self, entity: &Entity) {
        let Some(belonging) = entity.belongs_to().filter(|_| is_found_by_key(entity.kind())) else { return };
        let entry = key_entry(entity.kind(), belonging.instance);
        self.key_entries.insert(entity.numbers().0, entry);
    }

    /// Keys of a batch mostly follow each other, so their entries are written in runs.
    pub(super) fn write_keys(&mut self) {
        let mut runs: Vec<(String, u64, Vec<u8>)> = Vec::new();
        for (key, entry) in std::mem::take(&mut self.key_entries) {
            let (block, offset) = self.keys.block(Key(key));
            match runs.last_mut() {
                Some((last, from, run)) if *last == block && *from + run.len() as u64 == offset => {
                    run.extend(entry);
                }
                _ => runs.push((block, offset, entry)),
            }
        }
        for (block, offset, run) in runs {
            self.writes.add(COMES, "SADD", self.keys.named("key-blocks"), [block.as_str()]);
            self.writes.alone(COMES, "SETRANGE", block, [offset.to_string().into_bytes(), run]);
        }
    }

    fn note_instance(&mut self, hash: &str, entity: &Entity, instance: i64) {
        let fields = [entity.numbers().0.to_string(), instance.to_string()];
        self.writes.add(COMES, "HSET", self.keys.named(hash), fields);
    }

    fn index_job(&mut self, job: &Job) {
        let jobs = self.keys.jobs(&job.job_type);
        if job.state == JobState::Waiting {
            let member = [(-i64::from(job.priority)).to_string(), ordered(job.key.0)];
            self.writes.add(COMES, "ZADD", jobs, member);
        } else {
            self.writes.add(GOES, "ZREM", jobs, [ordered(job.key.0)]);
        }
        let (leased, key) = (self.keys.named("leased"), job.key.to_string());
        if job.lease.is_some() {
            self.writes.add(COMES, "HSET", leased, [key, job.origin.instance.to_string()]);
        } else {
            self.writes.add(GOES, "HDEL", leased, [key]);
        }
    }

    pub(super) fn unindex(&mut self, entity: &Entity, has_ended: bool) {
        let key = entity.numbers().0;
        if !has_ended && is_found_by_key(entity.kind()) {
            forget_keys(&mut self.writes, self.keys, [Key(key)]);
        }
        match entity {
            Entity::Job(job) => {
                self.writes.add(GOES, "ZREM", self.keys.jobs(&job.job_type), [ordered(key)]);
                self.writes.add(GOES, "HDEL", self.keys.named("leased"), [key.to_string()]);
            }
            Entity::UserTask(_) => self.writes.add(GOES, "HDEL", self.keys.named("tasks"), [key.to_string()]),
            Entity::Incident(_) => {
                self.writes.add(GOES, "HDEL", self.keys.named("incidents"), [key.to_string()]);
            }
            Entity::Timer(timer) => {
                self.writes.add(GOES, "ZREM", self.keys.timers(), [timer_member(timer)]);
            }
            Entity::SignalSubscription(row) => {
                let signals = self.keys.signals(&row.origin.tenant, &row.signal_name);
                self.writes.add(GOES, "ZREM", signals, [ordered(key)]);
            }
            _ => {}
        }
    }

    pub(super) fn index_instance(&mut self, instance: &ProcessInstance) {
        for (set, member) in instance_members(instance) {
            self.writes.add(COMES, "ZADD", self.keys.named(set), ["0".to_owned(), member]);
        }
    }

    pub(super) fn unindex_instance(&mut self, instance: &ProcessInstance) {
        unindex_instance(&mut self.writes, self.keys, instance);
    }
}

pub(crate) fn unindex_instance(writes: &mut Writes, keys: &Keys, instance: &ProcessInstance) {
    for (set, member) in instance_members(instance) {
        writes.add(GOES, "ZREM", keys.named(set), [member]);
    }
}

/// Called instances stand under their caller, so they can be in another partition than it.
fn instance_members(instance: &ProcessInstance) -> Vec<(&'static str, String)> {
    let key = instance.key;
    let business = instance.business_id.as_ref().map(|id| ("business", format!("{id}\0{key}")));
    let called =
        instance.parent.map(|parent| ("called", format!("{}:{}:{key}", parent.instance, parent.element)));
    business.into_iter().chain(called).collect()
}

/// Empties entries of the index by key.
pub(crate) fn forget_keys(writes: &mut Writes, keys: &Keys, rows: impl IntoIterator<Item = Key>) {
    for row in rows {
        let (block, offset) = keys.block(row);
        let blocks = keys.named("key-blocks");
        writes.add_with(GOES, "unkey", block, Some((blocks, SET)), [offset.to_string()]);
    }
}
