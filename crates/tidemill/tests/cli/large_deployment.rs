//! A large deployment that nobody waits for, and a server that is told to stop meanwhile.

use crate::harness::{Place, Server};
use serde_json::Value;
use std::time::{Duration, Instant};

const FILES: usize = 900;
/// Generous for a loaded machine and a debug build.
const SOON: Duration = Duration::from_secs(20);

fn multipart() -> String {
    let file = |n: usize| {
        format!(
            "--cut\r\nContent-Disposition: form-data; name=\"resources\"; filename=\"p{n}.bpmn\"\r\n\r\n\
             <definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" targetNamespace=\"t\">\
             <process id=\"p{n}\" isExecutable=\"true\"><startEvent id=\"start\"/></process></definitions>\r\n"
        )
    };
    (0..FILES).map(file).collect::<String>() + "--cut--\r\n"
}

fn outcome(server: &Server, location: &str) -> Value {
    let began = Instant::now();
    loop {
        let answer = ureq::get(format!("{}{location}", server.url())).call().expect("the server answers");
        let text = answer.into_body().read_to_string().expect("a text");
        let status: Value = serde_json::from_str(&text).expect("JSON");
        if status["state"] != "WAITING" {
            return status;
        }
        assert!(began.elapsed() < SOON, "{status}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn it_is_done_and_the_server_stops_soon() {
    let place = Place::new();
    let server = place.serve();
    let receipt = ureq::post(format!("{}/v2/deployments", server.url()))
        .header("content-type", "multipart/form-data; boundary=cut")
        .header("prefer", "respond-async")
        .send(multipart())
        .expect("the server answers");
    assert_eq!(receipt.status(), 202);
    let location = receipt.headers()["location"].to_str().expect("a text").to_owned();
    let began = Instant::now();
    drop(server);
    assert!(began.elapsed() < SOON, "the server took {:?} to stop", began.elapsed());
    let server = place.serve();
    let status = outcome(&server, &location);
    assert_eq!(status["state"], "DONE", "{status}");
    assert_eq!(status["result"]["deployments"].as_array().map(Vec::len), Some(FILES));
}
