//! A shard, a store and clients, with everything that can go wrong between them; and the simple model that says what must
//! hold after each commit.

use crate::store::{Store, delivered};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use tidemill_timers::block::{Entry, Flags, PlaceId, Scope};
use tidemill_timers::shard::{
    Address, Answer, Batch, Commit, Config, Create, FIRST_KEPT_LANE, Firing, Mode, Need, Next, Request,
    Retry, Shard, Supply, Target, Ticket,
};

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum State {
    Live,
    Paused,
    /// Its delivery must be in the batch that answered.
    Triggered,
    Fired,
    Cancelled,
}

#[derive(Clone, Debug)]
pub(crate) struct Timer {
    pub(crate) address: Address,
    pub(crate) scope: Arc<Scope>,
    /// It must not fire before.
    pub(crate) asked_ms: i64,
    pub(crate) state: State,
    /// Occurrences that follow the next one.
    pub(crate) left: u8,
    /// Occurrences that were triggered: they must be in the batch that answered.
    owed: u8,
}

/// A timer that was given up and is tried again, by its id, its scheduled time and its attempt.
type Again = (PlaceId, i64, u32);

pub(crate) struct World {
    pub(crate) config: Config,
    pub(crate) store: Store,
    pub(crate) shard: Shard,
    pub(crate) now_ms: i64,
    pub(crate) in_flight: Option<Batch>,
    /// Reads that were asked for, and what the store answered if it was looked at.
    pub(crate) reads: VecDeque<(u64, Need, Option<Supply>)>,
    pub(crate) asked: BTreeMap<Ticket, Request>,
    pub(crate) timers: BTreeMap<i64, Timer>,
    pub(crate) own: BTreeMap<PlaceId, i64>,
    pub(crate) delivered: Vec<Entry>,
    pub(crate) tickets: Ticket,
    pub(crate) answers: Vec<(Ticket, Answer)>,
    pub(crate) fired: usize,
    pub(crate) bytes_highest: usize,
    /// Commits that were refused to the owner itself.
    pub(crate) fenced: usize,
    /// The latest time of a batch: the clock may have gone back since.
    latest_ms: i64,
    is_quick: bool,
    ever_paused: BTreeSet<Scope>,
    /// Timers that were given up and wait to be tried again, and how many of each.
    again: BTreeMap<Again, usize>,
    /// The key of the last delivery of an id that was tried again.
    retried: BTreeMap<PlaceId, i64>,
    /// Schedules that the last batch has answered requests about.
    touched: BTreeSet<i64>,
}

/// Between two occurrences of a schedule, by the second byte of its payload.
pub(crate) fn period_ms(code: u8) -> i64 {
    [1, 700, 5_000, 90_000][usize::from(code % 4)]
}

/// The first byte of the payload says how many occurrences follow.
pub(crate) fn repeat(entry: &Entry, _: i64) -> Firing {
    let scheduled_ms = entry.scheduled_ms + period_ms(entry.payload[1]);
    let payload: Box<[u8]> = [entry.payload[0].saturating_sub(1), entry.payload[1]].into();
    let next = (entry.payload[0] > 0).then_some(Next { due_ms: scheduled_ms, scheduled_ms, payload });
    Firing { told_ms: Some(entry.scheduled_ms), next }
}

fn place_id(address: Address) -> PlaceId {
    match address {
        Address::Generated { key, due_ms } => PlaceId::of_generated(key, due_ms),
        Address::Own(id) => id,
    }
}

fn again(entry: &Entry) -> Again {
    (entry.place_id(), entry.scheduled_ms, entry.attempt)
}

pub(crate) fn scope(n: u8) -> Arc<Scope> {
    Arc::new(Scope { tenant: format!("t{}", n / 2), namespace: format!("n{}", n % 2) })
}

fn create(due_ms: i64, own_id: Option<PlaceId>, mode: Mode, scope: Arc<Scope>, bytes: usize) -> Create {
    let lane = FIRST_KEPT_LANE + due_ms.rem_euclid(3) as u32;
    let target = Target { lane, data: Arc::from(&b"target"[..]) };
    let (flags, payload) = (Flags(0), vec![7; bytes].into());
    Create { own_id, mode, scope, due_ms, scheduled_ms: None, target, flags, payload }
}

impl World {
    pub(crate) fn new(config: Config) -> World {
        World {
            config,
            store: Store { page_places: 3, ..Store::default() },
            shard: Shard::new(config),
            now_ms: 1_700_000_000_000,
            in_flight: None,
            reads: VecDeque::new(),
            asked: BTreeMap::new(),
            timers: BTreeMap::new(),
            own: BTreeMap::new(),
            delivered: Vec::new(),
            tickets: 0,
            answers: Vec::new(),
            fired: 0,
            bytes_highest: 0,
            fenced: 0,
            latest_ms: 0,
            is_quick: false,
            ever_paused: BTreeSet::new(),
            again: BTreeMap::new(),
            retried: BTreeMap::new(),
            touched: BTreeSet::new(),
        }
    }

    pub(crate) fn create_schedule(&mut self, due_ms: i64, left: u8, period: u8, scope: Arc<Scope>) {
        let (flags, payload) = (Flags::REPEATS, [left, period].into());
        let create = Create { flags, payload, ..create(due_ms, None, Mode::Fail, scope, 0) };
        self.send(Request::Create(create));
    }

    pub(crate) fn send(&mut self, request: Request) -> Option<Ticket> {
        self.tickets += 1;
        self.shard.offer(self.tickets, request.clone()).ok()?;
        self.asked.insert(self.tickets, request);
        Some(self.tickets)
    }

    pub(crate) fn create(
        &mut self,
        due_ms: i64,
        own: Option<PlaceId>,
        mode: Mode,
        scope: Arc<Scope>,
        bytes: usize,
    ) {
        self.send(Request::Create(create(due_ms, own, mode, scope, bytes)));
    }

    pub(crate) fn create_all(&mut self, due_ms: impl Iterator<Item = i64>, scope: Arc<Scope>) {
        let creates: Vec<Create> =
            due_ms.map(|due_ms| create(due_ms, None, Mode::Fail, scope.clone(), 0)).collect();
        // A bulk may have an eighth of the memory.
        let largest = (self.config.memory_bytes_max / 8 - size_of::<Request>()) / size_of::<Create>();
        for bulk in creates.chunks(largest) {
            self.send(Request::CreateAll(bulk.into()));
        }
    }

    /// The nth timer that clients know of.
    pub(crate) fn nth(&self, nth: usize) -> Option<(i64, Timer)> {
        let at = nth.checked_rem(self.timers.len())?;
        self.timers.iter().nth(at).map(|(key, timer)| (*key, timer.clone()))
    }

    pub(crate) fn ask(&mut self) {
        let needs = self.shard.needs(self.now_ms);
        self.reads.extend(needs.into_iter().map(|(id, need)| (id, need, None)));
    }

    pub(crate) fn look(&mut self, nth: usize) {
        if let Some(at) = nth.checked_rem(self.reads.len()) {
            let (_, need, supply) = &mut self.reads[at];
            *supply = Some(self.store.read(*need));
        }
    }

    pub(crate) fn arrive(&mut self, nth: usize) {
        let Some(at) = nth.checked_rem(self.reads.len()) else { return };
        if self.reads[at].2.is_none() {
            return;
        }
        let Some((id, need, Some(supply))) = self.reads.remove(at) else { return };
        let answers = self.shard.supply(id, supply.clone(), self.now_ms).expect("no block is damaged");
        if let (Need::Settle { .. }, Supply::Settled { was_written: true, .. }) = (need, supply) {
            let batch = self.in_flight.take().expect("an unknown batch is settled");
            self.apply(&batch, answers);
        } else if matches!(need, Need::Settle { .. }) {
            self.in_flight = None;
        }
    }

    pub(crate) fn close(&mut self) {
        if self.in_flight.is_none() {
            self.in_flight = self.shard.close(self.now_ms);
        }
        self.check_memory();
    }

    fn check_memory(&mut self) {
        self.bytes_highest = self.bytes_highest.max(self.shard.bytes());
    }

    fn is_unsettled(&self) -> bool {
        self.in_flight.as_ref().is_some_and(|batch| self.store.batches.contains(&batch.id))
            || self.reads.iter().any(|(_, need, _)| matches!(need, Need::Settle { .. }))
    }

    pub(crate) fn land(&mut self) {
        if self.is_unsettled() {
            return;
        }
        let Some(batch) = self.in_flight.take() else { return };
        match self.store.commit(&batch) {
            Commit::Written => {
                let answers = self.shard.landed(Commit::Written);
                self.apply(&batch, answers);
            }
            Commit::Fenced => {
                self.fenced += 1;
                self.start_anew();
            }
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn lose(&mut self) {
        if !self.is_unsettled() && self.in_flight.take().is_some() {
            self.shard.landed(Commit::NotWritten);
        }
    }

    /// The connection is lost at the commit.
    pub(crate) fn lose_sight(&mut self, was_written: bool) {
        if self.is_unsettled() {
            return;
        }
        let Some(batch) = &self.in_flight else { return };
        if was_written && self.store.commit(batch) == Commit::Fenced {
            return self.start_anew();
        }
        self.shard.landed(Commit::Unknown);
        self.ask();
    }

    /// The process dies, before or after its commit was written.
    pub(crate) fn crash(&mut self, was_written: bool) {
        let is_written_already = self.is_unsettled();
        if let Some(batch) = self.in_flight.take() {
            let is_known = is_written_already && self.store.batches.contains(&batch.id);
            let is_written = is_known
                || (was_written && !is_written_already && self.store.commit(&batch) == Commit::Written);
            if is_written {
                // The answers were on their way: clients do not see them, but they are true.
                let answers = self.shard.landed(Commit::Written);
                self.apply(&batch, answers);
            }
        }
        self.store.epoch += 1;
        self.start_anew();
    }

    /// Another owner takes over while this one has a batch in hand, which must fail then.
    pub(crate) fn take_over(&mut self) {
        if self.is_unsettled() {
            return;
        }
        self.close();
        self.store.epoch += 1;
        if let Some(batch) = self.in_flight.take() {
            assert_eq!(self.store.commit(&batch), Commit::Fenced);
            let asked = self.asked.len();
            let told = self.shard.landed(Commit::Fenced);
            assert_eq!(told.len(), asked, "everyone who waits is told");
            assert!(self.shard.needs(self.now_ms).is_empty(), "who lost the shard reads no more");
            assert!(told.iter().all(|(_, answer)| matches!(answer, Answer::Moved | Answer::Unknown)));
            assert!(self.shard.close(self.now_ms).is_none(), "who lost the shard writes no more");
        }
        self.start_anew();
    }

    fn start_anew(&mut self) {
        self.shard = Shard::new(self.config);
        self.in_flight = None;
        self.reads.clear();
        self.asked.clear();
    }

    /// A batch was written: its answers and deliveries are true from now on.
    fn apply(&mut self, batch: &Batch, answers: Vec<(Ticket, Answer)>) {
        self.latest_ms = self.latest_ms.max(batch.at_ms);
        self.touched.clear();
        self.ever_paused.extend(batch.namespaces.iter().map(|(scope, _)| scope.clone()));
        for (ticket, answer) in answers {
            self.answers.push((ticket, answer.clone()));
            if let Some(request) = self.asked.remove(&ticket) {
                self.apply_answer(batch, request, answer);
            }
        }
        for entry in delivered(batch) {
            self.apply_delivery(batch, entry);
        }
        let owed = self.timers.iter().find(|(_, timer)| timer.owed > 0);
        assert!(owed.is_none(), "triggered, but not delivered: {owed:?}");
        self.check_live(batch);
    }

    fn timer(&mut self, address: Address) -> Option<(i64, &mut Timer)> {
        let key = match address {
            Address::Generated { key, .. } => key,
            Address::Own(id) => *self.own.get(&id)?,
        };
        self.timers.get_mut(&key).map(|timer| (key, timer))
    }

    fn apply_answer(&mut self, batch: &Batch, request: Request, answer: Answer) {
        match (request, answer) {
            (Request::Create(create), Answer::Created { key, due_ms }) => {
                self.created(batch, create, key, due_ms)
            }
            (Request::CreateAll(creates), Answer::All(answers)) => {
                for (create, answer) in creates.iter().zip(answers) {
                    self.apply_answer(batch, Request::Create(create.clone()), answer);
                }
            }
            (Request::Revive { entry, .. }, Answer::Done) => {
                let revived = Entry { attempt: 0, ..*entry };
                *self.again.entry(again(&revived)).or_default() += 1;
            }
            (Request::Settle(settle), Answer::All(answers)) => {
                assert_eq!(answers.len(), settle.retries.len());
                for (Retry { entry, due_ms, of }, answer) in settle.retries.iter().zip(answers) {
                    let Answer::Created { key, due_ms: stored_ms } = answer else { panic!("{answer:?}") };
                    // It is asked for by the id of the timer that has fired.
                    let (id, scope) = (*of, entry.scope.clone());
                    let address = match id.generated() {
                        Some((key, due_ms)) => Address::Generated { key, due_ms },
                        None => Address::Own(id),
                    };
                    assert!(stored_ms >= *due_ms);
                    self.retried.insert(id, key);
                    let (asked_ms, state) = (*due_ms, State::Live);
                    let timer = Timer { address, scope, asked_ms, state, left: 0, owed: 0 };
                    assert!(self.timers.insert(key, timer).is_none(), "key {key} was used twice");
                }
                for entry in &settle.returned {
                    let timer = self.timers.get_mut(&entry.key).expect("only known timers are delivered");
                    assert_eq!(timer.state, State::Fired, "{} goes back, but has not fired", entry.key);
                    timer.state = State::Triggered;
                }
            }
            (Request::Cancel { address, .. }, answer) => self.cancelled(batch, address, answer),
            (Request::Get { address, .. }, Answer::Found { entry, .. }) => {
                // It may fire with the same batch, after it was looked at.
                let (key, timer) = self.timer(address).expect("only known timers are asked for");
                if entry.key != key {
                    assert_eq!(self.retried.get(&place_id(address)), Some(&entry.key));
                    return;
                }
                assert!(!matches!(timer.state, State::Fired | State::Cancelled), "{timer:?} was found");
            }
            (Request::Get { address, .. }, answer) => self.judge(batch, address, answer, |_| {}),
            (Request::Move { address, due_ms }, answer) => self.judge(batch, address, answer, |timer| {
                assert!(matches!(timer.state, State::Live | State::Paused), "{timer:?} was moved");
                timer.asked_ms = due_ms;
            }),
            (Request::Pause { address }, answer) => self.judge(batch, address, answer, |timer| {
                assert!(matches!(timer.state, State::Live | State::Paused), "{timer:?} was paused");
                timer.state = State::Paused;
            }),
            (Request::Resume { address }, answer) => self.judge(batch, address, answer, |timer| {
                if timer.state == State::Paused {
                    timer.state = State::Live;
                }
            }),
            (Request::Trigger { address }, answer) => self.judge(batch, address, answer, |timer| {
                assert!(matches!(timer.state, State::Live | State::Paused), "{timer:?} was triggered");
                if timer.left == 0 {
                    timer.state = State::Triggered;
                } else {
                    (timer.left, timer.owed, timer.asked_ms) = (timer.left - 1, timer.owed + 1, i64::MIN);
                }
            }),
            _ => {}
        }
    }

    /// A timer that has fired stays so; but its delivery may have waited to be tried again.
    fn cancelled(&mut self, batch: &Batch, address: Address, answer: Answer) {
        let is_alive = |timer: &Timer| matches!(timer.state, State::Live | State::Paused);
        let has_ended = self.timer(address).is_none_or(|(_, timer)| !is_alive(timer));
        if has_ended
            && answer == Answer::Done
            && let Some(retried) = self.retried.get(&place_id(address))
            && let Some(timer) = self.timers.get_mut(retried).filter(|timer| timer.state == State::Live)
        {
            timer.state = State::Cancelled;
        }
        self.judge(batch, address, answer, |timer| {
            if is_alive(timer) {
                timer.state = State::Cancelled;
            }
        });
    }

    /// The answers that are right for a timer that is alive: done, or that it is too late because it is due.
    fn judge(&mut self, batch: &Batch, address: Address, answer: Answer, done: impl FnOnce(&mut Timer)) {
        // It may have fired in the same batch, before the request came.
        let latest_ms = self.latest_ms;
        let Some((key, timer)) = self.timer(address) else { return };
        let fires_now = delivered(batch).iter().any(|entry| entry.key == key);
        match answer {
            Answer::Done => {
                done(timer);
                self.touched.insert(key);
            }
            _ if fires_now => {}
            Answer::Gone if timer.state == State::Live => {
                assert!(timer.asked_ms <= latest_ms, "{key} is called gone, but is not even due: {timer:?}");
            }
            Answer::NotFound => {
                let is_alive = matches!(timer.state, State::Live | State::Paused);
                assert!(!is_alive, "{key} was not found, but is alive: {timer:?}");
            }
            _ => {}
        }
    }

    fn created(&mut self, batch: &Batch, create: Create, key: i64, due_ms: i64) {
        assert!(due_ms >= create.due_ms);
        let address = match create.own_id {
            Some(id) => Address::Own(id),
            None => Address::Generated { key, due_ms },
        };
        if let Some(before) = create.own_id.and_then(|id| self.own.insert(id, key)) {
            let fires_now = delivered(batch).iter().any(|entry| entry.key == before);
            let is_stored = fires_now || self.store.live().contains_key(&before);
            let old = self.timers.get_mut(&before).expect("own ids name known timers");
            // Only what is being fired already may survive its replacement.
            if matches!(old.state, State::Live | State::Paused)
                && !(is_stored && old.asked_ms <= self.latest_ms)
            {
                old.state = State::Cancelled;
            }
        }
        let left = if create.flags.has(Flags::REPEATS) { create.payload[0] } else { 0 };
        let (asked_ms, scope) = (create.due_ms, create.scope);
        let timer = Timer { address, scope, asked_ms, state: State::Live, left, owed: 0 };
        assert!(self.timers.insert(key, timer).is_none(), "key {key} was used twice");
    }

    fn apply_delivery(&mut self, batch: &Batch, entry: Entry) {
        if entry.flags.has(Flags::DETACHED) {
            let waits = self.again.get_mut(&again(&entry)).filter(|waits| **waits > 0);
            *waits.expect("only what was retried fires again") -= 1;
            return self.delivered.push(entry);
        }
        let timer = self.timers.get_mut(&entry.key).expect("only created timers fire");
        if timer.owed > 0 {
            timer.owed -= 1;
            return self.delivered.push(entry);
        }
        if self.touched.contains(&entry.key) && entry.flags.has(Flags::REPEATS) && entry.payload[0] > 0 {
            // Fired before the requests of the same batch.
            timer.left = timer.left.saturating_sub(1);
            return self.delivered.push(entry);
        }
        match timer.state {
            State::Triggered => {}
            State::Live => {
                // A parked timer was due once, though the clock may have gone back since.
                let was_due = self.ever_paused.contains(&*timer.scope) && entry.due_ms <= self.latest_ms;
                assert!(was_due || entry.due_ms <= batch.at_ms, "{entry:?} fired early, at {}", batch.at_ms);
                assert!(timer.asked_ms <= entry.due_ms, "{entry:?} was asked for {}", timer.asked_ms);
                let is_paused =
                    self.store.namespaces.get(&*timer.scope).is_some_and(|pause| !pause.is_resuming);
                assert!(!is_paused, "{entry:?} fired, but its namespace is paused");
            }
            _ => panic!("{entry:?} fired, but it is {timer:?}"),
        }
        if timer.left > 0 {
            (timer.left, timer.state) = (timer.left - 1, State::Live);
            timer.asked_ms = entry.scheduled_ms + period_ms(entry.payload[1]);
        } else {
            timer.state = State::Fired;
        }
        self.fired += 1;
        self.delivered.push(entry);
    }

    /// The store holds exactly the timers that the model says are alive: none lost, none come back.
    fn check_live(&self, batch: &Batch) {
        if self.is_quick {
            return;
        }
        let stored = self.store.live();
        for (key, timer) in &self.timers {
            let is_alive = matches!(timer.state, State::Live | State::Paused);
            assert!(timer.state != State::Triggered, "{key} was triggered, but not delivered: {timer:?}");
            let is_stored = stored.contains_key(key);
            assert_eq!(
                is_alive,
                is_stored,
                "after batch {}: {key} is {timer:?}; stored: {:?}",
                batch.id,
                stored.get(key)
            );
        }
        let mut waiting: BTreeMap<Again, usize> = BTreeMap::new();
        for (key, entry) in &stored {
            if entry.flags.has(Flags::DETACHED) {
                *waiting.entry(again(entry)).or_default() += 1;
            } else {
                assert!(self.timers.contains_key(key), "{key} is stored, but was never answered");
            }
        }
        let expected: BTreeMap<Again, usize> = self
            .again
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(again, count)| (*again, *count))
            .collect();
        assert_eq!(waiting, expected, "after batch {}: occurrences that are tried again", batch.id);
    }

    /// A round without comparing the whole store with the model, for many timers.
    pub(crate) fn pump_quickly(&mut self) {
        self.is_quick = true;
        self.pump(1);
        self.is_quick = false;
    }

    /// Goes on without failures for some rounds.
    pub(crate) fn pump(&mut self, rounds: usize) {
        for _ in 0..rounds {
            self.ask();
            while !self.reads.is_empty() {
                self.look(0);
                self.arrive(0);
            }
            self.close();
            self.land();
        }
    }

    /// Every timer that is alive must fire in the end, and leave nothing behind.
    pub(crate) fn finish(&mut self) {
        self.pump(20);
        for n in 0..4 {
            self.send(Request::ResumeNamespace(scope(n)));
        }
        for (_, timer) in self.timers.clone() {
            while self.send(Request::Resume { address: timer.address }).is_none() {
                self.pump(4);
            }
        }
        for _ in 0..3_000 {
            self.pump(2);
            let is_over = |timer: &Timer| !matches!(timer.state, State::Live | State::Paused);
            let is_tried = self.again.values().all(|count| *count == 0);
            if is_tried && self.asked.is_empty() && self.timers.values().all(is_over) {
                break;
            }
            let wake_ms = self.shard.wake_at_ms().unwrap_or(self.now_ms);
            self.now_ms = wake_ms.max(self.now_ms + 7);
        }
        assert!(self.asked.is_empty(), "never answered: {:?}", self.asked);
        let alive = self.timers.iter().find(|(_, t)| matches!(t.state, State::Live | State::Paused));
        assert!(alive.is_none(), "never fired: {alive:?}");
        self.now_ms += 70_000;
        for _ in 0..3_000 {
            self.pump(2);
            if self.store.blocks.is_empty() {
                break;
            }
            let wake_ms = self.shard.wake_at_ms().unwrap_or(self.now_ms);
            self.now_ms = wake_ms.max(self.now_ms + 7);
        }
        let left: Vec<_> = self.store.blocks.keys().collect();
        assert!(left.is_empty(), "left behind: {left:?}");
        let own: Vec<_> = self.store.places.values().filter(|place| place.id.is_own()).collect();
        assert!(own.is_empty(), "places left behind: {own:?}");
        for id in self.store.deliveries.keys().copied().collect::<Vec<_>>() {
            while self.send(Request::Delivered(id)).is_none() {
                self.pump(4);
            }
        }
        self.pump(4);
        assert!(self.store.deliveries.is_empty(), "never taken: {:?}", self.store.deliveries.keys());
    }
}
