//! A store under other names, emptied, replaced, cut short or damaged: nobody takes it for a whole one.

use rusqlite::Connection;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::query::Search;
use tidemill_store::{Error, Inbox, NewInboxEntry, Searches, Store};
use tidemill_store_conformance::Session;
use tidemill_store_conformance::workload::Workload;
use tidemill_store_sqlite::{Options, SqliteStore};

fn refusal(path: &Path) -> Error {
    match SqliteStore::open(&Options::new(path)) {
        Ok(_) => panic!("{} should have been refused", path.display()),
        Err(error) => error,
    }
}

async fn session(path: &Path) -> Session {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&Options::new(path)).expect("opens"));
    Session::take(store, PartitionId::FIRST).await
}

async fn commit(session: &Session, workload: &mut Workload, batches: usize) {
    for _ in 0..batches {
        session.store.commit(workload.next(&session.fence)).await.expect("commits");
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

fn entry() -> NewInboxEntry {
    NewInboxEntry { partition: PartitionId::FIRST, received_at: Timestamp(1), payload: vec![1] }
}

#[test]
fn other_names_of_a_file_do_not_open_it_twice() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    let store = SqliteStore::open(&Options::new(&path)).expect("opens");
    let (link, hard) = (directory.path().join("link.db"), directory.path().join("hard.db"));
    symlink(&path, &link).expect("linked");
    std::fs::hard_link(&path, &hard).expect("linked");
    let elsewhere = directory.path().join("elsewhere");
    symlink(directory.path(), &elsewhere).expect("linked");
    for other in [&path, &link, &hard, &elsewhere.join("store.db")] {
        assert!(matches!(refusal(other), Error::Locked { .. }), "{}", other.display());
    }
    std::fs::remove_file(beside(&path, ".lock")).expect("removed");
    for other in [&path, &link, &hard] {
        assert!(matches!(refusal(other), Error::Locked { .. }), "{}", other.display());
    }
    drop(store);
    drop(SqliteStore::open(&Options::new(&link)).expect("free again"));
    let lost = directory.path().join("lost.db");
    symlink(directory.path().join("nowhere.db"), &lost).expect("linked");
    refusal(&lost);
}

/// Another process cannot be fooled either: it meets the lock on the file itself.
#[test]
fn the_file_itself_is_locked() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    let store = SqliteStore::open(&Options::new(&path)).expect("opens");
    let taken = || {
        let ran = std::process::Command::new("flock").arg("-n").arg(&path).arg("true").status();
        !ran.expect("flock runs").success()
    };
    assert!(taken());
    drop(store);
    assert!(!taken());
}

#[tokio::test]
async fn an_emptied_or_missing_store_is_not_made_anew() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    let workload = &mut Workload::new(3);
    commit(&session(&path).await, workload, 3).await;
    let content = std::fs::read(&path).expect("reads");
    std::fs::write(&path, "").expect("empties");
    let error = refusal(&path).to_string();
    assert!(error.contains("it is empty") && error.contains("store.db.last"), "{error}");
    std::fs::remove_file(&path).expect("removes");
    assert!(refusal(&path).to_string().contains("it is missing"));
    assert!(!path.exists(), "nothing was made");
    std::fs::write(&path, content).expect("puts it back");
    drop(SqliteStore::open(&Options::new(&path)).expect("opens"));
    std::fs::remove_file(&path).expect("removes");
    std::fs::remove_file(beside(&path, ".last")).expect("removes");
    SqliteStore::open(&Options::new(&path)).expect("begins anew when told to");
}

#[tokio::test]
async fn a_log_that_has_lost_its_end_is_noticed() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    let workload = &mut Workload::new(4);
    let session = session(&path).await;
    commit(&session, workload, 5).await;
    let copy = directory.path().join("crashed.db");
    for suffix in ["", "-wal", ".last"] {
        std::fs::copy(beside(&path, suffix), beside(&copy, suffix)).expect("copies");
    }
    // The last frame of the log does not match its checksum any more.
    let log = std::fs::OpenOptions::new().write(true).open(beside(&copy, "-wal")).expect("opens");
    let end = log.metadata().expect("there").len();
    log.write_all_at(&[0xA5; 100], end - 200).expect("damages");
    let error = refusal(&copy).to_string();
    assert!(error.contains("it ends with batch 4, but batch 5 was written"), "{error}");
    assert!(error.contains("crashed.db-wal") && error.contains("delete"), "{error}");
    std::fs::remove_file(beside(&copy, ".last")).expect("removes");
    SqliteStore::open(&Options::new(&copy)).expect("goes on without it when told to");
}

#[tokio::test]
async fn a_backup_may_take_the_place_of_the_store() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    let (plain, backup) = (directory.path().join("plain.db"), directory.path().join("backup.db"));
    let workload = &mut Workload::new(5);
    {
        let session = session(&path).await;
        commit(&session, workload, 2).await;
        session.store.back_up(&backup).await.expect("copies");
    }
    std::fs::copy(&path, &plain).expect("copies");
    commit(&session(&path).await, workload, 0).await;
    {
        let session = session(&path).await;
        commit(&session, &mut Workload::new(6), 0).await;
        let mut later = Workload::new(5);
        (0..2).for_each(|_| drop(later.next(&session.fence)));
        commit(&session, &mut later, 2).await;
    }
    std::fs::copy(&plain, &path).expect("replaces");
    assert!(refusal(&path).to_string().contains("it ends with batch 2, but batch 4"));
    std::fs::copy(&backup, &path).expect("replaces");
    drop(SqliteStore::open(&Options::new(&path)).expect("a backup is meant to be older"));
    SqliteStore::open(&Options::new(&path)).expect("and goes on from there");
}

#[tokio::test]
async fn a_store_that_is_replaced_under_the_server_is_not_written_any_more() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    let session = session(&path).await;
    commit(&session, &mut Workload::new(6), 1).await;
    std::fs::rename(&path, directory.path().join("moved.db")).expect("moves");
    std::fs::write(&path, "").expect("writes");
    let error = until_refused(&session).await;
    assert!(error.is_fatal() && error.to_string().contains("removed or replaced"), "{error}");
}

/// Writes until nothing can be written any more.
async fn until_refused(session: &Session) -> Error {
    let began = std::time::Instant::now();
    loop {
        match session.store.append(vec![entry()]).await {
            Err(error) => return error,
            Ok(_) => assert!(began.elapsed().as_secs() < 10, "nobody has noticed"),
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn files_beside_the_store_are_watched_as_well() {
    for (suffix, is_replaced) in
        [("-wal", false), ("-wal", true), (".last", false), (".last", true), ("-shm", false)]
    {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("store.db");
        let session = session(&path).await;
        commit(&session, &mut Workload::new(6), 1).await;
        std::fs::remove_file(beside(&path, suffix)).expect("removes");
        if is_replaced {
            std::fs::write(beside(&path, suffix), "").expect("writes");
        }
        let error = until_refused(&session).await;
        let text = error.to_string();
        assert!(error.is_fatal() && text.contains("removed or replaced"), "{suffix}: {text}");
        assert!(text.contains(&format!("store.db{suffix}")), "{text}");

        // As a kill would leave it a moment later: what was answered is in the database itself.
        let answered = session.store.waiting(PartitionId::FIRST, 1_000).await.expect("reads").len();
        let copy = directory.path().join("killed.db");
        wait_for_saved(&path, &copy, answered).await;
    }
}

/// The log is copied on a thread of its own.
async fn wait_for_saved(path: &Path, copy: &Path, answered: usize) {
    let began = std::time::Instant::now();
    loop {
        std::fs::copy(path, copy).expect("copies");
        let found = {
            let connection = Connection::open(copy).expect("opens");
            let sql = "SELECT count(*) FROM inbox WHERE partition_id = 1";
            connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap_or(-1)
        };
        if found == answered as i64 {
            return;
        }
        assert!(began.elapsed().as_secs() < 10, "{found} of {answered} entries were saved");
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(beside(copy, suffix));
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_backup_takes_no_name_of_the_store() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(directory.path(), &link).expect("links");
    let session = session(&path).await;
    commit(&session, &mut Workload::new(6), 1).await;
    for suffix in ["", "-wal", "-shm", "-journal", ".lock", ".last"] {
        for place in [&path, &link.join("store.db")] {
            let error = session.store.back_up(&beside(place, suffix)).await.expect_err("refused").to_string();
            assert!(error.contains("belongs to the store itself"), "{suffix}: {error}");
        }
    }
    assert!(!beside(&path, "-journal").exists() && !beside(&path, "-journal.unfinished").exists());
    session.store.back_up(&beside(&path, "-copy")).await.expect("any other name will do");
}

#[tokio::test]
async fn damage_that_a_read_meets_ends_all_writing() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    commit(&session(&path).await, &mut Workload::new(11), 60).await;
    let root: i64 = {
        let connection = Connection::open(&path).expect("opens");
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'variables_history'";
        connection.query_row(sql, [], |row| row.get(0)).expect("a table")
    };
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("opens");
    file.write_all_at(&[0xA5; 4096], (root as u64 - 1) * 4096).expect("damages");
    let store = SqliteStore::open(&Options::new(&path)).expect("opens");
    store.append(vec![entry()]).await.expect("nobody has met the damage");
    let error = store.variables(&Search::default()).await.expect_err("damaged");
    assert!(matches!(error, Error::Corrupt { .. }), "{error:?}");
    for _ in 0..3 {
        let refused = store.append(vec![entry()]).await.expect_err("refused");
        assert!(refused.is_fatal() && refused.to_string().contains("Nothing more is written"), "{refused}");
    }
}

#[tokio::test]
async fn only_the_owner_can_read_the_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let all = || ["", "-wal", "-shm", ".lock", ".last"].map(|suffix| beside(&path, suffix));
    for round in 0..2 {
        let session = session(&path).await;
        commit(&session, &mut Workload::new(7), usize::from(round == 0)).await;
        let backup = directory.path().join(format!("backup-{round}.db"));
        session.store.back_up(&backup).await.expect("copies");
        for file in all().iter().chain([&backup]) {
            assert_eq!(mode(file), 0o600, "{}", file.display());
        }
        drop(session);
        // As an earlier version left them.
        for file in all().iter().filter(|file| file.exists()) {
            std::fs::set_permissions(file, PermissionsExt::from_mode(0o644)).expect("changes");
        }
    }
}
