//! How long it takes until work goes on: until each partition has answered a creation and a completion.

use crate::client::{Addresses, Client};
use crate::ledger::{Kind, Ledger};
use crate::load::{create_probe, work};
use crate::world::PARTITIONS;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_model::{PartitionCount, PartitionId, TenantId};

/// The promised time.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);
/// Somebody who measures sees by how much it was missed.
const GIVE_UP: Duration = Duration::from_secs(30);

/// Asks all partitions at once, each by another of these servers first, and gives the time since the fault.
pub(crate) fn until_work_goes_on(
    addresses: &Arc<Addresses>,
    ledger: &Ledger,
    places: &[usize],
    fault_at: Instant,
) -> Duration {
    std::thread::scope(|scope| {
        let count = PartitionCount(PARTITIONS as u16);
        let probes: Vec<_> = count
            .ids()
            .map(|partition| {
                let mut places = places.to_vec();
                let first = usize::from(partition.0) % places.len();
                places.rotate_left(first);
                let client = Client::among(addresses, places);
                scope.spawn(move || probe(&client, ledger, partition, fault_at))
            })
            .collect();
        probes.into_iter().map(|probe| probe.join().expect("it works")).max().expect("there are partitions")
    })
}

fn probe(client: &Client, ledger: &Ledger, partition: PartitionId, fault_at: Instant) -> Duration {
    let (number, _) = ledger.open(&[Kind::Probe]);
    let (key, job_type) = (key_of(partition, number), format!("probe-{number}"));
    let wait = |what: &str, mut is_done: Box<dyn FnMut() -> bool + '_>| {
        while !is_done() {
            let waited = fault_at.elapsed();
            assert!(waited < GIVE_UP, "no {what} was answered by partition {partition} for {waited:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait("creation", Box::new(|| create_probe(client, ledger, number, &key, &job_type)));
    wait("completion", Box::new(|| work(client, ledger, &job_type)));
    fault_at.elapsed()
}

/// A key that leads a creation to this partition.
fn key_of(partition: PartitionId, number: usize) -> String {
    let count = PartitionCount(PARTITIONS as u16);
    let keys = (0..).map(|guess| format!("probe-{number}-{guess}"));
    let leads_there = |key: &String| count.of_idempotency_key(&TenantId::default(), key) == partition;
    keys.into_iter().find(leads_there).expect("keys lead everywhere")
}
