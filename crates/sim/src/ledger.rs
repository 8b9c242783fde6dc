//! The knowledge of the outside world: requests that were sent, their answers, and effects that may or may not have happened.

use crate::models::{Earliest, Model, Sent};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tidemill_model::{LeaseKey, PartitionId, ProcessInstanceKey};

/// Clocks count whole milliseconds.
const EARLY_MS_MAX: u64 = 2;

/// After this time every node has heard of a deployment, whatever went wrong.
const HEARD_MS: u64 = 20_000;

/// How an instance is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// With an idempotency key: sent again until it is answered.
    Keyed,
    /// Sent again only while it surely was not run.
    Plain,
    /// As `Plain`, and waits for the end.
    Await,
    /// As `Keyed`, and waits for the end.
    KeyedAwait,
    /// As `Plain`, and not waited for: what was accepted must happen.
    Async,
    /// As `Keyed`, and not waited for. It may be accepted several times and happens once.
    KeyedAsync,
}

impl Way {
    pub(crate) fn has_key(self) -> bool {
        matches!(self, Way::Keyed | Way::KeyedAwait | Way::KeyedAsync)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Creation {
    Open,
    Answered(ProcessInstanceKey),
    Accepted(i64),
    /// It may or may not have happened.
    InDoubt,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cancelling {
    Never,
    Tried,
    Answered,
}

/// Something that was asked for and may have had its effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Deleting {
    Never,
    Tried,
    Answered,
}

/// A version of a process whose deployment was answered.
struct Version {
    number: i32,
    deployed_ms: u64,
    deleting: Deleting,
    /// When its deletion was answered.
    deleted_ms: u64,
}

pub(crate) struct Entry {
    pub(crate) model: Arc<Model>,
    pub(crate) way: Way,
    pub(crate) sent_ms: u64,
    pub(crate) creation: Creation,
    /// Counts the idempotency keys that were used up.
    pub(crate) attempt: u32,
    pub(crate) cancelling: Cancelling,
    pub(crate) deleting: Deleting,
    /// Variables that were set, by name and value.
    pub(crate) variables: Vec<(String, String)>,
    /// When a completion of the job of an element was first sent.
    completions_sent_ms: BTreeMap<String, u64>,
}

pub(crate) struct JobNote {
    pub(crate) entry: usize,
    pub(crate) element_id: String,
    /// Completions that may have had their effect. The token becomes a variable.
    pub(crate) tried: Vec<u64>,
    pub(crate) completed: Option<u64>,
    /// When the completion of each token was first sent.
    sent_ms: BTreeMap<u64, u64>,
    /// When somebody was told that there is no such job, for the last time.
    missing_ms: Option<u64>,
    /// The worker that received it last.
    holder: Option<Holder>,
    /// When a worker without a token said last that the job has failed. That ends the lease of whoever holds it without a
    /// token, at any time until it is answered.
    given_back_ms: u64,
    /// Such failures that are not answered. Those that never will be stay here.
    failures_under_way: usize,
}

/// The worker that holds a job, as far as is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holder {
    pub(crate) lease: LeaseKey,
    /// Only who shows the token can end the lease before its time.
    pub(crate) has_token: bool,
    /// In milliseconds of the run.
    pub(crate) until_ms: u64,
}

/// A job that has come to a worker.
pub(crate) struct Received<'a> {
    pub(crate) job: i64,
    pub(crate) entry: usize,
    pub(crate) element_id: &'a str,
    /// When the worker asked for it.
    pub(crate) sent_ms: u64,
    pub(crate) now_ms: u64,
    pub(crate) holder: Holder,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub commands: u64,
    pub crashes: u64,
    pub pauses: u64,
    pub takeovers: u64,
    pub timers: u64,
    pub jobs: u64,
    pub instances: u64,
    /// Loops of partitions that panicked.
    pub panics: u64,
    /// Instances and definitions that were deleted.
    pub deletions: u64,
    /// Letters that an operator has run again.
    pub letters: u64,
    pub(crate) broken: u64,
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        self.commands += other.commands;
        self.crashes += other.crashes;
        self.pauses += other.pauses;
        self.takeovers += other.takeovers;
        self.timers += other.timers;
        self.jobs += other.jobs;
        self.instances += other.instances;
        self.panics += other.panics;
        self.deletions += other.deletions;
        self.letters += other.letters;
        self.broken += other.broken;
    }
}

#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) entries: Vec<Entry>,
    pub(crate) jobs: BTreeMap<i64, JobNote>,
    pub(crate) violations: Vec<String>,
    pub(crate) counts: Counts,
    /// Letters that nobody should have written, by their numbers.
    pub(crate) judged: BTreeSet<i64>,
    /// Commands may be refused until then, because they were in hand at deaths.
    pub(crate) refused_until_ms: u64,
    /// A node of an older version was there.
    pub(crate) had_old_node: bool,
    versions: BTreeMap<String, Vec<Version>>,
    owners: BTreeMap<PartitionId, usize>,
    /// When a partition was taken last.
    pub(crate) last_taken_ms: u64,
    tokens: u64,
}

impl Ledger {
    pub(crate) fn open(&mut self, model: Arc<Model>, way: Way, sent_ms: u64) -> usize {
        self.counts.instances += 1;
        self.entries.push(Entry {
            model,
            way,
            sent_ms,
            creation: Creation::Open,
            attempt: 0,
            cancelling: Cancelling::Never,
            deleting: Deleting::Never,
            variables: Vec::new(),
            completions_sent_ms: BTreeMap::new(),
        });
        self.entries.len() - 1
    }

    pub(crate) fn deployed(&mut self, process_id: &str, number: i32, now_ms: u64) {
        let version = Version { number, deployed_ms: now_ms, deleting: Deleting::Never, deleted_ms: 0 };
        self.versions.entry(process_id.to_owned()).or_default().push(version);
    }

    /// A version is about to be deleted, or that was answered.
    pub(crate) fn deletes(&mut self, process_id: &str, number: i32, deleting: Deleting, now_ms: u64) {
        let versions = self.versions.get_mut(process_id).into_iter().flatten();
        for version in versions.filter(|version| version.number == number) {
            (version.deleting, version.deleted_ms) = (deleting, now_ms);
        }
    }

    /// The newest version that every node has heard of and nobody has deleted: who could not be told learns of it on a beat.
    pub(crate) fn known_version(&self, process_id: &str, now_ms: u64) -> i32 {
        let versions = self.versions.get(process_id).into_iter().flatten();
        let known = versions
            .filter(|version| version.deployed_ms + HEARD_MS < now_ms && version.deleting == Deleting::Never);
        known.map(|version| version.number).max().unwrap_or(0)
    }

    /// Every node has heard that this version is gone.
    pub(crate) fn is_gone(&self, process_id: &str, number: i32, now_ms: u64) -> bool {
        let mut versions = self.versions.get(process_id).into_iter().flatten();
        versions.any(|version| {
            let is_gone = version.deleting == Deleting::Answered && version.deleted_ms + HEARD_MS < now_ms;
            version.number == number && is_gone
        })
    }

    /// Somebody has deleted this instance, or tries to.
    pub(crate) fn may_be_deleted(&self, instance: ProcessInstanceKey) -> bool {
        let mut entries = self.entries.iter();
        entries
            .any(|entry| entry.deleting != Deleting::Never && entry.creation == Creation::Answered(instance))
    }

    /// A partition has a new owner.
    pub(crate) fn taken(&mut self, partition: PartitionId, by: usize, now_ms: u64) {
        self.last_taken_ms = now_ms;
        if self.owners.insert(partition, by).is_some() {
            self.counts.takeovers += 1;
        }
    }

    /// Gives the errors that a job shows which has come to a worker.
    pub(crate) fn received(&mut self, received: &Received<'_>) -> Vec<String> {
        let Received { job, entry, element_id, sent_ms, now_ms, holder } = *received;
        self.counts.jobs += 1;
        let mut wrong = Vec::new();
        let Some(known) = self.entries.get(entry) else { return vec![format!("job {job} is of nobody")] };
        match known.model.jobs.get(element_id) {
            None => wrong.push(format!("entry {entry} has no element {element_id}")),
            Some(spec) => {
                let Earliest { after, ms } = &spec.earliest;
                let sent_ms = match after {
                    Sent::Creation => Some(known.sent_ms),
                    Sent::Completion(id) => known.completions_sent_ms.get(id).copied(),
                };
                match sent_ms {
                    None => wrong.push(format!("entry {entry}: {element_id} came before what it waits for")),
                    Some(sent_ms) if now_ms + EARLY_MS_MAX < sent_ms + ms => wrong.push(format!(
                        "entry {entry}: {element_id} came {} ms early, {ms} ms were due",
                        sent_ms + ms - now_ms
                    )),
                    Some(_) => {}
                }
            }
        }
        let note = self.jobs.entry(job).or_insert_with(|| JobNote {
            entry,
            element_id: element_id.to_owned(),
            tried: Vec::new(),
            completed: None,
            sent_ms: BTreeMap::new(),
            missing_ms: None,
            holder: None,
            given_back_ms: 0,
            failures_under_way: 0,
        });
        // A worker without a token may have lost the job to somebody who has failed it meanwhile.
        let is_in_doubt = sent_ms <= note.given_back_ms || note.failures_under_way > 0;
        if holder.until_ms <= now_ms || is_in_doubt && !holder.has_token {
            return wrong;
        }
        let other = note.holder.filter(|other| other.until_ms > now_ms + EARLY_MS_MAX);
        if let Some(other) = other.filter(|other| other.has_token || !is_in_doubt) {
            wrong.push(format!(
                "job {job} of entry {entry} is with two workers: another holds it for {} ms",
                other.until_ms - now_ms
            ));
        }
        note.holder = Some(holder);
        wrong
    }

    /// A worker is about to fail a job, with its token where it has one.
    pub(crate) fn fails(&mut self, job: i64, token: Option<LeaseKey>, now_ms: u64) {
        let Some(note) = self.jobs.get_mut(&job) else { return };
        match (token, note.holder) {
            (Some(token), Some(holder)) if holder.lease == token => note.holder = None,
            (Some(_), _) => {}
            (None, holder) => {
                note.holder = holder.filter(|holder| holder.has_token);
                note.given_back_ms = now_ms;
                note.failures_under_way += 1;
            }
        }
    }

    /// A failure without a token was answered: from now on it ends nobody's lease.
    pub(crate) fn has_failed(&mut self, job: i64, now_ms: u64) {
        if let Some(note) = self.jobs.get_mut(&job) {
            note.holder = note.holder.filter(|holder| holder.has_token);
            note.given_back_ms = now_ms;
            note.failures_under_way = note.failures_under_way.saturating_sub(1);
        }
    }

    /// A completion is about to be sent.
    pub(crate) fn tries(&mut self, job: i64, now_ms: u64) -> u64 {
        self.tokens += 1;
        let token = self.tokens;
        if let Some(note) = self.jobs.get_mut(&job) {
            note.tried.push(token);
            note.sent_ms.insert(token, now_ms);
            let entry = &mut self.entries[note.entry];
            entry.completions_sent_ms.entry(note.element_id.clone()).or_insert(now_ms);
        }
        token
    }

    /// A worker was told that there is no such job.
    pub(crate) fn is_missing(&mut self, job: i64, now_ms: u64) {
        if let Some(note) = self.jobs.get_mut(&job) {
            note.missing_ms = Some(now_ms);
        }
    }

    pub(crate) fn completed(&mut self, job: i64, token: u64) -> Option<String> {
        let note = self.jobs.get_mut(&job)?;
        let sent_ms = note.sent_ms.get(&token).copied();
        if note.missing_ms.is_some_and(|missing_ms| sent_ms > Some(missing_ms)) {
            return Some(format!(
                "job {job} of entry {} was said to be missing and completed later",
                note.entry
            ));
        }
        let before = note.completed.replace(token).filter(|before| *before != token)?;
        Some(format!("job {job} of entry {} was completed twice: {before} and {token}", note.entry))
    }
}
