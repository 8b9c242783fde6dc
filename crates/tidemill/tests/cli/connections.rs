//! Connections to a real server: clients that close their side early, and a system that allows few of them.

use crate::harness::{Place, Server};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// Waits half a second and ends.
const NAP: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
  <process id="nap" isExecutable="true"><startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="wait"/>
    <intermediateCatchEvent id="wait"><timerEventDefinition><timeDuration>PT0.5S</timeDuration></timerEventDefinition>
    </intermediateCatchEvent><sequenceFlow id="b" sourceRef="wait" targetRef="end"/><endEvent id="end"/></process>
</definitions>"#;

fn connected(server: &Server) -> TcpStream {
    let address = server.url().strip_prefix("http://").expect("an address");
    let stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    stream
}

fn request(path: &str, media_type: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: {media_type}\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
}

fn read_all(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("read to the end");
    answer
}

#[test]
fn a_client_that_closes_its_side_still_gets_its_answer() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("nap.bpmn", NAP)]).ok();
    let mut stream = connected(&server);
    let body = r#"{"processDefinitionId": "nap", "awaitCompletion": true, "requestTimeout": 15000}"#;
    stream.write_all(request("/v2/process-instances", "application/json", body).as_bytes()).expect("sent");
    stream.shutdown(Shutdown::Write).expect("its own side only");
    let answer = read_all(stream);
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("processInstanceKey"), "{answer:?}");
}

/// The end of the client's side is there before the server has read the request.
#[test]
fn a_request_that_ends_with_its_connection_is_answered() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("nap.bpmn", NAP)]).ok();
    server.freeze();
    let answers: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = connected(&server);
            let body = r#"{"processDefinitionId": "nap", "awaitCompletion": true, "requestTimeout": 15000}"#;
            let sent =
                stream.write_all(request("/v2/process-instances", "application/json", body).as_bytes());
            sent.expect("sent");
            stream.shutdown(Shutdown::Write).expect("its own side only");
            stream
        })
        .collect();
    server.thaw();
    for stream in answers {
        let answer = read_all(stream);
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("processInstanceKey"), "{answer:?}");
    }
}

#[test]
fn a_worker_that_has_left_is_handed_no_job() {
    let place = Place::new();
    let server = place.serve();
    let mut stream = connected(&server);
    let body = r#"{"type": "later", "timeout": 60000, "maxJobsToActivate": 1, "requestTimeout": 15000}"#;
    stream.write_all(request("/v2/jobs/activation", "application/json", body).as_bytes()).expect("sent");
    stream.shutdown(Shutdown::Write).expect("its own side only");
    assert_eq!(read_all(stream), "", "it is not answered");
}

#[test]
fn bodies_for_operators_must_say_that_they_are_json() {
    let place = Place::new();
    let server = place.serve();
    for path in [
        "/v1/admin/backup",
        "/v1/admin/dead-letters/1/retry",
        "/v1/admin/log/search",
        "/v1/admin/nodes/a/drain",
        "/v1/admin/partitions/1/move",
    ] {
        for media_type in
            ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
        {
            let mut stream = connected(&server);
            stream.write_all(request(path, media_type, "{\"a\": 1}").as_bytes()).expect("sent");
            let answer = read_all(stream);
            assert!(answer.starts_with("HTTP/1.1 415 "), "{path} as {media_type}: {answer}");
        }
    }
}

#[test]
fn a_server_that_may_open_few_files_says_so_and_goes_on() {
    let place = Place::new();
    let (server, said) = place.serve_with_files(64);
    assert!(said.contains("the limit of open files leaves room for 16"), "{said}");
    let crowd: Vec<TcpStream> = (0..100).map(|_| connected(&server)).collect();
    std::thread::sleep(Duration::from_millis(300));
    drop(crowd);
    server.run(&["deploy", &place.file("nap.bpmn", NAP)]).ok();
    assert!(!server.run(&["start", "nap"]).ok().is_empty());
}
