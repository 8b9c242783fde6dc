//! Forgetting, a bounded piece at a time.

use crate::MemoryStore;
use crate::state::State;
use async_trait::async_trait;
use tidemill_model::{ProcessInstanceKey, Remains, Stored, Timestamp, for_each_kind};
use tidemill_store::rows::{Tabled, Tables};
use tidemill_store::{DELETED_ROWS_MAX, Maintenance, Result, Retention};

#[async_trait]
impl Maintenance for MemoryStore {
    async fn purge_history(&self, ended_before: Timestamp, limit: usize) -> Result<usize> {
        let mut state = self.state();
        let ended = state.history.process_instances.values();
        let mut old: Vec<(Timestamp, ProcessInstanceKey)> = ended
            .map(|instance| (instance.ended_at.unwrap_or(instance.started_at), instance.key))
            .filter(|(ended_at, _)| *ended_at < ended_before)
            .collect();
        // The oldest go first, so that a purge that is cut short leaves no gaps.
        old.sort();
        old.truncate(limit);
        for (_, instance) in &old {
            delete_history(&mut state.history, *instance);
        }
        Ok(old.len())
    }

    async fn purge_results(&self, before: Timestamp, limit: usize) -> Result<usize> {
        let mut state = self.state();
        let old = state.results.iter().filter(|(_, (at, _))| *at < before).map(|(position, _)| *position);
        let old: Vec<_> = old.take(limit).collect();
        for position in &old {
            state.results.remove(position);
        }
        Ok(old.len())
    }

    async fn purge_idempotency(&self, before: Timestamp, limit: usize) -> Result<usize> {
        let mut state = self.state();
        let old = state.answers.iter().filter(|(_, answer)| answer.created_at < before);
        let old: Vec<_> = old.take(limit).map(|(key, _)| key.clone()).collect();
        for key in &old {
            state.answers.remove(key);
        }
        Ok(old.len())
    }

    async fn purge_batches(&self, before: Timestamp, limit: usize) -> Result<usize> {
        let mut state = self.state();
        let old = old_batches(&state, before, limit);
        for id in &old {
            state.batches.remove(id);
        }
        Ok(old.len())
    }

    async fn retention(&self) -> Result<Retention> {
        Ok(self.state().retention)
    }

    async fn set_retention(&self, retention: Retention) -> Result<()> {
        self.state().retention = retention;
        Ok(())
    }
}

/// Without the last of each partition.
fn old_batches(
    state: &State,
    before: Timestamp,
    limit: usize,
) -> Vec<(tidemill_model::PartitionId, tidemill_store::BatchId)> {
    let is_last = |(partition, id)| state.last_batch(partition).is_some_and(|(last, _)| last == id);
    let old = state.batches.iter().filter(|(_, batch)| batch.at < before).map(|(id, _)| *id);
    old.filter(|id| !is_last(*id)).take(limit).collect()
}

/// Everything that is left of an ended instance.
fn delete_history(history: &mut Tables, instance: ProcessInstanceKey) {
    history.process_instances.remove(&instance);
    delete_some(history, instance, usize::MAX);
}

/// So many rows of what belonged to an instance.
pub(crate) fn delete_some(history: &mut Tables, instance: ProcessInstanceKey, mut rows_left: usize) {
    for_each_kind!(R => R::table_mut(history).retain(|_, row| {
        let goes = belongs_to(&**row, instance) && rows_left > 0;
        rows_left -= usize::from(goes);
        !goes
    }));
}

pub(crate) fn remains(history: &Tables, instance: ProcessInstanceKey) -> Remains {
    let mut rows = 0;
    for_each_kind!(R => rows += R::table(history).values().filter(|row| belongs_to(&***row, instance)).count());
    Remains {
        is_ended_instance: history.process_instances.contains_key(&instance),
        rows: rows.min(DELETED_ROWS_MAX),
        has_more: rows > DELETED_ROWS_MAX,
    }
}

fn belongs_to(row: &impl Stored, instance: ProcessInstanceKey) -> bool {
    row.belongs_to().is_some_and(|belonging| belonging.instance == instance)
}
