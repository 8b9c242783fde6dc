//! The reads for operators show what is stored.

use super::{end, put};
use crate::{Place, Session};
use std::time::Duration;
use tidemill_model::entity::{Lifecycle, ProcessInstance};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Batch, BatchId, Kept, LogRange, NewInboxEntry, Purpose, Retention};

fn everything() -> LogRange {
    let at = Timestamp(i64::MIN)..Timestamp(i64::MAX);
    LogRange { at, ids: (BatchId(i64::MIN), BatchId(i64::MAX)), is_newest_first: false }
}

async fn committed(session: &Session, at: i64) -> BatchId {
    let log = at.to_be_bytes().to_vec();
    let batch = Batch { at: Timestamp(at), log, ..session.batch(Vec::new()) };
    let id = batch.id;
    session.store.commit(batch).await.expect("commits");
    id
}

pub async fn the_log_is_read_in_both_directions(place: &dyn Place) {
    let session = Session::open(place).await;
    let mut ids = Vec::new();
    // The second and the third have the same time.
    for at in [500, 600, 600, 700] {
        ids.push(committed(&session, at).await);
    }
    let other = Session::take(session.store.clone(), PartitionId(2)).await;
    committed(&other, 650).await;
    let read = async |range: LogRange, limit: usize| -> Vec<usize> {
        let batches = session.store.log(PartitionId(1), &range, limit).await.expect("reads");
        assert!(batches.iter().all(|batch| batch.log == batch.at.0.to_be_bytes()));
        let number = |id: BatchId| ids.iter().position(|known| *known == id).expect("one of them");
        batches.iter().map(|batch| number(batch.id)).collect()
    };
    let newest_first = |range: LogRange| LogRange { is_newest_first: true, ..range };
    assert_eq!(read(everything(), 10).await, [0, 1, 2, 3]);
    assert_eq!(read(everything(), 2).await, [0, 1]);
    assert_eq!(read(newest_first(everything()), 2).await, [3, 2]);
    let behind_first = LogRange { ids: (BatchId(ids[1].0), BatchId(i64::MAX)), ..everything() };
    assert_eq!(read(behind_first, 10).await, [1, 2, 3]);
    let before_third = LogRange { ids: (BatchId(i64::MIN), BatchId(ids[1].0)), ..everything() };
    assert_eq!(read(newest_first(before_third), 10).await, [1, 0]);
    let at_six = LogRange { at: Timestamp(501)..Timestamp(700), ..everything() };
    assert_eq!(read(at_six.clone(), 10).await, [1, 2]);
    assert_eq!(read(newest_first(at_six), 10).await, [2, 1]);
}

pub async fn what_waits_is_counted(place: &dyn Place) {
    let session = Session::open(place).await;
    let (store, now) = (&session.store, Timestamp(1_000));
    let nothing = store.lag(PartitionId(2), now).await.expect("counts");
    assert_eq!(nothing, tidemill_store::Lag::default());
    let entry =
        |at| NewInboxEntry { partition: PartitionId(1), received_at: Timestamp(at), payload: vec![1] };
    let positions = store.append(vec![entry(300), entry(400), entry(500)]).await.expect("appends");
    let instance = session.make.instance(session.make.key());
    let element = session.make.element(&instance, instance.key.scope(), "task");
    let timers = [700, 900, 1_000, 1_001].map(|due_at| put(&session.make.catch_timer(&element, due_at)));
    let batch = Batch { consumed: vec![positions[0]], ..session.batch(timers.to_vec()) };
    let (id, at) = (batch.id, batch.at);
    store.commit(batch).await.expect("commits");
    let lag = store.lag(PartitionId(1), now).await.expect("counts");
    assert_eq!((lag.waiting, lag.oldest_received_at), (2, Some(Timestamp(400))));
    assert_eq!((lag.timers_due, lag.oldest_due_at), (3, Some(Timestamp(700))));
    assert_eq!(lag.last_batch, Some((id, at)));
}

pub async fn amounts_are_told(place: &dyn Place) {
    let session = Session::open(place).await;
    let instance = ProcessInstance {
        state: Lifecycle::Completed,
        ended_at: Some(Timestamp(10)),
        ..session.make.instance(session.make.key())
    };
    session.commit(vec![end(&instance, false)]).await;
    let amounts = session.store.amounts().await.expect("counts");
    for (purpose, table) in [(Purpose::History, "process_instances_history"), (Purpose::Log, "batches")] {
        let told = amounts.iter().any(|amount| {
            amount.purpose == purpose && amount.name == table && amount.rows.is_none_or(|rows| rows == 1)
        });
        assert!(told, "{table}: {amounts:?}");
    }
    assert!(amounts.is_sorted_by_key(|amount| amount.day), "{amounts:?}");
}

pub async fn retention_is_kept(place: &dyn Place) {
    let store = place.open().await;
    assert_eq!(store.retention().await.expect("reads"), Retention::default());
    let day = Kept::For(Duration::from_secs(86_400));
    let wished = Retention { history: Some(Kept::Forever), log: Some(day) };
    store.set_retention(wished).await.expect("sets");
    drop(store);
    let store = place.open().await;
    assert_eq!(store.retention().await.expect("reads"), wished);
    let less = Retention { history: Some(day), log: None };
    store.set_retention(less).await.expect("sets");
    assert_eq!(store.retention().await.expect("reads"), less);
}
