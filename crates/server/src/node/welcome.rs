//! Finds out whether the other nodes of the store know this one. They cannot reach the partitions of a node
//! with another cluster secret, so such a node must not own any.

use super::Node;
use crate::cluster::{Failure, PeerRequest};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tidemill_store::{Error, NodeInfo, Result};
use tokio::time::Instant;

/// A node that does not answer by then says neither yes nor no.
const ANSWER_LIMIT: Duration = Duration::from_secs(1);
const ASK_AGAIN: Duration = Duration::from_millis(200);

/// Why this node is turned away, if it is. The log is told when that changes.
#[derive(Default)]
pub(super) struct Welcome(Mutex<Option<String>>);

impl Welcome {
    pub(super) fn reason(&self) -> Option<String> {
        self.0.lock().expect("nobody panics while holding it").clone()
    }

    fn note(&self, reason: Option<String>) {
        let mut known = self.0.lock().expect("nobody panics while holding it");
        match (&reason, known.is_some()) {
            (Some(reason), false) => tracing::error!("{reason}"),
            (None, true) => tracing::info!("the other nodes know this one again"),
            _ => {}
        }
        *known = reason;
    }
}

impl Node {
    /// A request has come from somebody with another secret. That may be anybody, so it only makes this node ask.
    pub(crate) fn note_stranger(&self) {
        if let Some(peers) = &self.peers {
            peers.note_stranger();
        }
    }

    /// A node that the others would turn away does not begin.
    pub(super) async fn check_welcome(&self) -> Result<()> {
        if !self.peers.as_ref().is_some_and(|peers| peers.may_meet_strangers()) {
            return Ok(());
        }
        // A store that was copied names nodes of the original as alive until their lease has run out.
        let (began, patience) = (Instant::now(), self.config.lease + self.config.lease / 2);
        while let Some(reason) = self.turned_away_by(&self.store.nodes().await?).await {
            if began.elapsed() > patience {
                return Err(Error::Failed { place: "this node cannot join".to_owned(), reason });
            }
            tokio::time::sleep(ASK_AGAIN).await;
        }
        Ok(())
    }

    /// Asks again where there is reason to doubt. Of two nodes with different secrets the one that started later gives way,
    /// so that the partitions always have an owner.
    pub(super) async fn is_turned_away(&self) -> bool {
        let is_away = self.welcome.reason().is_some();
        let is_doubted = self.peers.as_ref().is_some_and(|peers| peers.takes_note_of_stranger());
        if is_away || is_doubted {
            let view = self.routes.view();
            let older: Vec<NodeInfo> =
                view.nodes.iter().filter(|node| node.holder < self.holder).cloned().collect();
            self.welcome.note(self.turned_away_by(&older).await);
        }
        self.welcome.reason().is_some()
    }

    /// The reason why one of these nodes does not listen to this one.
    async fn turned_away_by(&self, nodes: &[NodeInfo]) -> Option<String> {
        let peers = self.peers.as_ref()?;
        let version = self.newest_definitions.load(Ordering::Acquire);
        let request = &PeerRequest::DefinitionsAreAt { version };
        let others = nodes.iter().filter(|node| node.holder != self.holder);
        let asked = others.filter_map(|node| node.address.as_deref()).map(|address| async move {
            let answer = tokio::time::timeout(ANSWER_LIMIT, peers.ask(address, request)).await;
            matches!(answer, Ok(Err(Failure::Stranger(_)))).then(|| {
                format!(
                    "Expected the same cluster secret at all nodes of a store, but the node at {address} has another \
                     one; give all of them the same --cluster-secret (TIDEMILL_CLUSTER_SECRET)"
                )
            })
        });
        futures_util::future::join_all(asked).await.into_iter().flatten().next()
    }

    /// Leaves all partitions to nodes that the others can reach.
    pub(super) async fn give_up(&self) {
        if !self.loops.is_empty() {
            self.stop_loops().await;
        }
    }
}
