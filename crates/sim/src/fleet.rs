//! The nodes: started, killed, paused and stopped.

use crate::executor::{Group, OUTSIDE};
use crate::machine::SimMachine;
use crate::pace::SimPace;
use crate::world::World;
use std::sync::Arc;
use std::time::Duration;
use tidemill_server::{ClusterConfig, Node, NodeConfig};

pub(crate) const LEASE: Duration = Duration::from_secs(3);

/// So many of the nodes that are started again are of an older version.
const OLD_PERCENT: u64 = 25;

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
    /// Until when all its calls of the store take long.
    pub(crate) store_is_slow_until: u64,
    /// When it was paused or resumed last.
    pub(crate) last_pause_ms: Option<u64>,
    pub(crate) is_paused: bool,
    pub(crate) is_stopping: bool,
    /// When it came up, was killed, or went on last.
    pub(crate) changed_ms: u64,
    /// The node that runs is of an older version, which cannot read some definitions.
    pub(crate) is_old: bool,
    /// The next turn of one of its loops panics.
    pub(crate) loop_panics: bool,
}

/// So long after a node has started or gone on, partitions have moved to where they belong.
pub(crate) const CALM_MS: u64 = 3 * LEASE.as_millis() as u64;

impl Member {
    /// The node runs, and has for a while.
    pub(crate) fn is_calm(&self, now_ms: u64) -> bool {
        self.node.is_some() && !self.is_paused && !self.is_stopping && self.changed_ms + CALM_MS < now_ms
    }
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
            store_is_slow_until: 0,
            last_pause_ms: None,
            is_paused: false,
            is_stopping: false,
            changed_ms: 0,
            is_old: false,
            loop_panics: false,
        });
    }
}

/// Starts a node where none runs.
pub(crate) fn start(world: &Arc<World>, member: usize) {
    if world.members()[member].group.is_some() {
        return;
    }
    let group = world.new_group();
    let is_old = world.is_rough.load(std::sync::atomic::Ordering::Relaxed) && world.percent(OLD_PERCENT);
    {
        let member = &mut world.members()[member];
        (member.group, member.is_old, member.loop_panics) = (Some(group), is_old, false);
        member.is_stopping = false;
    }
    world.ledger().had_old_node |= is_old;
    world.note(|| format!("node {member} starts{}", if is_old { " in an older version" } else { "" }));
    world.spawn(group, run(world.clone(), member, group));
}

async fn run(world: Arc<World>, member: usize, group: Group) {
    let machine = Arc::new(SimMachine::new(world.clone(), member, group));
    let is_old = world.members()[member].is_old;
    let store = Arc::new(world.memory.open_at(Arc::new(SimPace { world: world.clone(), member, is_old })));
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
            {
                let member = &mut world.members()[member];
                (member.node, member.changed_ms) = (Some(node.clone()), world.now_ms());
            }
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
        let member = &mut members[member];
        (member.group, member.is_paused, member.changed_ms) = (None, false, world.now_ms());
        member.node.take()
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
    {
        let member = &mut world.members()[member];
        (member.is_paused, member.last_pause_ms) = (true, Some(world.now_ms()));
    }
    world.tasks.pause(group);
    tokio::time::sleep(Duration::from_millis(for_ms)).await;
    world.note(|| format!("node {member} goes on"));
    world.tasks.resume(group);
    let member = &mut world.members()[member];
    member.last_pause_ms = Some(world.now_ms());
    if member.group == Some(group) {
        (member.is_paused, member.changed_ms) = (false, world.now_ms());
    }
    true
}

/// The node is told to stop, and is started again when it has.
pub(crate) async fn stop(world: &World, member: usize) -> bool {
    let (group, node) = {
        let members = world.members();
        (members[member].group, members[member].node.clone())
    };
    let (Some(group), Some(node)) = (group, node) else { return false };
    world.members()[member].is_stopping = true;
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
