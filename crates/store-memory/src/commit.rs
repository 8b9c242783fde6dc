//! Batches: first everything that could be refused is looked at, then all is written.

use crate::state::{Logged, State};
use crate::{Fault, MemoryStore, maintenance, timers};
use async_trait::async_trait;
use std::collections::BTreeSet;
use tidemill_model::{Change, Ended, Entity, EntityKind, PartitionId, TenantId};
use tidemill_store::rows::Tables;
use tidemill_store::{
    Batch, BatchId, Commit, Committed, Culprit, DELETED_ROWS_MAX, Error, Fence, IdempotentAnswer,
    LetterNumber, Result, StoredLetter,
};

#[async_trait]
impl Commit for MemoryStore {
    async fn commit(&self, batch: Batch) -> Result<Committed> {
        let unknown = || Error::OutcomeUnknown { reason: "the connection to the memory was lost".into() };
        self.arrive("commit").await?;
        // Taken on arrival, not when the batch is sent: a batch that never arrives uses up no fault.
        let fault = self.shared.faults.take();
        match fault {
            Fault::None | Fault::LostAfterCommit => {}
            Fault::LostBeforeCommit => return Err(unknown()),
            Fault::Slow => self.shared.faults.wait().await,
            Fault::Fenced => self.take_away(batch.partition()),
            Fault::Full => {
                return Err(Error::Full { place: "the memory".into(), reason: "a fault was planned".into() });
            }
            Fault::FullForNow => {
                let (place, reason) = ("the memory".into(), "a fault was planned".into());
                return Err(Error::FullForNow { place, reason });
            }
        }
        let woken: BTreeSet<PartitionId> = batch.outgoing.iter().map(|entry| entry.partition).collect();
        let now = self.now();
        let committed = self.state().commit(batch, now)?;
        // After the entries are there, or the owner would look too early and find nothing.
        for partition in woken {
            self.shared.notifiers.notify(partition);
        }
        self.depart("commit").await?;
        if fault == Fault::LostAfterCommit { Err(unknown()) } else { Ok(committed) }
    }

    async fn has_batch(&self, partition: PartitionId, batch: BatchId) -> Result<bool> {
        self.paced("has_batch", || Ok(self.state().batches.contains_key(&(partition, batch)))).await
    }

    async fn in_hand(&self, partition: PartitionId) -> Result<Option<Vec<u8>>> {
        self.paced("in_hand", || {
            let mut state = self.state();
            let Some(row) = state.partitions.get_mut(&partition) else { return Ok(None) };
            if row.was_taken_over {
                row.inherited_notes.extend(row.in_hand.clone());
            }
            Ok(row.in_hand.clone())
        })
        .await
    }

    async fn note_in_hand(&self, fence: &Fence, note: Option<Vec<u8>>) -> Result<()> {
        self.paced("note_in_hand", || {
            self.state().owned(fence)?.in_hand = note;
            Ok(())
        })
        .await
    }
}

impl MemoryStore {
    /// As if another holder had taken the partition and given it back.
    fn take_away(&self, partition: PartitionId) {
        if let Some(partition) = self.state().partitions.get_mut(&partition) {
            partition.epoch += 1;
            (partition.holder, partition.expires_at) = (None, None);
        }
    }
}

impl State {
    fn commit(&mut self, batch: Batch, now: tidemill_model::Timestamp) -> Result<Committed> {
        self.check(&batch)?;
        for position in &batch.consumed {
            self.inbox.remove(position);
        }
        // Before the changes: new timers may lie in the range that is deleted.
        if let Some(fired) = &batch.fired {
            let due = self.live.timers.range(timers::range(batch.partition(), fired));
            for id in due.map(|(id, _)| *id).collect::<Vec<_>>() {
                self.live.timers.remove(&id);
                let (_, due_at, _) = id;
                self.fired_early_ms.extend((due_at > now.0).then_some(due_at - now.0));
            }
        }
        self.change(&batch.changes);
        for instance in &batch.deletions {
            self.history.process_instances.remove(instance);
            maintenance::delete_some(&mut self.history, *instance, DELETED_ROWS_MAX);
        }
        if batch.changes.iter().any(|change| is_definition(change.entity())) {
            self.definitions_version += 1;
        }
        self.note(batch);
        Ok(Committed { definitions_version: self.definitions_version, now })
    }

    fn check(&mut self, batch: &Batch) -> Result<()> {
        let reserved_until = self.owned(&batch.fence)?.next_key;
        let refused = |reason: String| Err(Error::Refused { culprit: None, reason });
        if batch.highest_key >= reserved_until {
            let highest = batch.highest_key;
            return refused(format!(
                "key counter {highest} lies outside the reserved block, which ends at {reserved_until}"
            ));
        }
        // Batches of one owner count up, and another owner has another epoch in its numbers: the same number means that something was
        // sent twice.
        if self.batches.contains_key(&(batch.partition(), batch.id)) {
            return refused(format!("batch {} was written before", batch.id.0));
        }
        let mut keys = BTreeSet::new();
        for answer in &batch.answers {
            let key = answer_key(batch.partition(), answer);
            if self.answers.contains_key(&key) || !keys.insert(key) {
                return refused(format!("there is an answer under the idempotency key '{}'", answer.key));
            }
        }
        self.check_rows(&batch.changes)
    }

    fn check_rows(&self, changes: &[Change]) -> Result<()> {
        let mut versions = BTreeSet::new();
        for change in changes {
            let reason = match change {
                Change::Put(entity) => version_of(entity).and_then(|version| {
                    let is_taken = is_taken(&self.live, entity) || !versions.insert(version);
                    is_taken.then_some("there is another row of the same id and version")
                }),
                Change::End { entity, .. } if entity.kind().ended() == Ended::History => {
                    self.history.contains(entity).then_some("it has ended before")
                }
                _ => None,
            };
            if let Some(reason) = reason {
                let entity = change.entity();
                let culprit = Some(Culprit { kind: entity.kind(), key: entity.numbers().0 });
                return Err(Error::Refused { culprit, reason: reason.into() });
            }
        }
        Ok(())
    }

    /// Removes come first, because a timer that moves is removed and put.
    fn change(&mut self, changes: &[Change]) {
        for change in changes {
            if let Change::Remove(entity) | Change::End { entity, was_stored: true } = change {
                self.live.remove(entity);
            }
        }
        for change in changes {
            match change {
                Change::Put(entity) if entity.kind().ended() == Ended::HistoryFromTheStart => {
                    self.history.put(entity);
                }
                Change::Put(entity) => self.live.put(entity),
                Change::End { entity, .. } if entity.kind().ended().is_kept() => self.history.put(entity),
                Change::End { .. } | Change::Remove(_) => {}
            }
        }
    }

    fn note(&mut self, batch: Batch) {
        let (partition, at) = (batch.partition(), batch.at);
        // A late answer replaces the note that it will come.
        for answer in batch.answers.into_iter().chain(batch.late_answers) {
            self.answers.insert(answer_key(partition, &answer), answer);
        }
        for result in batch.results {
            self.results.insert(result.position, (at, result.answer));
        }
        for letter in batch.dead_letters {
            self.last_letter += 1;
            let number = LetterNumber(self.last_letter);
            let tidemill_store::DeadLetter { position, payload, reason } = letter;
            self.letters.insert(number, StoredLetter { number, partition, position, at, reason, payload });
        }
        for entry in batch.outgoing {
            self.append(entry);
        }
        self.batches.insert((partition, batch.id), Logged { at, log: batch.log });
        if let Some(partition) = self.partitions.get_mut(&partition) {
            partition.last_batch_at = Some(at);
        }
    }
}

fn answer_key(
    partition: PartitionId,
    answer: &IdempotentAnswer,
) -> (PartitionId, TenantId, tidemill_model::Text) {
    (partition, answer.tenant.clone(), answer.key.clone())
}

fn is_definition(entity: &Entity) -> bool {
    matches!(
        entity.kind(),
        EntityKind::ProcessDefinition
            | EntityKind::Form
            | EntityKind::Resource
            | EntityKind::StartSubscription
    )
}

/// The id and version that must be unique among deployed things of one kind.
fn version_of(entity: &Entity) -> Option<(EntityKind, &str, &TenantId, i32)> {
    let (id, tenant, version) = match entity {
        Entity::ProcessDefinition(row) => (&row.process_id, &row.tenant, row.version),
        Entity::Form(row) => (&row.form_id, &row.tenant, row.version),
        Entity::Resource(row) => (&row.resource_id, &row.tenant, row.version),
        _ => return None,
    };
    Some((entity.kind(), id, tenant, version))
}

/// True if a row with another key has this id and version.
fn is_taken(live: &Tables, entity: &Entity) -> bool {
    let is_other =
        |other: Entity| other.numbers() != entity.numbers() && version_of(&other) == version_of(entity);
    match entity {
        Entity::ProcessDefinition(_) => {
            live.process_definitions.values().any(|row| is_other(row.clone().into()))
        }
        Entity::Form(_) => live.forms.values().any(|row| is_other(row.clone().into())),
        Entity::Resource(_) => live.resources.values().any(|row| is_other(row.clone().into())),
        _ => false,
    }
}
