//! When the leases on jobs run out. All of them are in memory: there are only as many as workers hold.

use std::collections::{BTreeSet, HashMap};
use tidemill_model::entity::{Job, JobLease};
use tidemill_model::{Change, Entity, JobKey, Timestamp};

#[derive(Default)]
pub(super) struct Deadlines {
    by_time: BTreeSet<(Timestamp, JobKey)>,
    by_job: HashMap<JobKey, Timestamp>,
}

impl Deadlines {
    /// Follows what a commit has written.
    pub(super) fn note(&mut self, change: &Change) {
        match change {
            Change::Put(Entity::Job(job)) => self.note_job(job),
            Change::End { entity: Entity::Job(job), .. } => self.forget(job.key),
            Change::Put(Entity::JobLease(lease)) => self.note_lease(lease),
            _ => {}
        }
    }

    pub(super) fn note_job(&mut self, job: &Job) {
        match &job.lease {
            Some(lease) => self.set(job.key, lease.deadline),
            None => self.forget(job.key),
        }
    }

    pub(super) fn note_lease(&mut self, lease: &JobLease) {
        for job in lease.jobs.iter().filter(|job| lease.holds(**job)) {
            self.set(*job, lease.lease.deadline);
        }
    }

    fn set(&mut self, job: JobKey, deadline: Timestamp) {
        self.forget(job);
        self.by_job.insert(job, deadline);
        self.by_time.insert((deadline, job));
    }

    fn forget(&mut self, job: JobKey) {
        if let Some(deadline) = self.by_job.remove(&job) {
            self.by_time.remove(&(deadline, job));
        }
    }

    /// Takes out the jobs whose lease has run out; the engine decides whether they are still held.
    pub(super) fn take_over(&mut self, now: Timestamp, jobs_max: usize) -> Vec<JobKey> {
        let over: Vec<_> =
            self.by_time.range(..=(now, JobKey(i64::MAX))).take(jobs_max).map(|(_, job)| *job).collect();
        for job in &over {
            self.forget(*job);
        }
        over
    }

    pub(super) fn len(&self) -> usize {
        self.by_job.len()
    }

    pub(super) fn next(&self) -> Option<Timestamp> {
        self.by_time.first().map(|(deadline, _)| *deadline)
    }
}
