//! Names and values of others on a terminal: shown, not obeyed.

use crate::harness::Place;
use crate::{ADD, REVIEW};

#[test]
fn no_output_carries_control_characters_of_others() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD), &place.file("review.bpmn", REVIEW)]).ok();
    let evil = "x\\u001b[2J\\u0007\\u009b1m\\ny";
    let variables = format!("{{\"orderId\": \"{evil}\"}}");
    let key = server.run(&["start", "add", "--variables", &variables]).ok().trim().to_owned();
    let review = server.run(&["start", "review", "--variables", &variables]).ok().trim().to_owned();
    let activated = post(
        &server,
        "/v2/jobs/activation",
        &format!(
            "{{\"type\": \"sum\", \"timeout\": 60000, \"maxJobsToActivate\": 1, \"worker\": \"{evil}\"}}"
        ),
    );
    let job = activated.split("\"jobKey\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a job");
    let failed = format!("{{\"retries\": 0, \"errorMessage\": \"{evil}\"}}");
    post(&server, &format!("/v2/jobs/{job}/failure"), &failed);
    post(&server, "/v2/process-instances", &format!("{{\"processDefinitionId\": \"{evil}\"}}"));
    for arguments in [
        &["show", &key] as &[&str],
        &["show", &review],
        &["instances"],
        &["jobs"],
        &["jobs", "--state", "ALL"],
        &["tasks"],
        &["admin", "log"],
        &["start", "\u{1b}[2J"],
        &["show", &key, "--json"],
    ] {
        let ran = server.run(arguments);
        for text in [&ran.stdout, &ran.stderr] {
            let obeyed = text.chars().find(|c| c.is_control() && *c != '\n');
            assert_eq!(obeyed, None, "{arguments:?}: {text:?}");
        }
    }
    let shown = server.run(&["show", &key]).ok();
    assert!(shown.contains("\\u001b[2J") && shown.contains("\\u009b1m"), "{shown}");
}

fn post(server: &crate::harness::Server, path: &str, body: &str) -> String {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let answer = agent
        .post(format!("{}{path}", server.url()))
        .header("content-type", "application/json")
        .send(body)
        .expect("the server answers");
    answer.into_body().read_to_string().expect("a text")
}
