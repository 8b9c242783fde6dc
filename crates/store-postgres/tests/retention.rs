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
use tidemill_store_postgres::Options;

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
    let client = aside(&options).await;
    let days = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = $1 AND c.relname ~ '^batches_d[0-9]+$'";
    let left: i64 = client.query_one(days, &[&options.schema]).await.expect("counts").get(0);
    assert_eq!(left, 0, "the partition of the day is dropped, not emptied");
    let kept = "SELECT count(*) FROM ONLY batches_default";
    let kept: i64 = client.query_one(kept, &[]).await.expect("counts").get(0);
    assert_eq!(kept, 1, "the last batch lies outside the days now");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_kept_for_an_instance_goes_with_it() {
    let options = Options { days_ahead: 2, ..fresh() };
    let session = Session::take(open(&options).await, PartitionId::FIRST).await;
    let (today, tomorrow) = (now(), Timestamp(now().0 + DAY_MS));
    let definition = session.make.key();
    let instance = session.make.instance(definition);
    let changes = vec![put(instance.clone()), ended_element(&session, &instance, today)];
    session.store.commit(Batch { at: today, ..session.batch(changes) }).await.expect("commits");
    let store = &session.store;
    store.purge_history(tomorrow, 100).await.expect("purges");
    let elements = async || store.element_instances(&Search::default()).await.expect("searches").total;
    assert_eq!(elements().await, 1, "its instance lives");

    let ended = ProcessInstance { state: Lifecycle::Completed, ended_at: Some(tomorrow), ..instance };
    session
        .store
        .commit(Batch { at: tomorrow, ..session.batch(vec![end(ended, true)]) })
        .await
        .expect("commits");
    let purged = store.purge_history(Timestamp(tomorrow.0 + DAY_MS), 100).await.expect("purges");
    assert_eq!((purged, elements().await), (1, 0));
    let counts = store.definition_statistics(definition, &Filter::default()).await.expect("counts");
    assert_eq!(counts.iter().map(|count| count.completed).sum::<u64>(), 0);
}
