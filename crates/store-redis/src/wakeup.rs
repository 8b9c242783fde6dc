//! Wake-ups: a notifier for each partition, and for each one that is waited for a connection that blocks on its inbox until
//! somebody, on whatever node, appends to it.

use crate::entry::read;
use crate::line::Line;
use crate::store::RedisStore;
use async_trait::async_trait;
use redis::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_store::Wakeup;
use tokio::sync::Notify;

/// The owner looks at its inbox at least so often, in case the connection is lost without a word.
const BLOCK_MS: u64 = 5_000;
/// Entries that come within this time are told together.
const PAUSE: Duration = Duration::from_millis(1);
const RETRY: Duration = Duration::from_millis(200);

struct Notifier {
    notify: Notify,
    is_watched: AtomicBool,
}

pub(crate) struct Notifiers(Vec<Notifier>);

impl Notifiers {
    pub(crate) fn new(partitions: PartitionCount) -> Notifiers {
        let notifier = |_| Notifier { notify: Notify::new(), is_watched: AtomicBool::new(false) };
        Notifiers(partitions.ids().map(notifier).collect())
    }

    fn of(&self, partition: PartitionId) -> Option<&Notifier> {
        self.0.get(usize::from(partition.0).checked_sub(1)?)
    }

    pub(crate) fn notify(&self, partition: PartitionId) {
        if let Some(notifier) = self.of(partition) {
            notifier.notify.notify_one();
        }
    }

    /// Nobody waits for this partition here any more.
    pub(crate) fn unwatch(&self, partition: PartitionId) {
        if let Some(notifier) = self.of(partition) {
            notifier.is_watched.store(false, Ordering::Relaxed);
        }
    }
}

#[async_trait]
impl Wakeup for RedisStore {
    /// Owners elsewhere see the entry itself.
    async fn wake(&self, partition: PartitionId) {
        self.notifiers.notify(partition);
    }

    async fn woken(&self, partition: PartitionId) {
        let Some(notifier) = self.notifiers.of(partition) else { return std::future::pending().await };
        if !notifier.is_watched.swap(true, Ordering::Relaxed) {
            self.watch(partition);
        }
        notifier.notify.notified().await;
    }
}

impl RedisStore {
    /// Watches the inbox until nobody wants it or the store is gone.
    fn watch(&self, partition: PartitionId) {
        let Ok(keys) = self.keys(partition) else { return };
        let watch = Watch {
            line: Line::new(self.client.clone(), Duration::from_millis(2 * BLOCK_MS)),
            inbox: keys.inbox(),
            notifiers: Arc::downgrade(&self.notifiers),
            partition,
        };
        tokio::spawn(watch.run());
    }
}

struct Watch {
    line: Line,
    inbox: String,
    notifiers: Weak<Notifiers>,
    partition: PartitionId,
}

impl Watch {
    async fn run(self) {
        let mut seen = None;
        while self.is_wanted() {
            let Some(from) = seen.take() else {
                // Entries that came up to now may not have been noticed, so the owner looks once more.
                seen = self.last_id().await;
                match seen {
                    Some(_) => self.notify(),
                    None => tokio::time::sleep(RETRY).await,
                }
                continue;
            };
            match self.next_behind(&from).await {
                Some(false) => seen = Some(from),
                Some(true) => {
                    self.notify();
                    tokio::time::sleep(PAUSE).await;
                }
                None => tokio::time::sleep(RETRY).await,
            }
        }
    }

    fn is_wanted(&self) -> bool {
        let notifiers = self.notifiers.upgrade();
        let is_watched = |notifier: &Notifier| notifier.is_watched.load(Ordering::Relaxed);
        notifiers.as_ref().and_then(|notifiers| notifiers.of(self.partition)).is_some_and(is_watched)
    }

    fn notify(&self) {
        if let Some(notifiers) = self.notifiers.upgrade() {
            notifiers.notify(self.partition);
        }
    }

    /// True if something comes behind this id; none if the server cannot be asked.
    async fn next_behind(&self, id: &str) -> Option<bool> {
        let mut block = redis::cmd("XREAD");
        block.arg("COUNT").arg(1).arg("BLOCK").arg(BLOCK_MS).arg("STREAMS").arg(&self.inbox).arg(id);
        self.line.ask(&block).await.ok().map(|answer| answer != Value::Nil)
    }

    /// The id that was given last, whether its entry is still there or not.
    async fn last_id(&self) -> Option<String> {
        let mut about = redis::cmd("XINFO");
        about.arg("STREAM").arg(&self.inbox);
        match self.line.ask(&about).await {
            Ok(answer) => {
                let facts: HashMap<String, Value> = read(answer).ok()?;
                facts
                    .into_iter()
                    .find(|(name, _)| name == "last-generated-id")
                    .and_then(|(_, id)| read(id).ok())
            }
            // There is no stream before the first entry.
            Err(crate::error::Failure::Answered(_)) => Some("0-0".into()),
            Err(_) => None,
        }
    }
}
