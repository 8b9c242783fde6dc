//! A timer as its client sees it.

use super::{TimerFailure, TimerService};
use crate::timers::id;
use crate::timers::spec::{Envelope, Schedule, StoredTarget};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_calendar::Repetitions;
use tidemill_model::PartitionId;
use tidemill_timers::block::{Entry, Scope};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimerState {
    Scheduled,
    /// Alone, or with its namespace.
    Paused,
}

impl TimerState {
    pub fn name(self) -> &'static str {
        match self {
            TimerState::Scheduled => "SCHEDULED",
            TimerState::Paused => "PAUSED",
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct TimerView {
    pub id: String,
    pub scope: Arc<Scope>,
    pub state: TimerState,
    pub due_ms: i64,
    pub scheduled_ms: i64,
    /// Tries of its delivery so far.
    pub attempt: u32,
    pub target: Option<Value>,
    pub retry: Option<Value>,
    pub schedule: Option<Schedule>,
    /// Occurrences to come; none for those that come for ever, and for timers that do not repeat.
    pub occurrences_left: Option<u32>,
    /// As it was written.
    pub payload: Option<String>,
}

pub(super) type Targets = BTreeMap<u32, StoredTarget>;

impl TimerView {
    pub(super) fn of(
        partition: PartitionId,
        entry: Entry,
        state: TimerState,
        targets: &Targets,
    ) -> TimerView {
        let (envelope, payload) = match Envelope::open(&entry) {
            Ok((envelope, payload)) => (envelope, payload.to_vec()),
            // Written by a later version: what can be told is told.
            Err(_) => (Envelope::default(), Vec::new()),
        };
        let origin = envelope.origin_of(&entry);
        let own_id = envelope.own_id.clone();
        let id = own_id.unwrap_or_else(|| id::generated(&entry.scope, partition, origin.key, origin.due_ms));
        let target = targets.get(&entry.target);
        let left = envelope.repeat.as_ref().map(|repeat| repeat.left);
        TimerView {
            id,
            state,
            due_ms: entry.due_ms,
            scheduled_ms: entry.scheduled_ms,
            attempt: entry.attempt,
            target: target.map(|target| target.join(&envelope).to_json()),
            retry: target.map(|target| target.retry.to_json()),
            occurrences_left: left.and_then(|left| match left {
                Repetitions::Times(times) => Some(times),
                Repetitions::Forever => None,
            }),
            schedule: envelope.repeat.map(|repeat| repeat.schedule),
            payload: String::from_utf8(payload).ok().filter(|payload| !payload.is_empty()),
            scope: entry.scope,
        }
    }

    /// All but the payload, which is written as it is.
    pub fn to_json(&self) -> Value {
        let mut shown = json!({
            "id": self.id,
            "namespace": self.scope.namespace,
            "state": self.state.name(),
            "executeAt": crate::gateway::date_text(tidemill_model::Timestamp(self.due_ms)),
            "scheduledAt": crate::gateway::date_text(tidemill_model::Timestamp(self.scheduled_ms)),
            "attempt": self.attempt,
            "target": self.target,
            "retry": self.retry,
        });
        if let Some(schedule) = &self.schedule {
            shown["schedule"] = schedule.to_json();
            shown["occurrencesLeft"] = json!(self.occurrences_left);
        }
        shown
    }
}

impl TimerService {
    /// Targets by their number, those that can be read.
    pub(super) async fn targets(
        &self,
        partition: PartitionId,
        ids: impl IntoIterator<Item = u32>,
    ) -> Result<Targets, TimerFailure> {
        let mut ids: Vec<u32> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(Targets::new());
        }
        let rows = self.node.timer_store().timer_targets(partition, &ids).await?;
        let target =
            |row: tidemill_timers::shard::TargetRow| Some((row.id, StoredTarget::decode(&row.data).ok()?));
        Ok(rows.into_iter().filter_map(target).collect())
    }
}
