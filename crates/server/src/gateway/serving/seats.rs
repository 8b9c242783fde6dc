//! Who is connected, and what each connection is doing. When all seats are taken, somebody who only waits gives up
//! theirs, those of the address that has most of them first, so that nobody can lock the others out.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Seats beyond the limit, for those who ask whether the server is well while everybody else is served.
const RESERVE: usize = 64;
/// So many give up their seats at once, because looking for them costs as much as there are connections.
const EVICTED_AT_ONCE: usize = 64;

/// What a connection is doing, in the order in which it may lose its seat.
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

pub(super) struct Seat {
    address: IpAddr,
    phase: AtomicU8,
    /// When the phase began, counted from the start of the server.
    since_ms: AtomicU64,
    clock: Instant,
    told_to_go: Notify,
    has_unread: AtomicBool,
    /// Beyond the limit: only for questions about health.
    pub(super) is_reserved: bool,
}

impl Seat {
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

    /// Done when the seat is needed for somebody else, or the time for a head is over.
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

pub(super) struct Seats {
    max: usize,
    /// Of one address.
    share_max: usize,
    clock: Instant,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    seats: BTreeMap<u64, Arc<Seat>>,
    by_address: HashMap<IpAddr, usize>,
}

impl Seats {
    pub(super) fn new(max: usize) -> Arc<Seats> {
        let max = max.max(1);
        // The last tenth is for others.
        let share_max = max - max / 10;
        Arc::new(Seats { max, share_max, clock: Instant::now(), taken: Mutex::default() })
    }

    /// None where even the reserve is used up.
    pub(super) fn take(self: &Arc<Seats>, address: IpAddr) -> Option<Guest> {
        let mut taken = self.taken();
        let of_address = taken.by_address.get(&address).copied().unwrap_or_default();
        if of_address >= self.share_max {
            taken.evict(Some(address));
        } else if taken.seats.len() >= self.max {
            taken.evict(None);
        }
        let of_address = taken.by_address.get(&address).copied().unwrap_or_default();
        let is_reserved = taken.seats.len() >= self.max || of_address >= self.share_max;
        if taken.seats.len() >= self.max + RESERVE {
            return None;
        }
        let seat = Arc::new(Seat {
            address,
            phase: AtomicU8::new(Phase::Fresh as u8),
            since_ms: AtomicU64::new(0),
            clock: self.clock,
            told_to_go: Notify::new(),
            has_unread: AtomicBool::new(false),
            is_reserved,
        });
        seat.enter(Phase::Fresh);
        let number = taken.next;
        taken.next += 1;
        taken.seats.insert(number, Arc::clone(&seat));
        *taken.by_address.entry(address).or_default() += 1;
        Some(Guest { seat, number, seats: Arc::clone(self) })
    }

    /// Sends away who has begun nothing, or a head that it does not end.
    pub(super) fn sweep(&self, head_timeout: Duration) {
        let mut taken = self.taken();
        let patience_ms = u64::try_from(head_timeout.as_millis()).unwrap_or(u64::MAX);
        let now_ms = u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(u64::MAX);
        let is_late = |seat: &Seat| {
            matches!(seat.phase(), Phase::Fresh | Phase::Head)
                && now_ms.saturating_sub(seat.since_ms()) > patience_ms
        };
        let late: Vec<u64> =
            taken.seats.iter().filter(|(_, seat)| is_late(seat)).map(|(number, _)| *number).collect();
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
    /// Of one address, or of the one that has most of those who could go.
    fn evict(&mut self, address: Option<IpAddr>) {
        let can_go = |seat: &Seat| seat.phase() < Phase::Busy;
        let address = address.or_else(|| {
            let mut counts: HashMap<IpAddr, usize> = HashMap::new();
            for seat in self.seats.values().filter(|seat| can_go(seat)) {
                *counts.entry(seat.address).or_default() += 1;
            }
            counts.into_iter().max_by_key(|(_, count)| *count).map(|(address, _)| address)
        });
        let Some(address) = address else { return };
        let of_address = self.seats.iter().filter(|(_, seat)| seat.address == address && can_go(seat));
        let mut candidates: Vec<(Phase, u64, u64)> =
            of_address.map(|(number, seat)| (seat.phase(), seat.since_ms(), *number)).collect();
        let count = EVICTED_AT_ONCE.min(candidates.len().div_ceil(2));
        if count < candidates.len() {
            candidates.select_nth_unstable(count);
        }
        candidates.into_iter().take(count).for_each(|(.., number)| self.send_away(number));
    }

    fn send_away(&mut self, number: u64) {
        if let Some(seat) = self.remove(number) {
            seat.told_to_go.notify_one();
        }
    }

    fn remove(&mut self, number: u64) -> Option<Arc<Seat>> {
        let seat = self.seats.remove(&number)?;
        if let Some(count) = self.by_address.get_mut(&seat.address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&seat.address);
            }
        }
        Some(seat)
    }
}

/// A seat that is given back when its connection has ended.
pub(super) struct Guest {
    pub(super) seat: Arc<Seat>,
    number: u64,
    seats: Arc<Seats>,
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.seats.taken().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn is_told(guest: &Guest) -> bool {
        use futures_util::FutureExt;
        guest.seat.told_to_go().now_or_never().is_some()
    }

    #[test]
    fn who_only_waits_makes_room() {
        let seats = Seats::new(10);
        let greedy: Vec<Guest> = (0..7).filter_map(|_| seats.take(address(1))).collect();
        let modest: Vec<Guest> = (0..3).filter_map(|_| seats.take(address(2))).collect();
        greedy[0].seat.enter(Phase::Busy);
        let newcomer = seats.take(address(3)).expect("a seat");
        assert!(!newcomer.seat.is_reserved);
        assert!(!is_told(&greedy[0]), "it has a request in hand");
        assert_eq!(greedy.iter().filter(|guest| is_told(guest)).count(), 3, "half of those who could go");
        assert!(!modest.iter().any(is_told));
    }

    #[test]
    fn an_address_has_its_share() {
        let seats = Seats::new(20);
        let greedy: Vec<Guest> = (0..18).filter_map(|_| seats.take(address(1))).collect();
        greedy.iter().for_each(|guest| guest.seat.enter(Phase::Busy));
        let beyond = seats.take(address(1)).expect("one of the reserve");
        assert!(beyond.seat.is_reserved);
        assert!(!seats.take(address(2)).expect("a seat").seat.is_reserved);
        drop(greedy);
        assert!(!seats.take(address(1)).expect("a seat").seat.is_reserved);
    }

    #[test]
    fn the_reserve_has_an_end() {
        let seats = Seats::new(1);
        let busy: Vec<Guest> = (0..=RESERVE)
            .map(|_| {
                let guest = seats.take(address(1)).expect("a seat");
                guest.seat.enter(Phase::Busy);
                guest
            })
            .collect();
        assert!(!busy[0].seat.is_reserved && busy[1].seat.is_reserved);
        assert!(seats.take(address(2)).is_none());
    }

    #[test]
    fn heads_have_their_time() {
        let seats = Seats::new(10);
        let guests: Vec<Guest> = (0..3).filter_map(|_| seats.take(address(1))).collect();
        guests[1].seat.enter(Phase::Idle);
        guests[2].seat.received();
        std::thread::sleep(Duration::from_millis(5));
        seats.sweep(Duration::from_millis(1));
        assert!(is_told(&guests[0]) && !is_told(&guests[1]) && is_told(&guests[2]));
    }
}
