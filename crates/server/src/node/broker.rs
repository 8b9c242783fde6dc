//! The node as the gateway sees it.

use super::{Location, Node};
use crate::broker::{
    Broker, CommandError, CommandOptions, CommandOutcome, EndedInstance, NodeView, OwnedPartition, Receipt,
    Topology,
};
use crate::cluster::PeerRequest;
use crate::definitions::CacheReport;
use crate::partition::PartitionCall;
use crate::timers::LoopNumbers;
use async_trait::async_trait;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tidemill_bpmn::Process;
use tidemill_model::command::{ActivateJobs, CreateInstance};
use tidemill_model::{ActivatedJob, Answer, Command, DefinitionKey, PartitionId, Timestamp};
use tidemill_partition::{KeptAnswer, MemoryUse};
use tidemill_store::{Position, Room};
use tokio::sync::oneshot;
use tokio::time::Instant;

impl Node {
    /// The partition that must run a command. A keyed create goes where its retry will look for it.
    pub(super) fn home(&self, command: &Command, options: &CommandOptions) -> PartitionId {
        let count = self.store.partition_count();
        match (command.partition(count), &options.idempotency) {
            (Some(partition), _) => partition,
            (None, Some(idempotency)) => count.of_idempotency_key(&options.tenant, &idempotency.key),
            (None, None) => self.any_partition(),
        }
    }

    /// New instances go round: over the partitions of this node, or over all where it has none.
    pub(super) fn any_partition(&self) -> PartitionId {
        let turn = self.turns.fetch_add(1, Ordering::Relaxed);
        let here = self.loops.all();
        if !here.is_empty() {
            return here[turn % here.len()].id;
        }
        let count = usize::from(self.store.partition_count().0);
        PartitionId((turn % count) as u16 + 1)
    }

    /// Partitions that stop meanwhile are left out.
    pub(crate) async fn memory_use(&self) -> Vec<(PartitionId, MemoryUse)> {
        let mut uses = Vec::new();
        for partition in self.loops.all() {
            let (reply, told) = oneshot::channel();
            if partition.send_surely(PartitionCall::MemoryUse(reply)).await.is_ok()
                && let Ok(told) = told.await
            {
                uses.push((partition.id, told));
            }
        }
        uses
    }

    /// Stops the clock of this node, or lets it run.
    pub(super) async fn set_own_clock(&self, pinned_at: Option<Timestamp>) {
        self.clock.set(pinned_at);
        for partition in self.loops.all() {
            let (done, noted) = oneshot::channel();
            // A partition that has stopped looks at the clock when it is opened again.
            if partition.send_surely(PartitionCall::ClockHasChanged(done)).await.is_ok() {
                let _ = noted.await;
            }
        }
    }
}

/// A store that cannot be reached has taken nothing; one that did not answer may have. The log gets the whole error, the
/// client what it may know.
pub(super) fn internal(error: tidemill_store::Error) -> CommandError {
    let told = error.for_clients();
    match error {
        tidemill_store::Error::Unavailable { .. } | tidemill_store::Error::FullForNow { .. } => {
            tracing::debug!(%error, "the store could not be asked");
            CommandError::NotBegun(told)
        }
        tidemill_store::Error::OutcomeUnknown { .. } => {
            tracing::debug!(%error, "the store has not answered");
            CommandError::Unavailable(told)
        }
        other => {
            tracing::error!(error = %other, "the store failed");
            CommandError::Internal(format!("Expected the store to answer, but {told}"))
        }
    }
}

#[async_trait]
impl Broker for Node {
    async fn execute(&self, command: Command, options: CommandOptions) -> Result<Answer, CommandError> {
        self.check_room(&command)?;
        let home = self.home(&command, &options);
        self.run_command(home, command, options).await
    }

    async fn enqueue(&self, command: Command, options: CommandOptions) -> Result<Receipt, CommandError> {
        self.check_room(&command)?;
        let home = self.home(&command, &options);
        let received_at = self.clock.now();
        let position = self.append(home, command, &options, received_at).await?;
        Ok(Receipt { position: position.0, received_at })
    }

    async fn outcome(&self, position: i64) -> Result<Option<CommandOutcome>, CommandError> {
        use tidemill_store::CommandOutcome as Stored;
        Ok(match self.store.outcome(Position(position)).await.map_err(internal)? {
            Stored::Unknown => None,
            Stored::Waiting => Some(CommandOutcome::Waiting),
            Stored::DeadLetter { at, reason } => Some(CommandOutcome::DeadLetter { reason, at }),
            Stored::Done { at, answer } => {
                let kept: KeptAnswer = tidemill_store::unpack(&answer)
                    .map_err(|error| CommandError::Internal(error.to_string()))?;
                Some(match kept.result {
                    None => CommandOutcome::Waiting,
                    Some(Ok(answer)) => CommandOutcome::Answered { answer, at },
                    Some(Err(rejection)) => CommandOutcome::Refused { intent: kept.intent, rejection, at },
                })
            }
        })
    }

    async fn create_and_await(
        &self,
        command: CreateInstance,
        options: CommandOptions,
        timeout: Duration,
    ) -> Result<EndedInstance, CommandError> {
        let until = Instant::now() + timeout;
        let as_command = Command::CreateInstance(Box::new(command.clone()));
        self.check_room(&as_command)?;
        let home = self.home(&as_command, &options);
        let created = Arc::new(OnceLock::new());
        let ended = self.create(home, command, options, until, Arc::clone(&created));
        match tokio::time::timeout(timeout, ended).await {
            Ok(ended) => ended,
            Err(_) => Err(created.get().map_or(CommandError::TimedOut, |key| CommandError::NotEnded(*key))),
        }
    }

    async fn activate_jobs(
        &self,
        command: ActivateJobs,
        _options: CommandOptions,
        wait: Duration,
    ) -> Result<Vec<ActivatedJob>, CommandError> {
        self.gather_jobs(command, wait).await
    }

    async fn process(&self, definition: DefinitionKey) -> Result<Option<Arc<Process>>, CommandError> {
        self.definitions.process(definition).await.map_err(internal)
    }

    async fn set_clock(&self, pinned_at: Option<Timestamp>) -> Result<(), CommandError> {
        self.set_own_clock(pinned_at).await;
        self.tell_all(&PeerRequest::SetClock { pinned_at }).await;
        Ok(())
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn topology(&self) -> Topology {
        let view = self.routes.view();
        let nodes = view.nodes.iter().zip(0..).map(|(node, id)| {
            let address = node.address.as_deref().unwrap_or_default();
            let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
            NodeView {
                id,
                name: node.holder.to_string(),
                host: host.to_owned(),
                port: port.parse().unwrap_or_default(),
                version: node.version.clone(),
                partitions: self.owned_by(&node.holder),
            }
        });
        Topology { cluster_id: None, partitions: self.store.partition_count(), nodes: nodes.collect() }
    }

    async fn cache_reports(&self) -> Vec<(String, Option<String>, Option<CacheReport>)> {
        self.all_cache_reports().await
    }

    fn unready(&self) -> Option<String> {
        if let Some(reason) = self.store_health.reason() {
            return Some(format!("Expected the store to answer, but it does not: {reason}"));
        }
        if let Some(reason) = self.welcome.reason() {
            return Some(reason);
        }
        if self.is_leaving() {
            return Some("Expected a node that works, but this one is stopping".to_owned());
        }
        let view = self.routes.view();
        let is_here = |id: PartitionId| matches!(self.locate(id), Location::Here(_));
        let is_missing = |id: &PartitionId| !is_here(*id) && view.is_free(*id);
        let missing = self.store.partition_count().ids().find(is_missing)?;
        Some(format!(
            "Expected every partition to have a healthy owner, but partition {missing} has none at the moment"
        ))
    }

    fn troubles(&self) -> Vec<String> {
        let trouble = |(id, numbers): (PartitionId, LoopNumbers)| {
            Some(format!("timers of partition {id}: {}", numbers.trouble?))
        };
        let of_timers = self.timer_loops().into_iter().filter_map(trouble);
        of_timers.chain(self.store.troubles()).collect()
    }
}

impl Node {
    /// A store that is almost full takes nothing that begins something new: what runs needs the rest to come to its end.
    fn check_room(&self, command: &Command) -> Result<(), CommandError> {
        let begins = matches!(command, Command::CreateInstance(_) | Command::Deploy(_));
        match self.store.room() {
            Room::Full if begins => Err(CommandError::NotBegun(
                "Expected room for something new, but the store is almost full; what runs goes on".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// Of this node what runs here, of others what the store says.
    fn owned_by(&self, holder: &tidemill_store::HolderId) -> Vec<OwnedPartition> {
        if *holder == self.holder {
            let owned = |partition: crate::partition::PartitionHandle| OwnedPartition {
                id: partition.id,
                is_healthy: partition.is_healthy(),
            };
            return self.loops.all().into_iter().map(owned).collect();
        }
        let view = self.routes.view();
        let held = view.partitions.values().filter(|state| state.holder.as_ref() == Some(holder));
        held.filter(|state| self.loops.get(state.partition).is_none())
            .map(|state| OwnedPartition { id: state.partition, is_healthy: true })
            .collect()
    }
}
