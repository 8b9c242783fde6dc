//! The schedule: order, horizon, and firing by range.

use super::{put, remove};
use crate::{Place, Session};
use tidemill_model::entity::{Timer, TimerPurpose};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Batch, FiredTimers, TimerPage, TimerPosition};

async fn with_timers(place: &dyn Place, due: &[i64]) -> (Session, Vec<Timer>) {
    let session = Session::open(place).await;
    let instance = session.make.instance(session.make.key());
    let element = session.make.element(&instance, instance.key.scope(), "wait");
    let timers: Vec<Timer> = due.iter().map(|due| session.make.catch_timer(&element, *due)).collect();
    session.commit(timers.iter().map(put).collect()).await;
    (session, timers)
}

async fn read(session: &Session, after: Option<TimerPosition>, until: i64, limit: usize) -> TimerPage {
    session.store.timers(PartitionId(1), after, Timestamp(until), limit).await.expect("reads")
}

fn dues(page: &TimerPage) -> Vec<i64> {
    page.timers.iter().map(|timer| timer.due_at.0).collect()
}

pub async fn timers_come_in_order_with_an_honest_horizon(place: &dyn Place) {
    let (session, timers) = with_timers(place, &[300, 100, 200, 200, -50]).await;
    let page = read(&session, None, 1_000, 10).await;
    assert_eq!(dues(&page), [-50, 100, 200, 200, 300]);
    assert!(page.timers[2].key < page.timers[3].key);
    assert_eq!(page.horizon, TimerPosition::end_of(Timestamp(1_000)));
    assert_eq!(*page.timers[1], timers[1]);
    let cut = read(&session, None, 1_000, 3).await;
    assert_eq!(dues(&cut), [-50, 100, 200]);
    assert_eq!(cut.horizon, TimerPosition::of(&cut.timers[2]), "what lies behind the limit is not known");
    let rest = read(&session, Some(cut.horizon), 250, 3).await;
    assert_eq!(dues(&rest), [200]);
    assert_eq!(rest.horizon, TimerPosition::end_of(Timestamp(250)));
    let other = session.store.timers(PartitionId(2), None, Timestamp(1_000), 10).await.expect("reads");
    assert!(other.timers.is_empty());
}

pub async fn firing_deletes_exactly_its_range(place: &dyn Place) {
    let (session, timers) = with_timers(place, &[100, 200, 200, 200, 300]).await;
    let fired =
        FiredTimers { after: Some(TimerPosition::of(&timers[0])), up_to: TimerPosition::of(&timers[2]) };
    let again = Timer { key: session.make.key(), due_at: Timestamp(150), ..timers[0].clone() };
    let batch = Batch { fired: Some(fired), ..session.batch(vec![put(&again)]) };
    session.store.commit(batch).await.expect("commits");
    let left = read(&session, None, 1_000, 10).await;
    assert_eq!(dues(&left), [100, 150, 200, 300], "what the batch itself adds stays");
    assert_eq!(left.timers[2].key, timers[3].key);
    let all = FiredTimers { after: None, up_to: TimerPosition::end_of(Timestamp(250)) };
    let batch = Batch { fired: Some(all), ..session.batch(Vec::new()) };
    session.store.commit(batch).await.expect("commits");
    assert_eq!(dues(&read(&session, None, 1_000, 10).await), [300]);
}

pub async fn a_timer_moves(place: &dyn Place) {
    let (session, timers) = with_timers(place, &[100]).await;
    let moved = Timer { due_at: Timestamp(900), ..timers[0].clone() };
    session.commit(vec![put(&moved), remove(&timers[0])]).await;
    let page = read(&session, None, 1_000, 10).await;
    assert_eq!(page.timers.len(), 1);
    assert_eq!(*page.timers[0], moved);
    let start = Timer {
        key: session.make.key(),
        due_at: Timestamp(950),
        purpose: TimerPurpose::Start {
            definition: session.make.key(),
            process_id: "p".into(),
            target: tidemill_model::ElementIndex(1),
            tenant: Default::default(),
        },
        repetitions: None,
        waits_for_clock: false,
    };
    session.commit(vec![remove(&moved), put(&start)]).await;
    assert_eq!(dues(&read(&session, None, 1_000, 10).await), [950]);
}
