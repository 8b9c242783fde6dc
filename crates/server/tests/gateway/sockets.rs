//! The gateway on a real socket: clients that wait, leave, and a server that stops.

use crate::harness::{ToldBroker, gateway};
use std::sync::Arc;
use std::time::Duration;
use tidemill_server::gateway::GatewayConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};

const ACTIVATION: &str = "{\"type\":\"a\",\"timeout\":1000,\"maxJobsToActivate\":1}";

async fn started(broker: &Arc<ToldBroker>) -> (TcpStream, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let (stop, stopped) = oneshot::channel();
    let server = gateway(broker, GatewayConfig::default()).serve(listener, async {
        let _ = stopped.await;
    });
    let server = tokio::spawn(async { server.await.expect("served") });
    (TcpStream::connect(address).await.expect("connected"), stop, server)
}

async fn send(stream: &mut TcpStream, path: &str, body: &str) {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: {length}"
    );
    stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await.expect("sent");
}

#[tokio::test]
async fn a_long_poll_ends_when_its_client_leaves() {
    let broker = Arc::new(ToldBroker::default());
    let given_up = Arc::new(Notify::new());
    *broker.given_up.lock().expect("free") = Some(given_up.clone());
    let (mut stream, _stop, _server) = started(&broker).await;
    send(&mut stream, "/v2/jobs/activation", ACTIVATION).await;
    while broker.asked.lock().expect("free").is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(stream);
    tokio::time::timeout(Duration::from_secs(5), given_up.notified()).await.expect("given up");
}

#[tokio::test]
async fn a_server_answers_and_stops() {
    let broker = Arc::new(ToldBroker::default());
    let (mut stream, stop, server) = started(&broker).await;
    send(&mut stream, "/v2/jobs/activation", ACTIVATION).await;
    let mut answer = vec![0; 1000];
    let length = stream.read(&mut answer).await.expect("an answer");
    let answer = String::from_utf8_lossy(&answer[..length]);
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("{\"jobs\":[]}"), "{answer}");
    stop.send(()).expect("still there");
    tokio::time::timeout(Duration::from_secs(5), server).await.expect("stops").expect("without a panic");
}
