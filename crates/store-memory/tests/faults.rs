//! Planned faults happen to the commits that come next, and to no others.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tidemill_model::{PartitionCount, PartitionId, Timestamp};
use tidemill_store::{Commit, Error, HolderId, Ownership, Store};
use tidemill_store_conformance::Session;
use tidemill_store_memory::{Fault, Faults, Memory};

async fn session() -> (Faults, Session) {
    let memory = Memory::new(PartitionCount::ONE);
    let store: Arc<dyn Store> = Arc::new(memory.open());
    (memory.faults(), Session::take(store, PartitionId::FIRST).await)
}

#[tokio::test]
async fn a_lost_commit_may_have_taken_place() {
    let (faults, session) = session().await;
    faults.plan([Fault::LostBeforeCommit, Fault::None, Fault::LostAfterCommit]);
    for (is_known, is_written) in [(false, false), (true, true), (false, true)] {
        let batch = session.batch(Vec::new());
        let id = batch.id;
        let committed = session.store.commit(batch).await;
        assert_eq!(committed.is_ok(), is_known, "{committed:?}");
        assert!(is_known || matches!(committed, Err(Error::OutcomeUnknown { .. })));
        assert_eq!(session.store.has_batch(PartitionId::FIRST, id).await.expect("reads"), is_written);
    }
    assert_eq!(faults.left(), 0);
    session.commit(Vec::new()).await;
}

#[tokio::test]
async fn a_slow_commit_waits_until_it_is_let_go() {
    let (faults, session) = session().await;
    faults.plan([Fault::Slow]);
    let batch = session.batch(Vec::new());
    let id = batch.id;
    let store = session.store.clone();
    let slow = tokio::spawn(async move { store.commit(batch).await });
    while faults.left() > 0 {
        tokio::task::yield_now().await;
    }
    assert!(!session.store.has_batch(PartitionId::FIRST, id).await.expect("reads"));
    faults.let_go();
    slow.await.expect("no panic").expect("commits");
    assert!(session.store.has_batch(PartitionId::FIRST, id).await.expect("reads"));
}

#[tokio::test]
async fn a_slow_commit_of_a_former_owner_is_fenced_off() {
    let (faults, session) = session().await;
    faults.plan([Fault::Slow]);
    let (store, batch) = (session.store.clone(), session.batch(Vec::new()));
    let slow = tokio::spawn(async move { store.commit(batch).await });
    while faults.left() > 0 {
        tokio::task::yield_now().await;
    }
    let next = Session::take(session.store.clone(), PartitionId::FIRST).await;
    faults.let_go();
    assert!(matches!(slow.await.expect("no panic"), Err(Error::Fenced { .. })));
    next.commit(Vec::new()).await;
}

#[tokio::test]
async fn the_partition_is_taken_away_and_can_be_taken_again() {
    let (faults, session) = session().await;
    faults.plan([Fault::Fenced]);
    assert!(matches!(session.try_commit(Vec::new()).await, Err(Error::Fenced { .. })));
    assert!(matches!(session.try_commit(Vec::new()).await, Err(Error::Fenced { .. })), "it stays lost");
    let again = Session::take(session.store.clone(), PartitionId::FIRST).await;
    assert!(again.fence.epoch > session.fence.epoch + 1);
    again.commit(Vec::new()).await;
}

#[tokio::test]
async fn a_full_memory_takes_nothing() {
    let (faults, session) = session().await;
    faults.plan([Fault::Full]);
    let refused = session.try_commit(Vec::new()).await;
    assert!(matches!(&refused, Err(error @ Error::Full { .. }) if error.is_fatal()), "{refused:?}");
    faults.plan([Fault::FullForNow, Fault::Full]);
    let refused = session.try_commit(Vec::new()).await;
    assert!(matches!(&refused, Err(error @ Error::FullForNow { .. }) if !error.is_fatal()), "{refused:?}");
    faults.forget();
    session.commit(Vec::new()).await;
}

#[tokio::test]
async fn leases_follow_the_clock_that_was_given() {
    let now = Arc::new(AtomicI64::new(1_000));
    let clock = now.clone();
    let memory =
        Memory::with_clock(PartitionCount::ONE, Arc::new(move || Timestamp(clock.load(Ordering::Relaxed))));
    let (one, other) = (memory.open(), memory.open());
    let take = async |store: &tidemill_store_memory::MemoryStore, holder: &str| {
        store.acquire(PartitionId::FIRST, &HolderId::from(holder), 500).await.expect("asks")
    };
    let owned = take(&one, "one").await.expect("free");
    now.store(1_500, Ordering::Relaxed);
    assert!(take(&other, "other").await.is_none());
    now.store(1_501, Ordering::Relaxed);
    assert!(take(&other, "other").await.is_some());
    let stale = tidemill_store::Batch::empty(owned.fence, tidemill_store::BatchId(1), Timestamp(1));
    assert!(matches!(one.commit(stale).await, Err(Error::Fenced { .. })));
}
