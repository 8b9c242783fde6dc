//! Opening: many at once, what was made by others, what must not be opened.

mod support;

use support::{aside, fresh, open};
use tidemill_model::{PartitionCount, PartitionId, Timestamp};
use tidemill_store::Error;
use tidemill_store_postgres::{Options, PostgresStore};

async fn refusal(options: &Options) -> Error {
    match PostgresStore::open(options).await {
        Ok(_) => panic!("should have been refused"),
        Err(error) => error,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn several_nodes_can_open_an_empty_database_at_once() {
    let options = fresh();
    let opening: Vec<_> = (0..8)
        .map(|_| {
            let options = options.clone();
            tokio::spawn(async move { PostgresStore::open(&options).await.map(drop) })
        })
        .collect();
    for opened in opening {
        opened.await.expect("no panic").expect("opens");
    }
    let states = open(&options).await.partitions().await.expect("reads");
    assert_eq!(states.len(), 3);
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let options = fresh();
    open(&options).await;
    let newer = "INSERT INTO schema_versions (version) VALUES (999)";
    aside(&options).await.batch_execute(newer).await.expect("writes");
    let error = refusal(&options).await;
    assert!(matches!(error, Error::NewerSchema { found: 999, .. }), "{error:?}");
}

#[tokio::test]
async fn another_number_of_partitions_is_refused() {
    let options = fresh();
    open(&options).await;
    let error = refusal(&Options { partitions: PartitionCount(5), ..options }).await;
    assert!(matches!(error, Error::OtherPartitionCount { found: 3, asked: 5, .. }), "{error:?}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let url = "postgres://postgres:secret@127.0.0.1:1/nowhere?sslmode=disable";
    let error = refusal(&Options { url: url.into(), ..fresh() }).await;
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("127.0.0.1:1/nowhere") && !text.contains("secret"), "{text}");
}

async fn is_valid(client: &tokio_postgres::Client, index: &str) -> bool {
    let sql = "SELECT indisvalid FROM pg_index WHERE indexrelid = $1::text::regclass";
    client.query_one(sql, &[&index]).await.expect("reads").get(0)
}

/// As a migration leaves an index of a table whose days are already there.
#[tokio::test(flavor = "multi_thread")]
async fn indexes_of_earlier_days_are_built_beside_the_work() {
    let options = fresh();
    drop(open(&options).await);
    let client = aside(&options).await;
    let sql = "DROP INDEX jobs_history_by_creation, incidents_history_by_job; \
        CREATE INDEX jobs_history_by_creation ON ONLY jobs_history (created_at); \
        CREATE INDEX incidents_history_by_job ON ONLY incidents_history (job_key) WHERE job_key IS NOT NULL";
    client.batch_execute(sql).await.expect("takes the indexes away");
    assert!(!is_valid(&client, "jobs_history_by_creation").await);
    let _store = open(&options).await;
    let began = std::time::Instant::now();
    for index in ["jobs_history_by_creation", "incidents_history_by_job"] {
        while !is_valid(&client, index).await {
            assert!(began.elapsed() < std::time::Duration::from_secs(60), "{index} was not built");
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn history_as_a_whole_has_statistics() {
    let options = fresh();
    let session = tidemill_store_conformance::Session::take(open(&options).await, PartitionId::FIRST).await;
    tidemill_store_conformance::history::fill(&session, 2_000).await;
    session.store.lag(PartitionId::FIRST, Timestamp(0)).await.expect("all of it reaches the tables");
    let client = aside(&options).await;
    let sql = "SELECT count(*) FROM pg_stats WHERE schemaname = current_schema() AND inherited \
        AND tablename = 'process_instances_history'";
    let counted = async || client.query_one(sql, &[]).await.expect("counts").get::<_, i64>(0);
    assert_eq!(counted().await, 0);
    PostgresStore::gather_statistics(&options).await.expect("gathers");
    assert!(counted().await > 5);
}

/// Nodes of the version before know the table of owners that sleep by another name.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_of_the_version_before_goes_on_during_an_update() {
    let options = fresh();
    let _store = open(&options).await;
    let client = aside(&options).await;
    let asleep = "SELECT count(*) FROM sleeping_owners WHERE is_asleep";
    let count = async || client.query_one(asleep, &[]).await.expect("reads").get::<_, i64>(0);
    let before = count().await;
    let changed = client
        .execute("UPDATE naps SET is_asleep = NOT is_asleep WHERE partition_id = 3", &[])
        .await
        .expect("the view can be written");
    assert_eq!(changed, 1);
    assert_ne!(count().await, before);
}
