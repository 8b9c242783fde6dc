//! The way of a command to the owner of its partition, wherever that is: straight to the loop, to another node, or
//! through the inbox when its owner cannot be reached.

use super::peer_notifier::Notified;
use super::routes::Owner;
use super::{Location, Node};
use crate::broker::{Broker, CommandError, CommandOptions, CommandOutcome, Idempotency};
use crate::cluster::{Failure, PeerReply, PeerRequest, Peers};
use crate::partition::{PartitionCall, PartitionHandle};
use crate::telemetry;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tidemill_model::{Answer, Command, PartitionId, Rejection, RejectionCode, Text, Timestamp};
use tidemill_partition::{Envelope, REQUEST_ID_MARK};
use tidemill_store::{NewInboxEntry, Position};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A partition that moves is with its new owner by then; if not, the inbox keeps the command.
const MOVE_LIMIT: Duration = Duration::from_millis(500);
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The result of one attempt to have a command run.
enum Tried {
    Answered(Result<Answer, CommandError>),
    /// The command was surely not run.
    NotRun {
        is_reachable: bool,
    },
    /// Nobody knows whether it was run.
    Lost(String),
}

impl Node {
    /// Runs a command on its partition. A retry that could meet its first try carries a key, so it gets that answer.
    pub(super) async fn run_command(
        &self,
        partition: PartitionId,
        command: Command,
        mut options: CommandOptions,
    ) -> Result<Answer, CommandError> {
        let Some(peers) = &self.peers else { return self.run_alone(partition, command, options).await };
        let until = Instant::now() + self.config.answer_limit;
        let inbox_from = Instant::now() + MOVE_LIMIT;
        let (mut may_have_run, mut pause) = (false, FIRST_PAUSE);
        loop {
            let place = self.locate(partition);
            let tried = match &place {
                Location::Here(handle) => {
                    let running = self.run_here(handle, command.clone(), options.clone());
                    // A loop whose store is away goes on when that is back, however late.
                    let tried = tokio::time::timeout_at(until, running).await;
                    tried.map_err(|_| CommandError::TimedOut)?
                }
                Location::There(owner) => {
                    options.idempotency.get_or_insert_with(|| self.request_id());
                    self.run_there(peers, owner, partition, &command, &options, until).await
                }
                Location::Unowned => Tried::NotRun { is_reachable: true },
            };
            let mut is_reachable = true;
            match tried {
                Tried::Answered(answer) => return answer,
                Tried::Lost(reason) if options.idempotency.is_none() => {
                    return Err(CommandError::Unavailable(reason));
                }
                Tried::Lost(reason) => {
                    tracing::debug!(%partition, reason, "a command was sent and not answered");
                    may_have_run = true;
                }
                Tried::NotRun { is_reachable: reached } => is_reachable = reached,
            }
            if Instant::now() > until {
                let nobody =
                    || CommandError::NotBegun(format!("nobody has taken partition {partition} in time"));
                return Err(if may_have_run { CommandError::TimedOut } else { nobody() });
            }
            self.look_again().await;
            let is_gone = match (&place, self.locate(partition)) {
                (Location::There(before), Location::There(now)) => !is_reachable && *before == now,
                _ => false,
            };
            if !may_have_run && (is_gone || Instant::now() > inbox_from) {
                return self.run_by_inbox(partition, command, &options, until).await;
            }
            tokio::time::sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    async fn run_alone(
        &self,
        partition: PartitionId,
        command: Command,
        options: CommandOptions,
    ) -> Result<Answer, CommandError> {
        let Some(handle) = self.loops.get(partition) else {
            return Err(CommandError::NotBegun(format!("nobody owns partition {partition}")));
        };
        let (reply, answer) = oneshot::channel();
        let (sent_at, trace) = (Instant::now(), telemetry::current());
        handle.send(PartitionCall::Execute { command, options, reply, sent_at, trace })?;
        match tokio::time::timeout(self.config.answer_limit, answer).await {
            Ok(answer) => answer.map_err(|_| handle.is_gone())?,
            Err(_) => Err(CommandError::TimedOut),
        }
    }

    /// Runs a command that another node has sent. A partition that is just being opened is waited for.
    pub(super) async fn run_for_peer(
        &self,
        partition: PartitionId,
        command: Command,
        options: CommandOptions,
    ) -> Result<Answer, CommandError> {
        let until = Instant::now() + MOVE_LIMIT;
        loop {
            if let Some(handle) = self.loops.get(partition) {
                return match self.run_here(&handle, command, options).await {
                    Tried::Answered(answer) => answer,
                    Tried::NotRun { .. } => Err(CommandError::Moved),
                    Tried::Lost(reason) => Err(CommandError::Unavailable(reason)),
                };
            }
            if !self.loops.is_known(partition) || Instant::now() > until {
                return Err(CommandError::Moved);
            }
            tokio::time::sleep(FIRST_PAUSE).await;
        }
    }

    async fn run_there(
        &self,
        peers: &Peers,
        owner: &Owner,
        partition: PartitionId,
        command: &Command,
        options: &CommandOptions,
        until: Instant,
    ) -> Tried {
        let question = PeerRequest::Execute { partition, command: command.clone(), options: options.clone() };
        let reply = tokio::select! {
            biased;
            reply = peers.ask(&owner.address, &question) => reply,
            () = self.routes.owner_changes(partition, owner) => Err(Failure::Lost("the owner has changed".to_owned())),
            () = tokio::time::sleep_until(until) => Err(Failure::Lost("no answer came in time".to_owned())),
        };
        match reply {
            Ok(PeerReply::Answer(Err(CommandError::Moved | CommandError::NotBegun(_)))) => {
                Tried::NotRun { is_reachable: true }
            }
            Ok(PeerReply::Answer(Err(CommandError::Unavailable(reason)))) => Tried::Lost(reason),
            Ok(PeerReply::Answer(answer)) => Tried::Answered(answer),
            Ok(_) => Tried::Answered(Err(CommandError::Internal("a node gave another answer".to_owned()))),
            Err(Failure::NotSent(_)) => Tried::NotRun { is_reachable: false },
            Err(Failure::Refused(reason) | Failure::Stranger(reason)) => {
                Tried::Answered(Err(CommandError::NotBegun(reason)))
            }
            Err(Failure::Lost(reason)) => Tried::Lost(reason),
        }
    }

    /// Puts the command into the inbox, which every new owner of the partition reads first.
    async fn run_by_inbox(
        &self,
        partition: PartitionId,
        command: Command,
        options: &CommandOptions,
        until: Instant,
    ) -> Result<Answer, CommandError> {
        let position = self.append(partition, command, options, self.clock.now()).await?;
        let mut pause = FIRST_PAUSE;
        while Instant::now() < until {
            tokio::time::sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
            match self.outcome(position.0).await {
                Ok(None | Some(CommandOutcome::Waiting)) => {}
                Ok(Some(CommandOutcome::Answered { answer, .. })) => return Ok(answer),
                Ok(Some(CommandOutcome::Refused { rejection, .. })) => return Err(rejection.into()),
                Ok(Some(CommandOutcome::DeadLetter { reason, .. })) => {
                    return Err(Rejection::new(RejectionCode::ProcessingError, reason).into());
                }
                // It is in the inbox, whether the store can be asked or not.
                Err(error) => tracing::debug!(%partition, %error, "waiting for the store"),
            }
        }
        Err(CommandError::TimedOut)
    }

    /// Appends a command to the inbox and lets the owner know before anybody is answered: as long as the inbox fits into
    /// a turn of the loop, what is sent later runs later. An owner that cannot be told will have a successor, and that one begins with the inbox.
    pub(super) async fn append(
        &self,
        partition: PartitionId,
        command: Command,
        options: &CommandOptions,
        received_at: Timestamp,
    ) -> Result<Position, CommandError> {
        self.make_room(partition).await?;
        let payload = Envelope::from_client(command, options.stored_idempotency()).pack();
        let entry = NewInboxEntry { partition, received_at, payload };
        let positions = self.store.append(vec![entry]).await.map_err(super::broker::internal)?;
        self.tell_owner(partition).await;
        Ok(positions.first().copied().unwrap_or(Position(0)))
    }

    /// Returns when the owner knows that its inbox has grown, or when nobody can be told.
    async fn tell_owner(&self, partition: PartitionId) {
        let until = Instant::now() + MOVE_LIMIT;
        while Instant::now() < until {
            match (self.locate(partition), &self.peers) {
                (Location::Here(handle), _) => {
                    // One that stops has a successor.
                    let _ = handle.send_surely(PartitionCall::InboxHasGrown).await;
                    return;
                }
                (Location::There(owner), Some(peers)) => {
                    let address = &owner.address;
                    let ask = |partitions| async move {
                        match peers.ask(address, &PeerRequest::InboxesHaveGrown { partitions }).await {
                            Ok(PeerReply::Noted) => Notified::Noted,
                            Ok(_) => Notified::Moved,
                            Err(_) => Notified::NotHeard,
                        }
                    };
                    let told = self.notifier.tell(address, partition, ask);
                    match tokio::time::timeout_at(until, told).await {
                        Ok(Notified::Noted) => return,
                        Ok(Notified::Moved) => self.look_again().await,
                        _ => break,
                    }
                }
                _ => break,
            }
            tokio::time::sleep(FIRST_PAUSE).await;
        }
        self.store.wake(partition).await;
    }

    /// By this the owner knows a retry.
    fn request_id(&self) -> Idempotency {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let key = format!("{REQUEST_ID_MARK}{}-{number:x}", self.holder);
        Idempotency { key: Text::from(key), fingerprint: 0 }
    }

    async fn run_here(&self, handle: &PartitionHandle, command: Command, options: CommandOptions) -> Tried {
        let deploys = matches!(command, Command::Deploy(_) | Command::DeleteResource(_));
        let (reply, answer) = oneshot::channel();
        let (sent_at, trace) = (Instant::now(), telemetry::current());
        match handle.send(PartitionCall::Execute { command, options, reply, sent_at, trace }) {
            Ok(()) => {}
            // It has stopped.
            Err(CommandError::NotBegun(_)) => return Tried::NotRun { is_reachable: true },
            Err(error) => return Tried::Answered(Err(error)),
        }
        match answer.await {
            Ok(Err(CommandError::Moved)) => Tried::NotRun { is_reachable: true },
            Ok(answer) => {
                if deploys && answer.is_ok() {
                    // Other nodes know of it before the one who deployed is answered.
                    let version = self.newest_definitions.load(Ordering::Acquire);
                    self.tell_all(&PeerRequest::DefinitionsAreAt { version }).await;
                }
                Tried::Answered(answer)
            }
            Err(_) => Tried::Lost("the partition was lost before its answer".to_owned()),
        }
    }
}
