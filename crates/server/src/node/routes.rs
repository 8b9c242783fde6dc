//! The owners of all partitions as this node knows them. They are read from the store on every beat, and again whenever a partition was
//! not found at its owner.

use super::plan::{Member, Plan, Standing, plan};
use super::told::Told;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;
use tidemill_model::PartitionId;
use tidemill_store::{HolderId, NodeInfo, PartitionState, Result, Store};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::Instant;

/// A view is good for so long when many ask at once.
const FRESH: Duration = Duration::from_millis(20);

/// The nodes and owners that the rows of the store named.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// The moment at which the rows began to be read.
    pub(super) as_of: Instant,
    /// The nodes that are alive.
    pub(super) nodes: Vec<NodeInfo>,
    pub(super) partitions: BTreeMap<PartitionId, PartitionState>,
    /// Also of nodes that have just said goodbye.
    addresses: BTreeMap<HolderId, String>,
}

/// A node that owns a partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Owner {
    pub(super) holder: HolderId,
    pub(super) address: String,
}

impl View {
    pub(super) fn owner(&self, id: PartitionId) -> Option<Owner> {
        let holder = self.partitions.get(&id)?.holder.clone()?;
        let address = self.addresses.get(&holder)?.clone();
        Some(Owner { holder, address })
    }

    pub(super) fn address(&self, holder: &HolderId) -> Option<&String> {
        self.addresses.get(holder)
    }

    #[cfg(test)]
    pub(super) fn of(nodes: Vec<NodeInfo>, states: Vec<PartitionState>) -> View {
        let partitions = states.into_iter().map(|state| (state.partition, state)).collect();
        View { as_of: Instant::now(), nodes, partitions, addresses: BTreeMap::new() }
    }

    pub(super) fn is_alive(&self, holder: &HolderId) -> bool {
        self.nodes.iter().any(|node| node.holder == *holder)
    }

    /// Nobody who is alive holds it.
    pub(super) fn is_free(&self, id: PartitionId) -> bool {
        let holder = self.partitions.get(&id).and_then(|state| state.holder.as_ref());
        holder.is_none_or(|holder| !self.is_alive(holder))
    }

    pub(super) fn plan(&self) -> Plan {
        let members: Vec<Member> = self
            .nodes
            .iter()
            .map(|node| Member { holder: node.holder.clone(), is_draining: node.is_draining })
            .collect();
        let standings = self.partitions.values().map(|state| {
            let standing = Standing { holder: state.holder.clone(), preferred: state.preferred.clone() };
            (state.partition, standing)
        });
        plan(&members, &standings.collect())
    }
}

const UNPOISONED: &str = "nobody panics while holding it";

pub(super) struct Routes {
    /// Nobody else can be there: what was left behind by predecessors is no news.
    alone: Option<HolderId>,
    view: RwLock<Arc<View>>,
    /// Tells of each new view, in the order in which they wait for it: a `watch` would take those at random.
    changed: Notify,
    read_at: tokio::sync::Mutex<Option<Instant>>,
    told: Mutex<Told>,
}

impl Routes {
    pub(super) fn new(alone: Option<HolderId>) -> Routes {
        let view = View {
            as_of: Instant::now(),
            nodes: Vec::new(),
            partitions: BTreeMap::new(),
            addresses: BTreeMap::new(),
        };
        let view = RwLock::new(Arc::new(view));
        let read_at = tokio::sync::Mutex::new(None);
        Routes { alone, view, changed: Notify::new(), read_at, told: Mutex::default() }
    }

    pub(super) fn view(&self) -> Arc<View> {
        self.view.read().expect(UNPOISONED).clone()
    }

    /// Reads the rows again, unless somebody else has just done so.
    pub(super) async fn refresh(&self, store: &dyn Store) -> Result<()> {
        let mut read_at = self.read_at.lock().await;
        if read_at.is_some_and(|at| at.elapsed() < FRESH) {
            return Ok(());
        }
        self.read(store).await?;
        *read_at = Some(Instant::now());
        Ok(())
    }

    pub(super) async fn read(&self, store: &dyn Store) -> Result<()> {
        let as_of = Instant::now();
        let (mut nodes, partitions) = tokio::try_join!(store.nodes(), store.partitions())?;
        if let Some(alone) = &self.alone {
            nodes.retain(|node| node.holder == *alone);
        }
        {
            let mut view = self.view.write().expect(UNPOISONED);
            if view.as_of > as_of {
                // Somebody has read later and was faster.
                return Ok(());
            }
            let mut addresses = BTreeMap::new();
            for state in &partitions {
                if let Some(holder) = &state.holder
                    && let Some(address) = view.addresses.get(holder)
                {
                    addresses.insert(holder.clone(), address.clone());
                }
            }
            let known = nodes.iter().filter_map(|node| Some((node.holder.clone(), node.address.clone()?)));
            addresses.extend(known);
            let partitions = partitions.into_iter().map(|state| (state.partition, state)).collect();
            let new = View { as_of, nodes, partitions, addresses };
            self.told.lock().expect(UNPOISONED).tell(&new, &view.addresses);
            *view = Arc::new(new);
        }
        self.changed.notify_waiters();
        Ok(())
    }

    /// Completes with the next view, counted from when it is first polled or enabled.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// Waits until somebody else, or nobody, owns the partition.
    pub(super) async fn owner_changes(&self, id: PartitionId, owner: &Owner) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // A view that comes after the look below is heard of.
            changed.as_mut().enable();
            if self.view().owner(id).as_ref() != Some(owner) {
                return;
            }
            changed.await;
        }
    }
}
