//! Servers that are set up wrongly, that are killed, that have lost their functions, and nodes that wake each other.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::{PartitionCount, PartitionId, Timestamp};
use tidemill_store::{Batch, Error, Inbox, NewInboxEntry, Store};
use tidemill_store_conformance::Session;
use tidemill_store_conformance::redis::RedisServer;
use tidemill_store_redis::{Durability, Options, RedisStore};

const LIMIT: Duration = Duration::from_secs(30);

fn options(server: &RedisServer) -> Options {
    Options::new(&server.url(), PartitionCount(2)).expect("an address")
}

async fn open(server: &RedisServer) -> Arc<dyn Store> {
    Arc::new(RedisStore::open(&options(server)).await.expect("opens"))
}

fn redis_cli(server: &RedisServer, arguments: &[&str]) -> String {
    let mut command = Command::new("redis-cli");
    command.args(["-p", &server.port().to_string()]).args(arguments);
    String::from_utf8(command.output().expect("redis-cli runs").stdout).expect("a text")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_loses_what_it_answered_is_refused() {
    let server = RedisServer::start(&[("appendfsync", "everysec"), ("maxmemory-policy", "allkeys-lru")]);
    let refused = RedisStore::open(&options(&server)).await;
    let Err(Error::Failed { reason, .. }) = refused else { panic!("it opened") };
    assert!(reason.contains("appendfsync is everysec and must be always"), "{reason}");
    assert!(reason.contains("maxmemory-policy is allkeys-lru and must be noeviction"), "{reason}");
    assert!(!reason.contains("appendonly"), "what is right is not told: {reason}");
    redis_cli(&server, &["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    assert!(RedisStore::open(&options(&server)).await.is_err());
    let chosen = Options { durability: Durability::EverySecond, ..options(&server) };
    RedisStore::open(&chosen).await.expect("an explicit choice");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_number_of_partitions_is_refused() {
    let server = RedisServer::start(&[]);
    open(&server).await;
    let other = Options { partitions: PartitionCount(3), ..options(&server) };
    let refused = RedisStore::open(&other).await.err();
    assert!(matches!(refused, Some(Error::OtherPartitionCount { found: 2, asked: 3, .. })), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_is_there_after_a_kill() {
    let server = RedisServer::start(&[]);
    let session = Session::take(open(&server).await, PartitionId::FIRST).await;
    let entry = |payload: u8| NewInboxEntry {
        partition: PartitionId(1),
        received_at: Timestamp(1),
        payload: vec![payload],
    };
    let mut positions = Vec::new();
    for round in 0..3 {
        positions.extend(session.store.append(vec![entry(round)]).await.expect("appends"));
        let batch = session.batch(Vec::new());
        let id = batch.id;
        session.store.commit(batch).await.expect("commits");
        server.kill();
        server.resume();
        // The first calls may still meet the broken connection; nothing is sent twice.
        let begin = std::time::Instant::now();
        while session.store.waiting(PartitionId(1), 10).await.is_err() {
            assert!(begin.elapsed() < LIMIT, "the connection does not come back");
        }
        let waiting = session.store.waiting(PartitionId(1), 10).await.expect("reads");
        assert_eq!(waiting.iter().map(|entry| entry.position).collect::<Vec<_>>(), positions);
        assert!(session.store.has_batch(PartitionId(1), id).await.expect("reads"));
        while matches!(session.store.renew(std::slice::from_ref(&session.fence), 60_000).await, Err(error) if !matches!(error, Error::Fenced { .. }))
        {
            assert!(begin.elapsed() < LIMIT, "the connection does not come back");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_belongs_to_its_writer() {
    let server = RedisServer::start(&[]);
    let session = Session::take(open(&server).await, PartitionId::FIRST).await;
    let batch = session.batch(Vec::new());
    let id = batch.id;
    session.store.commit(batch).await.expect("commits");
    let is_of = async |writer: &str| {
        session.store.has_batch_of(PartitionId::FIRST, id, &writer.into()).await.expect("reads")
    };
    assert!(is_of(&session.fence.holder).await);
    assert!(!is_of("another that was given the same epoch").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_that_are_gone_are_loaded_again() {
    let server = RedisServer::start(&[]);
    let session = Session::take(open(&server).await, PartitionId::FIRST).await;
    redis_cli(&server, &["FUNCTION", "FLUSH"]);
    session.commit(Vec::new()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_on_another_node_wakes_up() {
    let server = RedisServer::start(&[]);
    let (owner, other) = (open(&server).await, RedisStore::open(&options(&server)).await.expect("opens"));
    let session = Session::take(owner, PartitionId(2)).await;
    // It comes to rest first, so that what wakes it is the entry.
    while tokio::time::timeout(Duration::from_millis(100), session.store.woken(PartitionId(2))).await.is_ok()
    {
    }
    let woken = tokio::time::timeout(LIMIT, session.store.woken(PartitionId(2)));
    let entry = NewInboxEntry { partition: PartitionId(2), received_at: Timestamp(1), payload: vec![7] };
    let (woken, appended) = tokio::join!(woken, other.append(vec![entry.clone()]));
    appended.expect("appends");
    woken.expect("wakes up");
    // The same for what comes with a batch of another partition.
    let first = Session::take(Arc::new(other), PartitionId(1)).await;
    while tokio::time::timeout(Duration::from_millis(100), session.store.woken(PartitionId(2))).await.is_ok()
    {
    }
    let woken = tokio::time::timeout(LIMIT, session.store.woken(PartitionId(2)));
    let batch = Batch { outgoing: vec![entry], ..first.batch(Vec::new()) };
    let (woken, committed) = tokio::join!(woken, first.store.commit(batch));
    committed.expect("commits");
    woken.expect("wakes up");
    assert_eq!(session.store.waiting(PartitionId(2), 10).await.expect("reads").len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_can_be_read_by_hand() {
    let server = RedisServer::start(&[]);
    let session = Session::take(open(&server).await, PartitionId::FIRST).await;
    let instance = session.make.instance(session.make.key());
    session.put([Arc::new(instance.clone())]).await;
    let keys = redis_cli(&server, &["--scan", "--pattern", &format!("*:instances-{}", instance.key)]);
    let json = redis_cli(&server, &["GET", keys.trim()]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["instance"]["key"], instance.key.to_string());
    assert_eq!(json["is_ended"], false);
    assert!(json["cursor"].as_str().is_some_and(|cursor| cursor.ends_with("-0")), "{json}");
}
