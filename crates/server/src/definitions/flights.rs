//! One load per definition at a time: whoever comes meanwhile waits for that one.

use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};
use tidemill_model::DefinitionKey;
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

const UNPOISONED: &str = "nobody panics while holding it";

#[derive(Clone, Default)]
pub(super) struct Flights(Arc<Mutex<FxHashMap<DefinitionKey, Arc<Notify>>>>);

/// Loads that the holder has promised to make. Dropped, they have ended, well or not; those who wait look again.
pub(super) struct Promised {
    flights: Flights,
    keys: Vec<DefinitionKey>,
}

impl Flights {
    pub(super) fn promise(&self) -> Promised {
        Promised { flights: self.clone(), keys: Vec::new() }
    }
}

impl Promised {
    /// None where it is up to the caller now; else the end of the load that is under way.
    pub(super) fn add(&mut self, key: DefinitionKey) -> Option<OwnedNotified> {
        let mut flights = self.flights.0.lock().expect(UNPOISONED);
        if let Some(flight) = flights.get(&key) {
            // Made while the lock is held, so it hears of an end that comes at once.
            return Some(flight.clone().notified_owned());
        }
        flights.insert(key, Arc::default());
        self.keys.push(key);
        None
    }
}

impl Drop for Promised {
    fn drop(&mut self) {
        let mut flights = self.flights.0.lock().expect(UNPOISONED);
        for key in &self.keys {
            if let Some(flight) = flights.remove(key) {
                flight.notify_waiters();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_second_waits_for_the_first_and_then_it_is_free_again() {
        let (flights, key) = (Flights::default(), DefinitionKey(1));
        let (mut first, mut second) = (flights.promise(), flights.promise());
        assert!(first.add(key).is_none());
        let wait = second.add(key).expect("the first is at it");
        drop(first);
        wait.await;
        assert!(second.add(key).is_none(), "a load that has failed leaves the way free");
    }
}
