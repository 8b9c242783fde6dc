//! Owners that lose their partition, freeze, or never hear of their own commit; servers that crash.

mod support;

use std::time::{Duration, Instant};
use support::{fresh, open};
use tidemill_model::{Change, PartitionId};
use tidemill_store::query::{ProcessInstanceField, Search};
use tidemill_store::{Batch, Error, HolderId, Store};
use tidemill_store_conformance::Session;
use tidemill_store_conformance::postgres::{Fault, PostgresServer, Proxy};
use tidemill_store_postgres::Options;

const FIRST: PartitionId = PartitionId::FIRST;

fn some_work(session: &Session) -> Batch {
    let instance = session.make.instance(session.make.key());
    session.batch(vec![Change::Put(std::sync::Arc::new(instance).into())])
}

async fn through_a_proxy() -> (Session, Proxy, Options) {
    let options = fresh();
    let proxy = Proxy::start(PostgresServer::shared().port()).await;
    let session = Session::take(open(&Options { url: proxy.url(), ..options.clone() }).await, FIRST).await;
    session.store.commit(some_work(&session)).await.expect("all is well");
    (session, proxy, options)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_before_the_commit_leaves_nothing() {
    let (session, proxy, _) = through_a_proxy().await;
    let batch = some_work(&session);
    proxy.prepare(Fault::CutBeforeCommit);
    let outcome = session.store.commit(batch.clone()).await;
    assert!(matches!(outcome, Err(Error::OutcomeUnknown { .. })), "{outcome:?}");
    assert!(proxy.has_struck());
    let again =
        session.store.acquire(FIRST, &session.fence.holder, 60_000).await.expect("asks").expect("ours");
    assert!(!session.store.has_batch(FIRST, batch.id).await.expect("reads"));
    let retried = session.store.commit(Batch { fence: again.fence, ..batch.clone() }).await;
    retried.expect("the kept commands run again");
    assert!(session.store.has_batch(FIRST, batch.id).await.expect("reads"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_is_lost_is_found() {
    let (session, proxy, _) = through_a_proxy().await;
    let batch = some_work(&session);
    proxy.prepare(Fault::CutAfterCommit);
    let outcome = session.store.commit(batch.clone()).await;
    assert!(matches!(outcome, Err(Error::OutcomeUnknown { .. })), "{outcome:?}");
    session.store.acquire(FIRST, &session.fence.holder, 60_000).await.expect("asks").expect("ours");
    assert!(session.store.has_batch(FIRST, batch.id).await.expect("reads"), "it took place");
    let late = session.store.commit(some_work(&session)).await;
    assert!(matches!(late, Err(Error::Fenced { .. })), "the old epoch is over: {late:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_owner_does_not_block_its_takeover_and_cannot_commit() {
    let (session, proxy, options) = through_a_proxy().await;
    session.store.renew(std::slice::from_ref(&session.fence), 500).await.expect("ours");
    proxy.prepare(Fault::FreezeBeforeCommit);
    let batch = some_work(&session);
    let id = batch.id;
    let frozen = tokio::spawn({
        let store = session.store.clone();
        async move { store.commit(batch).await }
    });
    while !proxy.has_struck() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // It holds its lock on the partition in the middle of a transaction.
    let other = open(&options).await;
    let taken = take_over(&*other, Duration::from_secs(6)).await;
    assert!(!other.has_batch(FIRST, id).await.expect("reads"), "what was frozen is gone");
    assert!(!taken.was_released);
    let stale = frozen.await.expect("no panic");
    assert!(matches!(stale, Err(Error::OutcomeUnknown { .. })), "{stale:?}");
    let late = session.store.commit(some_work(&session)).await;
    assert!(matches!(late, Err(Error::Fenced { .. })), "{late:?}");
}

/// With a fence that locks less, the successor would read the partition's state without this batch, and the batch would
/// still come.
#[tokio::test(flavor = "multi_thread")]
async fn a_takeover_waits_for_a_commit_that_is_on_its_way() {
    let (session, proxy, options) = through_a_proxy().await;
    let other = open(&options).await;
    session.store.renew(std::slice::from_ref(&session.fence), 0).await.expect("ours");
    let batch = some_work(&session);
    let id = batch.id;
    proxy.prepare(Fault::DelayCommit(Duration::from_millis(800)));
    let delayed = tokio::spawn({
        let store = session.store.clone();
        async move { store.commit(batch).await }
    });
    while !proxy.has_struck() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The server has run all statements but the last.
    tokio::time::sleep(Duration::from_millis(200)).await;
    take_over(&*other, Duration::from_secs(6)).await;
    let is_visible = other.has_batch(FIRST, id).await.expect("reads");
    let outcome = delayed.await.expect("no panic");
    assert!(is_visible && outcome.is_ok(), "visible at the takeover: {is_visible}, {outcome:?}");
}

async fn take_over(store: &dyn Store, limit: Duration) -> tidemill_store::Owned {
    let holder = HolderId::from("the successor");
    let started = Instant::now();
    loop {
        if let Some(owned) = store.acquire(FIRST, &holder, 60_000).await.expect("asks") {
            return owned;
        }
        assert!(started.elapsed() < limit, "no takeover within {limit:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_crashes_and_comes_back_is_used_again() {
    let server = PostgresServer::start(&["fsync=off"]);
    let options = Options { url: server.url(), ..fresh() };
    let session = Session::take(open(&options).await, FIRST).await;
    let before = some_work(&session);
    session.store.commit(before.clone()).await.expect("commits");
    server.crash();
    let during = session.store.commit(some_work(&session)).await;
    assert!(matches!(during, Err(Error::OutcomeUnknown { .. })), "{during:?}");
    let reading = session.store.partitions().await;
    assert!(matches!(reading, Err(Error::Unavailable { .. })), "{reading:?}");
    assert!(!reading.expect_err("unavailable").is_fatal());
    server.resume();
    session.store.commit(some_work(&session)).await.expect("the connections are opened again");
    assert!(session.store.has_batch(FIRST, before.id).await.expect("reads"));
    assert_eq!(session.store.partitions().await.expect("reads").len(), 3);
}

/// The server cannot give up a statement while it stands still itself.
#[tokio::test(flavor = "multi_thread")]
async fn searches_of_a_server_that_stands_still_are_given_up() {
    let options = Options { search_limit_ms: 2_000, ..fresh() };
    let proxy = Proxy::start(PostgresServer::shared().port()).await;
    let store = open(&Options { url: proxy.url(), ..options }).await;
    let search = Search::<ProcessInstanceField>::default();
    store.process_instances(&search).await.expect("all is well");
    proxy.freeze(true);
    for _ in 0..2 {
        let began = Instant::now();
        match store.process_instances(&search).await {
            Err(Error::Unavailable { reason, .. }) => assert!(reason.contains("not answered"), "{reason}"),
            other => panic!("a server that stands still has answered: {other:?}"),
        }
        // Two statements one after the other would take twice the limit, and nothing at all would end it.
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    }
    proxy.freeze(false);
    let until = Instant::now() + Duration::from_secs(60);
    while let Err(error) = store.process_instances(&search).await {
        assert!(Instant::now() < until, "it answers again: {error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
