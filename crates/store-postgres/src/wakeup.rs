//! Wake-ups. In this process a notifier per partition; for owners elsewhere one notification channel. A notification costs
//! every writer, so it is sent only for owners that are marked as asleep (table `sleeping_owners`). An owner marks itself when nothing
//! has come from elsewhere for a while, and looks at its inbox once more before it relies on that. Once notified, it looks
//! by itself for a while.

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

/// The way in which owners learn that others have put something into their inbox.
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
/// A look costs less than a notification, which takes a lock over the whole database at commit.
const AWAKE_LOOK: Duration = Duration::from_millis(2);
/// While the connection that listens is lost.
const DEAF: WakeupMode = WakeupMode::Poll { every_ms: 100 };
/// A look at the inbox in spite of sleep.
/// A notification may be lost with the connection that carries it.
const SAFETY_LOOK: Duration = Duration::from_secs(5);

/// The flag is read after the append is visible, so an owner that sets it and then looks misses nothing.
const NOTIFY: &str = "SELECT pg_notify($2, string_agg(partition_id::text, ',')) FROM sleeping_owners \
    WHERE is_asleep AND partition_id = ANY($1) HAVING count(*) > 0";

/// Nobody sleeps after a crash, so a note need not outlast one.
const MARK_BEGIN: &str = "BEGIN; SET LOCAL synchronous_commit TO off";

const MARK: &str = "UPDATE sleeping_owners SET is_asleep = $2 WHERE partition_id = $1 AND is_asleep <> $2";

struct Notifier {
    notify: Notify,
    /// The owner is in this process, so nobody has to be notified.
    is_ours: AtomicBool,
    /// Notified by another process.
    is_notified: AtomicBool,
    wakefulness: Mutex<Wakefulness>,
    /// Held while the mark in the database is written: marks that overtook each other would leave an owner marked as awake that
    /// sleeps, and nobody would notify it.
    marking: tokio::sync::Mutex<()>,
}

/// The depth of an owner's sleep. It is kept here and not in a future, because an owner waits for several things at once
/// and drops the wait when another of them happens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wakefulness {
    /// It looks by itself until then, and next at the second time.
    Awake {
        until: Instant,
        next_look: Instant,
    },
    /// Its wish to be notified is being noted.
    FallingAsleep,
    /// It is noted; what came before that must be looked for once more.
    LastLook,
    Asleep,
}

impl Wakefulness {
    fn awake() -> Wakefulness {
        let now = Instant::now();
        Wakefulness::Awake { until: now + AWAKE, next_look: now + AWAKE_LOOK }
    }
}

impl Notifier {
    fn wakefulness(&self) -> MutexGuard<'_, Wakefulness> {
        self.wakefulness.lock().expect("no holder panics")
    }
}

pub(crate) struct Notifiers {
    notifiers: Vec<Notifier>,
    channel: String,
    mode: WakeupMode,
    is_listening: AtomicBool,
}

impl Notifiers {
    pub(crate) fn new(partitions: PartitionCount, schema: &str, mode: WakeupMode) -> Notifiers {
        let notifier = |_| Notifier {
            notify: Notify::new(),
            is_ours: AtomicBool::new(false),
            is_notified: AtomicBool::new(false),
            wakefulness: Mutex::new(Wakefulness::awake()),
            marking: tokio::sync::Mutex::new(()),
        };
        Notifiers {
            notifiers: partitions.ids().map(notifier).collect(),
            channel: format!("tidemill_{schema}"),
            mode,
            is_listening: AtomicBool::new(false),
        }
    }

    pub(crate) fn channel(&self) -> &str {
        &self.channel
    }

    fn of(&self, partition: PartitionId) -> &Notifier {
        &self.notifiers[usize::from(partition.0) - 1]
    }

    pub(crate) fn notify_here(&self, partitions: &[PartitionId]) {
        partitions.iter().for_each(|partition| self.of(*partition).notify.notify_one());
    }

    /// Another process has appended for these.
    pub(crate) fn notify(&self, partitions: &[PartitionId]) {
        for partition in partitions {
            self.of(*partition).is_notified.store(true, Ordering::Release);
        }
        self.notify_here(partitions);
    }

    /// For when it is not known who was meant. Owners note their wishes again: the server may have lost them.
    pub(crate) fn notify_every(&self) {
        for notifier in &self.notifiers {
            notifier.is_notified.store(true, Ordering::Release);
            notifier.notify.notify_one();
        }
    }

    pub(crate) fn set_listening(&self, is_listening: bool) {
        self.is_listening.store(is_listening, Ordering::Release);
    }

    /// The mode that can be relied on just now.
    fn current_mode(&self) -> WakeupMode {
        match self.mode {
            WakeupMode::Notify if !self.is_listening.load(Ordering::Acquire) => DEAF,
            mode => mode,
        }
    }

    pub(crate) fn set_ours(&self, partition: PartitionId, is_ours: bool) {
        self.of(partition).is_ours.store(is_ours, Ordering::Release);
        *self.of(partition).wakefulness() = Wakefulness::awake();
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
        self.notifiers.notify_here(&[partition]);
        if let Some(call) = self.notifiers.notification(&[partition]) {
            // Advisory: who is not reached looks by itself.
            let _ = self.writes.read_one(call).await;
        }
    }

    async fn woken(&self, partition: PartitionId) {
        let notifier = self.notifiers.of(partition);
        if let WakeupMode::Poll { every_ms } = self.notifiers.current_mode() {
            // In time or not, the owner looks.
            let _ = tokio::time::timeout(Duration::from_millis(every_ms), notifier.notify.notified()).await;
            return;
        }
        let state = *notifier.wakefulness();
        let patience = match state {
            Wakefulness::Awake { until, next_look } if Instant::now() < until => {
                next_look.saturating_duration_since(Instant::now())
            }
            Wakefulness::Awake { .. } => {
                *notifier.wakefulness() = Wakefulness::FallingAsleep;
                tokio::spawn(fall_asleep(self.writes.clone(), self.notifiers.clone(), partition));
                SAFETY_LOOK
            }
            Wakefulness::FallingAsleep | Wakefulness::LastLook | Wakefulness::Asleep => SAFETY_LOOK,
        };
        // In time or not, the owner looks.
        let _ = tokio::time::timeout(patience, notifier.notify.notified()).await;
        let mut state = notifier.wakefulness();
        match *state {
            Wakefulness::Awake { until, .. } => {
                *state = Wakefulness::Awake { until, next_look: Instant::now() + AWAKE_LOOK };
            }
            Wakefulness::FallingAsleep => {}
            Wakefulness::LastLook | Wakefulness::Asleep
                if notifier.is_notified.swap(false, Ordering::AcqRel) =>
            {
                *state = Wakefulness::awake();
                tokio::spawn(mark(self.writes.clone(), self.notifiers.clone(), partition));
            }
            Wakefulness::LastLook | Wakefulness::Asleep => *state = Wakefulness::Asleep,
        }
    }
}

/// Notes that the owner wants to be notified, and lets it look once more.
async fn fall_asleep(pool: Arc<Pool>, notifiers: Arc<Notifiers>, partition: PartitionId) {
    let is_noted = mark(pool, notifiers.clone(), partition).await;
    let notifier = notifiers.of(partition);
    {
        let mut state = notifier.wakefulness();
        if *state == Wakefulness::FallingAsleep {
            *state = if is_noted { Wakefulness::LastLook } else { Wakefulness::awake() };
        }
    }
    notifier.notify.notify_one();
}

/// Writes whether the owner sleeps, as it is when its turn to write comes: the last mark that is written is the latest.
async fn mark(pool: Arc<Pool>, notifiers: Arc<Notifiers>, partition: PartitionId) -> bool {
    let notifier = notifiers.of(partition);
    let _marking = notifier.marking.lock().await;
    let is_asleep = !matches!(*notifier.wakefulness(), Wakefulness::Awake { .. });
    let call = Call::new(MARK, [partition.into(), Param::Bool(is_asleep)]);
    let Ok(mut lease) = pool.take().await else { return false };
    lease.transact(MARK_BEGIN, &[call], "COMMIT", &[]).await.into_rows().is_ok()
}
