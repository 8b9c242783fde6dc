//! Several servers under load while owners die, freeze and wake, while Postgres dies, and while commits get lost on
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

/// The machine is measured, so one test has it at a time.
static MACHINE: Mutex<()> = Mutex::new(());

#[test]
fn two_servers_lose_nothing_and_repeat_nothing() {
    let plan = Rounds { freezes: 3, postgres_kills: 2, kills: 5, commit_faults: rounds::FAULTS_OF_TWO };
    run(2, &plan);
}

#[test]
fn three_servers_lose_nothing_and_repeat_nothing() {
    let plan = Rounds { freezes: 2, postgres_kills: 3, kills: 5, commit_faults: rounds::FAULTS_OF_THREE };
    run(3, &plan);
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
