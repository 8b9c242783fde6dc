//! Timers that fire as commands: messages to processes and starts of processes. Their commands go to the inbox in the commit that
//! fires, so they take effect exactly once.

use super::spec::{Envelope as Words, StoredTarget, TargetAddress};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tidemill_model::command::{CreateInstance, DefinitionRef, PublishMessage};
use tidemill_model::{Command, PartitionCount, PartitionId, TenantId, Text, Timestamp, Variables};
use tidemill_partition::Envelope;
use tidemill_store::{NewInboxEntry, Result, Store, TimerBatch};
use tidemill_timers::block::{self, Block, Entry};
use tidemill_timers::shard::FailureRow;

/// Targets that are kept in memory; when there are more, they are read again.
const TARGETS_MAX: usize = 10_000;

#[derive(Default)]
pub(super) struct CommandMaker {
    targets: Mutex<BTreeMap<u32, Arc<StoredTarget>>>,
}

const UNPOISONED: &str = "nobody panics while holding it";

impl CommandMaker {
    /// Turns the timers of the batch that fire as commands into entries of inboxes. One that cannot be turned is kept as a
    /// dead letter.
    pub(super) async fn make(&self, store: &dyn Store, batch: &mut TimerBatch) -> Result<()> {
        if batch.batch.commands.is_empty() {
            return Ok(());
        }
        let entries = std::mem::take(&mut batch.batch.commands);
        self.look_up(store, batch, &entries).await?;
        let (count, at_ms) = (store.partition_count(), batch.batch.at_ms);
        for entry in entries {
            let target = self.targets.lock().expect(UNPOISONED).get(&entry.target).cloned();
            match command(target.as_deref(), &entry) {
                Ok(command) => {
                    let partition = command.partition(count).unwrap_or_else(|| any(count, &entry));
                    let payload = Envelope::internal(command).pack();
                    let received_at = Timestamp(at_ms);
                    batch.outgoing.push(NewInboxEntry { partition, received_at, payload });
                }
                Err(reason) => batch.batch.failures.extend(failure(entry, at_ms, reason)),
            }
        }
        Ok(())
    }

    async fn look_up(&self, store: &dyn Store, batch: &TimerBatch, entries: &[Entry]) -> Result<()> {
        let mut missing: Vec<u32> = {
            let mut targets = self.targets.lock().expect(UNPOISONED);
            if targets.len() > TARGETS_MAX {
                targets.clear();
            }
            for row in &batch.batch.targets {
                if let Ok(target) = StoredTarget::decode(&row.data) {
                    targets.insert(row.id, Arc::new(target));
                }
            }
            let is_missing = |id: &u32| !targets.contains_key(id);
            entries.iter().map(|entry| entry.target).filter(is_missing).collect()
        };
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return Ok(());
        }
        let rows = store.timer_targets(batch.partition(), &missing).await?;
        let mut targets = self.targets.lock().expect(UNPOISONED);
        for row in rows {
            if let Ok(target) = StoredTarget::decode(&row.data) {
                targets.insert(row.id, Arc::new(target));
            }
        }
        Ok(())
    }
}

/// New instances go round.
fn any(count: PartitionCount, entry: &Entry) -> PartitionId {
    PartitionId((entry.key.unsigned_abs() % u64::from(count.0.max(1))) as u16 + 1)
}

fn command(target: Option<&StoredTarget>, entry: &Entry) -> std::result::Result<Command, String> {
    let target = target.ok_or("its target cannot be read; a newer version may have written it")?;
    let (words, payload) = Words::open(entry).map_err(|error| error.to_string())?;
    let variables = variables(payload)?;
    let tenant = TenantId(Text::from(entry.scope.tenant.as_str()));
    match &target.address {
        TargetAddress::Message { name, time_to_live_ms } => Ok(Command::PublishMessage(PublishMessage {
            tenant,
            name: Text::from(name.as_str()),
            correlation_key: Text::from(words.correlation_key.unwrap_or_default()),
            message_id: None,
            business_id: None,
            time_to_live_ms: *time_to_live_ms,
            variables,
        })),
        TargetAddress::Process { process_definition_id, version } => {
            let id = Text::from(process_definition_id.as_str());
            let definition = match version {
                Some(version) => DefinitionRef::Version(id, i32::try_from(*version).unwrap_or(i32::MAX)),
                None => DefinitionRef::Latest(id),
            };
            Ok(Command::CreateInstance(Box::new(CreateInstance {
                definition,
                tenant,
                variables,
                start: Vec::new(),
                terminate_after: Vec::new(),
                tags: Vec::new(),
                business_id: None,
                is_unique: false,
            })))
        }
        TargetAddress::Http { .. } | TargetAddress::Stream => {
            Err("its target is neither a message nor a process".to_owned())
        }
    }
}

/// The payload of such a timer is an object, or nothing.
fn variables(payload: &[u8]) -> std::result::Result<Variables, String> {
    if payload.is_empty() || payload == b"null" {
        return Ok(Variables::default());
    }
    let text = std::str::from_utf8(payload).map_err(|_| "its payload is no text")?;
    Variables::parse(text).map_err(|error| format!("its payload cannot be read as variables: {error}"))
}

fn failure(entry: Entry, at_ms: i64, reason: String) -> Option<FailureRow> {
    let (key, generation) = (entry.key, entry.generation);
    let data = block::encode(&mut Block::Entries(vec![entry])).ok()?;
    Some(FailureRow { key, generation, at_ms, reason, data })
}
