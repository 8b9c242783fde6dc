//! Tells those who deliver that a commit has written rows for them, so that nobody has to look all the time.

use std::collections::BTreeSet;
use std::sync::Mutex;
use tokio::sync::Notify;

use super::spec::{LaneKind, lane_kind};

/// Rung by a timer loop after each commit that has written deliveries.
#[derive(Default)]
pub struct LaneBell {
    rung: Mutex<BTreeSet<u32>>,
    callbacks: Notify,
    streams: Notify,
}

const UNPOISONED: &str = "nobody panics while holding it";

impl LaneBell {
    pub fn ring(&self, lanes: impl IntoIterator<Item = u32>) {
        let (streams, callbacks): (Vec<u32>, Vec<u32>) =
            lanes.into_iter().partition(|lane| lane_kind(*lane) == LaneKind::Stream);
        if !callbacks.is_empty() {
            self.rung.lock().expect(UNPOISONED).extend(callbacks);
            self.callbacks.notify_one();
        }
        if !streams.is_empty() {
            self.streams.notify_waiters();
        }
    }

    /// The lanes of callbacks that it was rung for; waits until there is one. For one listener.
    pub(super) async fn rung(&self) -> BTreeSet<u32> {
        loop {
            let rung = std::mem::take(&mut *self.rung.lock().expect(UNPOISONED));
            if !rung.is_empty() {
                return rung;
            }
            self.callbacks.notified().await;
        }
    }

    /// Hears of the next deliveries to any stream, from the moment it was called.
    pub fn next_in_streams(&self) -> tokio::sync::futures::Notified<'_> {
        self.streams.notified()
    }
}
