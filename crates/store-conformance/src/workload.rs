//! A long, random but repeatable series of batches that uses every kind of change. The n-th batch is the same in
//! every run, so a store that was broken off can be compared with one that was not.

use crate::Builder;
use crate::build::origin;
use std::sync::Arc;
use tidemill_model::entity::*;
use tidemill_model::{Change, Entity, PartitionId, RawJson, TenantId, Timestamp};
use tidemill_store::{
    Batch, BatchId, CommandResult, Fence, FiredTimers, IdempotentAnswer, NewInboxEntry, Position,
    TimerPosition,
};

/// Tells the batches of a workload one after the other.
pub struct Workload {
    random: u64,
    number: i64,
    make: Builder,
    definition: ProcessDefinition,
    live: Vec<Live>,
    timers: Vec<Timer>,
}

/// One running instance with its only task.
#[derive(Clone)]
struct Live {
    instance: ProcessInstance,
    task: ElementInstance,
    job: Job,
    variable: Variable,
}

impl Workload {
    /// Keys start high enough that they never meet those of a test itself, within the first block.
    pub fn new(seed: u64) -> Workload {
        let make = Builder::new(PartitionId::FIRST, 1000);
        let definition = make.definition("work", 1);
        Workload { random: seed | 1, number: 0, make, definition, live: Vec::new(), timers: Vec::new() }
    }

    /// The next batch, written by this owner.
    pub fn next(&mut self, fence: &Fence) -> Batch {
        self.number += 1;
        let mut batch = Batch::empty(fence.clone(), BatchId(self.number), Timestamp(1_000 + self.number));
        if self.number == 1 {
            batch.changes.push(put(self.definition.clone()));
        }
        if self.pick(4) == 0 {
            batch.fired = self.fire();
        }
        let starts = 1 + self.pick(4);
        for _ in 0..starts {
            self.start(&mut batch.changes);
        }
        let steps = self.pick(5);
        for _ in 0..steps {
            self.step(&mut batch.changes);
        }
        self.fill_rest(&mut batch);
        batch.log = self.number.to_le_bytes().repeat(20);
        batch.highest_key = self.make.highest_key();
        batch
    }

    fn pick(&mut self, below: u64) -> u64 {
        // xorshift64: plenty for choosing what comes next.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % below
    }

    fn start(&mut self, changes: &mut Vec<Change>) {
        let instance = self.make.instance(self.definition.key);
        let task = self.make.element(&instance, instance.key.scope(), "task");
        let job = self.make.job(&task, "work");
        let value = format!("\"{}\"", "x".repeat(self.pick(300) as usize));
        let variable = self.make.variable(&instance, instance.key.scope(), "v", &value);
        let begun = self.make.element(&instance, instance.key.scope(), "start");
        let due_at = 5_000 + self.pick(1_000) as i64;
        let timer = self.make.catch_timer(&task, due_at);
        changes.extend([put(instance.clone()), put(task.clone()), put(job.clone()), put(variable.clone())]);
        changes.push(put(timer.clone()));
        // An element that starts and ends within the batch never lives.
        changes.push(end(
            ElementInstance { state: Lifecycle::Completed, ended_at: Some(Timestamp(111)), ..begun },
            false,
        ));
        self.timers.push(timer);
        self.live.push(Live { instance, task, job, variable });
    }

    /// Only instances of earlier batches, which are stored.
    fn step(&mut self, changes: &mut Vec<Change>) {
        let stored = self.live.iter().filter(|live| !is_touched(changes, &live.instance)).count() as u64;
        if stored == 0 {
            return;
        }
        let chosen = self.pick(stored) as usize;
        let (index, _) = self
            .live
            .iter()
            .enumerate()
            .filter(|(_, live)| !is_touched(changes, &live.instance))
            .nth(chosen)
            .expect("counted just now");
        if self.pick(2) == 0 {
            self.live[index].variable.value = RawJson::new(self.pick(1_000_000).to_string());
            self.change(index, changes);
        } else {
            self.finish(index, changes);
        }
    }

    fn change(&mut self, index: usize, changes: &mut Vec<Change>) {
        let lease = self.make.lease("worker", 7_000);
        let live = &mut self.live[index];
        live.job.retries -= 1;
        live.job.last_event = JobEvent::Failed;
        live.instance.incidents += 1;
        let job_lease = JobLease { lease, jobs: vec![live.job.key], released: Vec::new() };
        changes.extend([put(live.instance.clone()), put(live.job.clone()), put(live.variable.clone())]);
        changes.push(put(job_lease));
    }

    fn finish(&mut self, index: usize, changes: &mut Vec<Change>) {
        let mut live = self.live.swap_remove(index);
        let at = Some(Timestamp(2_000 + self.number));
        let correlation = MessageCorrelation {
            subscription: self.make.key(),
            message: self.make.key(),
            origin: origin(&live.instance),
            element_instance: None,
            element_id: "start".into(),
            message_name: "m".into(),
            correlation_key: "k".into(),
            business_id: None,
            correlated_at: Timestamp(1),
        };
        (live.instance.state, live.instance.ended_at) = (Lifecycle::Completed, at);
        (live.task.state, live.task.ended_at) = (Lifecycle::Completed, at);
        (live.job.state, live.job.last_event, live.job.ended_at) =
            (JobState::Completed, JobEvent::Completed, at);
        changes.extend([end(live.instance, true), end(live.task.clone(), true), end(live.job, true)]);
        changes.extend([end(live.variable, true), end(correlation, false)]);
        let belongs = |timer: &Timer| matches!(&timer.purpose, TimerPurpose::Catch { element_instance, .. } if *element_instance == live.task.key);
        if let Some(place) = self.timers.iter().position(belongs) {
            changes.push(Change::Remove(Arc::new(self.timers.swap_remove(place)).into()));
        }
    }

    /// Only timers of earlier batches: the range goes before the batch's own timers come.
    fn fire(&mut self) -> Option<FiredTimers> {
        let mut due: Vec<TimerPosition> = self.timers.iter().map(TimerPosition::of).collect();
        due.sort();
        let up_to = *due.get(due.len() / 4)?;
        self.timers.retain(|timer| TimerPosition::of(timer) > up_to);
        Some(FiredTimers { after: None, up_to })
    }

    fn fill_rest(&mut self, batch: &mut Batch) {
        let number = self.number;
        if self.pick(3) == 0 {
            batch.outgoing.push(NewInboxEntry {
                partition: PartitionId::FIRST,
                received_at: Timestamp(number),
                payload: number.to_be_bytes().to_vec(),
            });
        }
        if self.pick(3) == 0 {
            batch.answers.push(IdempotentAnswer {
                tenant: TenantId::default(),
                key: format!("key {number}").into(),
                body_hash: number,
                answer: vec![7; 40],
                created_at: Timestamp(number),
            });
        }
        if self.pick(3) == 0 {
            // A position that no inbox entry will reach.
            let position = Position(1_000_000_000 + number);
            batch.results.push(CommandResult { position, answer: vec![8; 30] });
        }
    }
}

fn put<E>(entity: E) -> Change
where
    Arc<E>: Into<Entity>,
{
    Change::Put(Arc::new(entity).into())
}

fn end<E>(entity: E, was_stored: bool) -> Change
where
    Arc<E>: Into<Entity>,
{
    Change::End { entity: Arc::new(entity).into(), was_stored }
}

fn is_touched(changes: &[Change], instance: &ProcessInstance) -> bool {
    changes.iter().any(|change| {
        let (Change::Put(entity) | Change::Remove(entity) | Change::End { entity, .. }) = change;
        matches!(entity, Entity::ProcessInstance(touched) if touched.key == instance.key)
    })
}
