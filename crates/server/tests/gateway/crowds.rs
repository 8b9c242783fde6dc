//! Many clients at once, and such as send slowly, too much or not to the end: the others are served meanwhile.

use crate::harness::{ToldBroker, gateway};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_server::gateway::GatewayConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

async fn started(config: GatewayConfig) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let broker = Arc::new(ToldBroker::default());
    tokio::spawn(async move {
        let server = gateway(&broker, config).serve(listener, std::future::pending());
        server.await.expect("served");
    });
    address
}

async fn connected(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("connected");
    stream.write_all(text.as_bytes()).await.expect("sent");
    stream
}

async fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // A client whose connection was reset has read what there was.
    let _ = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

async fn health(address: SocketAddr) -> String {
    rest(&mut connected(address, HEALTH).await).await
}

fn deployment_head(length: usize) -> String {
    format!(
        "POST /v2/deployments HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=x\r\n\
         content-length: {length}\r\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn half_open_connections_do_not_keep_others_out() {
    let config = GatewayConfig { connections_max: 500, ..GatewayConfig::default() };
    let address = started(config).await;
    let mut half_open = Vec::new();
    let began = Instant::now();
    for number in 0..2_500 {
        half_open.push(connected(address, "GET /healthz HT").await);
        if number % 250 == 0 {
            assert!(health(address).await.starts_with("HTTP/1.1 200 "), "after {number}");
        }
    }
    assert!(health(address).await.starts_with("HTTP/1.1 200 "));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[tokio::test]
async fn health_is_told_while_every_connection_is_busy() {
    let config = GatewayConfig { connections_max: 10, ..GatewayConfig::default() };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let broker = Arc::new(ToldBroker::default());
    *broker.given_up.lock().expect("free") = Some(Arc::default());
    let server = gateway(&broker, config);
    tokio::spawn(server.serve(listener, std::future::pending()));
    let poll = "{\"type\":\"a\",\"timeout\":1000,\"maxJobsToActivate\":1}";
    let poll = format!(
        "POST /v2/jobs/activation HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{poll}",
        poll.len()
    );
    let mut polls = Vec::new();
    for _ in 0..9 {
        polls.push(connected(address, &poll).await);
    }
    while broker.asked.lock().expect("free").len() < 9 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(health(address).await.starts_with("HTTP/1.1 200 "));
    let refused = rest(&mut connected(address, &poll).await).await;
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after: "), "{refused}");
    assert!(refused.contains("problem+json"), "{refused}");
}

#[tokio::test]
async fn connections_are_kept_between_requests_longer_than_heads_may_take() {
    let config = GatewayConfig { header_timeout: Duration::from_millis(100), ..GatewayConfig::default() };
    let address = started(config).await;
    let mut silent = TcpStream::connect(address).await.expect("connected");
    let mut kept = connected(address, "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    let mut answer = [0; 1000];
    assert!(kept.read(&mut answer).await.expect("read") > 0);
    assert_eq!(rest(&mut silent).await, "", "it has said nothing for too long");
    tokio::time::sleep(Duration::from_millis(300)).await;
    kept.write_all(HEALTH.as_bytes()).await.expect("sent");
    assert!(rest(&mut kept).await.starts_with("HTTP/1.1 200 "), "it was answered before and may wait");
}

#[tokio::test(flavor = "multi_thread")]
async fn half_sent_bodies_share_a_bounded_room() {
    const LENGTH: usize = 8 << 20;
    let config = GatewayConfig {
        body_room_bytes: 32 << 20,
        deployment_bytes_max: LENGTH,
        body_room_wait: Duration::from_millis(300),
        ..GatewayConfig::default()
    };
    let address = started(config).await;
    let mut senders = Vec::new();
    for _ in 0..20 {
        senders.push(tokio::spawn(async move {
            let mut stream = connected(address, &(deployment_head(LENGTH) + "\r\n")).await;
            let (mut sent, piece) = (0, vec![b'x'; 64 << 10]);
            // All but the last byte; who is not read stops sending.
            while sent < LENGTH - piece.len() {
                match tokio::time::timeout(Duration::from_secs(2), stream.write_all(&piece)).await {
                    Ok(Ok(())) => sent += piece.len(),
                    _ => break,
                }
            }
            let mut start = [0; 12];
            let read = tokio::time::timeout(Duration::from_secs(2), stream.read_exact(&mut start)).await;
            let is_refused = matches!(read, Ok(Ok(_))) && start == *b"HTTP/1.1 503";
            (stream, is_refused)
        }));
    }
    let mut held = Vec::new();
    let mut refused = 0;
    for sender in senders {
        let (stream, is_refused) = sender.await.expect("no panic");
        refused += usize::from(is_refused);
        held.push(stream);
    }
    assert_eq!(refused, 17, "three bodies of 8 MiB fit in three quarters of 32 MiB");
    let small = "POST /v2/jobs/5/completion HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                 content-length: 2\r\nconnection: close\r\n\r\n{}";
    let answer = rest(&mut connected(address, small).await).await;
    assert!(answer.starts_with("HTTP/1.1 204 "), "small bodies do not wait for large ones: {answer}");
}

#[tokio::test]
async fn bodies_that_only_trickle_are_given_up() {
    let config = GatewayConfig {
        body_timeout: Duration::from_millis(300),
        body_bytes_per_second_min: 1 << 20,
        ..GatewayConfig::default()
    };
    let address = started(config).await;
    let mut stream = connected(address, &(deployment_head(1 << 20) + "\r\n")).await;
    let began = Instant::now();
    let (mut read, mut write) = stream.split();
    let trickle = async {
        while write.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let mut start = [0; 12];
    tokio::select! {
        () = trickle => panic!("the answer comes before the end of the connection"),
        answered = read.read_exact(&mut start) => { answered.expect("an answer"); }
    }
    assert_eq!(start, *b"HTTP/1.1 408");
    assert!(began.elapsed() < Duration::from_secs(3));
}

/// A client that sends its whole body before it looks at the answer, as most do.
async fn sends_everything(address: SocketAddr, head: &str, body: &[u8]) -> String {
    let mut stream = connected(address, head).await;
    stream.write_all(body).await.expect("the server takes it, or throws it away");
    rest(&mut stream).await
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_over_the_limit_are_told_so() {
    let config =
        GatewayConfig { deployment_bytes_max: 1 << 20, body_bytes_max: 1 << 20, ..GatewayConfig::default() };
    let address = started(config).await;
    let body = vec![b'x'; 24 << 20];
    let declared = deployment_head(body.len()) + "\r\n";
    let chunk = format!("{:x}\r\n", body.len());
    let chunked = format!(
        "POST /v2/deployments HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=x\r\n\
         transfer-encoding: chunked\r\n\r\n{chunk}"
    );
    let admin = declared.replace("/v2/deployments", "/v2/jobs/1/completion");
    for head in [&declared, &chunked, &admin] {
        let answer = sends_everything(address, head, &body).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{head}: {answer}");
        assert!(answer.contains("application/problem+json") && answer.contains("limitBytes"), "{answer}");
    }
    let polite = deployment_head(body.len()) + "expect: 100-continue\r\n\r\n";
    let began = Instant::now();
    let answer = rest(&mut connected(address, &polite).await).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "nobody asks for a body that is refused: {answer}");
    assert!(began.elapsed() < Duration::from_secs(5));
    let fits = deployment_head(1 << 10) + "expect: 100-continue\r\n\r\n";
    let mut stream = connected(address, &fits).await;
    let mut start = [0; 21];
    stream.read_exact(&mut start).await.expect("an answer");
    assert_eq!(start, *b"HTTP/1.1 100 Continue");
}

#[tokio::test]
async fn heads_have_limits() {
    let address = started(GatewayConfig::default()).await;
    let many: String = (0..20_000).map(|n| format!("x-{n}: 1\r\n")).collect();
    for (head, status) in [
        (format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "a".repeat(1 << 20)), "431 "),
        (format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{many}\r\n"), "431 "),
        (format!("GET /healthz?{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(1 << 20)), "4"),
    ] {
        let answer = rest(&mut connected(address, &head).await).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{status}: {answer}");
    }
}
