//! Jobs from all partitions of all nodes. Everybody is asked once without waiting, beginning somewhere else each
//! time; only then does the worker wait, at all of them at once.

use super::{Location, Node};
use crate::broker::CommandError;
use crate::cluster::{Failure, PeerReply, PeerRequest};
use crate::partition::{Claim, PartitionCall, PartitionHandle, Poller};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tidemill_model::command::ActivateJobs;
use tidemill_model::{ActivatedJob, PartitionId, Text};
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::RecvError;
use tokio::time::Instant;

type Jobs = Result<Vec<ActivatedJob>, CommandError>;

/// Another node is not waited for longer than this when it is only asked what it has.
const ASK_LIMIT: Duration = Duration::from_secs(2);
/// All of them together are not waited for longer than this.
const ASK_ALL_LIMIT: Duration = Duration::from_secs(4);
/// Once there are jobs, those who were not asked yet have so much time together: leases run while a worker waits for more.
const MORE_LIMIT: Duration = Duration::from_secs(1);
/// The same for one node that is asked by another, which must have the answer before it gives up itself.
const MORE_HERE_LIMIT: Duration = Duration::from_millis(500);
/// A node that could not be asked is left alone for so long.
const ASK_AGAIN: Duration = Duration::from_millis(500);
/// Waits at other nodes are renewed this often, in case that one of them has forgotten the worker.
const WAIT_AT_ONCE_MAX: Duration = Duration::from_secs(10);

/// Where jobs may be.
enum Source {
    Here(PartitionHandle),
    There(String),
}

/// Jobs by the moment when they were asked for. Their leases began after that.
#[derive(Default)]
struct Found(Vec<(Instant, Vec<ActivatedJob>)>);

impl Found {
    fn count(&self) -> usize {
        self.0.iter().map(|(_, jobs)| jobs.len()).sum()
    }

    /// Jobs whose lease may be over may be with another worker: the one who asked gets the others.
    fn still_held(self, timeout_ms: i64) -> Vec<ActivatedJob> {
        let timeout = Duration::from_millis(u64::try_from(timeout_ms).unwrap_or(0));
        let held = self.0.into_iter().filter(|(asked_at, _)| asked_at.elapsed() < timeout);
        held.flat_map(|(_, jobs)| jobs).collect()
    }
}

impl Node {
    pub(super) async fn gather_jobs(&self, command: ActivateJobs, wait: Duration) -> Jobs {
        let until = Instant::now() + wait;
        let sources = self.sources();
        // One that is alone here is asked and waited at in one go.
        let is_simple = matches!(sources.as_slice(), [Source::Here(_)]);
        if wait.is_zero() || !is_simple {
            let jobs = self.ask_all(&sources, &command, MORE_LIMIT).await?;
            if !jobs.is_empty() || wait.is_zero() {
                return Ok(jobs);
            }
        }
        loop {
            let slice = until.min(Instant::now() + WAIT_AT_ONCE_MAX);
            let has_others = self.peers.is_some();
            let jobs = self.wait_for_jobs(&command, if has_others { slice } else { until }).await?;
            if !jobs.is_empty() || Instant::now() >= until || self.is_leaving() {
                return Ok(jobs);
            }
            if !has_others {
                return Ok(jobs);
            }
        }
    }

    /// Takes jobs of all partitions of this node, without waiting.
    pub(super) async fn jobs_here(&self, command: &ActivateJobs) -> Jobs {
        let here: Vec<Source> = self.rotated(self.loops.all()).into_iter().map(Source::Here).collect();
        self.ask_all(&here, command, MORE_HERE_LIMIT).await
    }

    /// One after the other until there are as many as were asked for, because all at once would lease more
    /// than that. A source that cannot be reached is left out. One that fails makes all fail, unless there
    /// are jobs already: those are leased and have to be handed out.
    async fn ask_all(&self, sources: &[Source], command: &ActivateJobs, more_limit: Duration) -> Jobs {
        let mut found = Found::default();
        let mut until = (sources.len() > 1).then(|| Instant::now() + ASK_ALL_LIMIT);
        for source in sources {
            let missing = command.jobs_max.saturating_sub(u32::try_from(found.count()).unwrap_or(u32::MAX));
            if missing == 0 || until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            let asked_at = Instant::now();
            match self.ask_source(source, &ActivateJobs { jobs_max: missing, ..command.clone() }, until).await
            {
                Ok(jobs) if jobs.is_empty() => {}
                Ok(jobs) => {
                    until = until.map(|until| until.min(Instant::now() + more_limit));
                    found.0.push((asked_at, jobs));
                }
                Err(CommandError::Unavailable(_) | CommandError::NotBegun(_) | CommandError::Moved)
                    if sources.len() > 1 => {}
                Err(CommandError::TimedOut) if until.is_some() => {}
                Err(error) if found.count() == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(found.still_held(command.timeout_ms))
    }

    /// Waits until one of this node's partitions may have jobs.
    pub(super) async fn jobs_may_come(&self, job_type: Text, wait: Duration) -> Result<(), CommandError> {
        let mut watches = FuturesUnordered::new();
        for partition in self.loops.all() {
            let (reply, told) = oneshot::channel();
            let watch = PartitionCall::AwaitJobs { job_type: job_type.clone(), reply };
            if partition.send_surely(watch).await.is_ok() {
                watches.push(told);
            }
        }
        if watches.is_empty() {
            tokio::time::sleep(wait.min(ASK_AGAIN)).await;
            return Ok(());
        }
        match tokio::time::timeout(wait, watches.next()).await {
            Ok(Some(Ok(told))) => told,
            // The time is up, or a loop has stopped.
            _ => Ok(()),
        }
    }

    /// This node's partitions and the other nodes that have some, beginning somewhere else each time.
    fn sources(&self) -> Vec<Source> {
        let mut others = BTreeSet::new();
        let mut sources = Vec::new();
        for id in self.store.partition_count().ids() {
            match self.locate(id) {
                Location::Here(handle) => sources.push(Source::Here(handle)),
                Location::There(owner) if others.insert(owner.address.clone()) => {
                    sources.push(Source::There(owner.address));
                }
                _ => {}
            }
        }
        self.rotated(sources)
    }

    fn rotated<T>(&self, mut items: Vec<T>) -> Vec<T> {
        if !items.is_empty() {
            let turn = self.turns.fetch_add(1, Ordering::Relaxed);
            let first = turn % items.len();
            items.rotate_left(first);
        }
        items
    }

    async fn ask_source(&self, source: &Source, command: &ActivateJobs, until: Option<Instant>) -> Jobs {
        let left = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        match source {
            Source::Here(partition) => {
                let (reply, jobs) = oneshot::channel();
                let claim = Claim::default();
                let poller = Poller { command: command.clone(), until: None, claim, reply };
                partition.send(PartitionCall::Poll(poller))?;
                // A caller that has given up is handed nothing.
                match tokio::time::timeout(self.config.answer_limit.min(left), jobs).await {
                    Ok(jobs) => jobs.map_err(|_| partition.is_gone())?,
                    Err(_) => Err(CommandError::TimedOut),
                }
            }
            Source::There(address) => self.ask_node(address, command, ASK_LIMIT.min(left)).await,
        }
    }

    async fn ask_node(&self, address: &str, command: &ActivateJobs, limit: Duration) -> Jobs {
        let Some(peers) = &self.peers else { return Ok(Vec::new()) };
        let question = PeerRequest::ActivateJobs { command: command.clone() };
        match tokio::time::timeout(limit, peers.ask(address, &question)).await {
            Ok(Ok(PeerReply::Jobs(jobs))) => jobs,
            Ok(Ok(_)) => Err(CommandError::Internal("a node gave another answer".to_owned())),
            Ok(Err(failure @ Failure::Lost(_))) => Err(CommandError::Unavailable(failure.to_string())),
            Ok(Err(failure)) => Err(CommandError::NotBegun(failure.to_string())),
            Err(_) => Err(CommandError::Unavailable("a node gave no answer in time".to_owned())),
        }
    }

    /// Waits at the loops here, which serve the worker themselves, and for hints of other nodes, which are then
    /// asked. The claim sees to it that only one of them serves. A partition that moves meanwhile is waited for at its new owner:
    /// nothing that was asked before is given up for that, because jobs may be on their way from there.
    async fn wait_for_jobs(&self, command: &ActivateJobs, until: Instant) -> Jobs {
        let claim = Claim::default();
        let (mut asked_here, mut asked_there) = (BTreeSet::new(), BTreeSet::new());
        // Partitions here that wait no more for this worker, although another may still have it.
        let mut ended_here: Vec<PartitionId> = Vec::new();
        let mut here = FuturesUnordered::new();
        let mut there = FuturesUnordered::new();
        loop {
            let mut moved = pin!(self.routes.changed());
            // A view that comes after the look at the sources is heard of.
            moved.as_mut().enable();
            for source in self.sources() {
                match source {
                    Source::Here(partition) => {
                        if !asked_here.insert(partition.id) {
                            continue;
                        }
                        match poll(&partition, command, until, &claim) {
                            Ok(jobs) => here.push(jobs),
                            // It has just stopped, so its jobs are elsewhere.
                            Err(CommandError::NotBegun(_)) if self.peers.is_some() => {
                                asked_here.remove(&partition.id);
                            }
                            Err(error) => return Err(error),
                        }
                    }
                    Source::There(address) => {
                        if asked_there.insert(address.clone()) {
                            there.push(self.jobs_from(address, command, &claim, until));
                        }
                    }
                }
            }
            let is_asked = !here.is_empty() || !there.is_empty();
            tokio::select! {
                biased;
                // A partition that does not serve the worker drops its end; the one that does answers.
                Some((id, jobs)) = here.next() => match jobs {
                    Ok(jobs) => return jobs,
                    Err(_) => ended_here.push(id),
                },
                Some(jobs) = there.next() => if let Some(jobs) = jobs { return jobs },
                // Only then are they asked again. At once would be too early: a partition that has sent the worker away because
                // the time is up does so again, as often as it is asked, until the one that has the worker answers.
                () = moved, if is_asked && Instant::now() < until => {
                    for id in ended_here.drain(..) {
                        asked_here.remove(&id);
                    }
                }
                else => break,
            }
        }
        // Nobody is left to wait at: who asks again at once would only turn in circles.
        tokio::time::sleep_until(until.min(Instant::now() + ASK_AGAIN)).await;
        Ok(Vec::new())
    }

    /// None when the time is up.
    async fn jobs_from(
        &self,
        address: String,
        command: &ActivateJobs,
        claim: &Claim,
        until: Instant,
    ) -> Option<Jobs> {
        let peers = self.peers.as_ref()?;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let wait_ms = left.as_millis() as u64;
            let question = PeerRequest::AwaitJobs { job_type: command.job_type.clone(), wait_ms };
            let hinted = tokio::select! {
                biased;
                hinted = tokio::time::timeout(left, peers.ask(&address, &question)) => hinted.ok()?,
                // Workers must not keep a node that stops: they wait elsewhere.
                () = self.leaves() => return None,
            };
            let is_refused = match hinted {
                Ok(PeerReply::Answer(Err(error))) => Some(error),
                Ok(_) => None,
                Err(_) => {
                    tokio::time::sleep(ASK_AGAIN.min(left)).await;
                    continue;
                }
            };
            // While another source has the worker, its jobs may be all that there are, or there may be none: then this one is
            // asked, or the jobs here would wait until somebody looks again.
            tokio::time::timeout_at(until, claim.take_when_free()).await.ok()?;
            if let Some(error) = is_refused {
                return Some(Err(error));
            }
            let asked_at = Instant::now();
            match self.ask_node(&address, command, ASK_LIMIT).await {
                Ok(jobs) if !jobs.is_empty() => {
                    return Some(Ok(Found(vec![(asked_at, jobs)]).still_held(command.timeout_ms)));
                }
                _ => claim.give_back(),
            }
        }
    }
}

/// Lets a worker wait at a partition of this node.
fn poll(
    partition: &PartitionHandle,
    command: &ActivateJobs,
    until: Instant,
    claim: &Claim,
) -> Result<impl Future<Output = (PartitionId, Result<Jobs, RecvError>)> + use<>, CommandError> {
    let (id, (reply, jobs)) = (partition.id, oneshot::channel());
    let claim = claim.clone();
    let poller = Poller { command: command.clone(), until: Some(until), claim, reply };
    partition.send(PartitionCall::Poll(poller))?;
    Ok(async move { (id, jobs.await) })
}
