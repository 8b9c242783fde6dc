//! Wake-ups. In this process a bell per partition; for owners elsewhere one notification channel, used only for
//! partitions whose owner has noted in `naps` that it wants to be notified. An owner does that when nothing has come
//! from elsewhere for a while, and looks at its inbox again before it relies on it. Once notified, it looks by itself
//! for a while.

use crate::PostgresStore;
use crate::call::{Call, Param, small};
use crate::connect::Pool;
use async_trait::async_trait;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_store::Wakeup;
use tokio::sync::Notify;

/// How owners learn of what others have put into their inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WakeupMode {
    /// LISTEN and NOTIFY, with a look every few seconds in case one was lost.
    Notify,
    /// A look at short intervals and no session state: for transaction poolers.
    Poll { every_ms: u64 },
}

/// An owner that was not notified for this long wants to be again, however busy it is with requests of its own.
const AWAKE: Duration = Duration::from_millis(100);
/// Until then it looks so often for what others have appended.
const AWAKE_LOOK: Duration = Duration::from_millis(2);
/// While the connection that listens is lost.
const DEAF: WakeupMode = WakeupMode::Poll { every_ms: 100 };
/// A look at the inbox in spite of sleep.
const SAFETY_LOOK: Duration = Duration::from_secs(5);

/// The flag is read after the append is visible, so an owner that sets it and then looks misses nothing.
const NOTIFY: &str = "SELECT pg_notify($2, string_agg(partition_id::text, ',')) FROM naps \
    WHERE is_asleep AND partition_id = ANY($1) HAVING count(*) > 0";

/// Nobody sleeps after a crash, so a note need not outlast one.
const NAP_BEGIN: &str = "BEGIN; SET LOCAL synchronous_commit TO off";

const NAP: &str = "UPDATE naps SET is_asleep = $2 WHERE partition_id = $1 AND is_asleep <> $2";

struct Bell {
    notify: Notify,
    /// The owner is in this process, so nobody has to be notified.
    is_ours: AtomicBool,
    /// Rung for another process's sake.
    is_notified: AtomicBool,
    rest: Mutex<Rest>,
    /// Held while the mark in the database is written: marks that overtook each other would leave an owner marked as awake that
    /// sleeps, and nobody would notify it.
    marking: tokio::sync::Mutex<()>,
}

/// How deeply an owner sleeps. Kept here and not in a future, because an owner waits for several things at once
/// and drops the wait when another of them happens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// It looks by itself until then, and next at the second time.
    Awake {
        until: Instant,
        next_look: Instant,
    },
    /// Its wish to be notified is being noted.
    Nodding,
    /// It is noted; what came before that must be looked for once more.
    Lying,
    Asleep,
}

impl Rest {
    fn awake() -> Rest {
        let now = Instant::now();
        Rest::Awake { until: now + AWAKE, next_look: now + AWAKE_LOOK }
    }
}

impl Bell {
    fn rest(&self) -> MutexGuard<'_, Rest> {
        self.rest.lock().expect("no holder panics")
    }
}

pub(crate) struct Bells {
    bells: Vec<Bell>,
    channel: String,
    mode: WakeupMode,
    is_listening: AtomicBool,
}

impl Bells {
    pub(crate) fn new(partitions: PartitionCount, schema: &str, mode: WakeupMode) -> Bells {
        let bell = |_| Bell {
            notify: Notify::new(),
            is_ours: AtomicBool::new(false),
            is_notified: AtomicBool::new(false),
            rest: Mutex::new(Rest::awake()),
            marking: tokio::sync::Mutex::new(()),
        };
        Bells {
            bells: partitions.ids().map(bell).collect(),
            channel: format!("tidemill_{schema}"),
            mode,
            is_listening: AtomicBool::new(false),
        }
    }

    pub(crate) fn channel(&self) -> &str {
        &self.channel
    }

    fn of(&self, partition: PartitionId) -> &Bell {
        &self.bells[usize::from(partition.0) - 1]
    }

    pub(crate) fn ring_all(&self, partitions: &[PartitionId]) {
        partitions.iter().for_each(|partition| self.of(*partition).notify.notify_one());
    }

    /// Another process has appended for these.
    pub(crate) fn notify(&self, partitions: &[PartitionId]) {
        for partition in partitions {
            self.of(*partition).is_notified.store(true, Ordering::Release);
        }
        self.ring_all(partitions);
    }

    /// For when it is not known who was meant. Owners note their wishes again: the server may have lost them.
    pub(crate) fn notify_every(&self) {
        for bell in &self.bells {
            bell.is_notified.store(true, Ordering::Release);
            bell.notify.notify_one();
        }
    }

    pub(crate) fn set_listening(&self, is_listening: bool) {
        self.is_listening.store(is_listening, Ordering::Release);
    }

    /// What can be relied on just now.
    fn current_mode(&self) -> WakeupMode {
        match self.mode {
            WakeupMode::Notify if !self.is_listening.load(Ordering::Acquire) => DEAF,
            mode => mode,
        }
    }

    pub(crate) fn set_ours(&self, partition: PartitionId, is_ours: bool) {
        self.of(partition).is_ours.store(is_ours, Ordering::Release);
        *self.of(partition).rest() = Rest::awake();
    }

    /// Follows a write into these inboxes, in the same flush, where one of the owners may be elsewhere.
    pub(crate) fn notification<'c>(&'c self, partitions: &[PartitionId]) -> Option<Call<'c>> {
        let elsewhere: Vec<i16> = partitions
            .iter()
            .filter(|partition| !self.of(**partition).is_ours.load(Ordering::Acquire))
            .map(|partition| small(*partition))
            .collect();
        if elsewhere.is_empty() || self.mode != WakeupMode::Notify {
            return None;
        }
        let channel = Param::Text(Some(Cow::Borrowed(&self.channel)));
        Some(Call::new(NOTIFY, [Param::Smalls(elsewhere), channel]))
    }
}

#[async_trait]
impl Wakeup for PostgresStore {
    async fn wake(&self, partition: PartitionId) {
        self.bells.ring_all(&[partition]);
        if let Some(call) = self.bells.notification(&[partition]) {
            // Advisory: who is not reached looks by itself.
            let _ = self.writes.read_one(call).await;
        }
    }

    async fn woken(&self, partition: PartitionId) {
        let bell = self.bells.of(partition);
        if let WakeupMode::Poll { every_ms } = self.bells.current_mode() {
            // In time or not, the owner looks.
            let _ = tokio::time::timeout(Duration::from_millis(every_ms), bell.notify.notified()).await;
            return;
        }
        let rest = *bell.rest();
        let patience = match rest {
            Rest::Awake { until, next_look } if Instant::now() < until => {
                next_look.saturating_duration_since(Instant::now())
            }
            Rest::Awake { .. } => {
                *bell.rest() = Rest::Nodding;
                tokio::spawn(nod_off(self.writes.clone(), self.bells.clone(), partition));
                SAFETY_LOOK
            }
            Rest::Nodding | Rest::Lying | Rest::Asleep => SAFETY_LOOK,
        };
        // In time or not, the owner looks.
        let _ = tokio::time::timeout(patience, bell.notify.notified()).await;
        let mut rest = bell.rest();
        match *rest {
            Rest::Awake { until, .. } => {
                *rest = Rest::Awake { until, next_look: Instant::now() + AWAKE_LOOK };
            }
            Rest::Nodding => {}
            Rest::Lying | Rest::Asleep if bell.is_notified.swap(false, Ordering::AcqRel) => {
                *rest = Rest::awake();
                tokio::spawn(mark(self.writes.clone(), self.bells.clone(), partition));
            }
            Rest::Lying | Rest::Asleep => *rest = Rest::Asleep,
        }
    }
}

/// Notes that the owner wants to be notified, and lets it look once more.
async fn nod_off(pool: Arc<Pool>, bells: Arc<Bells>, partition: PartitionId) {
    let is_noted = mark(pool, bells.clone(), partition).await;
    let bell = bells.of(partition);
    {
        let mut rest = bell.rest();
        if *rest == Rest::Nodding {
            *rest = if is_noted { Rest::Lying } else { Rest::awake() };
        }
    }
    bell.notify.notify_one();
}

/// Writes whether the owner sleeps, as it is when its turn to write comes: the last mark that is written is the latest.
async fn mark(pool: Arc<Pool>, bells: Arc<Bells>, partition: PartitionId) -> bool {
    let bell = bells.of(partition);
    let _marking = bell.marking.lock().await;
    let is_asleep = !matches!(*bell.rest(), Rest::Awake { .. });
    let call = Call::new(NAP, [partition.into(), Param::Bool(is_asleep)]);
    let Ok(mut lease) = pool.take().await else { return false };
    lease.transact(NAP_BEGIN, &[call], "COMMIT", &[]).await.into_rows().is_ok()
}
