//! Waiting for the end of an instance, wherever it runs. Its owner tells; when that one is gone, its successor does,
//! and the store has the last word.

use super::{Location, Node};
use crate::broker::{CommandError, CommandOptions, EndedInstance};
use crate::cluster::{PeerReply, PeerRequest, partition_of};
use crate::partition::{AwaitReply, PartitionCall};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tidemill_model::command::CreateInstance;
use tidemill_model::entity::InstanceState;
use tidemill_model::{Answer, Command, CreatedInstance, PartitionId, ProcessInstanceKey};
use tidemill_partition::AwaitedEnd;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Somebody who waits longer asks again: an owner that is frozen tells nothing.
const WAIT_AT_ONCE_MAX: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

impl Node {
    /// Creates an instance and waits for its end. A caller that gives up before that learns the key of the instance.
    pub(super) async fn create(
        &self,
        home: PartitionId,
        command: CreateInstance,
        options: CommandOptions,
        until: Instant,
        known: Arc<OnceLock<ProcessInstanceKey>>,
    ) -> Result<EndedInstance, CommandError> {
        if let Location::Here(handle) = self.locate(home) {
            let (reply, ended) = oneshot::channel();
            let reply = AwaitReply { ended: reply, created: Arc::clone(&known) };
            let (command, options) = (Box::new(command.clone()), options.clone());
            let trace = crate::telemetry::current();
            let ended = match handle.send(PartitionCall::CreateAndAwait { command, options, reply, trace }) {
                Ok(()) => ended.await.map_err(|_| handle.is_gone())?,
                Err(error) => Err(error),
            };
            match ended {
                Ok(AwaitedEnd::Ended(ended)) => return Ok(ended),
                Ok(AwaitedEnd::GoesOn(created)) => return self.await_end(created, until).await,
                Err(CommandError::Moved | CommandError::NotBegun(_)) if self.peers.is_some() => {}
                Err(error) => return Err(error),
            }
        }
        match self.run_command(home, Command::CreateInstance(Box::new(command)), options).await? {
            Answer::Created(created) => {
                let _ = known.set(created.instance);
                self.await_end(created, until).await
            }
            _ => Err(CommandError::Internal("a create gave another answer".to_owned())),
        }
    }

    async fn await_end(
        &self,
        created: CreatedInstance,
        until: Instant,
    ) -> Result<EndedInstance, CommandError> {
        while Instant::now() < until && !self.is_leaving() {
            let ended = match (self.locate(partition_of(created.instance)), &self.peers) {
                (Location::Here(_), _) => self.await_here(created.clone(), until).await,
                (Location::There(owner), Some(peers)) => {
                    let wait = WAIT_AT_ONCE_MAX.min(until.saturating_duration_since(Instant::now()));
                    let wait_ms = wait.as_millis() as u64;
                    let question = PeerRequest::AwaitEnd { created: created.clone(), wait_ms };
                    let asked = peers.ask(&owner.address, &question);
                    match tokio::time::timeout(wait + WAIT_AT_ONCE_MAX, asked).await {
                        Ok(Ok(PeerReply::End(ended))) => ended,
                        _ => None,
                    }
                }
                _ => None,
            };
            let ended = match ended {
                Some(ended) => Some(ended),
                None => self.stored_end(&created).await,
            };
            if let Some(ended) = ended {
                return Ok(ended);
            }
            tokio::time::sleep(PAUSE).await;
            self.look_again().await;
        }
        Err(CommandError::NotEnded(created.instance))
    }

    /// None when it goes on, or somewhere else.
    pub(super) async fn await_here(&self, created: CreatedInstance, until: Instant) -> Option<EndedInstance> {
        let until = until.min(Instant::now() + WAIT_AT_ONCE_MAX);
        let handle = self.loops.get(partition_of(created.instance))?;
        let (noted, is_noted) = oneshot::channel();
        let (reply, ended) = oneshot::channel();
        let reply = AwaitReply { ended: reply, created: Arc::default() };
        handle.send(PartitionCall::AwaitEnd { created: created.clone(), noted, reply }).ok()?;
        is_noted.await.ok()?;
        // It may have ended before the loop knew that somebody waits.
        if let Some(ended) = self.stored_end(&created).await {
            return Some(ended);
        }
        match tokio::time::timeout_at(until, ended).await {
            Ok(Ok(Ok(AwaitedEnd::Ended(ended)))) => Some(ended),
            _ => None,
        }
    }

    async fn stored_end(&self, created: &CreatedInstance) -> Option<EndedInstance> {
        let instance = self.store.process_instance(created.instance).await.ok().flatten()?;
        instance.ended_at?;
        Some(EndedInstance {
            created: created.clone(),
            is_completed: instance.state == InstanceState::Completed,
        })
    }
}
