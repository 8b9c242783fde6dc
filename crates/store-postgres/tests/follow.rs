//! The tables follow the log: reads see every batch that was committed, whoever reads, and each batch reaches the tables once.

mod support;

use std::sync::Arc;
use std::time::Duration;
use support::{aside, fresh, open};
use tidemill_model::entity::{ProcessInstance, Variable};
use tidemill_model::{Need, PartitionId};
use tidemill_store::query::{ProcessInstanceField, Search, VariableField};
use tidemill_store::{Batch, Error, HolderId, Store};
use tidemill_store_conformance::Session;
use tidemill_store_conformance::one_task::{OneTask, put};
use tidemill_store_conformance::postgres::{Aim, Fault, PostgresServer, Proxy};
use tidemill_store_postgres::Options;
use tokio_postgres::Client;

const FIRST: PartitionId = PartitionId::FIRST;
/// Nothing reaches the tables by itself during a test.
const NEVER_MS: u64 = 3_600_000;

fn lazy() -> Options {
    Options { follow_window_ms: NEVER_MS, ..fresh() }
}

async fn count(client: &Client, table: &str) -> i64 {
    client.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.expect("counts").get(0)
}

async fn instances(store: &dyn Store) -> u64 {
    store.process_instances(&Search::<ProcessInstanceField>::default()).await.expect("searches").total
}

fn one_instance(session: &Session) -> Batch {
    session.batch(vec![put(session.make.instance(session.make.key()))])
}

/// Begins and ends so many instances, a batch each.
async fn lives(session: &Session, count: usize) {
    let definition = session.make.definition("order", 1);
    let tasks: Vec<OneTask> = (0..count).map(|n| OneTask::begin(session, &definition, n)).collect();
    session.commit(tasks.iter().flat_map(|task| task.begin_changes(session)).collect()).await;
    session.commit(tasks.iter().flat_map(|task| task.end_changes(session)).collect()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_come_and_go_in_between_are_never_written() {
    let options = lazy();
    let session = Session::take(open(&options).await, FIRST).await;
    lives(&session, 20).await;
    let client = aside(&options).await;
    assert_eq!((count(&client, "redo").await, count(&client, "process_instances_history").await), (2, 0));
    assert_eq!(instances(&*session.store).await, 20);
    assert_eq!((count(&client, "redo").await, count(&client, "process_instances_history").await), (0, 20));
    for table in ["process_instances", "element_instances", "jobs", "variables"] {
        // A table into which nothing was ever put has no page.
        let sql = format!("SELECT pg_relation_size('{table}')");
        let bytes: i64 = client.query_one(&sql, &[]).await.expect("reads").get(0);
        assert_eq!(bytes, 0, "{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tables_follow_by_themselves() {
    let options = Options { follow_window_ms: 50, ..fresh() };
    let session = Session::take(open(&options).await, FIRST).await;
    lives(&session, 20).await;
    let client = aside(&options).await;
    let until = tokio::time::Instant::now() + Duration::from_secs(20);
    while count(&client, "redo").await > 0 {
        assert!(tokio::time::Instant::now() < until, "the tables do not follow");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(count(&client, "process_instances_history").await, 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_node_sees_what_was_committed() {
    let options = lazy();
    let session = Session::take(open(&options).await, FIRST).await;
    let other = open(&options).await;
    for n in 1..=5 {
        let instance = session.make.instance(session.make.key());
        session.commit(vec![put(instance.clone())]).await;
        assert!(other.process_instance(instance.key).await.expect("reads").is_some(), "by its key");
        session.store.commit(one_instance(&session)).await.expect("commits");
        assert_eq!(instances(&*other).await, 3 * n - 1, "another node");
        session.store.commit(one_instance(&session)).await.expect("commits");
        assert_eq!(instances(&*session.store).await, 3 * n, "the owner");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_owner_leaves_nothing_behind() {
    let options = lazy();
    let session = Session::take(open(&options).await, FIRST).await;
    let instance = session.make.instance(session.make.key());
    session.commit(vec![put(instance.clone())]).await;
    let other = open(&options).await;
    assert_eq!(instances(&*other).await, 1, "before anybody has taken over");
    session.commit(vec![put(session.make.instance(session.make.key()))]).await;
    session.store.renew(std::slice::from_ref(&session.fence), 0).await.expect("ours");
    let holder = HolderId::from("the successor");
    let owned = other.acquire(FIRST, &holder, 60_000).await.expect("asks");
    assert!(owned.is_some(), "its lease is over");
    let client = aside(&options).await;
    assert_eq!(count(&client, "redo").await, 0, "taken over with the partition");
    let loaded = other.load(FIRST, &[Need::Instance(instance.key)], 10).await.expect("loads");
    assert_eq!(loaded[0].entities.len(), 1);
    let stale = session.store.commit(one_instance(&session)).await;
    assert!(matches!(stale, Err(Error::Fenced { .. })), "{stale:?}");
    assert_eq!((instances(&*other).await, instances(&*session.store).await), (2, 2));
}

/// The connection breaks before the end of the follower's transaction, or before its answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_follower_that_is_cut_off_applies_once() {
    for fault in [Fault::CutBeforeCommit, Fault::CutAfterCommit] {
        let options = lazy();
        let proxy = Proxy::start(PostgresServer::shared().port()).await;
        let session =
            Session::take(open(&Options { url: proxy.url(), ..options.clone() }).await, FIRST).await;
        let definition = session.make.definition("order", 1);
        let tasks: Vec<OneTask> = (0..10).map(|n| OneTask::begin(&session, &definition, n)).collect();
        session.commit(tasks.iter().flat_map(|task| task.begin_changes(&session)).collect()).await;
        session.commit(tasks.iter().flat_map(|task| task.end_changes(&session)).collect()).await;
        session.store.commit(one_instance(&session)).await.expect("commits");
        proxy.prepare_many(Aim::Everything, &[fault]);
        assert_eq!(instances(&*session.store).await, 11, "{fault:?}");
        assert!(proxy.has_struck(), "{fault:?}");
        let client = aside(&options).await;
        assert_eq!(count(&client, "redo").await, 0);
        assert_eq!(count(&client, "process_instances").await, 1);
        assert_eq!(count(&client, "process_instances_history").await, 10);
        let ended = "SELECT sum(count)::bigint FROM element_counts";
        let ended: i64 = client.query_one(ended, &[]).await.expect("reads").get(0);
        assert_eq!(ended, count(&client, "element_instances_history").await, "counted once");
    }
}

/// Readers of two nodes bring the same records to the tables while the owner writes more.
#[tokio::test(flavor = "multi_thread")]
async fn many_who_apply_at_once_apply_once() {
    const BATCHES: u64 = 60;
    let options = Options { follow_window_ms: 5, ..fresh() };
    let session = Session::take(open(&options).await, FIRST).await;
    let stores = [session.store.clone(), open(&options).await, open(&options).await];
    let mut readers = Vec::new();
    for store in stores.iter().cloned() {
        readers.push(tokio::spawn(async move {
            let mut last = 0;
            while last < BATCHES {
                let now = instances(&*store).await;
                assert!(now >= last, "{now} after {last}");
                last = now;
            }
        }));
    }
    for n in 1..=BATCHES {
        session.store.commit(one_instance(&session)).await.expect("commits");
        let store = &stores[n as usize % stores.len()];
        assert_eq!(instances(&**store).await, n, "at node {}", n as usize % stores.len());
    }
    for reader in readers {
        reader.await.expect("no panic");
    }
}

/// Postgres might refuse these rows, so it has to see them before their command is answered.
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_may_be_refused_are_written_with_their_commit() {
    let options = lazy();
    let session = Session::take(open(&options).await, FIRST).await;
    let instance = session.make.instance(session.make.key());
    session.commit(vec![put(instance.clone())]).await;
    let scope = instance.key.scope();
    let bad: Variable = session.make.variable(&instance, scope, "x\0y", "1");
    let refused = session.try_commit(vec![put(bad.clone())]).await;
    let Err(Error::Refused { culprit: Some(culprit), .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(culprit.key, bad.key.0);
    let long = session.make.variable(&instance, scope, &"n".repeat(1_000), "2");
    session.commit(vec![put(long)]).await;
    let client = aside(&options).await;
    assert_eq!((count(&client, "redo").await, count(&client, "variables").await), (0, 1));
    let found = session.store.variables(&Search::<VariableField>::default()).await.expect("searches");
    assert_eq!(found.total, 1);
}

/// Bounds the records that are not in the tables yet: commits wait while there are too many.
#[tokio::test(flavor = "multi_thread")]
async fn commits_wait_when_the_tables_fall_behind() {
    let options = lazy();
    let session = Session::take(open(&options).await, FIRST).await;
    let client = aside(&options).await;
    let definition = session.make.key();
    for _ in 0..60 {
        let many: Vec<ProcessInstance> = (0..1_000).map(|_| session.make.instance(definition)).collect();
        session.put(many.into_iter().map(Arc::new)).await;
        assert!(count(&client, "redo").await <= 41, "the window has an end");
    }
    assert_eq!(count(&client, "process_instances").await + 1_000 * count(&client, "redo").await, 60_000);
}

/// A server of an earlier version, which knows nothing of the log.
#[tokio::test(flavor = "multi_thread")]
async fn an_older_server_cannot_take_what_is_outstanding() {
    let options = lazy();
    let session = Session::take(open(&options).await, FIRST).await;
    session.store.commit(one_instance(&session)).await.expect("commits");
    session.store.renew(std::slice::from_ref(&session.fence), 0).await.expect("ours");
    let older = aside(&options).await;
    let take = "UPDATE partitions SET holder = 'older', epoch = epoch + 1 WHERE partition_id = 1 RETURNING 1";
    assert!(older.query(take, &[]).await.expect("asks").is_empty(), "a change is outstanding");
    assert_eq!(instances(&*open(&options).await).await, 1);
    assert_eq!(older.query(take, &[]).await.expect("asks").len(), 1, "nothing is outstanding");
}
