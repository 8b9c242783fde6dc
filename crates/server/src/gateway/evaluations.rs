//! Places for the evaluations that people try out: a few run at a time, a few wait, and the rest is turned away, so
//! that they take neither the processor nor the memory from processes.

use super::problem::Problem;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Evaluations that may wait for their turn. Each takes a fraction of a second at most.
const WAITING_MAX: usize = 32;

pub(super) struct Evaluations {
    running: Arc<Semaphore>,
    admitted: Arc<Semaphore>,
}

/// Held while an evaluation runs.
pub(super) struct Permit {
    _running: OwnedSemaphorePermit,
    _admitted: OwnedSemaphorePermit,
}

impl Default for Evaluations {
    /// One processor is left to everything else.
    fn default() -> Evaluations {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let running = processors.saturating_sub(1).max(1);
        Evaluations {
            running: Arc::new(Semaphore::new(running)),
            admitted: Arc::new(Semaphore::new(running + WAITING_MAX)),
        }
    }
}

impl Evaluations {
    /// Waits for a place; a problem if too many wait already.
    pub(super) async fn place(&self) -> Result<Permit, Problem> {
        let admitted = self.admitted.clone().try_acquire_owned().map_err(|_| too_many())?;
        let running = self.running.clone().acquire_owned().await;
        let running = running.map_err(|_| too_many())?;
        Ok(Permit { _running: running, _admitted: admitted })
    }
}

fn too_many() -> Problem {
    let detail =
        "Expected to evaluate the expression, but too many evaluations wait already. Try again later";
    Problem::overloaded(detail)
}

/// A seed that nobody can tell beforehand, from the keys with which the standard library seeds its hash maps.
pub(super) fn random_seed() -> u128 {
    let draw = || RandomState::new().hash_one(std::time::SystemTime::now());
    u128::from(draw()) << 64 | u128::from(draw())
}
