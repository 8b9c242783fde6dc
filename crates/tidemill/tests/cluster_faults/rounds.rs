//! The faults, one after the other, under load. After each of them work goes on within the limit.

use crate::fleet::{DEFAULT_LEASE, Fleet, SHORT_LEASE};
use crate::load::Load;
use crate::probe::{LIMIT, until_work_goes_on};
use crate::world::eventually;
use std::io::Write;
use std::time::{Duration, Instant};
use tidemill_store_conformance::postgres::Fault::{
    CutAfterCommit, CutBeforeCommit, DelayCommit, FreezeBeforeCommit,
};
use tidemill_store_conformance::postgres::{Aim, Fault};

/// COMMITs of one server that are struck one after the other.
pub(crate) type Strikes = (&'static str, Aim, &'static [Fault]);

const LATE: Fault = DelayCommit(Duration::from_millis(700));
/// The transaction is given up and the lease has run out before it comes.
const TOO_LATE: Fault = DelayCommit(Duration::from_secs(3));

pub(crate) const FAULTS_OF_TWO: &[Strikes] = &[
    ("6 batches cut before their COMMIT", Aim::Batches, &[CutBeforeCommit; 6]),
    ("6 batches cut after their COMMIT", Aim::Batches, &[CutAfterCommit; 6]),
    ("3 COMMITs of batches late by 0.7 s", Aim::Batches, &[LATE; 3]),
    ("12 writes of any kind cut after their COMMIT", Aim::Everything, &[CutAfterCommit; 12]),
    (
        "a COMMIT late by 3 s, then cuts after and before",
        Aim::Batches,
        &[TOO_LATE, CutAfterCommit, CutBeforeCommit],
    ),
];

pub(crate) const FAULTS_OF_THREE: &[Strikes] = &[
    ("6 batches cut after their COMMIT", Aim::Batches, &[CutAfterCommit; 6]),
    ("6 batches cut before their COMMIT", Aim::Batches, &[CutBeforeCommit; 6]),
    ("a COMMIT that never comes", Aim::Batches, &[FreezeBeforeCommit]),
    ("12 writes of any kind cut before their COMMIT", Aim::Everything, &[CutBeforeCommit; 12]),
    ("late COMMITs and cuts in turn", Aim::Batches, &[LATE, CutBeforeCommit, LATE, CutAfterCommit]),
];

/// So many victims are started again with the default lease, and killed again when it is their turn.
const KILLS_WITH_DEFAULT_LEASE: usize = 2;

/// How many rounds of each kind.
pub(crate) struct Rounds {
    pub(crate) freezes: usize,
    pub(crate) store_kills: usize,
    pub(crate) kills: usize,
    pub(crate) commit_faults: &'static [Strikes],
}

impl Rounds {
    /// Every round begins with servers that have their share, and fails on the spot when the ledger does not agree.
    pub(crate) fn run(&self, fleet: &mut Fleet, load: &Load) {
        for round in 0..self.freezes {
            begin(fleet, round);
            freeze(fleet, load, round % fleet.count());
        }
        for round in 0..self.store_kills {
            begin(fleet, round);
            kill_store(fleet, load, Duration::from_secs(round as u64));
        }
        for round in 0..self.kills {
            begin(fleet, round);
            let is_default = (fleet.count()..fleet.count() + KILLS_WITH_DEFAULT_LEASE).contains(&round);
            let fault = if is_default { "kill -9 of an owner, lease 5 s" } else { "kill -9 of an owner" };
            let lease = if round < KILLS_WITH_DEFAULT_LEASE { DEFAULT_LEASE } else { SHORT_LEASE };
            kill(fleet, load, fault, round % fleet.count(), lease);
        }
        for (round, strikes) in self.commit_faults.iter().enumerate() {
            begin(fleet, round);
            strike(fleet, load, round % fleet.count(), strikes);
        }
    }
}

/// Faults come at any moment of what goes on.
fn begin(fleet: &Fleet, round: usize) {
    fleet.settle();
    let nanos = std::time::UNIX_EPOCH.elapsed().expect("after 1970").subsec_nanos();
    std::thread::sleep(Duration::from_millis(200 + u64::from(nanos) % 300 + 50 * round as u64));
}

fn kill(fleet: &mut Fleet, load: &Load, fault: &str, victim: usize, next_lease: &[&str]) {
    let fault_at = Instant::now();
    fleet.kill(victim);
    went_on(fleet, load, fault, &fleet.others(victim), fault_at);
    fleet.start_again(victim, next_lease);
}

/// The lease of who sleeps runs out, others take over, and what it still wants to write when it wakes is refused.
fn freeze(fleet: &Fleet, load: &Load, victim: usize) {
    let server = fleet.server(victim);
    let (lines, fault_at) = (server.said_after(0).len(), Instant::now());
    server.signal("-STOP");
    went_on(fleet, load, "SIGSTOP of an owner", &fleet.others(victim), fault_at);
    std::thread::scope(|scope| {
        // It finds these when it wakes, before it can learn that they are no longer for its partitions.
        for _ in 0..REQUESTS_FOR_A_SLEEPER {
            scope.spawn(|| load.create_at(victim));
        }
        std::thread::sleep(Duration::from_millis(100));
        let fault_at = Instant::now();
        server.signal("-CONT");
        went_on(fleet, load, "SIGCONT of the former owner", &[victim], fault_at);
    });
    eventually("a write of the former owner is refused", || {
        let is_refusal = |line: &String| REFUSED_WRITES.iter().any(|refused| line.contains(refused));
        server.said_after(lines).iter().any(|line| is_refusal(line) && line.contains(FENCED))
    });
}

const REQUESTS_FOR_A_SLEEPER: usize = 8;
/// A batch, or the note about what will be in it, which an owner whose predecessor died writes before.
const REFUSED_WRITES: [&str; 2] = ["a batch was not written, or nobody knows", "the store failed"];
const FENCED: &str = "is owned by another holder";

fn kill_store(fleet: &Fleet, load: &Load, away: Duration) {
    let fault_at = Instant::now();
    fleet.store.kill();
    std::thread::sleep(away);
    fleet.store.resume();
    let everybody: Vec<usize> = (0..fleet.count()).collect();
    went_on(
        fleet,
        load,
        &format!("kill -9 of {}, gone for {away:?}", fleet.store.name()),
        &everybody,
        fault_at,
    );
}

fn strike(fleet: &Fleet, load: &Load, victim: usize, (name, aim, faults): &Strikes) {
    let proxy = fleet.proxy(victim);
    proxy.prepare_many(*aim, faults);
    eventually("the faults have struck", || proxy.has_struck());
    let fault_at = Instant::now();
    let everybody: Vec<usize> = (0..fleet.count()).collect();
    went_on(fleet, load, name, &everybody, fault_at);
}

fn went_on(fleet: &Fleet, load: &Load, fault: &str, places: &[usize], fault_at: Instant) {
    let took = until_work_goes_on(fleet.addresses(), &load.ledger, places, fault_at);
    say(fleet.count(), &format!("{fault}: work went on after {:.2} s", took.as_secs_f64()));
    load.ledger.check();
    assert!(took < LIMIT, "{fault}: {took:?}");
}

/// Shown also by a test that passes.
pub(crate) fn say(servers: usize, text: &str) {
    let _ = writeln!(std::io::stderr(), "{servers} servers: {text}");
}
