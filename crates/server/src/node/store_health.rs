//! Remembers whether the store answers. The log is told when that changes, not on every beat.

use std::sync::Mutex;

#[derive(Default)]
pub(super) struct StoreHealth(Mutex<Option<String>>);

impl StoreHealth {
    pub(super) fn note(&self, outcome: &tidemill_store::Result<()>) {
        let mut known = self.0.lock().expect("nobody panics while holding it");
        match (outcome, known.is_some()) {
            (Ok(()), true) => {
                tracing::info!("the store answers again");
                *known = None;
            }
            (Err(error), false) => {
                tracing::error!(%error, "the store does not answer; waiting for it");
                *known = Some(error.for_clients());
            }
            _ => {}
        }
    }

    pub(super) fn reason(&self) -> Option<String> {
        self.0.lock().expect("nobody panics while holding it").clone()
    }
}
