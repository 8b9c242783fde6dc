//! One command of the log as it is shown.

use super::words::{self, Content};
use crate::gateway::json::Date;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashSet;
use tidemill_model::Command;
use tidemill_model::command::DefinitionRef;
use tidemill_model::entity::TimerPurpose;
use tidemill_store::LoggedBatch;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    timestamp: Date,
    partition_id: u16,
    batch: String,
    /// Its place among the commands of the batch.
    number: usize,
    /// The operation of the API that it came from, such as `completeJob`, or the engine's own name for it.
    kind: String,
    /// The instance, job or other thing that it was about, in a few words.
    subject: String,
    command: Content,
}

impl Entry {
    pub(super) fn new(batch: &LoggedBatch, number: usize, command: &Command) -> Entry {
        Entry {
            timestamp: Date(batch.at),
            partition_id: batch.partition.0,
            batch: batch.id.0.to_string(),
            number,
            kind: words::operation(command),
            subject: subject(command),
            command: words::content(command),
        }
    }

    pub(super) fn names_any(&self, keys: &HashSet<i64>) -> bool {
        self.command.members.values().any(|member| names_any(member, keys))
    }
}

/// Keys are texts here.
fn names_any(value: &Value, keys: &HashSet<i64>) -> bool {
    match value {
        Value::String(text) => text.parse().is_ok_and(|key| keys.contains(&key)),
        Value::Array(items) => items.iter().any(|item| names_any(item, keys)),
        Value::Object(members) => members.values().any(|member| names_any(member, keys)),
        _ => false,
    }
}

fn subject(command: &Command) -> String {
    match command {
        Command::Deploy(c) => list(c.files.iter().map(|file| file.name.as_str())),
        Command::DeleteResource(c) => format!("resource {}", c.key),
        Command::CreateInstance(c) => match &c.definition {
            DefinitionRef::Key(key) => format!("definition {key}"),
            DefinitionRef::Latest(id) => format!("process {id}"),
            DefinitionRef::Version(id, version) => format!("process {id}, version {version}"),
        },
        Command::AssignBusinessId(c) => format!("instance {}", c.instance),
        Command::CancelInstance(c) => format!("instance {}", c.instance),
        Command::DeleteInstance(c) => format!("instance {}", c.instance),
        Command::SetVariables(c) => format!("scope {}", c.scope),
        Command::ResolveIncident(c) => format!("incident {}", c.incident),
        Command::ActivateJobs(c) => format!("jobs {} for {}", c.job_type, c.worker),
        Command::CompleteJob(c) => format!("job {}", c.job),
        Command::FailJob(c) => format!("job {}", c.job),
        Command::ThrowJobError(c) => format!("job {}, error {}", c.job, c.error_code),
        Command::UpdateJob(c) => format!("job {}", c.job),
        Command::AssignUserTask(c) => format!("user task {}", c.task),
        Command::UpdateUserTask(c) => format!("user task {}", c.task),
        Command::CompleteUserTask(c) => format!("user task {}", c.task),
        Command::PublishMessage(c) => message(&c.name, &c.correlation_key),
        Command::CorrelateMessage(c) => message(&c.name, &c.correlation_key),
        Command::BroadcastSignal(c) => format!("signal {}", c.name),
        Command::Continue(c) => format!("instance {}", c.instance),
        Command::DeleteRemains(c) => format!("instance {}", c.instance),
        Command::TriggerTimer(c) => match &c.timer.purpose {
            TimerPurpose::Catch { element_instance, .. } => format!("element {element_instance}"),
            TimerPurpose::Start { process_id, .. } => format!("process {process_id}"),
            TimerPurpose::JobBackoff { job, .. } => format!("job {job}"),
            TimerPurpose::MessageExpiry { name, correlation_key, .. } => message(name, correlation_key),
        },
        Command::ExpireLeases(c) => format!("jobs {}", list(c.jobs.iter().map(|job| job.to_string()))),
        Command::OpenBoxSubscription(c) => {
            message(&c.subscription.message_name, &c.subscription.correlation_key)
        }
        Command::CloseBoxSubscription(c) => message(&c.message_name, &c.correlation_key),
        Command::CorrelateSubscription(c) => message(&c.message_name, &c.correlation_key),
        Command::AnswerCorrelation(c) => message(&c.message_name, &c.correlation_key),
        Command::ReleaseStartLock(c) => format!("process {}, key {}", c.process_id, c.correlation_key),
        Command::DeliverSignal(c) => format!("signal {}", c.name),
    }
}

fn message(name: &str, correlation_key: &str) -> String {
    format!("message {name}, key {correlation_key}")
}

/// The first few of many.
fn list(names: impl ExactSizeIterator<Item = impl AsRef<str>>) -> String {
    const SHOWN: usize = 3;
    let count = names.len();
    let mut text = String::new();
    for (n, name) in names.take(SHOWN).enumerate() {
        if n > 0 {
            text.push(' ');
        }
        text.push_str(name.as_ref());
    }
    if count > SHOWN {
        text.push_str(&format!(" and {} more", count - SHOWN));
    }
    text
}
