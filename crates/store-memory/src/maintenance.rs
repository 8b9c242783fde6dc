//! Forgetting, a bounded piece at a time.

use crate::MemoryStore;
use crate::state::State;
use crate::tables::Tables;
use async_trait::async_trait;
use tidemill_model::{ProcessInstanceKey, Timestamp};
use tidemill_store::{Deletion, Maintenance, Result, Retention};

#[async_trait]
impl Maintenance for MemoryStore {
    async fn delete_instance(&self, instance: ProcessInstanceKey) -> Result<Deletion> {
        let mut state = self.state();
        if state.live.instances.contains_key(&instance.0) {
            return Ok(Deletion::StillActive);
        }
        let was_there = delete_history(&mut state.history, instance);
        Ok(if was_there { Deletion::Deleted } else { Deletion::NotFound })
    }

    async fn purge_history(&self, ended_before: Timestamp, limit: usize) -> Result<usize> {
        let mut state = self.state();
        let ended = state.history.instances.values();
        let mut old: Vec<(Timestamp, ProcessInstanceKey)> = ended
            .map(|instance| (instance.ended_at.unwrap_or(instance.started_at), instance.key))
            .filter(|(ended_at, _)| *ended_at < ended_before)
            .collect();
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

/// Everything that is left of an ended instance; false where there is no such instance.
fn delete_history(history: &mut Tables, instance: ProcessInstanceKey) -> bool {
    history.elements.retain(|_, row| row.origin.instance != instance);
    history.variables.retain(|_, row| row.origin.instance != instance);
    history.jobs.retain(|_, row| row.origin.instance != instance);
    history.user_tasks.retain(|_, row| row.origin.instance != instance);
    history.incidents.retain(|_, row| row.origin.instance != instance);
    history.message_subscriptions.retain(|_, row| row.origin.instance != instance);
    history.correlations.retain(|_, row| row.origin.instance != instance);
    history.instances.remove(&instance.0).is_some()
}
