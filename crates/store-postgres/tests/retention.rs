//! History and log leave by whole days, and what still belongs to somebody stays.

mod support;

use std::sync::Arc;
use std::time::SystemTime;
use support::{aside, fresh, open};
use tidemill_model::entity::{ElementInstance, Lifecycle, ProcessInstance};
use tidemill_model::{Change, Entity, PartitionId, Timestamp};
use tidemill_store::Batch;
use tidemill_store::query::{Filter, Search};
use tidemill_store_conformance::Session;
use tidemill_store_conformance::one_task::{end, put};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn now() -> Timestamp {
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    Timestamp(age.as_millis() as i64)
}

fn ended_element(session: &Session, instance: &ProcessInstance, at: Timestamp) -> Change {
    let element = session.make.element(instance, instance.key.scope(), "task");
    end(ElementInstance { state: Lifecycle::Completed, ended_at: Some(at), ..element }, false)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_goes_at_once_and_leaves_what_lives() {
    let options = fresh();
    let session = Session::take(open(&options).await, PartitionId::FIRST).await;
    let today = now();
    let definition = session.make.key();
    let live = session.make.instance(definition);
    let mut changes = vec![put(live.clone()), ended_element(&session, &live, today)];
    for _ in 0..5 {
        let instance = session.make.instance(definition);
        changes.push(ended_element(&session, &instance, today));
        let ended = ProcessInstance { state: Lifecycle::Completed, ended_at: Some(today), ..instance };
        changes.push(Change::End { entity: Entity::from(Arc::new(ended)), was_stored: false });
    }
    session.store.commit(Batch { at: today, ..session.batch(changes) }).await.expect("commits");
    let store = &session.store;
    let elements = async || store.element_instances(&Search::default()).await.expect("searches").total;
    let counted = async || {
        let counts = store.definition_statistics(definition, &Filter::default()).await.expect("counts");
        counts.iter().map(|count| count.completed).sum::<u64>()
    };
    assert_eq!((elements().await, counted().await), (6, 6));

    assert_eq!(store.purge_history(today, 100).await.expect("purges"), 0, "the day is not over");
    let tomorrow = Timestamp(today.0 + DAY_MS);
    assert_eq!(store.purge_history(tomorrow, 100).await.expect("purges"), 5);
    assert_eq!(store.purge_history(tomorrow, 100).await.expect("purges"), 0);
    assert_eq!((elements().await, counted().await), (1, 1), "the element of the living instance stays");
    let client = aside(&options).await;
    let days = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = $1 AND c.relname LIKE '%history_d_____'";
    let left: i64 = client.query_one(days, &[&options.schema]).await.expect("counts").get(0);
    assert_eq!(left, 0, "partitions are dropped, not emptied");
    session
        .store
        .commit(Batch { at: today, ..session.batch(vec![ended_element(&session, &live, today)]) })
        .await
        .expect("the same day can still be written");
    assert_eq!(elements().await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_of_a_day_goes_but_for_each_last_batch() {
    let options = fresh();
    let session = Session::take(open(&options).await, PartitionId::FIRST).await;
    let today = now();
    let mut ids = Vec::new();
    for n in 0..4 {
        let batch = Batch { at: Timestamp(today.0 + n), ..session.batch(Vec::new()) };
        ids.push(batch.id);
        session.store.commit(batch).await.expect("commits");
    }
    let store = &session.store;
    store.purge_batches(Timestamp(today.0 + DAY_MS), 100).await.expect("purges");
    let has = async |n: usize| store.has_batch(PartitionId::FIRST, ids[n]).await.expect("reads");
    assert!(!has(0).await && !has(2).await && has(3).await);
    let again = store.acquire(PartitionId::FIRST, &session.fence.holder, 1_000).await.expect("asks");
    assert_eq!(again.expect("ours").last_batch_at, Some(Timestamp(today.0 + 3)));
}
