//! Media types of requests and answers.

use crate::harness::Fixture;
use axum::body::Body;
use axum::http::Request;

#[tokio::test]
async fn an_answer_that_nobody_takes_is_refused() {
    let fixture = Fixture::new();
    for (accept, status) in [
        ("text/html", 406),
        ("application/xml, text/*", 406),
        ("text/html, */*;q=0.1", 200),
        ("application/json", 200),
        ("application/vnd.camunda.api.keys.string+json", 200),
        ("application/problem+json", 200),
        ("", 200),
    ] {
        let request = Request::get("/v2/topology").header("accept", accept);
        let answered = fixture.send(request.body(Body::empty()).expect("a request")).await;
        assert_eq!(answered.status.as_u16(), status, "{accept}");
    }
    let request = Request::get("/v2/topology").header("accept", "text/html");
    let answered = fixture.send(request.body(Body::empty()).expect("a request")).await;
    assert_eq!(answered.problem(406).0, "Not Acceptable");
    let request = Request::get("/v2/process-definitions/5/xml").header("accept", "application/json");
    let answered = fixture.send(request.body(Body::empty()).expect("a request")).await;
    assert_eq!(answered.problem(406).1, "Acceptable representations: [text/xml, application/problem+json].");
}

#[tokio::test]
async fn a_required_body_says_what_it_is() {
    let fixture = Fixture::new();
    for body in ["", "{\"processDefinitionId\": \"order\"}"] {
        let request = Request::post("/v2/process-instances").body(Body::from(body)).expect("a request");
        let (title, detail) = fixture.send(request).await.problem(415);
        assert_eq!(
            (title.as_str(), detail.as_str()),
            ("Unsupported Media Type", "Content-Type 'null' is not supported.")
        );
    }
    let empty = Request::post("/v2/process-instances").header("content-type", "application/json");
    let (_, detail) = fixture.send(empty.body(Body::empty()).expect("a request")).await.problem(400);
    assert_eq!(detail, "Required request body is missing");
    let optional = Request::post("/v2/jobs/5/completion").body(Body::empty()).expect("a request");
    assert_eq!(fixture.send(optional).await.status.as_u16(), 204);
}
