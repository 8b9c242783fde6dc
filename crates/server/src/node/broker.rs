//! The node as the gateway sees it.

use super::Node;
use crate::broker::{
    Broker, CommandError, CommandOptions, CommandOutcome, EndedInstance, Node as NodeView, OwnedPartition,
    Receipt, Topology,
};
use crate::partition::{AwaitReply, Claim, Envelope, KeptAnswer, PartitionHandle, Poller, Request};
use async_trait::async_trait;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tidemill_bpmn::Process;
use tidemill_model::command::{ActivateJobs, CreateInstance};
use tidemill_model::{
    ActivatedJob, Answer, Command, DefinitionKey, ProcessInstanceKey, Rejection, Timestamp,
};
use tidemill_store::{Deletion, NewInboxEntry, Position};
use tokio::sync::oneshot;

impl Node {
    /// The partition that must run a command. A keyed create goes where its retry will look for it.
    fn home(&self, command: &Command, options: &CommandOptions) -> Result<&PartitionHandle, CommandError> {
        let count = self.store.partition_count();
        match (command.partition(count), &options.idempotency) {
            (Some(partition), _) => self.partition(partition),
            (None, Some(idempotency)) => {
                self.partition(count.of_idempotency_key(&options.tenant, &idempotency.key))
            }
            (None, None) => Ok(self.any_partition()),
        }
    }
}

fn internal(error: tidemill_store::Error) -> CommandError {
    CommandError::Internal(error.to_string())
}

#[async_trait]
impl Broker for Node {
    async fn execute(&self, command: Command, options: CommandOptions) -> Result<Answer, CommandError> {
        let home = self.home(&command, &options)?;
        let (reply, answer) = oneshot::channel();
        home.send(Request::Execute { command, options, reply })?;
        answer.await.map_err(|_| home.is_gone())?
    }

    async fn enqueue(&self, command: Command, options: CommandOptions) -> Result<Receipt, CommandError> {
        let home = self.home(&command, &options)?;
        let received_at = self.clock.now();
        let payload = Envelope::from_client(command, &options).pack();
        let entry = NewInboxEntry { partition: home.id, received_at, payload };
        let positions = self.store.append(vec![entry]).await.map_err(internal)?;
        // The loop knows before the client does, so whatever the client sends next runs after this.
        home.send_surely(Request::InboxHasGrown).await?;
        let position = positions.first().map_or(0, |position| position.0);
        Ok(Receipt { position, received_at })
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
        let command = Box::new(command);
        let home = match &options.idempotency {
            Some(idempotency) => {
                let count = self.store.partition_count();
                self.partition(count.of_idempotency_key(&options.tenant, &idempotency.key))?
            }
            None => self.any_partition(),
        };
        let (reply, ended) = oneshot::channel();
        let created = Arc::new(OnceLock::new());
        let reply = AwaitReply { ended: reply, created: Arc::clone(&created) };
        home.send(Request::CreateAndAwait { command, options, reply })?;
        match tokio::time::timeout(timeout, ended).await {
            Ok(ended) => ended.map_err(|_| home.is_gone())?,
            Err(_) => Err(created.get().map_or(CommandError::TimedOut, |key| CommandError::NotEnded(*key))),
        }
    }

    async fn activate_jobs(
        &self,
        command: ActivateJobs,
        _options: CommandOptions,
        wait: Duration,
    ) -> Result<Vec<ActivatedJob>, CommandError> {
        // Everybody is asked once without waiting; only then does the worker wait at all of them.
        let until = Instant::now() + wait;
        let begin = self.any_partition().id;
        let order = self.partitions.iter().cycle().skip_while(|partition| partition.id != begin);
        let order: Vec<&PartitionHandle> = order.take(self.partitions.len()).collect();
        if order.len() > 1 || wait.is_zero() {
            for partition in &order {
                let (reply, jobs) = oneshot::channel();
                let claim = Claim::default();
                partition.send(Request::Poll(Poller {
                    command: command.clone(),
                    until: None,
                    claim,
                    reply,
                }))?;
                let jobs = jobs.await.map_err(|_| partition.is_gone())??;
                if !jobs.is_empty() || wait.is_zero() && order.len() == 1 {
                    return Ok(jobs);
                }
            }
            if wait.is_zero() {
                return Ok(Vec::new());
            }
        }
        let claim = Claim::default();
        let mut waits = Vec::new();
        for partition in order {
            let (reply, jobs) = oneshot::channel();
            let claim = claim.clone();
            let poller = Poller { command: command.clone(), until: Some(until), claim, reply };
            partition.send(Request::Poll(poller))?;
            waits.push(jobs);
        }
        // Whoever does not serve the worker drops its end; the one that does answers.
        let mut waits: futures_util::stream::FuturesUnordered<_> = waits.into_iter().collect();
        while let Some(jobs) = futures_util::StreamExt::next(&mut waits).await {
            if let Ok(jobs) = jobs {
                return jobs;
            }
        }
        Ok(Vec::new())
    }

    async fn delete_instance(
        &self,
        instance: ProcessInstanceKey,
        _options: CommandOptions,
    ) -> Result<(), CommandError> {
        match self.store.delete_instance(instance).await.map_err(internal)? {
            Deletion::Deleted => Ok(()),
            Deletion::StillActive => Err(CommandError::Rejected(Rejection::invalid_state(format!(
                "Expected to delete process instance with key '{instance}', but it is still active"
            )))),
            Deletion::NotFound => Err(CommandError::Rejected(Rejection::not_found(format!(
                "Expected to delete process instance with key '{instance}', but no such process instance was found"
            )))),
        }
    }

    async fn process(&self, definition: DefinitionKey) -> Result<Option<Arc<Process>>, CommandError> {
        self.definitions.process(definition).await.map_err(internal)
    }

    async fn set_clock(&self, pinned_at: Option<Timestamp>) -> Result<(), CommandError> {
        self.clock.set(pinned_at);
        for partition in &self.partitions {
            let (done, noted) = oneshot::channel();
            partition.send_surely(Request::ClockHasChanged(done)).await?;
            noted.await.map_err(|_| partition.is_gone())?;
        }
        Ok(())
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn topology(&self) -> Topology {
        let partitions = self
            .partitions
            .iter()
            .map(|partition| OwnedPartition { id: partition.id, is_healthy: partition.is_healthy() })
            .collect();
        Topology {
            cluster_id: None,
            partitions: self.store.partition_count(),
            nodes: vec![NodeView {
                id: 0,
                name: self.holder.to_string(),
                host: self.config.host.clone(),
                port: self.config.port,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                partitions,
            }],
        }
    }
}
