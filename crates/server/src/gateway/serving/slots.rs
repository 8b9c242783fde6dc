//! Connection slots: one for each connection, with what it is doing. When all slots are taken, connections that only wait lose theirs,
//! those of the address that has most of them first, so that no client can lock the others out.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Slots beyond the limit, so that questions about the health of the server are answered while all other slots are taken.
const RESERVE: usize = 64;
/// Connections that lose their slots at once: finding them means a look at every connection, so it must not happen for each new one.
const EVICTED_AT_ONCE: usize = 64;

/// The phase of a connection, in the order in which it may lose its slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum Phase {
    /// It was answered for the last time, and what it still sends is thrown away.
    Leaving,
    /// It has sent nothing yet.
    Fresh,
    /// It has sent a part of a request's head.
    Head,
    /// It was answered and may ask again.
    Idle,
    /// It sends a body.
    Body,
    /// It waits for an answer, or is getting one.
    Busy,
}

const PHASES: [Phase; 6] = [Phase::Leaving, Phase::Fresh, Phase::Head, Phase::Idle, Phase::Body, Phase::Busy];

pub(super) struct ConnectionSlot {
    address: IpAddr,
    phase: AtomicU8,
    /// The begin of the phase, counted from the start of the server.
    since_ms: AtomicU64,
    clock: Instant,
    told_to_go: Notify,
    has_unread: AtomicBool,
    /// Beyond the limit: only for questions about health.
    pub(super) is_reserved: bool,
}

impl ConnectionSlot {
    pub(super) fn enter(&self, phase: Phase) {
        self.since_ms.store(self.now_ms(), Ordering::Relaxed);
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// Bytes have come in. They begin a head where none was on its way.
    pub(super) fn received(&self) {
        if matches!(self.phase(), Phase::Fresh | Phase::Idle) {
            self.enter(Phase::Head);
        }
    }

    /// The answer was given before the request had come in as a whole.
    pub(super) fn leave_unread(&self) {
        self.has_unread.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_unread(&self) -> bool {
        self.has_unread.load(Ordering::Relaxed)
    }

    /// Completes when the slot is needed for another connection, or when the time for a head is over.
    pub(super) async fn told_to_go(&self) {
        self.told_to_go.notified().await;
    }

    fn phase(&self) -> Phase {
        PHASES[usize::from(self.phase.load(Ordering::Relaxed))]
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn since_ms(&self) -> u64 {
        self.since_ms.load(Ordering::Relaxed)
    }
}

pub(super) struct ConnectionSlots {
    max: usize,
    /// Of one address.
    share_max: usize,
    clock: Instant,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    slots: BTreeMap<u64, Arc<ConnectionSlot>>,
    by_address: HashMap<IpAddr, usize>,
}

impl ConnectionSlots {
    pub(super) fn new(max: usize) -> Arc<ConnectionSlots> {
        let max = max.max(1);
        // The last tenth is for others.
        let share_max = max - max / 10;
        Arc::new(ConnectionSlots { max, share_max, clock: Instant::now(), taken: Mutex::default() })
    }

    /// None where even the reserve is used up.
    pub(super) fn take(self: &Arc<ConnectionSlots>, address: IpAddr) -> Option<HeldSlot> {
        let mut taken = self.taken();
        let of_address = taken.by_address.get(&address).copied().unwrap_or_default();
        if of_address >= self.share_max {
            taken.evict(Some(address));
        } else if taken.slots.len() >= self.max {
            taken.evict(None);
        }
        let of_address = taken.by_address.get(&address).copied().unwrap_or_default();
        let is_reserved = taken.slots.len() >= self.max || of_address >= self.share_max;
        if taken.slots.len() >= self.max + RESERVE {
            return None;
        }
        let slot = Arc::new(ConnectionSlot {
            address,
            phase: AtomicU8::new(Phase::Fresh as u8),
            since_ms: AtomicU64::new(0),
            clock: self.clock,
            told_to_go: Notify::new(),
            has_unread: AtomicBool::new(false),
            is_reserved,
        });
        slot.enter(Phase::Fresh);
        let number = taken.next;
        taken.next += 1;
        taken.slots.insert(number, Arc::clone(&slot));
        *taken.by_address.entry(address).or_default() += 1;
        Some(HeldSlot { slot, number, slots: Arc::clone(self) })
    }

    /// Ends connections that have not sent the head of a request in time.
    pub(super) fn sweep(&self, head_timeout: Duration) {
        let mut taken = self.taken();
        let patience_ms = u64::try_from(head_timeout.as_millis()).unwrap_or(u64::MAX);
        let now_ms = u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(u64::MAX);
        let is_late = |slot: &ConnectionSlot| {
            matches!(slot.phase(), Phase::Fresh | Phase::Head)
                && now_ms.saturating_sub(slot.since_ms()) > patience_ms
        };
        let late: Vec<u64> =
            taken.slots.iter().filter(|(_, slot)| is_late(slot)).map(|(number, _)| *number).collect();
        late.into_iter().for_each(|number| taken.send_away(number));
    }

    /// The system has no room for another connection.
    pub(super) fn make_room(&self) {
        self.taken().evict(None);
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().expect("nobody panics with it")
    }
}

impl Taken {
    /// Ends connections of one address; of the one with most connections that may lose their slot where none is given.
    fn evict(&mut self, address: Option<IpAddr>) {
        let can_go = |slot: &ConnectionSlot| slot.phase() < Phase::Busy;
        let address = address.or_else(|| {
            let mut counts: HashMap<IpAddr, usize> = HashMap::new();
            for slot in self.slots.values().filter(|slot| can_go(slot)) {
                *counts.entry(slot.address).or_default() += 1;
            }
            counts.into_iter().max_by_key(|(_, count)| *count).map(|(address, _)| address)
        });
        let Some(address) = address else { return };
        let of_address = self.slots.iter().filter(|(_, slot)| slot.address == address && can_go(slot));
        let mut candidates: Vec<(Phase, u64, u64)> =
            of_address.map(|(number, slot)| (slot.phase(), slot.since_ms(), *number)).collect();
        let count = EVICTED_AT_ONCE.min(candidates.len().div_ceil(2));
        if count < candidates.len() {
            candidates.select_nth_unstable(count);
        }
        candidates.into_iter().take(count).for_each(|(.., number)| self.send_away(number));
    }

    fn send_away(&mut self, number: u64) {
        if let Some(slot) = self.remove(number) {
            slot.told_to_go.notify_one();
        }
    }

    fn remove(&mut self, number: u64) -> Option<Arc<ConnectionSlot>> {
        let slot = self.slots.remove(&number)?;
        if let Some(count) = self.by_address.get_mut(&slot.address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&slot.address);
            }
        }
        Some(slot)
    }
}

/// A slot that is given back when its connection has ended.
pub(super) struct HeldSlot {
    pub(super) slot: Arc<ConnectionSlot>,
    number: u64,
    slots: Arc<ConnectionSlots>,
}

impl Drop for HeldSlot {
    fn drop(&mut self) {
        self.slots.taken().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn is_told(held: &HeldSlot) -> bool {
        use futures_util::FutureExt;
        held.slot.told_to_go().now_or_never().is_some()
    }

    #[test]
    fn who_only_waits_makes_room() {
        let slots = ConnectionSlots::new(10);
        let greedy: Vec<HeldSlot> = (0..7).filter_map(|_| slots.take(address(1))).collect();
        let modest: Vec<HeldSlot> = (0..3).filter_map(|_| slots.take(address(2))).collect();
        greedy[0].slot.enter(Phase::Busy);
        let newcomer = slots.take(address(3)).expect("a slot");
        assert!(!newcomer.slot.is_reserved);
        assert!(!is_told(&greedy[0]), "it has a request in hand");
        assert_eq!(greedy.iter().filter(|held| is_told(held)).count(), 3, "half of those who could go");
        assert!(!modest.iter().any(is_told));
    }

    #[test]
    fn an_address_has_its_share() {
        let slots = ConnectionSlots::new(20);
        let greedy: Vec<HeldSlot> = (0..18).filter_map(|_| slots.take(address(1))).collect();
        greedy.iter().for_each(|held| held.slot.enter(Phase::Busy));
        let beyond = slots.take(address(1)).expect("one of the reserve");
        assert!(beyond.slot.is_reserved);
        assert!(!slots.take(address(2)).expect("a slot").slot.is_reserved);
        drop(greedy);
        assert!(!slots.take(address(1)).expect("a slot").slot.is_reserved);
    }

    #[test]
    fn the_reserve_has_an_end() {
        let slots = ConnectionSlots::new(1);
        let busy: Vec<HeldSlot> = (0..=RESERVE)
            .map(|_| {
                let held = slots.take(address(1)).expect("a slot");
                held.slot.enter(Phase::Busy);
                held
            })
            .collect();
        assert!(!busy[0].slot.is_reserved && busy[1].slot.is_reserved);
        assert!(slots.take(address(2)).is_none());
    }

    #[test]
    fn heads_have_their_time() {
        let slots = ConnectionSlots::new(10);
        let held_slots: Vec<HeldSlot> = (0..3).filter_map(|_| slots.take(address(1))).collect();
        held_slots[1].slot.enter(Phase::Idle);
        held_slots[2].slot.received();
        std::thread::sleep(Duration::from_millis(5));
        slots.sweep(Duration::from_millis(1));
        assert!(is_told(&held_slots[0]) && !is_told(&held_slots[1]) && is_told(&held_slots[2]));
    }
}
