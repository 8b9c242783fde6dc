//! Points 20 to 22: deploying, reading and deleting files.

use crate::models::{END, START, empty, model, one_job};
use crate::world::{World, text};
use serde_json::{Value, json};

const FORM: &str = r#"{"id": "address", "components": []}"#;

#[tokio::test]
async fn point_20_a_deployment_lists_what_it_made_in_order() {
    let world = World::new().await;
    let process = empty("order");
    let files = [
        ("resources", Some("script.rpa"), "{\"id\": \"robot\"}"),
        ("resources", Some("address.form"), FORM),
        ("resources", Some("order.bpmn"), process.as_str()),
        ("tenantId", None, "<default>"),
    ];
    let first = world.upload(&files).await.ok();
    let made = first["deployments"].as_array().expect("a list");
    assert_eq!(made.len(), 3);
    let kinds = ["processDefinition", "form", "resource"];
    for (entry, kind) in made.iter().zip(kinds) {
        let members = entry.as_object().expect("an object");
        assert_eq!(members.len(), 5);
        for (name, member) in members {
            assert_eq!(name == kind, !member.is_null(), "{entry}");
        }
    }
    assert_eq!(made[0]["processDefinition"]["resourceName"], "order.bpmn");
    assert_eq!(made[0]["processDefinition"]["tenantId"], "<default>");

    let again = world.upload(&files).await.ok();
    assert_eq!(again["deployments"], first["deployments"], "the same again is no new version");
    let renamed = world.upload(&[("resources", Some("other.bpmn"), &process)]).await.ok();
    assert_eq!(renamed["deployments"][0]["processDefinition"]["processDefinitionVersion"], 2);
}

#[tokio::test]
async fn point_21_a_refused_deployment_leaves_nothing_behind() {
    let world = World::new().await;
    let wrong = model("wrong", &[START, r#"<serviceTask id="work"/>"#, END], "", "");
    let good = empty("good");
    let files = [("resources", Some("good.bpmn"), good.as_str()), ("resources", Some("wrong.bpmn"), &wrong)];
    let problem = world.upload(&files).await.problem(400);
    assert_eq!(problem["title"], "INVALID_ARGUMENT");
    let detail = text(&problem["detail"]);
    let beginning = "Command 'CREATE' rejected with code 'INVALID_ARGUMENT': Expected to deploy new resources, but \
                     encountered the following errors:\n'wrong.bpmn': - Element: work\n    - ERROR: ";
    assert!(detail.starts_with(beginning), "{detail}");
    assert_eq!(world.found("process-definitions", json!({})).await, Vec::<Value>::new());
    let deployed = world.upload(&[("resources", Some("good.bpmn"), good.as_str())]).await.ok();
    assert_eq!(deployed["deployments"][0]["processDefinition"]["processDefinitionVersion"], 1);
    let reason = "Expected to find process definition with process ID 'wrong', but none found";
    let answered = world.post("/v2/process-instances", json!({"processDefinitionId": "wrong"})).await;
    answered.rejected(404, "CREATE", "NOT_FOUND", reason);
}

#[tokio::test]
async fn point_22_files_are_read_by_their_kind() {
    let world = World::new().await;
    let script = "{\"id\": \"robot\"}";
    let deployed = world
        .upload(&[
            ("resources", Some("script.rpa"), script),
            ("resources", Some("notes.txt"), "read me"),
            ("resources", Some("address.form"), FORM),
        ])
        .await
        .ok();
    let form = text(&deployed["deployments"][0]["form"]["formKey"]);
    let key = |n: usize| text(&deployed["deployments"][n]["resource"]["resourceKey"]);
    let (script_key, notes_key) = if deployed["deployments"][1]["resource"]["resourceName"] == "script.rpa" {
        (key(1), key(2))
    } else {
        (key(2), key(1))
    };
    let content = |key: &str| format!("/v2/resources/{key}/content");
    assert_eq!(world.get(&content(&script_key)).await.ok(), json!({"id": "robot"}));
    let detail = format!("Resource with key '{notes_key}' is of type 'txt', expected 'rpa'");
    world.get(&content(&notes_key)).await.refused(406, "NOT_ACCEPTABLE", &detail);
    let binary = world.get(&format!("{}/binary", content(&notes_key))).await;
    assert_eq!((binary.status.as_u16(), binary.text.as_str()), (200, "read me"));
    assert_eq!(binary.headers["content-type"], "application/octet-stream");

    let changed = FORM.replace("[]", "[1]");
    let second = world.upload(&[("resources", Some("address.form"), &changed)]).await.ok();
    let second = text(&second["deployments"][0]["form"]["formKey"]);
    assert_ne!(form, second);
    let shown = world.get(&format!("/v2/forms/{form}")).await.ok();
    assert_eq!((&shown["version"], &shown["schema"]), (&json!(1), &json!(FORM)));
    let shown = world.get(&format!("/v2/forms/{second}")).await.ok();
    assert_eq!((&shown["version"], &shown["schema"]), (&json!(2), &json!(changed)));
}

#[tokio::test]
async fn point_22_deletion_answers_with_the_key() {
    let world = World::new().await;
    let definition = world.deploy(&one_job("order", "work")).await;
    let path = format!("/v2/resources/{definition}/deletion");
    assert_eq!(world.post_nothing(&path).await.ok()["resourceKey"], json!(definition));
    let reason = format!("Expected to delete resource but no resource found with key `{definition}`");
    world.post_nothing(&path).await.rejected(404, "DELETE", "NOT_FOUND", &reason);
    let deployed = world.upload(&[("resources", Some("notes.txt"), "a")]).await.ok();
    let notes = text(&deployed["deployments"][0]["resource"]["resourceKey"]);
    world.post_nothing(&format!("/v2/resources/{notes}/deletion")).await.ok();
    let detail = format!("Resource with key '{notes}' not found");
    world.get(&format!("/v2/resources/{notes}")).await.refused(404, "NOT_FOUND", &detail);
}

#[tokio::test]
async fn a_refusal_names_the_place_inside_its_element() {
    let world = World::new().await;
    let task = r#"<serviceTask id="work"><extensionElements><zeebe:taskDefinition type=""/><zeebe:ioMapping><zeebe:input source="=1 +" target="a-b"/></zeebe:ioMapping></extensionElements></serviceTask>"#;
    let wrong = model("wrong", &[START, task, END], "", "");
    let problem = world.upload(&[("resources", Some("wrong.bpmn"), &wrong)]).await.problem(400);
    let detail = text(&problem["detail"]);
    let places: Vec<&str> = detail.lines().filter(|line| line.contains("- Element: ")).collect();
    assert_eq!(
        places,
        [
            "'wrong.bpmn': - Element: work > extensionElements > taskDefinition",
            "- Element: work > extensionElements > ioMapping > input",
        ],
        "{detail}"
    );
    assert_eq!(detail.matches("    - ERROR: ").count(), 3, "{detail}");

    let starts = r#"<startEvent id="one"><messageEventDefinition messageRef="m"/></startEvent><startEvent id="two"><messageEventDefinition messageRef="m"/></startEvent><sequenceFlow id="x" sourceRef="one" targetRef="end"/><sequenceFlow id="y" sourceRef="two" targetRef="end"/>"#;
    let shared = model("shared", &[END], starts, r#"<message id="m" name="go"/>"#);
    let problem = world.upload(&[("resources", Some("shared.bpmn"), &shared)]).await.problem(400);
    let detail = text(&problem["detail"]);
    let expected = "- Element: m\n    - ERROR: A message cannot be referred by more than one start event";
    assert!(detail.contains(expected), "{detail}");

    let form = r#"<startEvent id="start"><extensionElements><zeebe:formDefinition formId="f"/><zeebe:properties><zeebe:property name="publicAccess" value="true"/></zeebe:properties></extensionElements></startEvent>"#;
    let public = model("public", &[form, END], "", "");
    let problem = world.upload(&[("resources", Some("public.bpmn"), &public)]).await.problem(400);
    let detail = text(&problem["detail"]);
    assert!(detail.contains("Start event forms with public access enabled are not supported."), "{detail}");
}
