//! The spans of one partition: commands of traced requests, their commits, and jobs that wait for workers.
//!
//! The context of an instance is kept in memory only, so that tracing writes nothing: after a restart, or with another owner, the next
//! job of an instance begins a new trace.

use crate::broker::CommandError;
use crate::telemetry::{Span, SpanContext, SpanKind, TRACEPARENT, Telemetry, unix_nanos};
use hashlink::LruCache;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tidemill_model::{ActivatedJob, Answer, Command, JobKey, PartitionId, ProcessInstanceKey, RawJson, Text};
use tidemill_partition::{CallId, Effect, command_name};

/// Instances and jobs whose context is kept.
const KEPT_MAX: usize = 10_000;
/// Calls whose answer may come; more than a partition takes at once.
const CALLS_MAX: usize = 20_000;

/// A command on its way through the partition.
struct Traced {
    context: SpanContext,
    parent: SpanContext,
    name: &'static str,
    began: u64,
    /// The job that the command reports on.
    job: Option<JobKey>,
}

/// The last commit that has ended.
struct Commit {
    began: u64,
    ended: u64,
}

pub(super) struct Traces {
    telemetry: Arc<Telemetry>,
    partition: String,
    calls: FxHashMap<CallId, Traced>,
    /// The span that an instance goes on from.
    instances: LruCache<ProcessInstanceKey, SpanContext>,
    /// The instances of jobs that were handed out.
    jobs: LruCache<JobKey, ProcessInstanceKey>,
    commit: Option<Commit>,
}

impl Traces {
    pub(super) fn new(telemetry: Arc<Telemetry>, partition: PartitionId) -> Traces {
        Traces {
            telemetry,
            partition: partition.to_string(),
            calls: FxHashMap::default(),
            instances: LruCache::new(KEPT_MAX),
            jobs: LruCache::new(KEPT_MAX),
            commit: None,
        }
    }

    /// A command has come with a request that is traced.
    pub(super) fn take(&mut self, call: CallId, parent: SpanContext, command: &Command) {
        let job = match command {
            Command::CompleteJob(command) => Some(command.job),
            Command::FailJob(command) => Some(command.job),
            Command::ThrowJobError(command) => Some(command.job),
            _ => None,
        };
        self.add(call, parent, command_name(command), job);
    }

    pub(super) fn take_creation(&mut self, call: CallId, parent: SpanContext) {
        self.add(call, parent, "create_instance", None);
    }

    fn add(&mut self, call: CallId, parent: SpanContext, name: &'static str, job: Option<JobKey>) {
        if self.calls.len() >= CALLS_MAX {
            // Callers that have left get no answer, so nothing else would take them out.
            self.calls.clear();
        }
        let context = self.telemetry.begin(Some(parent));
        self.calls.insert(call, Traced { context, parent, name, began: unix_nanos(), job });
    }

    pub(super) fn committed(&mut self, took: std::time::Duration) {
        let ended = unix_nanos();
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.commit = Some(Commit { began: ended.saturating_sub(took), ended });
    }

    /// Ends the spans of commands that are answered. To be called for all effects of a commit before jobs are handed out: a job that the
    /// same commit has made goes on from there.
    pub(super) fn look_at(&mut self, effect: &Effect) {
        match effect {
            Effect::Answer { call, result } => {
                let Some(traced) = self.calls.remove(call) else { return };
                let instance = match result {
                    Ok(Answer::Created(created)) => Some(created.instance),
                    Ok(Answer::Correlated { instance, .. }) => Some(*instance),
                    Ok(_) => traced.job.and_then(|job| self.jobs.remove(&job)),
                    Err(_) => None,
                };
                self.end(traced, instance, result.as_ref().err());
            }
            Effect::Created { call, instance } => {
                if let Some(traced) = self.calls.remove(call) {
                    self.end(traced, Some(*instance), None);
                }
            }
            Effect::Ended { call, result } => {
                if let Some(traced) = self.calls.remove(call) {
                    self.end(traced, None, result.as_ref().err());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, traced: Traced, instance: Option<ProcessInstanceKey>, error: Option<&CommandError>) {
        let Traced { context, parent, name, began, .. } = traced;
        if let Some(instance) = instance {
            self.instances.insert(instance, context);
        }
        if !context.is_sampled {
            return;
        }
        let mut attributes = vec![("tidemill.partition", self.partition.clone())];
        attributes.extend(instance.map(|key| ("tidemill.process_instance_key", key.to_string())));
        // An answer that needed no commit comes after one that had ended before.
        if let Some(commit) = self.commit.as_ref().filter(|commit| commit.ended >= began) {
            self.telemetry.record(Span {
                context: self.telemetry.begin(Some(context)),
                parent: Some(context),
                name: "commit".to_owned(),
                kind: SpanKind::Client,
                began: commit.began,
                ended: commit.ended,
                attributes: vec![("tidemill.partition", self.partition.clone())],
                error: None,
            });
        }
        self.telemetry.record(Span {
            context,
            parent: Some(parent),
            name: name.to_owned(),
            kind: SpanKind::Internal,
            began,
            ended: unix_nanos(),
            attributes,
            error: error.map(ToString::to_string),
        });
    }

    /// Jobs go to a worker: each gets the context by which the worker goes on. The span tells how long the job has waited.
    pub(super) fn hand_out(&mut self, jobs: &mut [ActivatedJob]) {
        let now = unix_nanos();
        for activated in jobs {
            let job = &activated.job;
            let (key, instance) = (job.key, job.origin.instance);
            let parent = self.instances.get(&instance).copied();
            let context = self.telemetry.begin(parent);
            self.jobs.insert(key, instance);
            let began = u64::try_from(job.updated_at.0).unwrap_or(0).saturating_mul(1_000_000);
            self.telemetry.record(Span {
                context,
                parent,
                name: format!("job {}", job.job_type),
                kind: SpanKind::Producer,
                began: began.min(now),
                ended: now,
                attributes: vec![
                    ("tidemill.partition", self.partition.clone()),
                    ("tidemill.process_id", activated.process_id.to_string()),
                    ("tidemill.process_instance_key", instance.to_string()),
                    ("tidemill.job_key", key.to_string()),
                ],
                error: None,
            });
            if let Some(headers) = with_traceparent(job.headers.as_ref(), &context.header()) {
                Arc::make_mut(&mut activated.job).headers = Some(headers);
            }
        }
    }
}

/// None where the model has a header of this name already.
fn with_traceparent(headers: Option<&RawJson>, value: &str) -> Option<RawJson> {
    let headers = headers.map_or("{}", RawJson::as_str);
    if headers.contains(&format!("\"{TRACEPARENT}\":")) {
        return None;
    }
    let members = headers.strip_suffix('}')?;
    let comma = if members.ends_with('{') { "" } else { "," };
    Some(RawJson::new(Text::from(format!("{members}{comma}\"{TRACEPARENT}\":\"{value}\"}}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_gets_the_header_beside_its_own() {
        let with = |headers: Option<&str>| {
            let headers = headers.map(|text| RawJson::new(Text::from(text)));
            with_traceparent(headers.as_ref(), "x").map(|headers| headers.as_str().to_owned())
        };
        assert_eq!(with(None).as_deref(), Some(r#"{"traceparent":"x"}"#));
        assert_eq!(with(Some("{}")).as_deref(), Some(r#"{"traceparent":"x"}"#));
        assert_eq!(with(Some(r#"{"a":"b"}"#)).as_deref(), Some(r#"{"a":"b","traceparent":"x"}"#));
        assert_eq!(with(Some(r#"{"traceparent":"mine"}"#)), None);
    }
}
