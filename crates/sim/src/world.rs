//! The parts that everything in a run shares: the dice, simulated time, the store, the nodes, the ledger and the trace.

use crate::executor::{Executor, Group};
use crate::fleet::Member;
use crate::ledger::Ledger;
use crate::trace::Trace;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tidemill_model::dice::Dice;
use tidemill_model::{PartitionCount, Timestamp};
use tidemill_store_memory::{Memory, MemoryStore};
use tokio::time::Instant;

/// Simulated time begins here, in milliseconds since 1970.
const BEGINNING_MS: i64 = 1_800_000_000_000;

pub(crate) struct World {
    pub(crate) dice: Mutex<Dice>,
    pub(crate) tasks: Executor,
    pub(crate) memory: Memory,
    members: Mutex<Vec<Member>>,
    ledger: Mutex<Ledger>,
    trace: Mutex<Trace>,
    began: Instant,
    store_offset_ms: Arc<AtomicI64>,
    /// Leases of nodes that died before the store's clock was set back last until about then.
    pub(crate) leases_last_until_ms: AtomicU64,
    /// Faults may happen.
    pub(crate) is_rough: AtomicBool,
    /// In percent: how many calls are lost or late while it is rough.
    pub(crate) roughness: AtomicU64,
    /// The time by which commits take longer than usual.
    pub(crate) commit_delay_ms: AtomicU64,
    groups: AtomicU64,
}

impl World {
    pub(crate) fn new(seed: u64, partitions: PartitionCount, trace: Trace) -> Arc<World> {
        let (began, store_offset_ms) = (Instant::now(), Arc::new(AtomicI64::new(0)));
        let offset_ms = store_offset_ms.clone();
        let clock = move || Timestamp(BEGINNING_MS + ms(began.elapsed()) + offset_ms.load(Ordering::Relaxed));
        Arc::new(World {
            dice: Mutex::new(Dice::new(seed)),
            tasks: Executor::default(),
            memory: Memory::with_clock(partitions, Arc::new(clock)),
            members: Mutex::default(),
            ledger: Mutex::default(),
            trace: Mutex::new(trace),
            began,
            store_offset_ms,
            leases_last_until_ms: AtomicU64::new(0),
            is_rough: AtomicBool::new(false),
            roughness: AtomicU64::new(0),
            commit_delay_ms: AtomicU64::new(0),
            groups: AtomicU64::new(0),
        })
    }

    /// From 0 up to, not including, `sides`.
    pub(crate) fn below(&self, sides: u64) -> u64 {
        lock(&self.dice).below(sides)
    }

    pub(crate) fn between(&self, from: u64, to: u64) -> u64 {
        from + self.below(to.saturating_sub(from) + 1)
    }

    pub(crate) fn percent(&self, chance: u64) -> bool {
        self.below(100) < chance
    }

    pub(crate) fn next(&self) -> u64 {
        lock(&self.dice).roll()
    }

    /// Something rare happens only while faults may.
    pub(crate) fn is_struck(&self, per_mille: u64) -> bool {
        self.is_rough.load(Ordering::Relaxed)
            && self.below(100_000) < per_mille * self.roughness.load(Ordering::Relaxed)
    }

    /// Milliseconds since the run began.
    pub(crate) fn now_ms(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// The true time of day, which no clock needs to show.
    pub(crate) fn time_of_day(&self) -> Timestamp {
        Timestamp(BEGINNING_MS + ms(self.began.elapsed()))
    }

    pub(crate) fn set_store_clock_back(&self, by_ms: i64) {
        self.store_offset_ms.fetch_sub(by_ms, Ordering::Relaxed);
        self.leases_last_until_ms.fetch_max(self.now_ms().saturating_add_signed(by_ms), Ordering::Relaxed);
    }

    pub(crate) fn store_offset_ms(&self) -> i64 {
        self.store_offset_ms.load(Ordering::Relaxed)
    }

    /// The store as searches see it. They are not paced and look at once.
    pub(crate) fn store(&self) -> MemoryStore {
        self.memory.open()
    }

    /// A node of an older version is there.
    pub(crate) fn has_old_node(&self) -> bool {
        self.members().iter().any(|member| member.group.is_some() && member.is_old)
    }

    pub(crate) fn members(&self) -> MutexGuard<'_, Vec<Member>> {
        lock(&self.members)
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    pub(crate) fn new_group(&self) -> Group {
        Group(self.groups.fetch_add(1, Ordering::Relaxed) + 1)
    }

    pub(crate) fn spawn(&self, group: Group, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(group, Box::pin(task));
    }

    pub(crate) fn note(&self, what: impl FnOnce() -> String) {
        let now_ms = self.now_ms();
        lock(&self.trace).note(now_ms, what);
    }

    pub(crate) fn trace_hash(&self) -> u64 {
        lock(&self.trace).hash()
    }

    /// Something that must not happen.
    pub(crate) fn violation(&self, text: String) {
        self.note(|| format!("VIOLATION {text}"));
        let now_ms = self.now_ms();
        self.ledger().violations.push(format!("at {now_ms} ms: {text}"));
    }

    pub(crate) async fn pause(&self, from_ms: u64, to_ms: u64) {
        tokio::time::sleep(Duration::from_millis(self.between(from_ms, to_ms))).await;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
