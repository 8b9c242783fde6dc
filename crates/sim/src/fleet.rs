//! The nodes: started, killed, paused and stopped.

use crate::executor::{Group, OUTSIDE};
use crate::machine::SimMachine;
use crate::pace::SimPace;
use crate::world::World;
use std::sync::Arc;
use std::time::Duration;
use tidemill_server::{ClusterConfig, Node, NodeConfig};

pub(crate) const LEASE: Duration = Duration::from_secs(3);

/// A place where a node runs, again and again.
pub(crate) struct Member {
    /// Of the node that runs, or is about to; none while it is down.
    pub(crate) group: Option<Group>,
    pub(crate) node: Option<Arc<Node>>,
    /// By how much its time of day is wrong.
    pub(crate) skew_ms: i64,
    /// Until when its way to the store is cut, and to other nodes, in milliseconds of the run.
    pub(crate) store_is_away_until: u64,
    pub(crate) others_are_away_until: u64,
    /// When it was paused or resumed last.
    pub(crate) last_pause_ms: Option<u64>,
}

pub(crate) fn member_at(address: &str) -> Option<usize> {
    address.strip_prefix("node-")?.strip_suffix(":1")?.parse().ok()
}

/// Adds places without nodes.
pub(crate) fn prepare(world: &World, count: usize) {
    for _ in 0..count {
        world.members().push(Member {
            group: None,
            node: None,
            skew_ms: 0,
            store_is_away_until: 0,
            others_are_away_until: 0,
            last_pause_ms: None,
        });
    }
}

/// Starts a node where none runs.
pub(crate) fn start(world: &Arc<World>, member: usize) {
    let group = world.new_group();
    {
        let mut members = world.members();
        if members[member].group.is_some() {
            return;
        }
        members[member].group = Some(group);
    }
    world.note(|| format!("node {member} starts"));
    world.spawn(group, run(world.clone(), member, group));
}

async fn run(world: Arc<World>, member: usize, group: Group) {
    let machine = Arc::new(SimMachine { world: world.clone(), member, group });
    let store = Arc::new(world.memory.open_at(Arc::new(SimPace { world: world.clone(), member })));
    let config = NodeConfig {
        host: format!("node-{member}"),
        port: 1,
        lease: LEASE,
        cluster: Some(ClusterConfig { secret: Some("simulated".to_owned()) }),
        ..NodeConfig::default()
    };
    let started = tidemill_server::simulation::start(machine, store, config).await;
    match started {
        Ok(node) => {
            world.note(|| format!("node {member} is up"));
            world.members()[member].node = Some(node.clone());
            node.broken().await;
            world.note(|| format!("node {member} is broken"));
            world.ledger().counts.broken += 1;
        }
        Err(error) => world.note(|| format!("node {member} cannot start: {error}")),
    }
    // As a service manager would.
    let again = world.clone();
    world.spawn(OUTSIDE, async move {
        kill_group(&again, member, group);
        again.pause(500, 1_500).await;
        start(&again, member);
    });
}

/// The node is gone from one moment to the next.
pub(crate) fn kill(world: &World, member: usize) -> bool {
    let group = world.members()[member].group;
    let Some(group) = group else { return false };
    kill_group(world, member, group)
}

fn kill_group(world: &World, member: usize, group: Group) -> bool {
    let node = {
        let mut members = world.members();
        if members[member].group != Some(group) {
            return false;
        }
        members[member].group = None;
        members[member].node.take()
    };
    world.note(|| format!("node {member} dies"));
    world.tasks.kill(group);
    drop(node);
    true
}

/// The node stands still, as a process that was stopped.
pub(crate) async fn pause(world: &World, member: usize, for_ms: u64) -> bool {
    let group = world.members()[member].group;
    let Some(group) = group else { return false };
    world.note(|| format!("node {member} stands still for {for_ms} ms"));
    world.members()[member].last_pause_ms = Some(world.now_ms());
    world.tasks.pause(group);
    tokio::time::sleep(Duration::from_millis(for_ms)).await;
    world.note(|| format!("node {member} goes on"));
    world.members()[member].last_pause_ms = Some(world.now_ms());
    world.tasks.resume(group);
    true
}

/// The node is told to stop, and is started again when it has.
pub(crate) async fn stop(world: &World, member: usize) -> bool {
    let (group, node) = {
        let members = world.members();
        (members[member].group, members[member].node.clone())
    };
    let (Some(group), Some(node)) = (group, node) else { return false };
    world.note(|| format!("node {member} is told to stop"));
    let (stopped, is_stopped) = tokio::sync::oneshot::channel();
    world.spawn(group, async move {
        node.end_waits().await;
        node.stop().await;
        let _ = stopped.send(());
    });
    let _ = tokio::time::timeout(Duration::from_secs(15), is_stopped).await;
    kill_group(world, member, group)
}
