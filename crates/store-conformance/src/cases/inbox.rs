//! The inbox keeps what was promised until its effects are committed.

use crate::{Place, Session};
use std::time::Duration;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{
    Batch, CommandOutcome, CommandResult, DeadLetter, Error, Fence, NewInboxEntry, Position,
};

fn entry(partition: u16, payload: u8) -> NewInboxEntry {
    NewInboxEntry {
        partition: PartitionId(partition),
        received_at: Timestamp(i64::from(payload)),
        payload: vec![payload],
    }
}

async fn payloads(session: &Session, partition: u16, limit: usize) -> Vec<u8> {
    let waiting = session.store.waiting(PartitionId(partition), limit).await.expect("reads");
    waiting.into_iter().map(|entry| entry.payload[0]).collect()
}

pub async fn appended_entries_wait_in_order(place: &dyn Place) {
    let session = Session::open(place).await;
    let first = session.store.append(vec![entry(1, 1), entry(1, 2)]).await.expect("appends");
    let second = session.store.append(vec![entry(1, 3)]).await.expect("appends");
    assert!(first[0] < first[1] && first[1] < second[0]);
    assert_eq!(payloads(&session, 1, 10).await, [1, 2, 3]);
    assert_eq!(payloads(&session, 1, 2).await, [1, 2]);
    let waiting = session.store.waiting(PartitionId(1), 1).await.expect("reads");
    assert_eq!(waiting[0].received_at, Timestamp(1));
}

pub async fn consumed_entries_are_gone(place: &dyn Place) {
    let session = Session::open(place).await;
    let positions = session.store.append(vec![entry(1, 1), entry(1, 2), entry(1, 3)]).await.expect("appends");
    let batch = Batch {
        consumed: vec![positions[0], positions[2]],
        outgoing: vec![entry(1, 4), entry(2, 5)],
        ..session.batch(Vec::new())
    };
    session.store.commit(batch).await.expect("commits");
    assert_eq!(payloads(&session, 1, 10).await, [2, 4]);
    assert_eq!(payloads(&session, 2, 10).await, [5]);
    let next = session.store.append(vec![entry(1, 6)]).await.expect("appends");
    assert!(next[0] > positions[2], "a position is never given out twice");
}

pub async fn outcomes_are_told(place: &dyn Place) {
    let session = Session::open(place).await;
    let positions = session.store.append(vec![entry(1, 1), entry(1, 2), entry(1, 3)]).await.expect("appends");
    let letter = DeadLetter { position: Some(positions[1]), payload: vec![2], reason: "it crashed".into() };
    let batch = Batch {
        consumed: vec![positions[0], positions[1]],
        results: vec![CommandResult { position: positions[0], answer: vec![9] }],
        dead_letters: vec![letter],
        ..session.batch(Vec::new())
    };
    let at = batch.at;
    session.store.commit(batch).await.expect("commits");
    let outcome = |position| session.store.outcome(position);
    assert_eq!(outcome(positions[0]).await.expect("reads"), CommandOutcome::Done { at, answer: vec![9] });
    let dead = CommandOutcome::DeadLetter { at, reason: "it crashed".into() };
    assert_eq!(outcome(positions[1]).await.expect("reads"), dead);
    assert_eq!(outcome(positions[2]).await.expect("reads"), CommandOutcome::Waiting);
    assert_eq!(outcome(Position(i64::MAX)).await.expect("reads"), CommandOutcome::Unknown);
}

pub async fn what_is_in_hand_is_noted(place: &dyn Place) {
    let session = Session::open(place).await;
    let note = async |note: Option<Vec<u8>>| session.store.note_in_hand(&session.fence, note).await;
    let noted = async || session.store.in_hand(session.fence.partition).await.expect("reads");
    assert_eq!(noted().await, None);
    note(Some(vec![1, 2])).await.expect("notes");
    note(Some(vec![3])).await.expect("notes");
    assert_eq!(noted().await, Some(vec![3]));
    let stale = Fence { epoch: session.fence.epoch + 1, ..session.fence.clone() };
    let refused = session.store.note_in_hand(&stale, Some(vec![4])).await;
    assert!(matches!(refused, Err(Error::Fenced { .. })), "{refused:?}");
    assert_eq!(noted().await, Some(vec![3]));
    note(None).await.expect("notes");
    assert_eq!(noted().await, None);
}

pub async fn partitions_have_their_own_inbox(place: &dyn Place) {
    let session = Session::open(place).await;
    session.store.append(vec![entry(1, 1), entry(2, 2), entry(3, 3), entry(2, 4)]).await.expect("appends");
    assert_eq!(payloads(&session, 2, 10).await, [2, 4]);
    assert_eq!(payloads(&session, 3, 10).await, [3]);
}

pub async fn wakeups_are_remembered(place: &dyn Place) {
    let session = Session::open(place).await;
    let woken = |partition| session.store.woken(PartitionId(partition));
    session.store.append(vec![entry(2, 1)]).await.expect("appends");
    tokio::time::timeout(Duration::from_secs(5), woken(2)).await.expect("the append rang");
    session.store.wake(PartitionId(1)).await;
    tokio::time::timeout(Duration::from_secs(5), woken(1)).await.expect("rung before the wait");
    // A store may let an owner look a few times by itself, but whom nobody wakes comes to rest.
    let comes_to_rest =
        async { while tokio::time::timeout(Duration::from_millis(20), woken(3)).await.is_ok() {} };
    tokio::time::timeout(Duration::from_secs(5), comes_to_rest).await.expect("nobody has rung");
}
