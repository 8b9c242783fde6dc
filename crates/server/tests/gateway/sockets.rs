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
    started_with(broker, GatewayConfig::default()).await
}

async fn started_with(
    broker: &Arc<ToldBroker>,
    config: GatewayConfig,
) -> (TcpStream, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let (stop, stopped) = oneshot::channel();
    let server = gateway(broker, config).serve(listener, async {
        let _ = stopped.await;
    });
    let server = tokio::spawn(async { server.await.expect("served") });
    (TcpStream::connect(address).await.expect("connected"), stop, server)
}

async fn send(stream: &mut TcpStream, path: &str, body: &str) {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}"
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
async fn a_client_that_only_sends_no_more_is_answered() {
    let broker = Arc::new(ToldBroker::default());
    *broker.pause.lock().expect("free") = Duration::from_millis(100);
    let (mut stream, _stop, _server) = started(&broker).await;
    send(&mut stream, "/v2/jobs/5/completion", "{}").await;
    stream.shutdown().await.expect("its own side only");
    let answer = exchange(&mut stream, "").await;
    assert!(answer.starts_with("HTTP/1.1 204 "), "{answer}");
    assert_eq!(broker.asked.lock().expect("free").len(), 1);
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

/// Sends a text and reads until the server closes the connection.
async fn exchange(stream: &mut TcpStream, text: &str) -> String {
    stream.write_all(text.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    tokio::time::timeout(Duration::from_secs(5), read).await.expect("the server ends it").expect("read");
    String::from_utf8(answer).expect("a text")
}

#[tokio::test]
async fn web_pages_of_others_get_nothing_from_a_local_server() {
    let broker = Arc::new(ToldBroker::default());
    for (headers, status) in [
        ("host: localhost\r\norigin: https://evil.example", "403 "),
        ("host: evil.example", "421 "),
        ("host: 127.0.0.1:8080\r\norigin: http://localhost:8080", "200 "),
        ("host: [::1]:8080", "200 "),
    ] {
        let (mut stream, _stop, _server) = started(&broker).await;
        let request = format!("GET /healthz HTTP/1.1\r\n{headers}\r\nconnection: close\r\n\r\n");
        let answer = exchange(&mut stream, &request).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{headers}: {answer}");
        assert_eq!(answer.contains("application/problem+json"), status != "200 ");
    }
    let open = GatewayConfig { admits_foreign_pages: true, ..GatewayConfig::default() };
    let (mut stream, _stop, _server) = started_with(&broker, open).await;
    let request = "GET /healthz HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n";
    assert!(exchange(&mut stream, request).await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn clients_that_never_finish_are_sent_away() {
    let broker = Arc::new(ToldBroker::default());
    let short = Duration::from_millis(100);
    let config = GatewayConfig { header_timeout: short, body_timeout: short, ..GatewayConfig::default() };
    let (mut stream, _stop, _server) = started_with(&broker, config.clone()).await;
    let answer = exchange(&mut stream, "POST /v2/jobs/5/completion HTTP/1.1\r\nhost: local").await;
    assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    let (mut stream, _stop, _server) = started_with(&broker, config).await;
    let half = "POST /v2/jobs/5/completion HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                content-length: 10\r\n\r\n{";
    let answer = exchange(&mut stream, half).await;
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("Request Timeout"), "{answer}");
    assert!(broker.asked.lock().expect("free").is_empty());
}
