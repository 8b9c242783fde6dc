//! How fast Postgres takes appends and batches through the store, and how fast it takes the same rows bare.
//! `cargo run --release -p tidemill-store-postgres --example measure_postgres -- [instances] [instances per batch]`

use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_model::entity::Job;
use tidemill_model::{Change, Need, PartitionCount, PartitionId, Timestamp};
use tidemill_store::{LIST_ROWS_MAX, NewInboxEntry, Store};
use tidemill_store_conformance::Session;
use tidemill_store_conformance::one_task::{OneTask, put, row_operations};
use tidemill_store_conformance::postgres::PostgresServer;
use tidemill_store_postgres::{Options, PostgresStore};
use tokio_postgres::{Client, NoTls};

const APPENDERS: usize = 256;
const APPEND_FOR: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>().expect("a number"));
    let (instances, per_batch) = (arguments.next().unwrap_or(20_000), arguments.next().unwrap_or(200));
    let server = PostgresServer::start(&["shared_buffers=512MB", "max_wal_size=4GB"]);
    let options = Options { partitions: PartitionCount(2), ..Options::new(server.url()) };
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open(&options).await.expect("opens"));
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await.expect("connects");
    tokio::spawn(connection);
    appends(&store, &client).await;
    batches(&store, &client, instances, per_batch).await;
}

async fn appends(store: &Arc<dyn Store>, client: &Client) {
    let started = Instant::now();
    let appenders: Vec<_> = (0..APPENDERS)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut count = 0;
                while started.elapsed() < APPEND_FOR {
                    store.append(vec![entry()]).await.expect("appends");
                    count += 1;
                }
                count
            })
        })
        .collect();
    let mut count = 0;
    for appender in appenders {
        count += appender.await.expect("no panic");
    }
    let through = f64::from(count) / started.elapsed().as_secs_f64();
    let bare = bare_rows(client, 1_000, APPEND_FOR).await;
    println!("append, {APPENDERS} callers with one command each: {through:.0}/s");
    println!("  bare inserts of 1,000 rows with a commit: {bare:.0}/s; ratio {:.2}", through / bare);
}

fn entry() -> NewInboxEntry {
    NewInboxEntry { partition: PartitionId(2), received_at: Timestamp(1), payload: vec![7; 150] }
}

/// One statement and one commit per group of rows, into a table with nothing but its key.
async fn bare_rows(client: &Client, per_group: usize, limit: Duration) -> f64 {
    client
        .batch_execute("CREATE TABLE IF NOT EXISTS bare (id bigserial PRIMARY KEY, at bigint, data bytea); TRUNCATE bare")
        .await
        .expect("makes");
    let sql = "INSERT INTO bare (at, data) SELECT u.* FROM unnest($1::bigint[], $2::bytea[]) u";
    let statement = client.prepare(sql).await.expect("prepares");
    let (times, data) = (vec![1_i64; per_group], vec![vec![7_u8; 150]; per_group]);
    let (started, mut count) = (Instant::now(), 0);
    while started.elapsed() < limit {
        client.execute(&statement, &[&times, &data]).await.expect("inserts");
        count += per_group;
    }
    count as f64 / started.elapsed().as_secs_f64()
}

async fn batches(store: &Arc<dyn Store>, client: &Client, instances: usize, per_batch: usize) {
    let session = Session::take(store.clone(), PartitionId::FIRST).await;
    let definition = session.make.definition("order", 1);
    session.commit(vec![put(definition.clone())]).await;
    let (mut writing, mut loading, mut rows, mut commits) = (Duration::ZERO, Duration::ZERO, 0, 0);
    for first in (0..instances).step_by(per_batch) {
        let begun: Vec<OneTask> =
            (first..first + per_batch).map(|n| OneTask::begin(&session, &definition, n)).collect();
        let begins: Vec<Change> = begun.iter().flat_map(|live| live.begin_changes(&session)).collect();
        let ends: Vec<Change> = begun.iter().flat_map(|live| live.end_changes(&session)).collect();
        rows += row_operations(&begins) + row_operations(&ends);
        commits += 2;
        writing += commit(&session, begins).await;
        let needs: Vec<Need> = begun.iter().map(|live| Need::instance_of::<Job>(live.job.key)).collect();
        let started = Instant::now();
        session.store.load(session.fence.partition, &needs, LIST_ROWS_MAX).await.expect("loads");
        loading += started.elapsed();
        writing += commit(&session, ends).await;
    }
    let seconds = writing.as_secs_f64();
    let through = rows as f64 / seconds;
    println!(
        "commit, {per_batch} one-task instances a batch: {:.0} instances/s, {through:.0} row operations/s, {:.1} ms a batch",
        instances as f64 / seconds,
        seconds * 1e3 / f64::from(commits)
    );
    println!("  load by job key: {:.1} µs an instance", loading.as_secs_f64() * 1e6 / instances as f64);
    let bare = bare_rows(client, rows / commits as usize, Duration::from_secs(3)).await;
    println!("  bare inserts of as many rows with a commit: {bare:.0}/s; ratio {:.2}", through / bare);
}

async fn commit(session: &Session, changes: Vec<Change>) -> Duration {
    let started = Instant::now();
    session.commit(changes).await;
    started.elapsed()
}
