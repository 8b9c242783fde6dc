//! The machine that a simulated node believes to run on.

use crate::executor::Group;
use crate::network::SimNetwork;
use crate::world::World;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_server::simulation::{Machine, Network};

pub(crate) struct SimMachine {
    pub(crate) world: Arc<World>,
    pub(crate) member: usize,
    pub(crate) group: Group,
    /// The loop of a partition runs at this moment.
    pub(crate) is_in_loop: Arc<AtomicBool>,
}

impl SimMachine {
    pub(crate) fn new(world: Arc<World>, member: usize, group: Group) -> SimMachine {
        SimMachine { world, member, group, is_in_loop: Arc::default() }
    }

    /// Every turn of a loop looks at the clock, outside of what guards commands.
    fn panic_where_wanted(&self) {
        if !self.is_in_loop.load(Ordering::Relaxed) {
            return;
        }
        if std::mem::take(&mut self.world.members()[self.member].loop_panics) {
            self.world.note(|| format!("a loop of node {} panics", self.member));
            self.world.ledger().counts.panics += 1;
            panic!("{}", crate::panics::ASKED_FOR);
        }
    }
}

/// Says that the loop of a partition runs, until it is dropped.
struct InLoop(Arc<AtomicBool>);

impl InLoop {
    fn begin(flag: &Arc<AtomicBool>) -> InLoop {
        flag.store(true, Ordering::Relaxed);
        InLoop(flag.clone())
    }
}

impl Drop for InLoop {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Machine for SimMachine {
    fn time_of_day(&self) -> Timestamp {
        self.panic_where_wanted();
        self.world.time_of_day() + self.world.members()[self.member].skew_ms
    }

    fn chance(&self) -> u32 {
        self.world.next() as u32
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.world.tasks.spawn(self.group, task);
    }

    fn spawn_loop(&self, id: PartitionId, mut running: BoxFuture<'static, ()>) {
        let (world, member) = (self.world.clone(), self.member);
        world.note(|| format!("node {member} has partition {id}"));
        let now_ms = world.now_ms();
        world.ledger().taken(id, member, now_ms);
        let is_in_loop = self.is_in_loop.clone();
        let running = std::future::poll_fn(move |cx| {
            let _running = InLoop::begin(&is_in_loop);
            running.as_mut().poll(cx)
        });
        self.world.tasks.spawn(self.group, Box::pin(running));
    }

    fn spawn_timers(&self, _: PartitionId, running: BoxFuture<'static, ()>) {
        self.world.tasks.spawn(self.group, running);
    }

    fn network(&self, _secret: &str) -> Arc<dyn Network> {
        Arc::new(SimNetwork { world: self.world.clone(), member: self.member })
    }
}
