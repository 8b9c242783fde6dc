//! The machine that a simulated node believes to run on.

use crate::executor::Group;
use crate::network::SimNetwork;
use crate::world::World;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_server::simulation::{Machine, Network};

pub(crate) struct SimMachine {
    pub(crate) world: Arc<World>,
    pub(crate) member: usize,
    pub(crate) group: Group,
}

impl Machine for SimMachine {
    fn time_of_day(&self) -> Timestamp {
        self.world.time_of_day() + self.world.members()[self.member].skew_ms
    }

    fn chance(&self) -> u32 {
        self.world.next() as u32
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.world.tasks.spawn(self.group, task);
    }

    fn spawn_loop(&self, id: PartitionId, running: BoxFuture<'static, ()>) {
        let (world, member) = (self.world.clone(), self.member);
        world.note(|| format!("node {member} has partition {id}"));
        world.ledger().taken(id, member);
        self.world.tasks.spawn(self.group, running);
    }

    fn spawn_timers(&self, _: PartitionId, running: BoxFuture<'static, ()>) {
        self.world.tasks.spawn(self.group, running);
    }

    fn network(&self, _secret: &str) -> Arc<dyn Network> {
        Arc::new(SimNetwork { world: self.world.clone(), member: self.member })
    }
}
