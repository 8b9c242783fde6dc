//! Bodies that are made to hurt, at every endpoint that takes one: each is refused, and quickly.

use crate::harness::{Answered, Fixture};
use axum::body::Body;
use axum::http::Request;
use std::time::{Duration, Instant};

/// Method and path of every operation that may change something, and whether it takes a body.
async fn operations(fixture: &Fixture) -> Vec<(String, String, bool)> {
    let document = fixture.get("/openapi.json").await.json();
    let mut operations = Vec::new();
    // Timers need a node behind the gateway: they are tested with one (behaviour/timers.rs).
    let paths = document["paths"].as_object().expect("paths").iter();
    for (path, methods) in paths.filter(|(path, _)| !path.starts_with("/v1/timers")) {
        for (method, operation) in methods.as_object().expect("methods") {
            if ["post", "put", "patch", "delete"].contains(&method.as_str()) {
                let path = path.split('/').map(|part| if part.starts_with('{') { "1" } else { part });
                let path = path.collect::<Vec<_>>().join("/");
                operations.push((method.to_uppercase(), path, operation["requestBody"].is_object()));
            }
        }
    }
    assert!(operations.len() > 35, "{operations:?}");
    operations
}

async fn sent(fixture: &Fixture, method: &str, path: &str, media_type: Option<&str>, body: &str) -> Answered {
    let mut request = Request::builder().method(method).uri(path);
    if let Some(media_type) = media_type {
        request = request.header("content-type", media_type);
    }
    fixture.send(request.body(Body::from(body.to_owned())).expect("a request")).await
}

#[tokio::test]
async fn bodies_must_say_that_they_are_json() {
    let fixture = Fixture::new();
    for (method, path, _) in operations(&fixture).await {
        for media_type in [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("a")] {
            let answered = sent(&fixture, &method, &path, media_type, "{\"a\": 1}").await;
            assert_eq!(answered.status, 415, "{method} {path} as {media_type:?}: {}", answered.text);
        }
    }
    assert!(fixture.asked().is_empty(), "nothing has come through");
}

#[tokio::test]
async fn hostile_bodies_are_refused_quickly() {
    let deep = 100_000;
    let many = vec!["1"; 300_000].join(",");
    let bodies = [
        ("depth of lists", "[".repeat(deep) + &"]".repeat(deep)),
        ("depth of objects", "{\"a\":".repeat(deep) + "1" + &"}".repeat(deep)),
        ("depth of an alternative", "{\"filter\":{\"$or\":[".repeat(deep) + &"]}}".repeat(deep)),
        (
            "depth of variables",
            format!("{{\"variables\":{{\"a\":{}{}}}}}", "[".repeat(deep), "]".repeat(deep)),
        ),
        ("a list of many", format!("{{\"filter\":{{\"processInstanceKey\":{{\"$in\":[{many}]}}}}}}")),
        ("many sorts", format!("{{\"sort\":[{many}]}}")),
        ("a long name", format!("{{\"{}\":1}}", "n".repeat(1 << 20))),
        ("an endless number", "{\"timeout\":1e999999,\"page\":{\"limit\":1e999999}}".to_owned()),
        ("many digits", format!("{{\"timeout\":{0},\"page\":{{\"limit\":{0}}}}}", "9".repeat(1 << 20))),
    ];
    let fixture = Fixture::new();
    for (method, path, has_body) in operations(&fixture).await {
        for (name, body) in &bodies {
            let began = Instant::now();
            let answered = sent(&fixture, &method, &path, Some("application/json"), body).await;
            let took = began.elapsed();
            let status = answered.status.as_u16();
            // Operations that take no body do not look at one.
            assert!((400..500).contains(&status) || !has_body, "{method} {path}, {name}: {status}");
            assert!(took < Duration::from_secs(10), "{method} {path}, {name}: {took:?}");
        }
    }
}

#[tokio::test]
async fn a_deployment_has_so_many_parts() {
    let part = "--x\r\ncontent-disposition: form-data; name=\"resources\"; filename=\"a.bpmn\"\r\n\r\na\r\n";
    let body = part.repeat(100_000) + "--x--\r\n";
    let fixture = Fixture::new();
    let began = Instant::now();
    let media_type = Some("multipart/form-data; boundary=x");
    let answered = sent(&fixture, "POST", "/v2/deployments", media_type, &body).await;
    assert!(answered.problem(400).1.contains("1000 parts"), "{}", answered.text);
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn queries_of_all_sizes_are_read() {
    let fixture = Fixture::new();
    let many = "truncateValues=true&".repeat(2_000);
    assert!(fixture.text("POST", &format!("/v2/variables/search?{many}"), "").await.status.as_u16() < 500);
    let (_, detail) = fixture.text("POST", "/v2/variables/search?truncateValues=x", "").await.problem(400);
    assert!(detail.contains("truncateValues"), "{detail}");
}
