//! How much a core holds in memory. A simulator compares it with what the store has: whatever stays when nothing is alive any more
//! would grow for as long as the server runs.

use crate::core::Core;
use crate::request::Callers;

/// Numbers of things that are in memory. `known` may be more than is alive: definitions and what is known of the store are kept up to
/// limits of their own.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MemoryUse {
    /// Rows of instances: the instances themselves, their elements and variables.
    pub rows: usize,
    /// Everything in the working state: rows, lists that lead to them, definitions, and what is known of the store.
    pub known: usize,
    /// Commands that wait, run, or are being written.
    pub commands: usize,
    /// Workers that wait for jobs.
    pub pollers: usize,
    /// Instances whose end somebody waits for. Those whose callers have left are not among them: they make room for others when there
    /// are many.
    pub waiters: usize,
    /// Idempotency keys that were looked up.
    pub answers: usize,
    /// Answers that come with another command.
    pub late_answers: usize,
    pub timers: usize,
    pub leases: usize,
    /// Entries of the inbox that were read and not committed, and boxes that are waited for.
    pub inbox_entries: usize,
}

impl Core {
    pub fn memory_use(&self, callers: &dyn Callers) -> MemoryUse {
        let in_flight = self.in_flight.as_ref().map_or(0, |in_flight| in_flight.batch.executed.len());
        MemoryUse {
            rows: self.working.rows(),
            known: self.working.entries(),
            commands: self.queue.len() + self.backlog.len() + self.open.executed.len() + in_flight,
            pollers: self.pollers.len(),
            waiters: self.waiters.waited_for(callers),
            answers: self.answers.len(),
            late_answers: self.late.len(),
            timers: self.due.timers(),
            leases: self.due.leases(),
            inbox_entries: self.inbox.len() + self.box_order.len(),
        }
    }
}
