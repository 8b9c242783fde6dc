//! The answers that clients get while the store is away, and the outcome of their commands.

use crate::world::{Server, World, eventually, one_task};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tidemill_store_conformance::servers::StoreServer;

#[test]
fn clients_are_answered_while_the_store_is_away() {
    let store = StoreServer::start();
    let world = World::on(&store);
    let server = world.start();
    server.deploy("work.bpmn", &one_task("work", "work"));
    store.crash();
    let began = Instant::now();
    let created = server.post("/v2/process-instances", &json!({"processDefinitionId": "work"}));
    assert_eq!(created.status, 504, "{}", created.body);
    assert!(created.body["detail"].as_str().is_some_and(|detail| detail.contains("it goes on")));
    assert!(began.elapsed() < Duration::from_secs(15), "answered after {:?}", began.elapsed());
    assert_eq!(server.post("/v2/process-instances/search", &json!({})).status, 503);
    store.resume();
    eventually("what was asked has gone on", || {
        let found = server.post("/v2/process-instances/search", &json!({}));
        found.status == 200 && found.body["page"]["totalItems"] == 1
    });
}

/// With its status, and whether it says when to try again.
fn keyed_create(server: &Server, key: usize) -> (u16, bool) {
    let answer = server
        .agent
        .post(format!("{}/v2/process-instances", server.url))
        .header("content-type", "application/json")
        .header("idempotency-key", &format!("k{key}"))
        .send(json!({"processDefinitionId": "work", "variables": {"n": key}}).to_string())
        .expect("an answer");
    (answer.status().as_u16(), answer.headers().contains_key("retry-after"))
}

#[test]
fn what_could_not_be_begun_gets_503_and_never_runs() {
    let store = StoreServer::start();
    let world = World::on(&store);
    let (server, mut other) = (world.start(), world.start());
    world.settle(&[&server, &other]);
    server.deploy("work.bpmn", &one_task("work", "work"));
    store.crash();
    other.signal("-KILL");
    assert!(other.ends_within(Duration::from_secs(5)), "killed");
    let statuses: Vec<(u16, bool)> = std::thread::scope(|scope| {
        let server = &server;
        let asked: Vec<_> = (0..32).map(|key| scope.spawn(move || keyed_create(server, key))).collect();
        asked.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    for (status, says_when) in &statuses {
        assert!([502, 503, 504].contains(status), "{statuses:?}");
        assert_eq!(*says_when, *status == 503, "{statuses:?}");
    }
    let refused = statuses.iter().filter(|(status, _)| *status == 503).count();
    let waiting = statuses.iter().filter(|(status, _)| *status == 504).count();
    assert!(refused > 0 && waiting > 0, "partitions of both servers were asked: {statuses:?}");
    store.resume();
    let found = || {
        let found = server.post("/v2/variables/search", &json!({"page": {"limit": 100}}));
        (found.status == 200).then(|| found.body["items"].as_array().expect("a list").clone())
    };
    eventually("what waited has gone on", || found().is_some_and(|items| items.len() >= waiting));
    for item in found().expect("it is back") {
        let key: usize = item["value"].as_str().and_then(|value| value.parse().ok()).expect("a number");
        assert_ne!(statuses[key].0, 503, "it was not begun: {item}");
    }
}

#[test]
fn a_server_stops_although_the_store_is_frozen() {
    let store = StoreServer::start();
    let way = Way::to(store.port());
    let url = store.url().replace(&store.port().to_string(), &way.port.to_string());
    let world = World::at(url);
    let (mut patient, mut hasty) = (world.start(), world.start());
    world.settle(&[&patient, &hasty]);
    way.is_frozen.store(true, Ordering::Release);
    let began = Instant::now();
    patient.signal("-TERM");
    hasty.signal("-TERM");
    std::thread::sleep(Duration::from_millis(500));
    hasty.signal("-TERM");
    assert!(hasty.ends_within(Duration::from_secs(3)), "a second signal ends it at once");
    assert!(patient.ends_within(Duration::from_secs(25)), "still there after {:?}", began.elapsed());
}

/// A way to the store on which everything stands still once it is frozen: nothing arrives and nobody is told.
struct Way {
    port: u16,
    is_frozen: Arc<AtomicBool>,
}

impl Way {
    fn to(port: u16) -> Way {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let own_port = listener.local_addr().expect("an address").port();
        let is_frozen = Arc::new(AtomicBool::new(false));
        let frozen = is_frozen.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let ends = (client.try_clone().expect("a socket"), server.try_clone().expect("a socket"));
                let (there, back) = (frozen.clone(), frozen.clone());
                std::thread::spawn(move || carry(client, server, &there));
                std::thread::spawn(move || carry(ends.1, ends.0, &back));
            }
        });
        Way { port: own_port, is_frozen }
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, is_frozen: &AtomicBool) {
    let mut buffer = [0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        while is_frozen.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(50));
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}
