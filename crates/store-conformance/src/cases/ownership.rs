//! One owner per partition, and no way round it.

use super::put;
use crate::{Place, Session};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Batch, Error, HolderId, NodeInfo};

pub async fn one_holder_at_a_time(place: &dyn Place) {
    let store = place.open().await;
    let (a, b) = (HolderId::from("a"), HolderId::from("b"));
    let first = store.acquire(PartitionId(1), &a, 60_000).await.expect("asks").expect("free");
    assert!(first.was_released, "a new partition has no predecessor that died");
    assert!(store.acquire(PartitionId(1), &b, 60_000).await.expect("asks").is_none());
    store.renew(std::slice::from_ref(&first.fence), 60_000).await.expect("still its own");
    let states = store.partitions().await.expect("reads");
    assert_eq!(states.len(), usize::from(super::PARTITIONS));
    assert_eq!((states[0].holder.clone(), states[1].holder.clone()), (Some(a.clone()), None));
    store.release(&first.fence).await.expect("releases");
    let second = store.acquire(PartitionId(1), &b, 60_000).await.expect("asks").expect("free again");
    assert!(second.was_released && second.fence.epoch > first.fence.epoch);
}

pub async fn keys_are_never_given_twice(place: &dyn Place) {
    let store = place.open().await;
    let holder = HolderId::from("a");
    let first = store.acquire(PartitionId(1), &holder, 60_000).await.expect("asks").expect("free");
    let many = store.reserve_keys(&first.fence, 3 << 20).await.expect("reserves");
    assert!(many.end - many.start >= 3 << 20, "as many as were asked for");
    let more = store.reserve_keys(&first.fence, 1).await.expect("reserves");
    assert!(more.start >= many.end);
    let again = store.acquire(PartitionId(1), &holder, 60_000).await.expect("asks").expect("its own");
    assert!(!first.keys.is_empty() && !more.is_empty() && !again.keys.is_empty());
    assert!(first.keys.end <= more.start && more.end <= again.keys.start);
    assert!(!again.was_released);
}

pub async fn a_stale_owner_cannot_write(place: &dyn Place) {
    let old = Session::open(place).await;
    // Taking it again moves the epoch on, even for the same holder.
    let new = Session::take(old.store.clone(), PartitionId(1)).await;
    let definition = old.make.definition("p", 1);
    let refused = old.try_commit(vec![put(&definition)]).await;
    assert!(matches!(refused, Err(Error::Fenced { partition: PartitionId(1), .. })), "{refused:?}");
    assert!(old.store.definition(definition.key).await.expect("reads").is_none());
    assert!(matches!(old.store.renew(std::slice::from_ref(&old.fence), 1).await, Err(Error::Fenced { .. })));
    assert!(matches!(old.store.reserve_keys(&old.fence, 1).await, Err(Error::Fenced { .. })));
    assert!(matches!(old.store.release(&old.fence).await, Err(Error::Fenced { .. })));
    new.commit(vec![put(&definition)]).await;
}

pub async fn an_expired_lease_can_be_taken(place: &dyn Place) {
    let store = place.open().await;
    let (a, b) = (HolderId::from("a"), HolderId::from("b"));
    store.acquire(PartitionId(2), &a, 0).await.expect("asks").expect("free");
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let taken = store.acquire(PartitionId(2), &b, 60_000).await.expect("asks").expect("expired");
    assert!(!taken.was_released, "the predecessor has not let go by itself");
}

pub async fn nodes_come_and_go(place: &dyn Place) {
    let store = place.open().await;
    let node = |name: &str| NodeInfo {
        holder: name.into(),
        address: Some(format!("{name}:1")),
        version: "1".into(),
        is_draining: false,
    };
    store.announce(&node("a"), 60_000).await.expect("announces");
    store.announce(&node("b"), 60_000).await.expect("announces");
    store.announce(&node("b"), 60_000).await.expect("announces again");
    store.announce(&node("c"), 0).await.expect("announces");
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    assert_eq!(store.nodes().await.expect("reads"), [node("a"), node("b")]);
}

pub async fn the_clock_of_the_last_batch_is_kept(place: &dyn Place) {
    let session = Session::open(place).await;
    for at in [500, 700] {
        let batch = Batch { at: Timestamp(at), ..session.batch(Vec::new()) };
        session.store.commit(batch).await.expect("commits");
    }
    let holder = session.fence.holder.clone();
    let again = session.store.acquire(PartitionId(1), &holder, 1).await.expect("asks").expect("its own");
    assert_eq!(again.last_batch_at, Some(Timestamp(700)));
    let other = session.store.acquire(PartitionId(2), &holder, 1).await.expect("asks").expect("free");
    assert_eq!(other.last_batch_at, None);
}
