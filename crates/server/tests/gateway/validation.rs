//! Broken rules of requests in the words that people search for, and what is taken in more than one spelling.

use crate::harness::{Asked, Fixture};
use serde_json::{Value, json};
use tidemill_model::Command;

async fn assert_refused(path: &str, body: Value, title: &str, detail: &str) {
    let fixture = Fixture::new();
    let answered = fixture.post(path, body).await;
    assert_eq!(answered.problem(400), (title.to_owned(), detail.to_owned()), "{path}");
    assert!(fixture.asked().is_empty(), "{path}");
}

#[tokio::test]
async fn tags_are_few_and_short() {
    let format = "Tags must start with a letter (a-z, A-Z), followed by alphanumerics, underscores, minuses, colons, or \
                  periods. It must not be blank and must be 100 characters or less.";
    for tag in ["1 invalid tag", "", "\u{e4}pfel", &"x".repeat(101)] {
        let body = json!({"processDefinitionId": "order", "tags": [tag]});
        let detail = format!("The provided tag '{tag}' is not valid. {format}");
        assert_refused("/v2/process-instances", body, "INVALID_ARGUMENT", &detail).await;
    }
    let tags: Vec<String> = (0..11).map(|n| format!("t{n}")).collect();
    let body = json!({"processDefinitionId": "order", "tags": tags});
    let detail = "The provided number of tags '11' is not supported. Ensure to not add more than 10 tags.";
    assert_refused("/v2/process-instances", body, "INVALID_ARGUMENT", detail).await;
}

#[tokio::test]
async fn latest_versions_are_paged_forward() {
    for (page, sort, detail) in [
        (
            json!({"from": 0}),
            json!([]),
            "pagination is limited to forward pagination using 'after' and 'limit'. The field 'from'",
        ),
        (
            json!({"before": "x"}),
            json!([]),
            "pagination is limited to forward pagination using 'after' and 'limit'. The field 'before'",
        ),
        (
            json!({"limit": 1}),
            json!([{"field": "version"}]),
            "sorting is limited to 'processDefinitionId' and 'tenantId' fields only. The field 'version'",
        ),
    ] {
        let body = json!({"filter": {"isLatestVersion": true}, "page": page, "sort": sort});
        let detail = format!("When using isLatestVersion filter, {detail} is not supported.");
        assert_refused("/v2/process-definitions/search", body, "INVALID_ARGUMENT", &detail).await;
    }
}

#[tokio::test]
async fn pages_have_one_beginning() {
    for (page, detail) in [
        (json!({}), "At least one of [from, after, before, limit] is required."),
        (json!({"from": null}), "At least one of [from, after, before, limit] is required."),
        (json!({"from": 1, "after": "x"}), "Only one of [from, after, before] is allowed."),
    ] {
        assert_refused("/v2/jobs/search", json!({"page": page}), "Bad Request", detail).await;
    }
    // Counts have nothing but offsets, and nothing of them is required.
    let fixture = Fixture::new();
    let path = "/v2/process-definitions/statistics/process-instances";
    let (_, detail) = fixture.post(path, json!({"page": {"after": "x"}})).await.problem(400);
    assert_eq!(detail, "Request property [page.after] cannot be parsed");
}

#[tokio::test]
async fn unknown_words_are_told_with_their_field() {
    let states = "[CANCELED, COMPLETED, CREATED, ERROR_THROWN, FAILED, MIGRATED, PRIORITY_UPDATED, RETRIES_UPDATED, \
                  TIMEOUT_UPDATED, TIMED_OUT]";
    for (body, field, value) in [
        (json!({"filter": {"state": "x"}}), "state", "x"),
        (json!({"filter": {"state": {"$eq": "x"}}}), "$eq", "x"),
        (json!({"filter": {"state": {"$in": ["x"]}}}), "null", "x"),
    ] {
        let detail = format!(
            "Unexpected value '{value}' for enum field '{field}'. Use any of the following values: {states}"
        );
        assert_refused("/v2/jobs/search", body, "Bad Request", &detail).await;
    }
    let detail =
        "Unexpected value 'dsc' for enum field 'order'. Use any of the following values: [ASC, DESC]";
    let body = json!({"sort": [{"field": "state", "order": "dsc"}]});
    assert_refused("/v2/jobs/search", body, "Bad Request", detail).await;
}

#[tokio::test]
async fn what_is_no_json_failed_to_be_read() {
    let fixture = Fixture::new();
    let answered = fixture.text("POST", "/v2/jobs/search", "{\"filter\": ").await;
    assert_eq!(answered.problem(400), ("Bad Request".to_owned(), "Failed to read request".to_owned()));
    assert!(answered.json()["reason"].is_string());
}

#[tokio::test]
async fn jobs_are_taken_of_the_default_tenant_only() {
    let job = |more: Value| {
        let mut body = json!({"type": "pay", "timeout": 1, "maxJobsToActivate": 1});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        body
    };
    for (more, detail) in [
        (json!({"tenantFilter": "assigned"}), "with ASSIGNED tenant filter, but multi-tenancy is disabled"),
        (json!({"tenantIds": ["a"]}), "with tenant identifier 'a', but multi-tenancy is disabled"),
        (
            json!({"tenantIds": ["a", "<default>"]}),
            "with tenant identifiers [a, <default>], but multi-tenancy is disabled",
        ),
    ] {
        let detail = format!("Expected to handle request Activate Jobs {detail}");
        assert_refused("/v2/jobs/activation", job(more), "INVALID_ARGUMENT", &detail).await;
    }
    let fixture = Fixture::new();
    let more = json!({"tenantFilter": "provided", "tenantIds": ["<default>"]});
    assert_eq!(fixture.post("/v2/jobs/activation", job(more)).await.status.as_u16(), 200);
}

#[tokio::test]
async fn a_result_that_asks_for_something_is_not_dropped() {
    for result in [
        json!({"type": "userTask", "denied": true}),
        json!({"type": "userTask", "corrections": {"assignee": "ada"}}),
        json!({"type": "adHocSubProcess", "activateElements": [{"elementId": "a"}]}),
    ] {
        let fixture = Fixture::new();
        let (title, detail) =
            fixture.post("/v2/jobs/5/completion", json!({"result": result})).await.problem(400);
        assert_eq!(title, "INVALID_ARGUMENT");
        assert!(detail.contains("result."), "{detail}");
    }
    let fixture = Fixture::new();
    let nothing = json!({"result": {"type": "USERTASK", "denied": false, "corrections": {"assignee": null}}});
    assert_eq!(fixture.post("/v2/jobs/5/completion", nothing).await.status.as_u16(), 204);
}

#[tokio::test]
async fn the_engine_judges_the_values_of_a_job() {
    let fixture = Fixture::new();
    let body = json!({"changeset": {"retries": 0, "timeout": -1}});
    assert_eq!(fixture.text("PATCH", "/v2/jobs/5", &body.to_string()).await.status.as_u16(), 204);
    let asked = fixture.asked();
    let Asked::Execute(Command::UpdateJob(update), _) = &asked[0] else { panic!("{asked:?}") };
    assert_eq!((update.retries, update.timeout_ms), (Some(0), Some(0)));
}
