//! When nothing is alive any more, the cores of all nodes hold next to nothing: what stays would grow for as long as a server runs.

use crate::world::World;
use std::sync::Arc;
use tidemill_server::simulation::{MemoryUse, memory_use};

/// Definitions, and what is known of the store, are kept up to limits of their own, which one run does not reach.
const KNOWN_MAX: usize = 1_500;
/// Idempotency keys that were looked up are forgotten some time later.
const ANSWERS_MAX: usize = 500;

pub(crate) async fn check(world: &Arc<World>) {
    let nodes: Vec<_> = world.members().iter().filter_map(|member| member.node.clone()).collect();
    for node in nodes {
        for (partition, held) in memory_use(&node).await {
            world.note(|| format!("partition {partition} holds {held:?}"));
            if is_too_much(&held) {
                world.violation(format!("partition {partition} has nothing to do and holds {held:?}"));
            }
        }
    }
}

fn is_too_much(held: &MemoryUse) -> bool {
    let MemoryUse {
        rows,
        known,
        commands,
        pollers,
        waiters,
        answers,
        late_answers,
        timers,
        leases,
        inbox_entries,
    } = *held;
    let in_use = rows + commands + pollers + waiters + late_answers + timers + leases + inbox_entries;
    in_use > 0 || known > KNOWN_MAX || answers > ANSWERS_MAX
}
