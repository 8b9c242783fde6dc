//! The driver of a partition counts its work here. It keeps the cells that it needs, so that a batch costs a few atomics and no lock.

use super::{Counter, Gauge, Metrics, Times};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::entity::{
    IncidentState, InstanceState, Job, JobEvent, ProcessDefinition, ProcessInstance,
};
use tidemill_model::{ActivatedJob, Change, DefinitionKey, Entity, PartitionId, Text, Timestamp};
use tidemill_partition::{Fill, Tally, Verdict};
use tidemill_store::{Batch, Error};

/// Names whose cells a loop keeps. Beyond that it begins anew: the family has long put the rest together.
const NAMES_KEPT_MAX: usize = 1_000;
/// The part of a key that counts.
const COUNTER_BITS: u32 = 51;

/// The values of one partition that this node has.
#[derive(Default)]
pub(crate) struct PartitionCells {
    pub(crate) busy_us: Counter,
    pub(crate) commands: Counter,
    pub(crate) queued: Gauge,
    pub(crate) inbox: Gauge,
    pub(crate) inbox_oldest_ms: Gauge,
    pub(crate) workers_waiting: Gauge,
    pub(crate) timers_in_memory: Gauge,
    pub(crate) rows_in_memory: Gauge,
}

/// The changes of a batch that metrics count. They are added once the batch was written.
#[derive(Default)]
pub(crate) struct BatchFacts {
    started: Vec<DefinitionKey>,
    ended: Vec<(DefinitionKey, InstanceState)>,
    raised: Vec<(DefinitionKey, &'static str)>,
    resolved: Vec<DefinitionKey>,
    jobs: Vec<(Text, &'static str)>,
    dead_letters: u64,
    deployed: Vec<Arc<ProcessDefinition>>,
}

struct ProcessCells {
    name: Text,
    started: Arc<Counter>,
    completed: Arc<Counter>,
    terminated: Arc<Counter>,
}

/// The meter of one loop.
pub(crate) struct LoopMeter {
    metrics: Arc<Metrics>,
    partition: String,
    pub(crate) cells: Arc<PartitionCells>,
    run: Arc<Times>,
    commit: Arc<Times>,
    effects: Arc<Times>,
    queue: Arc<Times>,
    written: Arc<Counter>,
    commands: FxHashMap<(&'static str, Verdict), Arc<Counter>>,
    jobs: FxHashMap<(Text, &'static str), Arc<Counter>>,
    activations: FxHashMap<Text, Arc<Times>>,
    processes: FxHashMap<DefinitionKey, ProcessCells>,
    /// Rows with higher keys are new.
    highest_key: u64,
}

impl LoopMeter {
    pub(crate) fn new(metrics: Arc<Metrics>, partition: PartitionId, first_key: u64) -> LoopMeter {
        let (engine, partition) = (&metrics.engine, partition.to_string());
        LoopMeter {
            cells: engine.partitions.with([&partition]),
            run: engine.stage_times.with(["run"]),
            commit: engine.stage_times.with(["commit"]),
            effects: engine.stage_times.with(["effects"]),
            queue: engine.stage_times.with(["queue"]),
            written: metrics.store.commits.with(["written"]),
            commands: FxHashMap::default(),
            jobs: FxHashMap::default(),
            activations: FxHashMap::default(),
            processes: FxHashMap::default(),
            highest_key: first_key.saturating_sub(1),
            partition,
            metrics,
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.metrics.is_on()
    }

    /// The loop has worked for so long since it last waited.
    pub(crate) fn busy(&self, time: Duration) {
        self.cells.busy_us.add(micros(time));
    }

    pub(crate) fn ran(&self, time: Duration) {
        if self.is_on() {
            self.run.note(time);
        }
    }

    pub(crate) fn performed(&self, time: Duration) {
        if self.is_on() {
            self.effects.note(time);
        }
    }

    /// A request has waited for so long before the loop took it.
    pub(crate) fn waited(&self, time: Duration) {
        if self.is_on() {
            self.queue.note(time);
        }
    }

    /// Looks at a batch before it goes to the store.
    pub(crate) fn look_at(&mut self, batch: &Batch) -> BatchFacts {
        let mut facts = BatchFacts { dead_letters: batch.dead_letters.len() as u64, ..BatchFacts::default() };
        let before = self.highest_key;
        self.highest_key = before.max(batch.highest_key);
        let is_new = |key: i64| key as u64 & ((1 << COUNTER_BITS) - 1) > before;
        for change in &batch.changes {
            let (entity, was_stored) = match change {
                Change::Put(entity) => (entity, None),
                Change::End { entity, was_stored } => (entity, Some(*was_stored)),
                Change::Remove(_) => continue,
            };
            match entity {
                Entity::ProcessInstance(row) => facts.instance(row, is_new(row.key.0), was_stored),
                Entity::Job(row) => facts.job(row, is_new(row.key.0), was_stored),
                Entity::Incident(row) => {
                    let definition = row.origin.definition;
                    if is_new(row.key.0) {
                        facts.raised.push((definition, row.kind.name()));
                    }
                    if was_stored.is_some() && row.state == IncidentState::Resolved {
                        facts.resolved.push(definition);
                    }
                }
                Entity::ProcessDefinition(row) if is_new(row.key.0) => facts.deployed.push(row.clone()),
                _ => {}
            }
        }
        facts
    }

    /// A commit has ended. `name_of` tells the process of a definition.
    pub(crate) fn committed(
        &mut self,
        time: Duration,
        outcome: Result<(), &Error>,
        facts: Option<BatchFacts>,
        name_of: impl Fn(DefinitionKey) -> Option<Text>,
    ) {
        if !self.is_on() {
            return;
        }
        self.commit.note(time);
        match outcome {
            Ok(()) => self.written.add(1),
            Err(error) => self.metrics.store.commits.with([failure_name(error)]).add(1),
        }
        let Some(facts) = facts.filter(|_| outcome.is_ok()) else { return };
        let engine = &self.metrics.clone().engine;
        engine.dead_letters.add(facts.dead_letters);
        for definition in facts.started {
            self.process(definition, &name_of).started.add(1);
        }
        for (definition, state) in facts.ended {
            let process = self.process(definition, &name_of);
            let ended =
                if state == InstanceState::Completed { &process.completed } else { &process.terminated };
            ended.add(1);
        }
        for (definition, kind) in facts.raised {
            engine.incidents.with([&self.process(definition, &name_of).name, kind]).add(1);
        }
        for definition in facts.resolved {
            engine.incidents_resolved.with([&self.process(definition, &name_of).name]).add(1);
        }
        for (job_type, event) in facts.jobs {
            self.job(&job_type, event);
        }
    }

    /// Adds what the core has counted.
    pub(crate) fn add(&mut self, tally: Tally) {
        let engine = &self.metrics.engine;
        let mut all = 0;
        for (command, verdict, count) in tally.commands {
            let counter = self
                .commands
                .entry((command, verdict))
                .or_insert_with(|| engine.commands.with([command, verdict_name(verdict)]));
            counter.add(count);
            all += count;
        }
        if all > 0 {
            self.cells.commands.add(all);
            engine.batch_commands.observe(all);
        }
        engine.timers_fired.add(tally.timers_late_ms.len() as u64);
        for late_ms in tally.timers_late_ms {
            engine.timer_lateness.note(Duration::from_millis(late_ms.unsigned_abs()));
        }
    }

    /// Jobs go to a worker.
    pub(crate) fn activated(&mut self, jobs: &[ActivatedJob], now: Timestamp) {
        for ActivatedJob { job, .. } in jobs {
            self.job(&job.job_type, "activated");
            let waited = Duration::from_millis((now - job.updated_at).max(0).unsigned_abs());
            if self.activations.len() >= NAMES_KEPT_MAX {
                self.activations.clear();
            }
            let family = &self.metrics.engine.activation_times;
            let times = self.activations.entry(job.job_type.clone());
            times.or_insert_with(|| family.with([&job.job_type])).note(waited);
        }
    }

    fn job(&mut self, job_type: &Text, event: &'static str) {
        if self.jobs.len() >= NAMES_KEPT_MAX {
            self.jobs.clear();
        }
        let family = &self.metrics.engine.jobs;
        let counter = self.jobs.entry((job_type.clone(), event));
        counter.or_insert_with(|| family.with([job_type, event])).add(1);
    }

    fn process(
        &mut self,
        key: DefinitionKey,
        name_of: impl Fn(DefinitionKey) -> Option<Text>,
    ) -> &ProcessCells {
        if self.processes.len() >= NAMES_KEPT_MAX && !self.processes.contains_key(&key) {
            self.processes.clear();
        }
        let engine = &self.metrics.engine;
        self.processes.entry(key).or_insert_with(|| {
            let name = name_of(key).unwrap_or_else(|| Text::from(super::OTHER));
            ProcessCells {
                started: engine.started.with([&name]),
                completed: engine.ended.with([&name, "completed"]),
                terminated: engine.ended.with([&name, "terminated"]),
                name,
            }
        })
    }

    /// The core holds this now.
    pub(crate) fn holds(&self, held: &Fill) {
        let cells = &self.cells;
        cells.queued.set(held.commands as i64);
        cells.inbox.set(held.inbox_entries as i64);
        if held.inbox_entries == 0 {
            cells.inbox_oldest_ms.set(0);
        }
        cells.workers_waiting.set(held.pollers as i64);
        cells.timers_in_memory.set(held.timers as i64);
        cells.rows_in_memory.set(held.rows as i64);
    }

    /// A page of the inbox has come.
    pub(crate) fn inbox_came(&self, oldest: Option<Timestamp>, now: Timestamp) {
        self.cells.inbox_oldest_ms.set(oldest.map_or(0, |oldest| (now - oldest).max(0)));
    }
}

/// Another node has the partition, or will: it is that one's to report.
impl Drop for LoopMeter {
    fn drop(&mut self) {
        self.metrics.engine.partitions.forget([&self.partition]);
    }
}

impl BatchFacts {
    /// Tells the log what operators want to hear of.
    pub(crate) fn tell(&self) {
        for head in &self.deployed {
            tracing::info!(
                process_id = %head.process_id,
                version = head.version,
                definition = %head.key,
                tenant = %head.tenant.as_str(),
                "deployed a process"
            );
        }
    }

    fn instance(&mut self, row: &ProcessInstance, is_new: bool, was_stored: Option<bool>) {
        if is_new {
            self.started.push(row.definition);
        }
        if was_stored.is_some() {
            self.ended.push((row.definition, row.state.into()));
        }
    }

    fn job(&mut self, row: &Job, is_new: bool, was_stored: Option<bool>) {
        if is_new {
            self.jobs.push((row.job_type.clone(), "created"));
        }
        let event = match (was_stored, row.last_event) {
            (Some(_), JobEvent::Completed) => "completed",
            (Some(_), JobEvent::ErrorThrown) => "error_thrown",
            (Some(_), _) => "canceled",
            (None, JobEvent::Failed) => "failed",
            (None, JobEvent::TimedOut) => "timed_out",
            (None, _) => return,
        };
        self.jobs.push((row.job_type.clone(), event));
    }
}

fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Done => "done",
        Verdict::Rejected => "rejected",
        Verdict::Failed => "failed",
    }
}

fn failure_name(error: &Error) -> &'static str {
    match error {
        Error::Fenced { .. } => "fenced",
        Error::Refused { .. } => "refused",
        Error::OutcomeUnknown { .. } => "unknown",
        _ => "failed",
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
