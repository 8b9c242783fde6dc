//! How refusals of the engine, time-outs and overload look to a client.

use crate::harness::Fixture;
use std::time::Duration;
use tidemill_model::{Rejection, RejectionCode};
use tidemill_server::broker::CommandError;
use tidemill_server::gateway::GatewayConfig;

#[tokio::test]
async fn rejections_become_statuses() {
    for (code, status, title) in [
        (RejectionCode::InvalidArgument, 400, "INVALID_ARGUMENT"),
        (RejectionCode::Forbidden, 403, "FORBIDDEN"),
        (RejectionCode::NotFound, 404, "NOT_FOUND"),
        (RejectionCode::AlreadyExists, 409, "ALREADY_EXISTS"),
        (RejectionCode::InvalidState, 409, "INVALID_STATE"),
        (RejectionCode::ProcessingError, 500, "INTERNAL"),
        (RejectionCode::ExceededSize, 500, "INTERNAL"),
    ] {
        let fixture = Fixture::new();
        fixture.tell(Err(Rejection::new(code, "Expected a, but b").into()));
        let answered = fixture.text("POST", "/v2/process-instances/5/cancellation", "").await;
        let expected = format!("Command 'CANCEL' rejected with code '{}': Expected a, but b", code.name());
        assert_eq!(answered.problem(status), (title.to_owned(), expected));
        assert_eq!(answered.json()["instance"], "/v2/process-instances/5/cancellation");
    }
}

const OPERATING: &str = include_str!("../../../../docs/operating.md");

#[tokio::test]
async fn other_failures_have_their_own_statuses() {
    let after = Duration::from_secs(3);
    for (error, status, title, retry) in [
        (CommandError::TimedOut, 504, "DEADLINE_EXCEEDED", None),
        (
            CommandError::Overloaded { reason: "5 wait already".into(), retry_after: after },
            503,
            "RESOURCE_EXHAUSTED",
            Some("3"),
        ),
        (CommandError::NotBegun("nobody is there".into()), 503, "UNAVAILABLE", Some("1")),
        (CommandError::RateLimited { retry_after: after }, 429, "RESOURCE_EXHAUSTED", Some("3")),
        (CommandError::Unavailable("gone".into()), 502, "UNAVAILABLE", None),
        (CommandError::OtherRequest, 422, "INVALID_ARGUMENT", None),
        (CommandError::Internal("oh".into()), 500, "INTERNAL", None),
    ] {
        let fixture = Fixture::new();
        fixture.tell(Err(error));
        let answered = fixture.text("POST", "/v2/jobs/5/completion", "").await;
        assert_eq!(answered.problem(status).0, title);
        let row = format!("| `{status}` | `{title}` |");
        assert!(status == 422 || OPERATING.contains(&row), "operators are told of it: {row}");
        assert_eq!(answered.headers.get("retry-after").map(|value| value.to_str().expect("ASCII")), retry);
    }
}

#[tokio::test]
async fn a_tenant_over_its_rate_is_held_back_before_the_engine() {
    let rate = std::num::NonZeroU32::new(1);
    let fixture =
        Fixture::with(GatewayConfig { tenant_commands_per_second: rate, ..GatewayConfig::default() });
    assert_eq!(fixture.text("POST", "/v2/jobs/5/completion", "").await.status, 204);
    let answered = fixture.text("POST", "/v2/jobs/5/completion", "").await;
    answered.problem(429);
    assert_eq!(answered.headers["retry-after"], "1");
    assert_eq!(fixture.asked().len(), 1);
    assert_eq!(fixture.text("POST", "/v2/jobs/search", "").await.status, 200, "reads are not held back");
}

#[tokio::test]
async fn reads_that_find_nothing_name_the_thing() {
    let fixture = Fixture::new();
    for (path, thing) in [
        ("process-instances", "Process Instance"),
        ("process-definitions", "Process Definition"),
        ("element-instances", "Element Instance"),
        ("user-tasks", "User Task"),
        ("variables", "Variable"),
        ("incidents", "Incident"),
        ("forms", "Form"),
        ("resources", "Resource"),
    ] {
        let problem = fixture.get(&format!("/v2/{path}/42")).await.problem(404);
        assert_eq!(problem, ("NOT_FOUND".to_owned(), format!("{thing} with key '42' not found")));
    }
    for path in [
        "/v2/process-definitions/42/xml",
        "/v2/process-definitions/42/form",
        "/v2/user-tasks/42/form",
        "/v2/process-instances/42/call-hierarchy",
        "/v2/resources/42/content",
        "/v2/resources/42/content/binary",
    ] {
        assert_eq!(fixture.get(path).await.problem(404).0, "NOT_FOUND", "{path}");
    }
    for path in ["/v2/process-instances/42/incidents/search", "/v2/user-tasks/42/variables/search"] {
        fixture.text("POST", path, "").await.problem(404);
    }
    for path in
        ["/v2/process-instances/42/sequence-flows", "/v2/process-instances/42/statistics/element-instances"]
    {
        assert_eq!(fixture.get(path).await.json(), serde_json::json!({"items": []}));
    }
}

#[tokio::test]
async fn keys_in_paths_must_be_numbers() {
    let fixture = Fixture::new();
    let expected =
        |name: &str| ("Bad Request".to_owned(), format!("Failed to convert '{name}' with value: 'abc'"));
    let answered = fixture.get("/v2/process-instances/abc").await;
    assert_eq!(answered.problem(400), expected("processInstanceKey"));
    let answered = fixture.text("POST", "/v2/jobs/abc/completion", "").await;
    assert_eq!(answered.problem(400), expected("jobKey"));
    let answered = fixture.text("POST", "/v2/variables/search?truncateValues=abc", "").await;
    assert_eq!(answered.problem(400), expected("truncateValues"));
}
