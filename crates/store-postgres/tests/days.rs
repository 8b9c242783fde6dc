//! The days of history and log are made by many at once, while others write to them, also ahead of time.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use support::{aside, fresh, open};
use tidemill_model::entity::{Lifecycle, ProcessInstance};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::Batch;
use tidemill_store::query::Search;
use tidemill_store_conformance::Session;
use tidemill_store_conformance::one_task::end;
use tidemill_store_postgres::{Options, PostgresStore};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn days_ahead(days: i64) -> Timestamp {
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    Timestamp(age.as_millis() as i64 + days * DAY_MS)
}

/// As by a clock that was set ahead.
async fn end_one(session: &Session, at: Timestamp) {
    let instance = session.make.instance(session.make.key());
    let ended = ProcessInstance { state: Lifecycle::Completed, ended_at: Some(at), ..instance };
    let batch = Batch { at, ..session.batch(vec![end(ended, false)]) };
    session.store.commit(batch).await.expect("commits");
}

async fn rows(options: &Options, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    aside(options).await.query_one(&sql, &[]).await.expect("counts").get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn many_make_the_same_days_while_rows_of_those_days_come_in() {
    // Rows come in with commits, or a moment after them.
    for follow_window_ms in [0, 5] {
        many_make_days(Options { follow_window_ms, ..fresh() }).await;
    }
}

async fn many_make_days(options: Options) {
    let store = open(&options).await;
    let (first, second) = (
        Session::take(store.clone(), PartitionId(1)).await,
        Session::take(store.clone(), PartitionId(2)).await,
    );
    let (now, later) = (days_ahead(0), days_ahead(2));
    for _ in 0..20 {
        end_one(&first, later).await;
    }
    assert_eq!(store.process_instances(&Search::default()).await.expect("searches").total, 20);
    assert_eq!(rows(&options, "process_instances_history_default").await, 20, "that day is not made yet");

    let is_over = Arc::new(AtomicBool::new(false));
    let writing = [(first, later), (second, now)].map(|(session, at)| {
        let is_over = is_over.clone();
        tokio::spawn(async move {
            let mut count = 0;
            while !is_over.load(Ordering::Relaxed) {
                end_one(&session, at).await;
                count += 1;
            }
            count
        })
    });
    let makers: Vec<_> = (0..6)
        .map(|_| {
            let options = Options { days_ahead: 3, ..options.clone() };
            tokio::spawn(async move { PostgresStore::open(&options).await.map(drop) })
        })
        .collect();
    for made in makers {
        made.await.expect("no panic").expect("every one of them opens");
    }
    is_over.store(true, Ordering::Relaxed);
    let mut written = 20;
    for writer in writing {
        written += writer.await.expect("no commit fails");
    }
    assert_eq!(store.process_instances(&Search::default()).await.expect("searches").total, written as u64);
    for table in ["process_instances_history", "batches"] {
        assert_eq!(rows(&options, &format!("{table}_default")).await, 0, "{table}: every row has its day");
        assert_eq!(rows(&options, table).await, written, "{table}");
        let day = later.0 / DAY_MS;
        assert!(rows(&options, &format!("{table}_d{day}")).await >= 20, "{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_that_is_in_use_is_made_later() {
    let options = fresh();
    open(&options).await;
    let reader = aside(&options).await;
    reader.batch_execute("BEGIN; SELECT count(*) FROM batches").await.expect("reads");
    let store = open(&Options { days_ahead: 1, ..options.clone() }).await;
    let tomorrow = days_ahead(1);
    let session = Session::take(store, PartitionId(1)).await;
    end_one(&session, tomorrow).await;
    assert_eq!(rows(&options, "batches_default").await, 1, "a search holds the table");
    reader.batch_execute("COMMIT").await.expect("ends");
    open(&Options { days_ahead: 1, ..options.clone() }).await;
    assert_eq!(rows(&options, "batches_default").await, 0);
}
