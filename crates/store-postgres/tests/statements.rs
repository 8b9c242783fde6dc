//! How many statements a batch takes, as the server counts them, and how many notifications.

mod support;

use std::time::Duration;
use support::{aside, entry, fresh, open};
use tidemill_model::{Change, PartitionId};
use tidemill_store_conformance::Session;
use tidemill_store_conformance::one_task::{OneTask, put};
use tidemill_store_postgres::Options;
use tokio_postgres::Client;

/// In a database of its own, so that nobody else's statements are counted.
async fn counted(name: &str) -> (Options, Client) {
    let mut options = fresh();
    let client = aside(&options).await;
    client.batch_execute(&format!("CREATE DATABASE {name}")).await.expect("makes");
    options.url = options.url.replace("/postgres?", &format!("/{name}?"));
    let (client, connection) =
        tokio_postgres::connect(&options.url, tokio_postgres::NoTls).await.expect("connects");
    tokio::spawn(connection);
    client.batch_execute("CREATE EXTENSION pg_stat_statements").await.expect("installed");
    (options, client)
}

async fn calls(client: &Client) -> i64 {
    let sql = "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid \
        WHERE d.datname = current_database() AND query NOT LIKE '%pg_stat_statements%'";
    client.query_one(sql, &[]).await.expect("counts").get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_of_a_batch_do_not_grow_with_it() {
    let (options, client) = counted("batches_counted").await;
    let session = Session::take(open(&options).await, PartitionId::FIRST).await;
    let definition = session.make.definition("order", 1);
    session.commit(vec![put(definition.clone())]).await;
    let mut counts = Vec::new();
    for instances in [1, 10, 400] {
        let tasks: Vec<OneTask> = (0..instances).map(|n| OneTask::begin(&session, &definition, n)).collect();
        let begins: Vec<Change> = tasks.iter().flat_map(|task| task.begin_changes(&session)).collect();
        let ends: Vec<Change> = tasks.iter().flat_map(|task| task.end_changes(&session)).collect();
        let mut batch = session.batch(begins);
        batch.outgoing = (0..instances).map(|_| entry(1, 1)).collect();
        let before = calls(&client).await;
        session.store.commit(batch).await.expect("commits");
        session.commit(ends).await;
        counts.push(calls(&client).await - before);
    }
    assert_eq!(counts[0], counts[1], "{counts:?}");
    assert_eq!(counts[0], counts[2], "{counts:?}");
    // Two batches over four tables: begin, log, inbox, counts, fence and commit besides the rows.
    assert!(counts[0] <= 2 * 20, "{counts:?}");
}

/// Each row that the notifying statement gives is one notification.
async fn notifications(client: &Client) -> i64 {
    let sql =
        "SELECT coalesce(sum(rows), 0)::bigint FROM pg_stat_statements WHERE query LIKE 'SELECT pg_notify%'";
    client.query_one(sql, &[]).await.expect("counts").get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_that_is_awake_is_not_notified() {
    let (options, client) = counted("notifications_counted").await;
    let owner = Session::take(open(&options).await, PartitionId::FIRST).await;
    let other = open(&options).await;
    for n in 0..20 {
        other.append(vec![entry(1, n)]).await.expect("appends");
    }
    assert_eq!(notifications(&client).await, 0, "nobody sleeps");
    let falls_asleep = async {
        loop {
            owner.store.woken(PartitionId::FIRST).await
        }
    };
    let _ = tokio::time::timeout(Duration::from_millis(1_200), falls_asleep).await;
    other.append((0..50).map(|n| entry(1, n)).collect()).await.expect("appends");
    assert_eq!(notifications(&client).await, 1, "one for the whole append");
}
