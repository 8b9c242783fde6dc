//! Bodies that are there or not, too large, of the wrong kind.

use crate::harness::Fixture;
use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use tidemill_server::gateway::GatewayConfig;

#[tokio::test]
async fn bodies_may_be_missing_where_nothing_is_needed() {
    let fixture = Fixture::new();
    for path in [
        "/v2/process-instances/5/cancellation",
        "/v2/process-instances/5/deletion",
        "/v2/jobs/5/completion",
        "/v2/jobs/5/failure",
        "/v2/user-tasks/5/completion",
        "/v2/incidents/5/resolution",
    ] {
        for body in ["", "{}", "null"] {
            assert_eq!(fixture.text("POST", path, body).await.status, 204, "{path} {body}");
        }
    }
    assert_eq!(fixture.text("POST", "/v2/resources/5/deletion", "").await.status, 200);
    for path in ["/v2/process-instances/search", "/v2/jobs/search", "/v2/variables/search"] {
        assert_eq!(fixture.text("POST", path, "").await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn bodies_must_be_there_where_something_is_needed() {
    let fixture = Fixture::new();
    for (method, path) in [
        ("POST", "/v2/process-instances"),
        ("POST", "/v2/jobs/activation"),
        ("POST", "/v2/user-tasks/5/assignment"),
        ("POST", "/v2/jobs/5/error"),
        ("POST", "/v2/messages/correlation"),
        ("POST", "/v2/messages/publication"),
        ("POST", "/v2/signals/broadcast"),
        ("PUT", "/v2/element-instances/5/variables"),
    ] {
        for body in ["", "null"] {
            let problem = fixture.text(method, path, body).await.problem(400);
            let expected = ("Bad Request".to_owned(), "Required request body is missing".to_owned());
            assert_eq!(problem, expected, "{path} {body}");
        }
    }
    assert_eq!(fixture.asked(), []);
}

#[tokio::test]
async fn what_is_wrong_with_a_body_is_told_with_its_place() {
    let fixture = Fixture::new();
    let answered = fixture.post("/v2/process-instances", json!({"processDefinitionID": "a"})).await;
    let (title, detail) = answered.problem(400);
    assert_eq!(title, "Bad Request");
    assert_eq!(detail, "Request property [processDefinitionID] cannot be parsed");
    assert_eq!(answered.json()["path"], "$.processDefinitionID");
    assert_eq!(answered.json()["didYouMean"], "processDefinitionId");

    let answered = fixture.text("POST", "/v2/process-instances", "{\n  \"variables\": }").await;
    assert_eq!(answered.problem(400).0, "Bad Request");
    assert_eq!(answered.json()["line"], 2);
    assert_eq!(answered.json()["column"], 16);
    assert_eq!(fixture.asked(), []);
}

#[tokio::test]
async fn other_media_types_are_refused() {
    let fixture = Fixture::new();
    let send = |media_type: &str, body: &str| {
        let request = Request::post("/v2/jobs/5/completion").header("content-type", media_type);
        fixture.send(request.body(Body::from(body.to_owned())).expect("a request"))
    };
    assert_eq!(send("text/plain", "{}").await.problem(415).0, "Unsupported Media Type");
    assert_eq!(send("text/plain", "").await.status, 204);
    assert_eq!(send("application/json; charset=utf-8", "{}").await.status, 204);
    assert_eq!(send("application/vnd.camunda.api.keys.string+json", "{}").await.status, 204);
}

#[tokio::test]
async fn bodies_over_the_limit_are_refused_with_and_without_a_length() {
    let fixture = Fixture::with(GatewayConfig { body_bytes_max: 100, ..GatewayConfig::default() });
    let body = json!({"variables": {"a": "x".repeat(100)}}).to_string();
    fixture.text("POST", "/v2/jobs/5/completion", &body).await.problem(413);
    let chunks =
        body.into_bytes().chunks(10).map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec())).collect::<Vec<_>>();
    let request = Request::post("/v2/jobs/5/completion").header("content-type", "application/json");
    let stream = Body::from_stream(futures_util::stream::iter(chunks));
    fixture.send(request.body(stream).expect("a request")).await.problem(413);
    assert_eq!(fixture.asked(), []);
}

#[tokio::test]
async fn packed_bodies_are_refused_as_such() {
    let fixture = Fixture::new();
    let request = Request::post("/v2/jobs/5/completion")
        .header("content-type", "application/json")
        .header("content-encoding", "gzip")
        .body(Body::from(vec![0x1f, 0x8b]))
        .expect("a request");
    let (title, detail) = fixture.send(request).await.problem(415);
    assert_eq!(title, "Unsupported Media Type");
    assert!(detail.contains("gzip"), "{detail}");
}
