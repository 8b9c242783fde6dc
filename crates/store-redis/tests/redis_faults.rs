//! Errors at every place of the functions that write, lost answers, and a server without memory: a batch is there as a whole or
//! not at all.

use redis::{Connection, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tidemill_model::{Change, PartitionCount, PartitionId};
use tidemill_store::{Batch, Error, Inspect, Room};
use tidemill_store_conformance::Session;
use tidemill_store_conformance::redis::{Fault, Proxy, RedisServer};
use tidemill_store_conformance::workload::Workload;
use tidemill_store_redis::{Options, RedisStore};

const FIRST: PartitionId = PartitionId::FIRST;
/// Higher than any id that a batch gives.
const HIGH_ID: &str = "9000000000000000000-0";

fn options(url: &str, prefix: &str) -> Options {
    Options::new(&format!("{url}?prefix={prefix}"), PartitionCount(2)).expect("an address")
}

async fn take(url: &str, prefix: &str) -> Session {
    Session::take(Arc::new(RedisStore::open(&options(url, prefix)).await.expect("opens")), FIRST).await
}

fn connect(server: &RedisServer) -> Connection {
    redis::Client::open(server.admin_url()).and_then(|client| client.get_connection()).expect("connects")
}

fn ask<T: redis::FromRedisValue>(connection: &mut Connection, command: &[&[u8]]) -> T {
    let mut question = redis::Cmd::new();
    command.iter().for_each(|part| {
        question.arg(part);
    });
    question.query(connection).expect("answers")
}

/// The keys of a store behind its prefix, and the rest of their names.
fn keys_of(connection: &mut Connection, prefix: &str) -> BTreeMap<String, String> {
    let all: Vec<String> = ask(connection, &[b"KEYS", format!("{{{prefix}[:}}]*").as_bytes()]);
    let rest = |key: &str| key.split_once("}:").map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    all.into_iter().map(|key| (key.clone(), rest(&key))).collect()
}

/// Everything that the keys of a store hold. Of streams the entries only: an entry that was taken back leaves its number behind.
fn contents(connection: &mut Connection, prefix: &str) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for key in keys_of(connection, prefix).into_keys() {
        let kind: String = ask(connection, &[b"TYPE", key.as_bytes()]);
        let value: Value = match kind.as_str() {
            "stream" => ask(connection, &[b"XRANGE", key.as_bytes(), b"-", b"+"]),
            _ => ask(connection, &[b"DUMP", key.as_bytes()]),
        };
        // A stream without entries is as good as none.
        if value != Value::Array(Vec::new()) {
            all.insert(key, value);
        }
    }
    all
}

/// The kind of a key: its name without numbers.
fn kind_of(rest: &str) -> String {
    rest.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-').to_owned()
}

/// Puts something in the place of a key, and gives what was there.
fn replace(connection: &mut Connection, key: &str) -> Option<Vec<u8>> {
    let was: Option<Vec<u8>> = ask(connection, &[b"DUMP", key.as_bytes()]);
    let kind: String = ask(connection, &[b"TYPE", key.as_bytes()]);
    let _: Value = ask(connection, &[b"DEL", key.as_bytes()]);
    let _: Value = match kind.as_str() {
        "list" => ask(connection, &[b"SET", key.as_bytes(), b"x"]),
        _ => ask(connection, &[b"RPUSH", key.as_bytes(), b"x"]),
    };
    was
}

fn restore(connection: &mut Connection, key: &str, was: Option<Vec<u8>>) {
    let _: Value = ask(connection, &[b"DEL", key.as_bytes()]);
    if let Some(was) = was {
        let _: Value = ask(connection, &[b"RESTORE", key.as_bytes(), b"0", &was]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_another_type_stops_a_batch_before_its_first_write() {
    let server = RedisServer::start(&[]);
    let mut connection = connect(&server);
    // The twin is one batch ahead, so it tells which keys the next batch writes to.
    let (twin, session) = (take(&server.url(), "twin").await, take(&server.url(), "tm").await);
    let (mut of_twin, mut of_session) = (Workload::new(7), Workload::new(7));
    let own = keys_of(&mut connection, "tm");
    let tag = own.keys().find_map(|key| key.strip_suffix(":owner")).expect("an owner").to_owned();
    let mut refused = BTreeSet::new();
    let rounds = if std::env::var_os("TIDEMILL_TEST_FULL").is_some() { 40 } else { 12 };
    for _ in 0..rounds {
        let before = contents(&mut connection, "twin");
        twin.store.commit(of_twin.next(&twin.fence)).await.expect("commits");
        let after = contents(&mut connection, "twin");
        let batch = of_session.next(&session.fence);
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for name in names.into_iter().filter(|name| before.get(*name) != after.get(*name)) {
            let (_, rest) = name.split_once("}:").expect("a tag");
            // The fence is read first, and an instance is replaced whatever is there.
            if rest == "owner" || kind_of(rest) == "instances" {
                continue;
            }
            let key = format!("{tag}:{rest}");
            let was = replace(&mut connection, &key);
            let before = contents(&mut connection, "tm");
            let outcome = session.store.commit(batch.clone()).await;
            assert!(matches!(outcome, Err(Error::Corrupt { .. })), "{key}: {outcome:?}");
            assert_eq!(contents(&mut connection, "tm"), before, "{key}: nothing is half-written");
            refused.insert(kind_of(rest));
            restore(&mut connection, &key, was);
        }
        session.store.commit(batch).await.expect("nothing is in the way any more");
    }
    for kind in [
        "log",
        "live",
        "events",
        "timers",
        "active",
        "active-counts",
        "answers",
        "key-blocks",
        "keys",
        "inbox",
    ] {
        assert!(refused.contains(kind), "{kind} was never in the way: {refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_that_somebody_has_added_stop_nothing_or_everything() {
    let server = RedisServer::start(&[]);
    let mut connection = connect(&server);
    for name in ["log", "inbox", "answers-age", "ended", "events"] {
        let session = take(&server.url(), name).await;
        let mut work = Workload::new(11);
        for _ in 0..6 {
            session.store.commit(work.next(&session.fence)).await.expect("commits");
        }
        let streams: Vec<String> = keys_of(&mut connection, name)
            .into_iter()
            .filter(|(_, rest)| {
                rest == name || rest.starts_with(&format!("{name}-")) && name != "answers-age"
            })
            .map(|(key, _)| key)
            .collect();
        assert!(!streams.is_empty(), "no {name}");
        for key in &streams {
            let _: Value =
                ask(&mut connection, &[b"XADD", key.as_bytes(), HIGH_ID.as_bytes(), b"by", b"hand"]);
            let _: Value = ask(&mut connection, &[b"XDEL", key.as_bytes(), HIGH_ID.as_bytes()]);
        }
        let mut stopped = 0;
        for _ in 0..6 {
            let (batch, before) = (work.next(&session.fence), contents(&mut connection, name));
            if let Err(error) = session.store.commit(batch).await {
                assert!(matches!(error, Error::Corrupt { .. }), "{name}: {error:?}");
                assert_eq!(contents(&mut connection, name), before, "{name}: nothing is half-written");
                stopped += 1;
            }
        }
        let matters = ["log", "inbox"].contains(&name);
        assert_eq!(stopped > 0, matters, "{name}: {stopped} of 6 batches were stopped");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_memory_takes_what_frees_some() {
    let server = RedisServer::start(&[]);
    let mut connection = connect(&server);
    let session = take(&server.url(), "tm").await;
    let instance = Arc::new(session.make.instance(session.make.key()));
    session.put([instance.clone()]).await;
    let _: Value = ask(&mut connection, &[b"CONFIG", b"SET", b"maxmemory", b"1"]);
    let before = contents(&mut connection, "tm");
    let other = Arc::new(session.make.instance(session.make.key()));
    let full = session.try_commit(vec![Change::Put(other.into())]).await;
    assert!(matches!(full, Err(Error::FullForNow { .. })), "{full:?}");
    assert_eq!(contents(&mut connection, "tm"), before, "nothing is half-written");
    session
        .store
        .renew(std::slice::from_ref(&session.fence), 60_000)
        .await
        .expect("the owner stays the owner");
    let end = Change::End { entity: instance.into(), was_stored: true };
    session.commit(vec![end]).await;
    let entry = tidemill_store::NewInboxEntry {
        partition: FIRST,
        received_at: tidemill_model::Timestamp(1),
        payload: vec![1],
    };
    let appended = session.store.append(vec![entry]).await;
    assert!(matches!(appended, Err(Error::FullForNow { .. })), "{appended:?}");
    let lag = session.store.lag(FIRST, tidemill_model::Timestamp(0)).await.expect("reads go on");
    assert_eq!((lag.waiting, lag.last_batch.is_some()), (0, true));
    let gone = session.store.purge_history(tidemill_model::Timestamp(i64::MAX), 10).await.expect("purges");
    assert_eq!(gone, 1);
    assert_eq!(session.store.room(), Room::Full, "purging looks at what is left");
    let _: Value = ask(&mut connection, &[b"CONFIG", b"SET", b"maxmemory", b"0"]);
    session.commit(Vec::new()).await;
}

fn some_work(session: &Session) -> Batch {
    let instance = session.make.instance(session.make.key());
    session.batch(vec![Change::Put(Arc::new(instance).into())])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_is_lost_is_settled_both_ways() {
    let server = RedisServer::start(&[]);
    let proxy = Proxy::to_redis(server.port()).await;
    let mut session = take(&proxy.url(), "tm").await;
    session.store.commit(some_work(&session)).await.expect("all is well");
    let rounds = if std::env::var_os("TIDEMILL_TEST_FULL").is_some() { 5 } else { 2 };
    for _ in 0..rounds {
        for (fault, took_place) in [(Fault::CutBeforeCommit, false), (Fault::CutAfterCommit, true)] {
            let batch = some_work(&session);
            proxy.prepare(fault);
            let outcome = session.store.commit(batch.clone()).await;
            assert!(matches!(outcome, Err(Error::OutcomeUnknown { .. })), "{fault:?}: {outcome:?}");
            assert!(proxy.has_struck());
            let again = session.store.acquire(FIRST, &session.fence.holder, 60_000).await;
            let again = again.expect("asks").expect("ours");
            let is_there = session.store.has_batch(FIRST, batch.id).await.expect("reads");
            assert_eq!(is_there, took_place, "{fault:?}");
            let late = session.store.commit(some_work(&session)).await;
            assert!(matches!(late, Err(Error::Fenced { .. })), "the old epoch is over: {late:?}");
            let retried = session.store.commit(Batch { fence: again.fence.clone(), ..batch }).await;
            assert_eq!(retried.is_ok(), !took_place, "{fault:?}: {retried:?}");
            session.fence = again.fence;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_change_stop_the_writing_within_a_beat() {
    let server = RedisServer::start(&[]);
    let mut connection = connect(&server);
    let session = take(&server.url(), "tm").await;
    let node = tidemill_store::NodeInfo {
        holder: session.fence.holder.clone(),
        address: None,
        version: "1".into(),
        is_draining: false,
    };
    session.store.announce(&node, 60_000).await.expect("all is well");
    let _: Value = ask(&mut connection, &[b"CONFIG", b"SET", b"appendfsync", b"everysec"]);
    let noticed = session.store.announce(&node, 60_000).await;
    assert!(
        matches!(&noticed, Err(Error::Failed { reason, .. }) if reason.contains("appendfsync")),
        "{noticed:?}"
    );
    let stopped = session.try_commit(Vec::new()).await;
    assert!(matches!(stopped, Err(Error::Unavailable { .. })), "nothing was sent: {stopped:?}");
    let _: Value = ask(&mut connection, &[b"CONFIG", b"SET", b"appendfsync", b"always"]);
    session.store.announce(&node, 60_000).await.expect("it is right again");
    session.commit(Vec::new()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_changed_only_by_those_who_may() {
    let wrong = [("appendonly", "no"), ("appendfsync", "everysec"), ("maxmemory-policy", "allkeys-lru")];
    let server = RedisServer::start(&wrong);
    assert!(RedisStore::open(&options(&server.url(), "tm")).await.is_err());
    let mut connection = connect(&server);
    let told: Vec<String> = ask(&mut connection, &[b"CONFIG", b"GET", b"appendonly"]);
    assert_eq!(told[1], "no", "nobody has asked for a change");
    let refused = Options { may_configure: true, ..options(&server.url(), "tm") };
    assert!(RedisStore::open(&refused).await.is_err(), "the user of the tests may not");
    let options = Options { may_configure: true, ..options(&server.admin_url(), "tm") };
    let store = RedisStore::open(&options).await.expect("it may set what is needed");
    assert!(store.troubles().is_empty(), "{:?}", store.troubles());
    let told: Vec<String> = ask(&mut connection, &[b"CONFIG", b"GET", b"stream-node-max-bytes"]);
    assert_eq!(told[1], "512");
}
