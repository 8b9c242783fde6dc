//! Positions are not in the order of commits: nothing is lost, nothing runs twice. And wake-ups across stores.

mod support;

use std::time::{Duration, Instant};
use support::{aside, entry, fresh, open};
use tidemill_model::PartitionId;
use tidemill_store::{Batch, Position};
use tidemill_store_conformance::Session;
use tidemill_store_postgres::Options;

const FIRST: PartitionId = PartitionId::FIRST;

#[tokio::test(flavor = "multi_thread")]
async fn a_lower_position_that_commits_late_is_neither_lost_nor_run_twice() {
    let options = Options { inbox_floor_ms: 300, ..fresh() };
    let session = Session::take(open(&options).await, FIRST).await;
    let slow = aside(&options).await;
    slow.batch_execute("BEGIN").await.expect("begins");
    let insert =
        "INSERT INTO inbox (partition_id, received_at, payload) VALUES (1, 7, '\\x07') RETURNING position";
    let late = Position(slow.query_one(insert, &[]).await.expect("inserts").get(0));

    let mut ran: Vec<Position> = Vec::new();
    let mut highest = late;
    let held = Instant::now();
    let mut n = 0;
    while held.elapsed() < Duration::from_secs(4) {
        n += 1;
        highest = session.store.append(vec![entry(1, n)]).await.expect("appends")[0];
        consume(&session, &mut ran).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(highest > late && ran.len() == usize::from(n) && !ran.contains(&late));

    slow.batch_execute("COMMIT").await.expect("commits at last");
    let committed = Instant::now();
    while !ran.contains(&late) {
        assert!(committed.elapsed() < Duration::from_secs(5), "the late entry is lost");
        consume(&session, &mut ran).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    consume(&session, &mut ran).await;
    let mut once = ran.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ran.len(), "something ran twice");
    assert_eq!(ran.len(), usize::from(n) + 1);
}

async fn consume(session: &Session, ran: &mut Vec<Position>) {
    let waiting = session.store.waiting(FIRST, 100).await.expect("reads");
    if waiting.is_empty() {
        return;
    }
    let consumed: Vec<Position> = waiting.iter().map(|entry| entry.position).collect();
    let batch = Batch { consumed: consumed.clone(), ..session.batch(Vec::new()) };
    session.store.commit(batch).await.expect("commits");
    ran.extend(consumed);
}

/// Waits for a wake-up that leads to an entry, as a partition loop does.
async fn woken_to_work(session: &Session, limit: Duration) -> Duration {
    let started = Instant::now();
    while started.elapsed() < limit {
        session.store.woken(FIRST).await;
        let mut ran = Vec::new();
        consume(session, &mut ran).await;
        if !ran.is_empty() {
            return started.elapsed();
        }
    }
    panic!("no wake-up within {limit:?}");
}

/// Until the owner has told the store that it sleeps.
async fn fall_asleep(session: &Session, options: &Options) {
    let client = aside(options).await;
    let started = Instant::now();
    loop {
        let _ = tokio::time::timeout(Duration::from_millis(300), session.store.woken(FIRST)).await;
        let sql = "SELECT is_asleep FROM sleeping_owners WHERE partition_id = 1";
        if client.query_one(sql, &[]).await.expect("reads").get(0) {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(10), "the owner does not fall asleep");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_elsewhere_is_woken_from_deep_sleep() {
    let options = fresh();
    let owner = Session::take(open(&options).await, FIRST).await;
    let other = open(&options).await;
    fall_asleep(&owner, &options).await;
    let (woken, appended) = tokio::join!(woken_to_work(&owner, Duration::from_secs(4)), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        other.append(vec![entry(1, 1)]).await
    });
    appended.expect("appends");
    assert!(woken < Duration::from_secs(2), "the safety look came before the wake-up: {woken:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_listening_connection_is_opened_again() {
    let options = fresh();
    let owner = Session::take(open(&options).await, FIRST).await;
    let other = open(&options).await;
    fall_asleep(&owner, &options).await;
    let killer = aside(&options).await;
    let channel = format!("%LISTEN \"tidemill_{}\"%", options.schema);
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE $1 AND pid <> pg_backend_pid()";
    assert!(!killer.query(kill, &[&channel]).await.expect("kills").is_empty(), "nobody listened");
    other.append(vec![entry(1, 1)]).await.expect("appends");
    woken_to_work(&owner, Duration::from_secs(4)).await;
    // And once more by the new connection.
    fall_asleep(&owner, &options).await;
    let (woken, appended) = tokio::join!(woken_to_work(&owner, Duration::from_secs(4)), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        other.append(vec![entry(1, 2)]).await
    });
    appended.expect("appends");
    assert!(woken < Duration::from_secs(2), "woken by chance only: {woken:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn positions_of_concurrent_appends_go_to_who_asked() {
    let options = fresh();
    let store = open(&options).await;
    let appends: Vec<_> = (0..200u8)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(
                async move { (n, store.append(vec![entry(1, n), entry(2, n)]).await.expect("appends")) },
            )
        })
        .collect();
    let mut expected = Vec::new();
    for append in appends {
        let (n, positions) = append.await.expect("no panic");
        assert!(positions[0] < positions[1]);
        expected.push((positions[0], n));
    }
    expected.sort_unstable();
    let waiting = store.waiting(FIRST, 1_000).await.expect("reads");
    let found: Vec<(Position, u8)> = waiting.iter().map(|entry| (entry.position, entry.payload[0])).collect();
    assert_eq!(found, expected);
}
