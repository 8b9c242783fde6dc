//! The service timers of this node's partitions, and the way to those of others.

use super::loops::RunningTimers;
use super::{Location, Node};
use crate::broker::CommandError;
use crate::cluster::{Failure, PeerReply, PeerRequest};
use crate::partition::PartitionHandle;
use crate::timers::deliver::{Deliveries, DeliveryContext};
use crate::timers::wire::{WireAnswer, WireRequest};
use crate::timers::{FiredHook, LaneBell, LoopNumbers, TimerError, TimerLoop, id, spec};
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::{PartitionCount, PartitionId, Timestamp};
use tidemill_store::Store;
use tidemill_timers::shard::{Answer, Config, Request};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Before a request is sent again to a partition that is moving.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
/// A shard needs room for what it reads and writes at a time.
const MEMORY_BYTES_MIN: usize = 1 << 20;

impl Node {
    /// Begins the timer loop of a partition that was just taken.
    pub(super) fn begin_timers(&self, partition: &PartitionHandle) -> RunningTimers {
        let now = partition.lease.earliest_now().unwrap_or_else(|| self.clock.system());
        let partitions = usize::from(self.store.partition_count().0.max(1));
        let config = Config {
            memory_bytes_max: (self.config.timers.memory_bytes / partitions).max(MEMORY_BYTES_MIN),
            fired_per_batch_max: self.config.timers.fired_per_commit.max(1),
            fired_kept_ms: i64::try_from(self.config.timers.fired_ids_kept.as_millis()).unwrap_or(i64::MAX),
            on_fire: spec::fire,
            ..Config::default()
        };
        let (store, holder) = (self.store.clone(), self.holder.clone());
        let on_fired = self.config.on_fired.as_ref().map_or_else(|| FiredHook::new(|_| {}), FiredHook::clone);
        let (timers, handle) = TimerLoop::new(store, partition.id, holder, now, config, on_fired.0);
        let deliveries = self.callbacks.as_ref().map(|callbacks| {
            let (lease, clock) = (partition.lease.clone(), self.clock.clone());
            let context = DeliveryContext {
                store: self.store.clone(),
                partition: partition.id,
                timers: handle.clone(),
                callbacks: callbacks.clone(),
                now_ms: Arc::new(move || lease.earliest_now().unwrap_or_else(|| clock.system()).0),
                id_of: id::generated,
            };
            Deliveries::start(context, handle.bell())
        });
        let (ended, end) = oneshot::channel();
        self.machine.spawn_timers(
            partition.id,
            Box::pin(async move {
                timers.keep_running().await;
                // Nobody may wait for it.
                let _ = ended.send(());
            }),
        );
        RunningTimers { handle, end: Some(end), deliveries }
    }

    /// Asks the timers of a partition, here or at the node that owns it.
    pub(crate) async fn ask_timers(
        &self,
        partition: PartitionId,
        request: Request,
    ) -> Result<Answer, CommandError> {
        let until = Instant::now() + self.config.answer_limit;
        let mut pause = FIRST_PAUSE;
        loop {
            let asked = async {
                match (self.locate(partition), &self.peers) {
                    (Location::Here(_), _) => self.ask_timers_here(partition, request.clone()).await,
                    (Location::There(owner), Some(_)) => {
                        self.ask_timers_there(&owner.address, partition, &request).await
                    }
                    _ => Ok(Answer::Moved),
                }
            };
            let answer = tokio::time::timeout_at(until, asked).await.map_err(|_| CommandError::TimedOut)?;
            match answer? {
                Answer::Moved => {}
                Answer::Unknown => {
                    return Err(CommandError::Unavailable(format!(
                        "partition {partition} has moved to another node meanwhile"
                    )));
                }
                answer => return Ok(answer),
            }
            if Instant::now() + pause > until {
                let reason = format!("nobody has taken the timers of partition {partition} in time");
                return Err(CommandError::NotBegun(reason));
            }
            tokio::time::sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
            self.look_again().await;
        }
    }

    /// `Moved` where the partition is not here.
    pub(super) async fn ask_timers_here(
        &self,
        partition: PartitionId,
        request: Request,
    ) -> Result<Answer, CommandError> {
        let Some(timers) = self.loops.timers(partition) else { return Ok(Answer::Moved) };
        let cancelled = match &request {
            Request::Cancel { address, .. } => Some(address.place_id()),
            _ => None,
        };
        let unknown = |error: TimerError| CommandError::Unavailable(error.to_string());
        let answer = timers.request(request).await.map_err(unknown)?;
        // A timer that has fired may still wait to be delivered.
        if let (Some(place), Answer::Gone | Answer::NotFound) = (cancelled, &answer)
            && let Some(deliveries) = self.loops.waiting_deliveries(partition)
            && deliveries.take_back(place).await.map_err(unknown)?
        {
            return Ok(Answer::Done);
        }
        Ok(answer)
    }

    async fn ask_timers_there(
        &self,
        address: &str,
        partition: PartitionId,
        request: &Request,
    ) -> Result<Answer, CommandError> {
        let (Some(peers), Some(request)) = (&self.peers, WireRequest::of(request)) else {
            return Err(CommandError::Internal(
                "this request is for the owner of a partition only".to_owned(),
            ));
        };
        match peers.ask(address, &PeerRequest::Timers { partition, request }).await {
            Ok(PeerReply::Timers(Ok(answer))) => answer.read(),
            Ok(PeerReply::Timers(Err(error))) => Err(error),
            Ok(_) => Err(CommandError::Internal("a node gave another answer".to_owned())),
            Err(Failure::NotSent(_)) => Ok(Answer::Moved),
            // A node of an older version does not know the question.
            Err(Failure::Refused(reason) | Failure::Stranger(reason)) => Err(CommandError::NotBegun(reason)),
            Err(Failure::Lost(reason)) => Err(CommandError::Unavailable(reason)),
        }
    }

    /// Answers a request of another node about the timers here.
    pub(super) async fn timers_for_peer(
        &self,
        partition: PartitionId,
        request: WireRequest,
    ) -> Result<WireAnswer, CommandError> {
        let request = request.read()?;
        let asked = self.ask_timers_here(partition, request);
        let answer = tokio::time::timeout(self.config.answer_limit, asked).await;
        WireAnswer::of(answer.map_err(|_| CommandError::TimedOut)??)
    }

    /// How the timer loops of this node are.
    pub(crate) fn timer_loops(&self) -> Vec<(PartitionId, LoopNumbers)> {
        let ids = self.loops.all().into_iter().map(|handle| handle.id);
        ids.filter_map(|id| Some((id, self.loops.timers(id)?.health().numbers()))).collect()
    }

    /// Rung when a partition of this node has deliveries.
    pub(crate) fn timer_bell(&self, partition: PartitionId) -> Option<Arc<LaneBell>> {
        self.loops.timers(partition).map(|timers| timers.bell())
    }

    pub(crate) fn timer_store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    pub(crate) fn timer_partitions(&self) -> PartitionCount {
        self.store.partition_count()
    }

    /// New timers go round, as new instances do.
    pub(crate) fn any_timer_partition(&self) -> PartitionId {
        self.any_partition()
    }

    /// The store's time as it is known here: the best of all partitions, else the system's.
    pub(crate) fn timer_now(&self) -> Timestamp {
        let told = self.loops.all().into_iter().filter_map(|handle| handle.lease.earliest_now());
        told.max().unwrap_or_else(|| self.clock.system())
    }
}
