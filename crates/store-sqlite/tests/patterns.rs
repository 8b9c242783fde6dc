//! Hostile patterns over large values: they take bounded time, and who leaves frees the connection.

use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_model::PartitionId;
use tidemill_store::Store;
use tidemill_store::query::{Filter, PATTERN_CHARS_MAX, Search, Test, VariableField};
use tidemill_store_conformance::Session;
use tidemill_store_sqlite::{Options, SqliteStore};

const VALUE_BYTES: usize = 4 << 20;
const VALUES: usize = 4;

/// A store with one connection for searches and values of 4 MB.
async fn with_large_values(options: Options) -> Arc<dyn Store> {
    let options = Options { search_readers: 1, ..options };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&options).expect("opens"));
    let session = Session::take(Arc::clone(&store), PartitionId::FIRST).await;
    let instance = session.make.instance(session.make.key());
    session.put([Arc::new(instance.clone())]).await;
    let value = format!("\"{}\"", "a".repeat(VALUE_BYTES));
    for n in 0..VALUES {
        let name = format!("v{n}");
        session.put([Arc::new(session.make.variable(&instance, instance.key.scope(), &name, &value))]).await;
    }
    store
}

fn like(pattern: &str) -> Search<VariableField> {
    Search::of(Filter::default().is(VariableField::Value, Test::Like(pattern.into())))
}

/// The kinds of pattern that make a matcher try again and again.
fn hostile() -> [String; 3] {
    let half = PATTERN_CHARS_MAX / 2 - 2;
    [
        format!("\"{}b", "a*".repeat(half)),
        format!("*{}b*", "a".repeat(PATTERN_CHARS_MAX - 3)),
        format!("*{}b*", "a?".repeat(half)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_pattern_takes_bounded_time() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = with_large_values(Options::new(directory.path().join("store.db"))).await;
    for pattern in hostile() {
        let began = Instant::now();
        assert_eq!(store.variables(&like(&pattern)).await.expect("searches").total, 0);
        let took = began.elapsed();
        println!("{} MB against {} ... took {took:?}", (VALUES * VALUE_BYTES) >> 20, &pattern[..8]);
        assert!(took < Duration::from_secs(25), "{} ... took {took:?}", &pattern[..8]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_frees_the_connection() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = with_large_values(Options::new(directory.path().join("store.db"))).await;
    let [_, _, slowest] = hostile();
    let began = Instant::now();
    store.variables(&like(&slowest)).await.expect("searches");
    let whole = began.elapsed();

    let began = Instant::now();
    for _ in 0..10 {
        let left = tokio::time::timeout(whole / 40, store.variables(&like(&slowest))).await;
        assert!(left.is_err(), "it was to be left in the middle");
    }
    let instances = store.process_instances(&Search::default()).await.expect("searches");
    assert_eq!(instances.total, 1);
    let took = began.elapsed();
    assert!(took < whole * 4, "10 clients that left took {took:?}, one that stayed {whole:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_ends_with_the_time_of_its_search() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    let store = with_large_values(Options { search_limit_ms: 20, ..Options::new(path) }).await;
    let [_, _, slowest] = hostile();
    let began = Instant::now();
    let error = store.variables(&like(&slowest)).await.expect_err("its time is over");
    assert!(error.to_string().contains("took longer than 20 ms"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
    assert_eq!(store.process_instances(&Search::default()).await.expect("searches").total, 1);
}
