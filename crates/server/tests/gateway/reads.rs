//! Everything that can be read, in its shape.

use crate::world::{World, XML};
use serde_json::{Value, json};
use tidemill_model::entity::*;
use tidemill_model::*;

#[tokio::test]
async fn every_search_finds_and_shows_its_things() {
    let world = World::full().await;
    let instance = world.instance.key;
    for (operation, path, expected) in [
        ("searchProcessDefinitions", "process-definitions/search", 1),
        ("searchProcessInstances", "process-instances/search", 1),
        ("searchElementInstances", "element-instances/search", 1),
        ("searchJobs", "jobs/search", 1),
        ("searchUserTasks", "user-tasks/search", 1),
        ("searchVariables", "variables/search", 1),
        ("searchMessageSubscriptions", "message-subscriptions/search", 2),
        ("searchCorrelatedMessageSubscriptions", "correlated-message-subscriptions/search", 1),
        ("searchIncidents", "incidents/search", 1),
        ("searchResources", "resources/search", 1),
        ("searchProcessInstanceIncidents", &format!("process-instances/{instance}/incidents/search"), 1),
        (
            "searchElementInstanceIncidents",
            &format!("element-instances/{}/incidents/search", world.element.key),
            1,
        ),
        ("searchUserTaskVariables", &format!("user-tasks/{}/variables/search", world.task.key), 1),
        (
            "searchUserTaskEffectiveVariables",
            &format!("user-tasks/{}/effective-variables/search", world.task.key),
            1,
        ),
        ("getProcessDefinitionInstanceStatistics", "process-definitions/statistics/process-instances", 1),
        ("getProcessInstanceStatisticsByError", "incidents/statistics/process-instances-by-error", 1),
    ] {
        let found = world.search(operation, &format!("/v2/{path}"), json!({})).await;
        assert_eq!(found["page"]["totalItems"], expected, "{path}: {found}");
        assert_eq!(found["items"].as_array().map(Vec::len), Some(expected), "{path}");
    }
}

#[tokio::test]
async fn every_thing_is_read_by_its_key() {
    let world = World::full().await;
    for (operation, path) in [
        ("getProcessDefinition", format!("process-definitions/{}", world.definition.key)),
        ("getStartProcessForm", format!("process-definitions/{}/form", world.definition.key)),
        ("getProcessInstance", format!("process-instances/{}", world.instance.key)),
        (
            "getProcessInstanceSequenceFlows",
            format!("process-instances/{}/sequence-flows", world.instance.key),
        ),
        (
            "getProcessInstanceStatistics",
            format!("process-instances/{}/statistics/element-instances", world.instance.key),
        ),
        ("getElementInstance", format!("element-instances/{}", world.element.key)),
        ("getUserTask", format!("user-tasks/{}", world.task.key)),
        ("getUserTaskForm", format!("user-tasks/{}/form", world.task.key)),
        ("getVariable", format!("variables/{}", world.variable.key)),
        ("getIncident", format!("incidents/{}", world.incident.key)),
        ("getFormByKey", format!("forms/{}", world.form.key)),
        ("getResource", format!("resources/{}", world.resource.key)),
    ] {
        world.read(operation, &format!("/v2/{path}")).await;
    }
}

#[tokio::test]
async fn an_instance_is_shown_with_all_that_is_known_of_it() {
    let world = World::full().await;
    let shown =
        world.read("getProcessInstance", &format!("/v2/process-instances/{}", world.instance.key)).await;
    let key = |key: i64| json!(key.to_string());
    let expected = json!({
        "processDefinitionId": "order",
        "processDefinitionName": "The order",
        "processDefinitionVersion": 1,
        "processDefinitionVersionTag": null,
        "startDate": "1970-01-01T00:00:00.100Z",
        "endDate": null,
        "state": "ACTIVE",
        "suspendedDate": null,
        "hasIncident": true,
        "tenantId": "<default>",
        "processInstanceKey": key(world.instance.key.0),
        "processDefinitionKey": key(world.definition.key.0),
        "parentProcessInstanceKey": null,
        "parentElementInstanceKey": null,
        "rootProcessInstanceKey": key(world.instance.key.0),
        "tags": ["fast"],
        "businessId": null,
    });
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn elements_have_the_names_of_the_model() {
    let world = World::full().await;
    let end = world.session.make.element(&world.instance, world.instance.key.scope(), "end");
    world.put([end]).await;
    let names = async |filter: Value| -> Vec<Value> {
        let body = json!({"filter": filter, "sort": [{"field": "elementId"}]});
        let found = world.search("searchElementInstances", "/v2/element-instances/search", body).await;
        found["items"].as_array().expect("items").iter().map(|item| item["elementName"].clone()).collect()
    };
    assert_eq!(names(json!({})).await, ["end", "Take the money"]);
    assert_eq!(names(json!({"elementName": "Take the money"})).await, ["Take the money"]);
    assert_eq!(names(json!({"elementName": {"$like": "*money"}})).await, ["Take the money"]);
    assert_eq!(names(json!({"elementName": {"$like": "*gold"}})).await, Vec::<Value>::new());
    let either = json!({"$or": [{"elementName": "Take the money"}, {"elementId": "end"}]});
    assert_eq!(names(either).await.len(), 2);
}

#[tokio::test]
async fn files_come_as_they_were_deployed() {
    let world = World::full().await;
    let xml = world.fixture.get(&format!("/v2/process-definitions/{}/xml", world.definition.key)).await;
    assert_eq!(xml.headers["content-type"], "text/xml");
    assert_eq!(xml.text, XML);
    let script = Resource { content: b"{\"a\":1}".as_slice().into(), ..world.session.make.resource("b", 1) };
    let mut other = Resource { content: b"text".as_slice().into(), ..world.session.make.resource("c", 1) };
    other.resource_name = "c.md".into();
    world.put([script.clone(), other.clone()]).await;
    let content = world.fixture.get(&format!("/v2/resources/{}/content", script.key)).await;
    assert_eq!(content.json(), json!({"a": 1}));
    world.fixture.get(&format!("/v2/resources/{}/content", other.key)).await.problem(406);
    let binary = world.fixture.get(&format!("/v2/resources/{}/content/binary", other.key)).await;
    assert_eq!(binary.headers["content-type"], "application/octet-stream");
    assert_eq!(binary.text, "text");
}

#[tokio::test]
async fn forms_are_there_or_not() {
    let world = World::full().await;
    let task = UserTask { form: None, ..world.session.make.user_task(&world.element) };
    let formless = world.session.make.definition("plain", 1);
    world.put([task.clone()]).await;
    world.put([formless.clone()]).await;
    assert_eq!(world.fixture.get(&format!("/v2/user-tasks/{}/form", task.key)).await.status, 204);
    assert_eq!(
        world.fixture.get(&format!("/v2/process-definitions/{}/form", formless.key)).await.status,
        204
    );
    let form = world.read("getFormByKey", &format!("/v2/forms/{}", world.form.key)).await;
    assert_eq!((&form["formId"], &form["schema"]), (&json!("ask"), &json!("{}")));
}

#[tokio::test]
async fn calls_are_listed_and_incidents_below_are_found() {
    let world = World::full().await;
    let called = world.session.make.called(world.definition.key, &world.element);
    let inner = world.session.make.element(&called, called.key.scope(), "pay");
    let incident = world.session.make.incident(&inner, "deep");
    let caller = ElementInstance { called: Some(called.key), ..world.element.clone() };
    world.put([called.clone()]).await;
    world.put([inner, caller]).await;
    world.put([incident]).await;
    let path = format!("/v2/process-instances/{}/call-hierarchy", called.key);
    let calls = world.read("getProcessInstanceCallHierarchy", &path).await;
    let keys: Vec<_> =
        calls.as_array().expect("a list").iter().map(|call| call["processInstanceKey"].clone()).collect();
    assert_eq!(keys, [json!(world.instance.key.to_string()), json!(called.key.to_string())]);
    let path = format!("/v2/process-instances/{}/call-hierarchy", world.instance.key);
    assert_eq!(world.read("getProcessInstanceCallHierarchy", &path).await, json!([]));
    let path = format!("/v2/process-instances/{}/incidents/search", world.instance.key);
    let found = world.search("searchProcessInstanceIncidents", &path, json!({})).await;
    assert_eq!(found["page"]["totalItems"], 2);
}

#[tokio::test]
async fn flows_and_elements_of_an_instance_are_counted() {
    let world = World::full().await;
    let path = format!("/v2/process-instances/{}/sequence-flows", world.instance.key);
    let flows = world.read("getProcessInstanceSequenceFlows", &path).await;
    assert_eq!(flows["items"][0]["elementId"], "to-pay");
    let path = format!("/v2/process-instances/{}/statistics/element-instances", world.instance.key);
    let counts = json!([{"elementId": "pay", "active": 0, "canceled": 0, "incidents": 1, "completed": 0}]);
    assert_eq!(world.read("getProcessInstanceStatistics", &path).await["items"], counts);
    let path = format!("/v2/process-definitions/{}/statistics/element-instances", world.definition.key);
    let body = json!({"filter": {"state": "ACTIVE"}});
    assert_eq!(world.search("getProcessDefinitionStatistics", &path, body).await["items"], counts);
    for filter in [json!({"state": "COMPLETED"}), json!({"elementId": "other"})] {
        let body = json!({"filter": filter});
        assert_eq!(world.search("getProcessDefinitionStatistics", &path, body).await["items"], json!([]));
    }
    let body = json!({"filter": {"elementId": {"$like": "p*"}}});
    assert_eq!(world.search("getProcessDefinitionStatistics", &path, body).await["items"], counts);
    let path = "/v2/process-definitions/statistics/process-instances-by-version";
    let body = json!({"filter": {"processDefinitionId": "order"}});
    let found = world.search("getProcessDefinitionInstanceVersionStatistics", path, body).await;
    assert_eq!(found["items"][0]["activeInstancesWithIncidentCount"], 1);
    assert_eq!(world.fixture.post(path, json!({})).await.problem(400).1, "No filter provided.");
}

#[tokio::test]
async fn a_job_in_a_workers_hands_is_shown_with_its_deadline() {
    let world = World::full().await;
    let body = json!({"filter": {"worker": "w", "state": "CREATED", "listenerEventType": "UNSPECIFIED"}});
    let found = world.search("searchJobs", "/v2/jobs/search", body).await;
    let job = &found["items"][0];
    assert_eq!((&job["state"], &job["deadline"]), (&json!("CREATED"), &json!("1970-01-01T00:00:05.000Z")));
    let found = world.search("searchJobs", "/v2/jobs/search", json!({"filter": {"isDenied": true}})).await;
    assert_eq!(found["page"]["totalItems"], 0);
}

#[tokio::test]
async fn the_process_variables_come_with_an_awaited_end() {
    let world = World::full().await;
    let scope = world.instance.key.scope();
    let more = world.session.make.variable(&world.instance, scope, "more", "[1.50]");
    let local = world.session.make.variable(&world.instance, world.element.key, "local", "1");
    world.put([more, local]).await;
    let mut created = crate::harness::created();
    created.instance = world.instance.key;
    let send = async |fetch: Value| {
        world.fixture.tell(Ok(Answer::Created(created.clone())));
        let body = json!({"processDefinitionId": "order", "awaitCompletion": true, "fetchVariables": fetch});
        world.search("createProcessInstance", "/v2/process-instances", body).await["variables"].clone()
    };
    assert_eq!(send(json!([])).await, json!({"amount": "abc", "more": [1.5]}));
    assert_eq!(send(json!(["more", "local"])).await, json!({"more": [1.5]}));
}
