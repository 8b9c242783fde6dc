//! Taking partitions and giving them up: says on every beat that the node is alive, and follows the plan that all
//! nodes come to.

use super::Node;
use crate::cluster::{Failure, PeerRequest};
use crate::partition::{PANICKED, Partition, Surroundings};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tidemill_model::PartitionId;
use tidemill_store::{Error, Fence, HolderId, Result};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Between two tries to take a partition that its last owner has not given up yet.
const TAKE_AGAIN: Duration = Duration::from_millis(100);
/// Between two tries to open a partition that could not be opened.
const OPEN_AGAIN: Duration = Duration::from_secs(1);
/// Nobody is waited for longer who is only to be told something.
const TELL_LIMIT: Duration = Duration::from_millis(500);
/// How long loops may take to end when the node stops.
const STOP_LIMIT: Duration = Duration::from_secs(10);
impl Node {
    /// Runs until the node stops.
    pub(super) async fn own(self: Arc<Node>) {
        let every = self.config.lease / 3;
        let mut next_beat = Instant::now() + every;
        let mut free_since = BTreeMap::new();
        let mut watches_until = Instant::now();
        loop {
            tokio::select! {
                biased;
                () = tokio::time::sleep_until(next_beat) => {}
                () = self.ownership_changed.notified() => {}
            }
            let look = async {
                if Instant::now() >= next_beat {
                    next_beat = Instant::now() + every;
                    self.beat().await
                } else {
                    self.routes.read(&*self.store).await
                }
            };
            // A store that stands still gives no error. After the time of a lease it counts as away.
            let seen = tokio::time::timeout(self.config.lease, look).await.unwrap_or_else(|_| {
                let reason = format!("no answer within {} ms", self.config.lease.as_millis());
                Err(Error::Unavailable { place: "the store".into(), reason })
            });
            let was_away = self.store_health.reason().is_some();
            self.store_health.note(&seen);
            self.metrics.store.is_away.set(i64::from(seen.is_err()));
            if was_away && seen.is_ok() {
                // While the store was away nobody could say that they are alive. Two beats later they have.
                watches_until = next_beat + every / 2;
            }
            if seen.is_ok() && self.is_turned_away().await {
                self.give_up().await;
            } else if seen.is_ok() && Instant::now() >= watches_until {
                self.follow_plan();
                self.take_long_unowned(&mut free_since);
            }
        }
    }

    /// Says that this node is alive and goes on to own what it owns; reads what the others say.
    pub(super) async fn beat(&self) -> Result<()> {
        let lease_ms = self.config.lease.as_millis() as u64;
        let alive_ms = if self.welcome.reason().is_some() { 0 } else { lease_ms };
        self.store.announce(&self.info(), alive_ms).await?;
        self.routes.read(&*self.store).await?;
        let view = self.routes.view();
        let owned = view.partitions.values().filter(|state| {
            state.holder.as_ref() == Some(&self.holder) && self.loops.is_known(state.partition)
        });
        let fences: Vec<Fence> = owned
            .map(|state| Fence {
                partition: state.partition,
                holder: self.holder.clone(),
                epoch: state.epoch,
            })
            .collect();
        let asked_at = Instant::now();
        match self.store.renew(&fences, lease_ms).await {
            Ok(now) => {
                let loops = fences.iter().filter_map(|fence| self.loops.get(fence.partition));
                loops.for_each(|handle| {
                    handle.lease.renewed(asked_at);
                    if let Some(now) = now {
                        handle.lease.told(now, asked_at);
                    }
                });
                if let Some(now) = now {
                    // The store has looked at its clock while the answer was on its way.
                    let midway = asked_at.elapsed().as_millis() as i64 / 2;
                    self.metrics.store.clock_skew_ms.set(now - self.clock.system() + midway);
                }
            }
            // Its loop has found that out, or takes the partition again at this moment.
            Err(Error::Fenced { partition, .. }) => tracing::debug!(%partition, "a lease has changed"),
            Err(error) => return Err(error),
        }
        let version = self.store.definitions_version().await?;
        self.newest_definitions.fetch_max(version, Ordering::AcqRel);
        Ok(())
    }

    /// Takes what this node should have and nobody holds; gives up one partition that another should have.
    pub(super) fn follow_plan(self: &Arc<Self>) {
        let (view, mut gives_up) = (self.routes.view(), false);
        for (id, holder) in view.plan() {
            let is_ours = view.partitions[&id].holder.as_ref() == Some(&self.holder);
            // It was claimed in the store, but opening it failed. Another node that should have it waits until it is handed over.
            let is_left = is_ours && self.loops.is_gone_since(id, view.as_of);
            if is_left || holder == self.holder && (is_ours || view.is_free(id)) {
                self.take(id);
            } else if holder != self.holder && is_ours && !gives_up {
                gives_up = self.loops.get(id).is_some();
                self.spawn(self.clone().hand_over(id, holder));
            }
        }
        for id in self.loops.opened_before(view.as_of) {
            if view.partitions.get(&id).is_some_and(|state| state.holder.as_ref() != Some(&self.holder)) {
                let node = self.clone();
                self.spawn(async move {
                    node.loops.stop(id).await;
                });
            }
        }
    }

    /// The node that should take a partition may be unable to; after a while any node may take it.
    fn take_long_unowned(self: &Arc<Self>, free_since: &mut BTreeMap<PartitionId, Instant>) {
        let view = self.routes.view();
        free_since.retain(|id, _| view.is_free(*id));
        for id in view.partitions.keys().filter(|id| view.is_free(**id)) {
            let since = free_since.entry(*id).or_insert_with(Instant::now);
            if since.elapsed() > self.config.lease * 3 {
                tracing::warn!(partition = %id, "nobody has taken the partition for long");
                self.take(*id);
            }
        }
    }

    fn take(self: &Arc<Self>, id: PartitionId) {
        if !self.is_leaving() && self.welcome.reason().is_none() && self.loops.begin_opening(id) {
            self.spawn(self.clone().open(id));
        }
    }

    async fn open(self: Arc<Self>, id: PartitionId) {
        let surroundings = Surroundings {
            store: self.store.clone(),
            clock: self.clock.clone(),
            newest_definitions: self.newest_definitions.clone(),
            definitions: self.definitions.clone(),
            metrics: self.metrics.clone(),
            holder: self.holder.clone(),
            lease_ms: self.config.lease.as_millis() as u64,
            command_lock: self.command_lock.clone(),
        };
        let opened = Partition::open(surroundings, id);
        let pause = match opened.await {
            Ok(Some((partition, handle))) => {
                tracing::debug!(partition = %id, "took the partition");
                self.metrics.node.ownership_changes.with(["taken"]).add(1);
                let node = self.clone();
                let timers = self.begin_timers(&handle);
                self.loops.opened(handle, timers, || self.begin_loop(id, node.run(id, partition)));
                // Nodes that have requests for this partition look up its new owner.
                return self.tell_others_to_look().await;
            }
            Ok(None) => TAKE_AGAIN,
            Err(error) => {
                tracing::warn!(partition = %id, %error, "could not open the partition");
                OPEN_AGAIN
            }
        };
        tokio::time::sleep(pause).await;
        self.loops.forget(id);
        self.ownership_changed.notify_one();
    }

    fn begin_loop(
        &self,
        id: PartitionId,
        running: impl Future<Output = ()> + Send + 'static,
    ) -> oneshot::Receiver<()> {
        let (ended, end) = oneshot::channel();
        let running = async move {
            running.await;
            // Nobody may wait for it.
            let _ = ended.send(());
        };
        self.machine.spawn_loop(id, Box::pin(running));
        end
    }

    async fn run(self: Arc<Self>, id: PartitionId, partition: Partition) {
        let ended = partition.run().await;
        let timers = self.loops.timers(id);
        self.loops.forget(id);
        if let Some(timers) = timers {
            timers.stop().await;
        }
        let is_lost = matches!(ended, Err(Error::Fenced { .. })) && self.peers.is_some();
        let change = if ended.is_ok() { "released" } else { "lost" };
        self.metrics.node.ownership_changes.with([change]).add(1);
        let has_panicked = matches!(&ended, Err(Error::Failed { reason, .. }) if reason == PANICKED);
        if ended.is_err() && !is_lost && !has_panicked {
            self.broken.notify_one();
        }
        self.ownership_changed.notify_one();
    }

    async fn hand_over(self: Arc<Self>, id: PartitionId, to: HolderId) {
        if !self.loops.stop(id).await {
            return;
        }
        tracing::debug!(partition = %id, %to, "gave the partition up for the node that should have it");
        let view = self.routes.view();
        let address = view.nodes.iter().find(|node| node.holder == to).and_then(|node| node.address.clone());
        if let Some(address) = address {
            self.tell(&address, &PeerRequest::OwnershipHasChanged).await;
        }
        self.ownership_changed.notify_one();
    }

    /// Waits until this node has taken what is free. Where nobody else can be, that is everything.
    pub(super) async fn taken_share(&self) -> Result<()> {
        let (began, patience) = (Instant::now(), self.config.lease * 2);
        loop {
            let view = self.routes.view();
            let wanted = view.plan().into_iter().filter(|(id, holder)| {
                *holder == self.holder && (view.is_free(*id) || self.loops.is_known(*id))
            });
            let missing = wanted.map(|(id, _)| id).find(|id| self.loops.get(*id).is_none());
            let Some(missing) = missing else { return Ok(()) };
            if began.elapsed() > patience {
                return match self.peers {
                    Some(_) => Ok(()),
                    None => Err(Error::Failed {
                        place: format!("partition {missing}"),
                        reason: "another running server owns it".to_owned(),
                    }),
                };
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(super) async fn stop_loops(&self) {
        let began = Instant::now();
        while !self.loops.is_empty() && began.elapsed() < STOP_LIMIT {
            let stops = self.loops.all().into_iter().map(|handle| self.loops.stop(handle.id));
            futures_util::future::join_all(stops).await;
            if !self.loops.is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }

    pub(super) async fn tell_others_to_look(&self) {
        self.tell_all(&PeerRequest::OwnershipHasChanged).await;
    }

    /// Tells every other node something; who does not listen in time is left out.
    pub(super) async fn tell_all(&self, question: &PeerRequest) {
        let view = self.routes.view();
        let others = view.nodes.iter().filter(|node| node.holder != self.holder);
        let told =
            others.filter_map(|node| node.address.as_deref()).map(|address| self.tell(address, question));
        futures_util::future::join_all(told).await;
    }

    async fn tell(&self, address: &str, question: &PeerRequest) {
        let Some(peers) = &self.peers else { return };
        match tokio::time::timeout(TELL_LIMIT, peers.ask(address, question)).await {
            Ok(Ok(_)) => {}
            Ok(Err(failure @ (Failure::Refused(_) | Failure::Stranger(_)))) => {
                tracing::warn!(address, "the node {failure}")
            }
            Ok(Err(failure)) => tracing::debug!(address, what = question.name(), "the node {failure}"),
            Err(_) => tracing::debug!(address, what = question.name(), "the node gave no answer in time"),
        }
    }
}
