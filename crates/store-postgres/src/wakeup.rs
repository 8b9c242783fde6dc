//! Wake-ups. In this process a bell per partition; for owners elsewhere one notification channel, used only for
//! partitions whose owner has noted in `naps` that it sleeps deeply. An owner does that once, when nothing has
//! come for a while, and looks at its inbox again before it relies on being woken.

use crate::PostgresStore;
use crate::call::{Call, Param, small};
use crate::connect::Pool;
use async_trait::async_trait;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
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

/// An owner that has nothing to do for this long goes to sleep.
const AWAKE: Duration = Duration::from_millis(100);
/// While the connection that listens is lost.
const DEAF: WakeupMode = WakeupMode::Poll { every_ms: 100 };
/// A look at the inbox in spite of sleep.
const SAFETY_LOOK: Duration = Duration::from_secs(5);

/// The flag is read after the append is visible, so an owner that sets it and then looks misses nothing.
const NOTIFY: &str = "SELECT pg_notify($2, string_agg(partition_id::text, ',')) FROM naps \
    WHERE is_asleep AND partition_id = ANY($1) HAVING count(*) > 0";

const NAP: &str = "UPDATE naps SET is_asleep = $2 WHERE partition_id = $1 AND is_asleep <> $2";

struct Bell {
    notify: Notify,
    /// The owner is in this process, so nobody has to be notified.
    is_ours: AtomicBool,
    rest: Mutex<Rest>,
}

/// How deeply an owner sleeps. Kept here and not in a future, because an owner waits for several things at once
/// and drops the wait when another of them happens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Awake,
    /// Its wish to be notified is being noted.
    Nodding,
    /// It is noted; what came before that must be looked for once more.
    Lying,
    Asleep,
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
            rest: Mutex::new(Rest::Awake),
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

    /// For when it is not known who was meant.
    pub(crate) fn ring_every(&self) {
        self.bells.iter().for_each(|bell| bell.notify.notify_one());
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
        *self.of(partition).rest.lock().expect("no holder panics") = Rest::Awake;
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
        let mode = self.bells.current_mode();
        let rest = || *bell.rest.lock().expect("no holder panics");
        if mode == WakeupMode::Notify && rest() == Rest::Awake {
            if tokio::time::timeout(AWAKE, bell.notify.notified()).await.is_ok() {
                return;
            }
            *bell.rest.lock().expect("no holder panics") = Rest::Nodding;
            tokio::spawn(nod_off(self.writes.clone(), self.bells.clone(), partition));
        }
        let patience = match mode {
            WakeupMode::Poll { every_ms } => Duration::from_millis(every_ms),
            WakeupMode::Notify => SAFETY_LOOK,
        };
        let was_rung = tokio::time::timeout(patience, bell.notify.notified()).await.is_ok();
        let before = rest();
        match before {
            Rest::Lying => *bell.rest.lock().expect("no holder panics") = Rest::Asleep,
            Rest::Asleep if was_rung => {
                *bell.rest.lock().expect("no holder panics") = Rest::Awake;
                tokio::spawn(note(self.writes.clone(), partition, false));
            }
            Rest::Asleep | Rest::Awake | Rest::Nodding => {}
        }
    }
}

/// Notes that the owner wants to be notified, and lets it look once more.
async fn nod_off(pool: Arc<Pool>, bells: Arc<Bells>, partition: PartitionId) {
    let is_noted = note(pool, partition, true).await;
    let bell = bells.of(partition);
    {
        let mut rest = bell.rest.lock().expect("no holder panics");
        if *rest == Rest::Nodding {
            *rest = if is_noted { Rest::Lying } else { Rest::Awake };
        }
    }
    bell.notify.notify_one();
}

async fn note(pool: Arc<Pool>, partition: PartitionId, is_asleep: bool) -> bool {
    let call = Call::new(NAP, [partition.into(), Param::Bool(is_asleep)]);
    pool.write(&[call]).await.is_ok()
}
