//! Opening: many at once, what was made by others, what must not be opened.

mod support;

use support::{aside, fresh, open};
use tidemill_model::PartitionCount;
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
