//! Dying at every step of a commit, and power cuts that tear the log: what was answered is there, what was not is
//! there as a whole or not at all.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tidemill_model::PartitionId;
use tidemill_store::{BatchId, Commit, Store};
use tidemill_store_conformance::workload::Workload;
use tidemill_store_conformance::{Session, dump};
use tidemill_store_sqlite::{Options, SqliteStore};

const SEED: u64 = 99;
const BATCHES: usize = 6;
/// More steps than a run of so many batches takes.
const STEPS_MAX: usize = 400;

/// The state that the store must have after each number of batches.
async fn expected_states() -> Vec<String> {
    let directory = tempfile::tempdir().expect("a directory");
    let session = open(&directory.path().join("store.db")).await;
    let mut workload = Workload::new(SEED);
    let mut states = vec![dump(&*session.store).await];
    for _ in 0..BATCHES {
        session.store.commit(workload.next(&session.fence)).await.expect("commits");
        states.push(dump(&*session.store).await);
    }
    states
}

async fn open(path: &Path) -> Session {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&Options::new(path)).expect("opens"));
    Session::take(store, PartitionId::FIRST).await
}

/// How many batches of the workload are in the store, and its content.
async fn found(path: &Path) -> (usize, String) {
    let store = SqliteStore::open(&Options::new(path)).expect("opens after the crash");
    let mut count = 0;
    while store.has_batch(PartitionId::FIRST, BatchId(count as i64 + 1)).await.expect("reads") {
        count += 1;
    }
    (count, dump(&store).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn death_at_any_step_leaves_whole_batches() {
    let expected = expected_states().await;
    let mut step = 1;
    let mut deaths = 0;
    loop {
        let directory = tempfile::tempdir().expect("a directory");
        let survived = run_child(directory.path(), step);
        let answered =
            std::fs::read_to_string(directory.path().join("answered")).map_or(0, |text| text.lines().count());
        let path = directory.path().join("store.db");
        let (stored, content) = found(&path).await;
        assert!(
            stored == answered || stored == answered + 1,
            "step {step}: {answered} batches were answered, {stored} are there"
        );
        assert_eq!(content, expected[stored], "step {step}: batch {stored} is not there as a whole");
        resume(&path, stored, &expected).await;
        if survived {
            assert_eq!(answered, BATCHES);
            break;
        }
        deaths += 1;
        step += 1;
        assert!(step < STEPS_MAX, "the child never gets to its end");
    }
    assert!(deaths > BATCHES * 8, "only {deaths} places to die");
}

/// Runs the rest of the workload after the crash: it ends as if nothing had happened.
async fn resume(path: &Path, stored: usize, expected: &[String]) {
    let session = open(path).await;
    let mut workload = Workload::new(SEED);
    for n in 0..BATCHES {
        let batch = workload.next(&session.fence);
        if n >= stored {
            session.store.commit(batch).await.expect("commits");
        }
    }
    assert_eq!(dump(&*session.store).await, expected[BATCHES]);
}

fn run_child(directory: &Path, step: usize) -> bool {
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "child_that_dies", "--ignored", "--nocapture"])
        .env("TIDEMILL_CRASH_DIRECTORY", directory)
        .env("TIDEMILL_CRASH_STEP", step.to_string())
        .output()
        .expect("runs");
    output.status.success()
}

/// Not a test of its own: the process that the test above lets die.
#[tokio::test]
#[ignore = "started by death_at_any_step_leaves_whole_batches"]
async fn child_that_dies() {
    let Ok(directory) = std::env::var("TIDEMILL_CRASH_DIRECTORY") else { return };
    let directory = Path::new(&directory);
    let last_step: usize = std::env::var("TIDEMILL_CRASH_STEP").expect("a step").parse().expect("a number");
    let steps = AtomicUsize::new(0);
    let options = Options {
        on_step: Some(Arc::new(move |_| {
            if steps.fetch_add(1, Ordering::SeqCst) + 1 == last_step {
                std::process::abort();
            }
        })),
        ..Options::new(directory.join("store.db"))
    };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&options).expect("opens"));
    let session = Session::take(store, PartitionId::FIRST).await;
    let mut workload = Workload::new(SEED);
    let mut answered = String::new();
    for n in 0..BATCHES {
        session.store.commit(workload.next(&session.fence)).await.expect("commits");
        answered.push_str(&format!("{n}\n"));
        std::fs::write(directory.join("answered"), &answered).expect("writes");
    }
}

/// A power cut may leave any part of what was not yet synced. The log is cut, and garbled, at many places: what
/// was synced before that place is there, as whole batches.
#[tokio::test(flavor = "multi_thread")]
async fn a_torn_log_ends_at_a_batch() {
    let expected = expected_states().await;
    let directory = tempfile::tempdir().expect("a directory");
    let (path, log) = (directory.path().join("store.db"), directory.path().join("store.db-wal"));
    // Ends of the synced log after each answered batch.
    let mut ends = Vec::new();
    let session = open(&path).await;
    let mut workload = Workload::new(SEED);
    for _ in 0..BATCHES {
        session.store.commit(workload.next(&session.fence)).await.expect("commits");
        ends.push(std::fs::metadata(&log).expect("a log").len() as usize);
    }
    let (file, synced) = (std::fs::read(&path).expect("reads"), std::fs::read(&log).expect("reads"));
    drop(session);
    assert_eq!(synced.len(), *ends.last().expect("batches"));
    let start = ends[0];
    let cuts = ends.iter().copied().chain((0..60).map(|n| start + (synced.len() - start) * n / 60));
    for cut in cuts {
        for is_garbled in [false, true] {
            let mut torn = synced[..cut].to_vec();
            if is_garbled {
                torn.extend(synced[cut..].iter().map(|byte| byte ^ 0x5A));
            }
            let place = tempfile::tempdir().expect("a directory");
            let copy = place.path().join("store.db");
            std::fs::write(&copy, &file).expect("writes");
            std::fs::write(place.path().join("store.db-wal"), torn).expect("writes");
            let (stored, content) = found(&copy).await;
            let whole = ends.iter().filter(|end| **end <= cut).count();
            assert_eq!(stored, whole, "cut at {cut}, garbled: {is_garbled}");
            assert_eq!(content, expected[stored]);
        }
    }
}
