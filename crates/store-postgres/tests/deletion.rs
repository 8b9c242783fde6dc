//! Deleting a large instance in steps: each costs what it deletes, not what is left or gone already.

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{fresh, open};
use tidemill_model::entity::{ElementInstance, Lifecycle, ProcessInstance};
use tidemill_model::{Change, PartitionId, Timestamp};
use tidemill_store::query::{Filter, Search};
use tidemill_store::{Batch, DELETED_ROWS_MAX};
use tidemill_store_conformance::Session;
use tidemill_store_conformance::one_task::end;

const ELEMENTS: usize = 60_000;

#[tokio::test(flavor = "multi_thread")]
async fn steps_of_a_large_instance_cost_the_same() {
    let session = Session::take(open(&fresh()).await, PartitionId::FIRST).await;
    let ended_at = Some(Timestamp(10));
    let instance = session.make.instance(session.make.key());
    let ended = ProcessInstance { state: Lifecycle::Completed, ended_at, ..instance.clone() };
    session.commit(vec![Change::End { entity: Arc::new(ended).into(), was_stored: false }]).await;
    let element = || ElementInstance {
        state: Lifecycle::Completed,
        ended_at,
        ..session.make.element(&instance, instance.key.scope(), "task")
    };
    for _ in 0..ELEMENTS / 5_000 {
        session.commit((0..5_000).map(|_| end(element(), false)).collect()).await;
    }
    let mut times = Vec::new();
    while session.store.remains(&[instance.key]).await.expect("asks")[0].rows > 0 {
        let began = Instant::now();
        let batch = Batch { deletions: vec![instance.key], ..session.batch(Vec::new()) };
        session.store.commit(batch).await.expect("commits");
        times.push(began.elapsed());
    }
    assert_eq!(times.len(), ELEMENTS / DELETED_ROWS_MAX);
    let sum = |times: &[Duration]| times.iter().sum::<Duration>();
    let (first, last) = (sum(&times[..10]), sum(&times[times.len() - 10..]));
    println!("the first ten steps took {first:?}, the last ten {last:?}, all {:?}", sum(&times));
    assert!(last < first * 5 + Duration::from_secs(1), "the first took {first:?}, the last {last:?}");
    let left = session.store.element_instances(&Search::default()).await.expect("searches").total;
    let counts = session.store.definition_statistics(instance.definition, &Filter::default()).await;
    assert_eq!((left, counts.expect("counts").len()), (0, 0));
}
