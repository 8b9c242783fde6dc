//! Routes that are offered, known but not offered, or unknown.

use crate::harness::Fixture;
use serde_json::json;

#[tokio::test]
async fn what_clients_know_but_is_not_offered_says_so() {
    let fixture = Fixture::new();
    for (method, path) in [
        ("POST", "/v2/tenants"),
        ("GET", "/v2/batch-operations/5"),
        ("POST", "/v2/decision-instances/search"),
        ("PUT", "/v2/roles/a/users/b"),
        ("POST", "/v2/process-instances/5/modification"),
    ] {
        let (title, detail) = fixture.text(method, path, "").await.problem(501);
        assert_eq!(title, "Not Implemented");
        let known = path.split('/').nth(2).expect("a resource");
        assert!(detail.starts_with(&format!("{method} /v2/{known}")), "{detail}");
    }
}

/// Every operation of the API that clients may know: method, path, name.
const OPERATIONS: &str = include_str!("operations.txt");

#[tokio::test]
async fn every_operation_that_clients_know_is_offered_or_says_that_it_is_not() {
    let fixture = Fixture::new();
    let document = fixture.get("/openapi.json").await.json();
    let (mut offered, mut others) = (0, 0);
    for line in OPERATIONS.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [method, path, name] = words[..] else { panic!("not an operation: {line}") };
        let path = if path.starts_with("/cluster/v2/") { path.to_owned() } else { format!("/v2{path}") };
        if document["paths"][&path][method.to_lowercase()].is_object() {
            offered += 1;
            continue;
        }
        let key = path.split('/').map(|part| if part.starts_with('{') { "5" } else { part });
        let answered = fixture.text(method, &key.collect::<Vec<_>>().join("/"), "").await;
        assert_eq!(
            answered.problem(501),
            ("Not Implemented".to_owned(), format!("{method} {path} ({name}) is not offered"))
        );
        others += 1;
    }
    assert!(offered > 50 && others > 150, "{offered} are offered, {others} are not");
}

#[tokio::test]
async fn unknown_paths_and_methods_are_problems_too() {
    let fixture = Fixture::new();
    let (title, detail) = fixture.get("/v2/nonsense").await.problem(404);
    assert_eq!((title.as_str(), detail.as_str()), ("Not Found", "No endpoint GET /v2/nonsense."));
    let answered = fixture.get("/").await;
    assert_eq!(
        (answered.status.as_u16(), &answered.headers["location"]),
        (307, &"/docs".parse().expect("a value"))
    );
    let (_, detail) = fixture.get("/v2/process-instances/%ff").await.problem(400);
    assert_eq!(detail, "The path has bytes that are no UTF-8 text");
    let answered = fixture.text("DELETE", "/v2/topology", "").await;
    assert_eq!(answered.problem(405).0, "Method Not Allowed");
    assert_eq!(answered.headers["allow"], "GET,HEAD");
    fixture.get("/v2/process-instances/search/extra/deep").await.problem(404);
}

#[tokio::test]
async fn the_api_describes_itself() {
    let fixture = Fixture::new();
    let document = fixture.get("/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let create = &document["paths"]["/v2/process-instances"]["post"];
    assert_eq!(create["operationId"], "createProcessInstance");
    assert!(create["responses"]["202"].is_object());
    assert!(document["paths"]["/v2/jobs/activation"]["post"]["responses"]["202"].is_null());
    assert!(document["paths"]["/v2/tenants"].is_null());
    assert_every_reference_leads_somewhere(&document, &document);
    let page = fixture.get("/docs").await;
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    for outside in ["src=\"http", "href=\"http", "<script>", "<style", " style=", " onclick="] {
        assert!(!page.text.contains(outside), "{outside}: nothing from outside, nothing inline");
    }
    assert!(
        page.headers["content-security-policy"]
            .to_str()
            .is_ok_and(|policy| policy.contains("default-src 'none'"))
    );
    for asset in ["/docs/page.css", "/docs/page.js"] {
        assert!(page.text.contains(asset));
        assert_eq!(fixture.get(asset).await.status, 200, "{asset}");
    }
    for words in
        ["createProcessInstance", "/v1/admin/log/search", "/v1/commands/{position}", "$notIn", "Try it"]
    {
        assert!(page.text.contains(words), "{words}");
    }
}

fn assert_every_reference_leads_somewhere(part: &serde_json::Value, document: &serde_json::Value) {
    if let Some(reference) = part["$ref"].as_str() {
        let pointer = reference.strip_prefix('#').expect("references stay inside");
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    let inside: Vec<_> = match part {
        serde_json::Value::Object(members) => members.values().collect(),
        serde_json::Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    inside.into_iter().for_each(|part| assert_every_reference_leads_somewhere(part, document));
}

#[tokio::test]
async fn health_and_status_follow_the_partitions() {
    let fixture = Fixture::new();
    assert_eq!(fixture.get("/healthz").await.json(), json!({"status": "UP"}));
    assert_eq!(fixture.get("/readyz").await.status, 200);
    assert_eq!(fixture.get("/v2/status").await.status, 204);
    *fixture.broker.is_down.lock().expect("free") = true;
    assert_eq!(fixture.get("/healthz").await.status, 200);
    fixture.get("/readyz").await.problem(503);
    fixture.get("/v2/status").await.problem(503);
}
