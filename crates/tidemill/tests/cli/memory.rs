//! The memory that a server takes for bodies that do not end and for long answers; and a real client gets to read a refusal.

use crate::ADD;
use crate::harness::{Place, Server};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const MB: usize = 1 << 20;

/// Resident memory of the server.
fn resident_mb(server: &Server) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("it runs");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("Linux tells");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<usize>().ok()).expect("a number") / 1024
}

fn address(server: &Server) -> &str {
    server.url().strip_prefix("http://").expect("an address")
}

#[test]
fn half_sent_deployments_take_bounded_memory() {
    let place = Place::new();
    let server = place.serve_with(&["--body-memory", "64MB"]);
    let before = resident_mb(&server);
    let length = 31 * MB;
    let senders: Vec<_> = (0..16)
        .map(|_| {
            let address = address(&server).to_owned();
            std::thread::spawn(move || {
                let mut stream = TcpStream::connect(address).expect("connected");
                stream.set_write_timeout(Some(Duration::from_secs(1))).expect("set");
                let head = format!(
                    "POST /v2/deployments HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; \
                     boundary=x\r\ncontent-length: {length}\r\n\r\n"
                );
                stream.write_all(head.as_bytes()).expect("sent");
                let (piece, mut sent) = (vec![b'x'; MB], 0);
                while sent < length - MB && stream.write_all(&piece).is_ok() {
                    sent += MB;
                }
                (stream, sent)
            })
        })
        .collect();
    let held: Vec<_> = senders.into_iter().map(|sender| sender.join().expect("no panic")).collect();
    let whole = held.iter().filter(|(_, sent)| *sent == length - MB).count();
    let grown = resident_mb(&server).saturating_sub(before);
    assert!(grown < 100, "{grown} MB for {whole} bodies of 31 MB");
    assert!(whole < 16, "some had to wait");
    let key = server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    assert!(!key.is_empty(), "ordinary requests go on");
}

#[test]
fn a_long_answer_does_not_lie_in_memory() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let value = "v".repeat(3 * MB);
    let values = 25;
    for _ in 0..values {
        let body = format!("{{\"processDefinitionId\": \"add\", \"variables\": {{\"v\": \"{value}\"}}}}");
        let sent = ureq::post(format!("{}/v2/process-instances", server.url()))
            .header("content-type", "application/json")
            .send(body);
        assert_eq!(sent.expect("taken").status(), 200);
    }
    let before = resident_mb(&server);
    let mut stream = TcpStream::connect(address(&server)).expect("connected");
    let request = "POST /v2/variables/search?truncateValues=false HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("sent");
    let (mut buffer, mut length, mut most) = (vec![0; MB], 0, 0);
    while let count @ 1.. = stream.read(&mut buffer).expect("read") {
        length += count;
        most = most.max(resident_mb(&server).saturating_sub(before));
    }
    assert!(length > values * 3 * MB, "the whole answer has come: {length} bytes");
    assert!(most < 50, "{most} MB for an answer of {} MB", length / MB);
}

#[test]
fn a_real_client_reads_why_its_body_is_refused() {
    let place = Place::new();
    let server = place.serve_with(&["--deployment-limit", "1MB"]);
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    for size in [2 * MB, 20 * MB, 60 * MB] {
        let refused = agent
            .post(format!("{}/v2/deployments", server.url()))
            .header("content-type", "multipart/form-data; boundary=x")
            .send(vec![b'x'; size])
            .expect("an answer, not a broken pipe");
        assert_eq!(refused.status(), 413);
        let text = refused.into_body().read_to_string().expect("a text");
        assert!(text.contains("limitBytes"), "{text}");
    }
}
