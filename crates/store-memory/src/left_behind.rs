//! What is still alive, for tests that expect nothing to be.

use crate::Memory;
use std::collections::BTreeMap;

impl Memory {
    /// Live rows by kind, without those that belong to deployed definitions; kinds without rows are left out.
    pub fn live_rows(&self) -> BTreeMap<&'static str, usize> {
        let store = self.open();
        let state = store.state();
        let live = &state.live;
        let counts = [
            ("instances", live.instances.len()),
            ("elements", live.elements.len()),
            ("variables", live.variables.len()),
            ("jobs", live.jobs.len()),
            ("job leases", live.job_leases.len()),
            ("user tasks", live.user_tasks.len()),
            ("incidents", live.incidents.len()),
            ("timers", live.timers.len()),
            ("messages", live.messages.len()),
            ("message subscriptions", live.message_subscriptions.len()),
            ("box subscriptions", live.box_subscriptions.len()),
            ("start locks", live.start_locks.len()),
            ("signal subscriptions", live.signal_subscriptions.len()),
            ("loop inputs", live.loop_inputs.len()),
            ("loop outputs", live.loop_outputs.len()),
            ("inbox entries", state.inbox.len()),
            ("dead letters", state.letters.len()),
        ];
        counts.into_iter().filter(|(_, rows)| *rows > 0).collect()
    }
}
