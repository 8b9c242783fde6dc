//! Requests of people who work on user tasks.

use crate::harness::Fixture;
use serde_json::json;
use tidemill_model::command::{AssignUserTask, CompleteUserTask, UpdateUserTask, UserTaskChanges};
use tidemill_model::*;

const TASK: UserTaskKey = UserTaskKey(5);

#[tokio::test]
async fn a_task_is_assigned_claimed_and_given_back() {
    let assign = |assignee: Option<&str>, allow_override, action: &str| {
        let (assignee, action) = (assignee.map(Text::from), Some(Text::from(action)));
        Command::AssignUserTask(AssignUserTask { task: TASK, assignee, allow_override, action })
    };
    let fixture = Fixture::new();
    assert_eq!(fixture.post("/v2/user-tasks/5/assignment", json!({"assignee": "ann"})).await.status, 204);
    assert_eq!(fixture.executed(), assign(Some("ann"), true, "assign"));

    let fixture = Fixture::new();
    let body = json!({"assignee": "ann", "allowOverride": false, "action": "take"});
    assert_eq!(fixture.post("/v2/user-tasks/5/assignment", body).await.status, 204);
    assert_eq!(fixture.executed(), assign(Some("ann"), false, "take"));

    let fixture = Fixture::new();
    assert_eq!(fixture.text("DELETE", "/v2/user-tasks/5/assignee", "").await.status, 204);
    assert_eq!(fixture.executed(), assign(None, true, "unassign"));

    let problem = fixture.post("/v2/user-tasks/5/assignment", json!({"action": "x"})).await.problem(400);
    assert_eq!(problem, ("INVALID_ARGUMENT".to_owned(), "No assignee provided".to_owned()));
}

#[tokio::test]
async fn an_update_leaves_sets_and_clears() {
    let fixture = Fixture::new();
    let body = json!({"changeset": {
        "dueDate": "", "followUpDate": "2026-01-01T00:00:00Z", "candidateUsers": [], "candidateGroups": null,
    }});
    assert_eq!(fixture.text("PATCH", "/v2/user-tasks/5", &body.to_string()).await.status, 204);
    let changes = UserTaskChanges {
        due_at: Some(None),
        follow_up_at: Some(Some(Timestamp(1_767_225_600_000))),
        candidate_users: Some(Vec::new()),
        candidate_groups: None,
        priority: None,
    };
    let action = Some("update".into());
    assert_eq!(fixture.executed(), Command::UpdateUserTask(UpdateUserTask { task: TASK, changes, action }));
}

#[tokio::test]
async fn an_update_says_something_and_obeys_the_rules() {
    let fixture = Fixture::new();
    for body in ["", "{}", "{\"changeset\": {}}", "{\"changeset\": {\"priority\": null}}"] {
        let (title, detail) = fixture.text("PATCH", "/v2/user-tasks/5", body).await.problem(400);
        assert_eq!(title, "INVALID_ARGUMENT");
        assert!(detail.starts_with("No update data provided. "), "{detail}");
    }
    let body = json!({"changeset": {"priority": 101, "dueDate": "soon"}}).to_string();
    let problem = fixture.text("PATCH", "/v2/user-tasks/5", &body).await.problem(400);
    assert_eq!(
        problem.1,
        "The provided due date 'soon' cannot be parsed as a date according to RFC 3339, section 5.6. \
         The value for priority is '101' but must be within the [0,100] range."
    );
    assert_eq!(fixture.asked(), []);
    assert_eq!(fixture.text("PATCH", "/v2/user-tasks/5", "{\"action\": \"escalate\"}").await.status, 204);
}

#[tokio::test]
async fn a_task_is_completed() {
    let fixture = Fixture::new();
    let body = json!({"variables": {"ok": true}});
    assert_eq!(fixture.post("/v2/user-tasks/5/completion", body).await.status, 204);
    let variables = Variables::parse("{\"ok\":true}").expect("JSON");
    let complete = CompleteUserTask { task: TASK, variables, action: Some("complete".into()) };
    assert_eq!(fixture.executed(), Command::CompleteUserTask(complete));
}
