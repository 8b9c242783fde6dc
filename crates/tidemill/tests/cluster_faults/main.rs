//! Several servers under load while owners die, freeze and wake, while the store dies, and while commits get lost on
//! their way. A ledger outside knows what was answered: nothing of that may be lost, nothing may have happened twice,
//! and work goes on within seconds.

mod audit;
mod client;
mod fleet;
mod ledger;
mod load;
mod models;
mod probe;
mod rounds;
#[allow(dead_code, reason = "shared with tests that need more of it")]
#[path = "../cluster/world.rs"]
mod world;

use fleet::Fleet;
use load::{Load, Spread};
use rounds::Rounds;
use std::sync::{Mutex, PoisonError};
use tidemill_store_conformance::servers;

/// The machine is measured, so one test has it at a time.
static MACHINE: Mutex<()> = Mutex::new(());

#[test]
fn two_servers_lose_nothing_and_repeat_nothing() {
    let commit_faults = rounds::FAULTS_OF_TWO;
    let plan = match (servers::is_redis(), is_full()) {
        (true, true) => Rounds { freezes: 5, store_kills: 10, kills: 10, commit_faults },
        // Everything once or twice: this run is the second of its kind.
        (true, false) => Rounds { freezes: 1, store_kills: 2, kills: 2, commit_faults },
        (false, _) => Rounds { freezes: 3, store_kills: 2, kills: 5, commit_faults },
    };
    run(2, &plan);
}

#[test]
fn three_servers_lose_nothing_and_repeat_nothing() {
    let commit_faults = rounds::FAULTS_OF_THREE;
    let plan = match (servers::is_redis(), is_full()) {
        // Each is killed once: those who come after them reach the store by a way that can be cut.
        (true, false) => Rounds { freezes: 1, store_kills: 1, kills: 3, commit_faults },
        _ => Rounds { freezes: 2, store_kills: 3, kills: 5, commit_faults },
    };
    run(3, &plan);
}

/// With the numbers of a release.
fn is_full() -> bool {
    std::env::var_os("TIDEMILL_TEST_FULL").is_some()
}

fn run(servers: usize, plan: &Rounds) {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut fleet = Fleet::start(servers);
    fleet.deploy(&models::all());
    let load = Load::new(fleet.addresses().clone());
    std::thread::scope(|scope| {
        let _ending = load.end_at_last();
        load.begin(scope, Spread { creators: 8, workers: 8, publishers: 4 });
        let capacity = load.measure_capacity();
        let rate = load.set_rate(capacity / 2.0);
        rounds::say(servers, &format!("{capacity:.0} instances/s are possible, {rate:.0} are sent"));
        plan.run(&mut fleet, &load);
        load.stop_creating();
        audit::drain(&fleet, &load);
    });
    let found = audit::everything(&fleet, &load.ledger);
    rounds::say(servers, &found);
}
