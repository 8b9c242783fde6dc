//! What clients hear while the store is away, and what becomes of what they asked.

use crate::world::{World, eventually, one_task};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tidemill_store_conformance::postgres::PostgresServer;

#[test]
fn clients_are_answered_while_the_store_is_away() {
    let postgres = PostgresServer::start(&["fsync=off"]);
    let world = World::on(&postgres);
    let server = world.start();
    server.deploy("work.bpmn", &one_task("work", "work"));
    postgres.crash();
    let began = Instant::now();
    let created = server.post("/v2/process-instances", &json!({"processDefinitionId": "work"}));
    assert_eq!(created.status, 504, "{}", created.body);
    assert!(created.body["detail"].as_str().is_some_and(|detail| detail.contains("it goes on")));
    assert!(began.elapsed() < Duration::from_secs(15), "answered after {:?}", began.elapsed());
    assert_eq!(server.post("/v2/process-instances/search", &json!({})).status, 503);
    postgres.resume();
    eventually("what was asked has gone on", || {
        let found = server.post("/v2/process-instances/search", &json!({}));
        found.status == 200 && found.body["page"]["totalItems"] == 1
    });
}

#[test]
fn a_server_stops_although_the_store_is_frozen() {
    let postgres = PostgresServer::start(&["fsync=off"]);
    let way = Way::to(postgres.port());
    let url = postgres.url().replace(&postgres.port().to_string(), &way.port.to_string());
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

/// A way to Postgres on which everything stands still once it is frozen: nothing arrives and nobody is told.
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
