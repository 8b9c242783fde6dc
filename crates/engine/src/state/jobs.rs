//! Waiting jobs per type, in the order in which they are handed out: a window over the store, filled from
//! where it ends when it runs dry.

use super::Working;
use crate::stop::Stepped;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use tidemill_model::entity::{Job, JobLease, JobState};
use tidemill_model::{Entity, JobKey, JobPosition, Need, ProcessInstanceKey, TenantId, Text};

/// Jobs of a type kept in memory at most; the rest stays in the store until the window gets there.
/// A partition has such a window for each type that workers ask for, so each must be bounded.
const WINDOW_JOBS_MAX: usize = 100_000;

/// Higher priority first, then older first.
type QueuePosition = (Reverse<i32>, JobKey);

/// A worker must get the first waiting job without a read, and the store may hold millions of them. So the first of each type that was
/// asked for are in memory, and jobs that this batch makes join them at once.
#[derive(Default)]
pub(crate) struct JobQueues {
    queues: FxHashMap<Text, Queue>,
    /// Where each job stands: a job that changes its priority must leave its old position, which its row no longer tells.
    positions: FxHashMap<JobKey, (Text, QueuePosition)>,
    /// Types whose queue has young jobs.
    young_types: Vec<Text>,
    /// Instances of jobs that were passed over and that nobody has been told of.
    untold: Vec<ProcessInstanceKey>,
    /// So many of them are told by the current command.
    telling: usize,
}

#[derive(Default)]
struct Queue {
    /// The tenant stands beside the position, because workers ask for those of their tenants and the row may not be in memory.
    waiting: BTreeMap<QueuePosition, TenantId>,
    /// Behind the horizon, and made or changed in this batch: the store cannot tell of them yet.
    /// They wait here until the window has reached them. Handing them out earlier would overtake jobs of the
    /// store that come before them.
    young: BTreeMap<QueuePosition, TenantId>,
    horizon: Horizon,
}

/// The end of the window. Jobs behind it are in the store only.
#[derive(Default, Clone, Copy, PartialEq, Debug)]
enum Horizon {
    #[default]
    Nothing,
    UpTo(QueuePosition),
    Everything,
}

impl Horizon {
    fn covers(self, position: QueuePosition) -> bool {
        match self {
            Horizon::Nothing => false,
            Horizon::UpTo(last) => position <= last,
            Horizon::Everything => true,
        }
    }
}

impl JobQueues {
    /// A job has changed: it takes its position, moves or leaves.
    pub(super) fn refresh(&mut self, key: JobKey, job: Option<&Job>) {
        if let Some((job_type, position)) = self.positions.remove(&key)
            && let Some(queue) = self.queues.get_mut(&job_type)
        {
            queue.waiting.remove(&position);
            queue.young.remove(&position);
        }
        let Some(job) = job.filter(|job| can_be_handed_out(job)) else { return };
        // Nobody has asked for jobs of this type, so nothing is kept of it: the store has them all.
        let Some(queue) = self.queues.get_mut(&job.job_type) else { return };
        let position = (Reverse(job.priority), key);
        let tenant = job.origin.tenant.clone();
        self.positions.insert(key, (job.job_type.clone(), position));
        if !queue.horizon.covers(position) {
            if queue.young.is_empty() {
                self.young_types.push(job.job_type.clone());
            }
            queue.young.insert(position, tenant);
            return;
        }
        queue.waiting.insert(position, tenant);
        // The window grows by jobs that this batch makes, not only by reads.
        if queue.waiting.len() > WINDOW_JOBS_MAX {
            self.shorten(&job.job_type.clone());
        }
    }

    /// Takes a job out of the window that cannot be handed out by this version. The store keeps it, and the next owner sees it again.
    /// Nobody undoes that, so its instance is noted here until a command that counts has told of it.
    fn pass_over(&mut self, job: &Job) {
        self.refresh(job.key, None);
        self.untold.push(job.origin.instance);
    }

    /// The instances of jobs that were passed over. The current command raises their incidents.
    pub(crate) fn tell_passed_over(&mut self) -> Vec<ProcessInstanceKey> {
        self.telling = self.untold.len();
        self.untold.clone()
    }

    /// The command counts, or it does not.
    pub(super) fn told(&mut self, counts: bool) {
        let told = std::mem::take(&mut self.telling);
        if counts {
            self.untold.drain(..told);
        }
    }

    /// Gives up the last half of a window that has grown too long. Until the batch is written the store may not know
    /// what was in it.
    fn shorten(&mut self, job_type: &Text) {
        let Some(queue) = self.queues.get_mut(job_type) else { return };
        // Half of the window goes at once. Otherwise every further job would shorten the window again.
        let Some(cut) = queue.waiting.keys().nth(WINDOW_JOBS_MAX / 2).copied() else { return };
        if queue.young.is_empty() {
            self.young_types.push(job_type.clone());
        }
        let mut last_half = queue.waiting.split_off(&cut);
        queue.young.append(&mut last_half);
        queue.horizon = queue.waiting.keys().last().map_or(Horizon::Nothing, |last| Horizon::UpTo(*last));
    }

    /// The batch goes to the store: from now on that knows of all jobs.
    pub(super) fn forget_young(&mut self) {
        for job_type in std::mem::take(&mut self.young_types) {
            let Some(queue) = self.queues.get_mut(&job_type) else { continue };
            for (_, key) in std::mem::take(&mut queue.young).into_keys() {
                self.positions.remove(&key);
            }
        }
    }

    /// Types and jobs that are kept.
    pub(super) fn len(&self) -> usize {
        self.queues.len() + self.positions.len()
    }
}

/// A job that is leased, backing off or failed is in memory with its instance, but no worker may get it.
fn can_be_handed_out(job: &Job) -> bool {
    job.state == JobState::Waiting && job.lease.is_none()
}

impl Working {
    pub(crate) fn pass_over(&mut self, job: &Job) {
        self.jobs.pass_over(job);
    }

    /// True if a worker that asks for this type may get something, or if there is something to tell of jobs that were passed over. Where
    /// the window does not reach the end, only the store knows.
    pub fn has_waiting_jobs(&self, job_type: &Text) -> bool {
        let queue = self.jobs.queues.get(job_type);
        !self.jobs.untold.is_empty()
            || queue.is_none_or(|queue| !queue.waiting.is_empty() || queue.horizon != Horizon::Everything)
    }

    /// Up to so many waiting jobs of a type that belong to these tenants, in order. Asks the store when the
    /// window ends too early.
    pub(crate) fn waiting_jobs(
        &self,
        job_type: &Text,
        tenants: &[TenantId],
        jobs_max: usize,
    ) -> Stepped<Vec<JobKey>> {
        let need = |after: Option<QueuePosition>| Need::WaitingJobs {
            job_type: job_type.clone(),
            after: after.map(|(Reverse(priority), key)| JobPosition { priority, key }),
        };
        let Some(queue) = self.jobs.queues.get(job_type) else { return Err(need(None).into()) };
        let theirs = queue.waiting.iter().filter(|(_, tenant)| tenants.contains(tenant));
        let found: Vec<_> = theirs.take(jobs_max).map(|((_, key), _)| *key).collect();
        match queue.horizon {
            Horizon::Nothing if found.is_empty() => Err(need(None).into()),
            // A worker with other tenants than those in the window may have to read on to the end of the list.
            Horizon::UpTo(last) if found.is_empty() => Err(need(Some(last)).into()),
            _ => Ok(found),
        }
    }

    /// True if a lease row holds the job.
    fn is_held(&self, job: JobKey) -> bool {
        let lease = self.index.leased.get(&job).and_then(|lease| self.get::<JobLease>(*lease));
        lease.is_some_and(|lease| lease.holds(job))
    }

    /// The store has told what waits behind the window.
    pub(super) fn extend_queue(&mut self, job_type: &Text, entities: &[Entity], is_complete: bool) {
        // The horizon follows all jobs of the page, those too that are not free: the next page begins behind them.
        let mut last = None;
        for entity in entities {
            let Entity::Job(stored) = entity else { continue };
            let position = (Reverse(stored.priority), stored.key);
            last = last.max(Some(position));
            // A job in memory may have changed since the store was asked: what memory says of it counts.
            let known = self.tables.jobs.get(stored.key);
            // Without a row in memory, a lease row may still hold the job: leases are stored apart and not copied into jobs.
            let is_free = match known {
                Some(job) => can_be_handed_out(job),
                None => {
                    can_be_handed_out(stored)
                        && !self.tables.jobs.is_gone(stored.key)
                        && !self.is_held(stored.key)
                }
            };
            if is_free {
                let position = known.map_or(position, |job| (Reverse(job.priority), job.key));
                let queue = self.jobs.queues.entry(job_type.clone()).or_default();
                queue.waiting.insert(position, stored.origin.tenant.clone());
                self.jobs.positions.insert(stored.key, (job_type.clone(), position));
            }
        }
        let is_new = self.jobs.queues.get(job_type).is_none_or(|queue| queue.horizon == Horizon::Nothing);
        let queue = self.jobs.queues.entry(job_type.clone()).or_default();
        queue.horizon = match (is_complete, last) {
            (true, _) => Horizon::Everything,
            (false, Some(last)) => Horizon::UpTo(last),
            (false, None) => queue.horizon,
        };
        let horizon = queue.horizon;
        let is_behind = |position: &QueuePosition| !horizon.covers(*position);
        // Young jobs that the horizon has reached join the window; the page could not have had them.
        let first_behind = queue.young.keys().copied().find(is_behind);
        let behind = first_behind.map(|first| queue.young.split_off(&first)).unwrap_or_default();
        let mut reached = std::mem::replace(&mut queue.young, behind);
        queue.waiting.append(&mut reached);
        // Until now nothing was kept for this type, so jobs that the batch has made before were not noted as young.
        if is_new {
            self.add_young_jobs(job_type);
        }
    }

    /// A type that nobody has asked for until now: what this batch has made of it is in memory only.
    fn add_young_jobs(&mut self, job_type: &Text) {
        let young: Vec<JobKey> = self.tables.jobs.dirty_keys().collect();
        for key in young {
            let job = self.tables.jobs.get(key).filter(|job| job.job_type == *job_type);
            if let Some(job) = job.cloned() {
                self.jobs.refresh(key, Some(&job));
            }
        }
    }
}
