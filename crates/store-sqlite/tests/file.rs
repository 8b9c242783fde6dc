//! Files that cannot be used, or can no longer be used: what operators are told, and that nothing is lost.

use rusqlite::Connection;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_store::query::Search;
use tidemill_store::{Error, Searches, Store};
use tidemill_store_conformance::workload::Workload;
use tidemill_store_conformance::{Session, dump};
use tidemill_store_sqlite::{Options, SqliteStore};

fn refusal(options: &Options) -> Error {
    match SqliteStore::open(options) {
        Ok(_) => panic!("should have been refused"),
        Err(error) => error,
    }
}

async fn fill(path: &Path, batches: usize) -> String {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&Options::new(path)).expect("opens"));
    let session = Session::take(store, PartitionId::FIRST).await;
    let mut workload = Workload::new(11);
    for _ in 0..batches {
        session.store.commit(workload.next(&session.fence)).await.expect("commits");
    }
    dump(&*session.store).await
}

#[tokio::test]
async fn a_file_in_use_tells_by_whom() {
    let directory = tempfile::tempdir().expect("a directory");
    let options = Options::new(directory.path().join("store.db"));
    let first = SqliteStore::open(&options).expect("opens");
    let error = refusal(&options);
    let Error::Locked { by, .. } = &error else { panic!("{error:?}") };
    assert!(by.contains(&format!("process {}", std::process::id())), "{by}");
    assert!(error.to_string().contains("store.db"), "{error}");
    drop(first);
    SqliteStore::open(&options).expect("free again");
}

#[test]
fn a_file_of_a_newer_version_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let options = Options::new(directory.path().join("store.db"));
    drop(SqliteStore::open(&options).expect("opens"));
    let connection = Connection::open(&options.path).expect("opens");
    connection
        .execute(
            "INSERT INTO refinery_schema_history SELECT 999, 'later', applied_on, checksum \
             FROM refinery_schema_history LIMIT 1",
            [],
        )
        .expect("a later version");
    drop(connection);
    let error = refusal(&options);
    assert!(matches!(error, Error::NewerSchema { found: 999, .. }), "{error:?}");
    assert!(error.to_string().contains("newer Tidemill"), "{error}");
}

#[test]
fn another_number_of_partitions_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let options = Options::new(directory.path().join("store.db"));
    drop(SqliteStore::open(&options).expect("opens"));
    let error = refusal(&Options { partitions: PartitionCount(4), ..options });
    assert!(matches!(error, Error::OtherPartitionCount { found: 1, asked: 4, .. }), "{error:?}");
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let options = Options::new(directory.path().join("theirs.db"));
    let theirs = Connection::open(&options.path).expect("opens");
    theirs.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)").expect("writes");
    drop(theirs);
    let error = refusal(&options);
    assert!(error.to_string().contains("another program"), "{error}");
    let text = Options::new(directory.path().join("notes.txt"));
    std::fs::write(&text.path, "not a database at all, but long enough to look at ".repeat(40))
        .expect("writes");
    let error = refusal(&text);
    assert!(error.to_string().contains("no store of Tidemill"), "{error}");
    let left: Vec<_> = std::fs::read_dir(directory.path()).expect("lists").flatten().collect();
    assert!(left.iter().all(|file| !file.path().ends_with("notes.txt.lock")), "{left:?}");
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let error = refusal(&Options::new(directory.path().join("missing").join("store.db")));
    assert!(error.to_string().contains("missing"), "{error}");
}

#[tokio::test]
async fn a_full_disk_is_told_loses_nothing_and_stops_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    let limited = Options { file_bytes_max: Some(700 << 10), ..Options::new(&path) };
    let mut workload = Workload::new(5);
    let mut committed = 0;
    let at_the_end = {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&limited).expect("opens"));
        let session = Session::take(store, PartitionId::FIRST).await;
        let (batch, error) = loop {
            let batch = workload.next(&session.fence);
            match session.store.commit(batch.clone()).await {
                Ok(_) => committed += 1,
                Err(error) => break (batch, error),
            }
            assert!(committed < 10_000, "the limit has no effect");
        };
        assert!(matches!(error, Error::FullForNow { .. }), "{error:?}");
        assert!(!error.is_fatal(), "it is tried again");
        assert!(error.to_string().contains("Free some space"), "{error}");
        // The writer goes on: each further try is judged by itself.
        let again = session.store.commit(batch).await;
        assert!(matches!(again, Err(Error::FullForNow { .. })), "{again:?}");
        dump(&*session.store).await
    };
    assert!(committed > 3);
    let store = SqliteStore::open(&Options::new(&path)).expect("opens with room");
    assert_eq!(dump(&store).await, at_the_end);
    let mut again = Workload::new(5);
    let expected = {
        let other = tempfile::tempdir().expect("a directory");
        let store: Arc<dyn Store> =
            Arc::new(SqliteStore::open(&Options::new(other.path().join("store.db"))).expect("opens"));
        let session = Session::take(store, PartitionId::FIRST).await;
        for _ in 0..committed {
            session.store.commit(again.next(&session.fence)).await.expect("commits");
        }
        dump(&*session.store).await
    };
    assert_eq!(at_the_end, expected, "every answered batch is there, and nothing else");
}

#[tokio::test]
async fn a_damaged_page_is_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    fill(&path, 60).await;
    assert!(!directory.path().join("store.db-wal").exists(), "a clean stop leaves one file");
    let mut file = std::fs::OpenOptions::new().read(true).write(true).open(&path).expect("opens");
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).expect("reads");
    // Everything behind the first pages: whatever is read first meets it.
    let from = 16 << 10;
    file.seek(SeekFrom::Start(from as u64)).expect("seeks");
    file.write_all(&vec![0xA5; bytes.len() - from]).expect("writes");
    drop(file);
    let error = match SqliteStore::open(&Options::new(&path)) {
        Err(error) => error,
        Ok(store) => {
            let (elements, variables) = (
                store.element_instances(&Search::default()).await,
                store.variables(&Search::default()).await,
            );
            elements.err().or(variables.err()).expect("the damage is met")
        }
    };
    assert!(matches!(error, Error::Corrupt { .. }), "{error:?}");
    assert!(error.to_string().contains("restore a backup"), "{error}");
}

#[tokio::test]
async fn the_log_does_not_grow_without_end() {
    let directory = tempfile::tempdir().expect("a directory");
    let options = Options { checkpoint_bytes: 1 << 20, ..Options::new(directory.path().join("store.db")) };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&options).expect("opens"));
    let session = Session::take(store, PartitionId::FIRST).await;
    let mut workload = Workload::new(17);
    let log = directory.path().join("store.db-wal");
    let mut largest = 0;
    let mut written = 0;
    for _ in 0..40 {
        for _ in 0..25 {
            session.store.commit(workload.next(&session.fence)).await.expect("commits");
        }
        let size = std::fs::metadata(&log).expect("there is a log").len();
        written += 25;
        largest = largest.max(size);
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    }
    assert_eq!(written, 1000);
    assert!(largest < 8 << 20, "the log has grown to {largest} bytes");
    assert_eq!(session.store.partition_count(), PartitionCount::ONE);
}
