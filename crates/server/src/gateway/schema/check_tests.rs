//! The texts that people match on when a body cannot be read.

use super::super::{Api, answer_misfit};
use super::{Misfit, misfit};
use serde_json::{Value, json};

fn found(operation: &str, body: Value) -> Option<Misfit> {
    let api = Api::get();
    misfit(api, &api.operation(operation).expect("described").request, &mut body.clone())
}

fn detail(operation: &str, body: Value) -> String {
    found(operation, body).expect("does not fit").detail
}

#[test]
fn good_bodies_fit() {
    assert_eq!(found("searchProcessInstances", json!({})), None);
    let body = json!({
        "filter": {
            "state": {"$in": ["ACTIVE"], "$neq": "COMPLETED"},
            "startDate": {"$gte": "2026-01-01T00:00:00Z"},
            "variables": [{"name": "a", "value": {"$like": "x*"}}],
            "$or": [{"processDefinitionId": "a"}, {"hasIncident": true}],
            "elementId": null
        },
        "sort": [{"field": "startDate", "order": "DESC"}, {"field": "processInstanceKey"}],
        "page": {"limit": 5, "after": "x"}
    });
    assert_eq!(found("searchProcessInstances", body), None);
}

#[test]
fn unknown_properties_are_named_with_dots_and_a_suggestion() {
    let misfit = found("searchProcessInstances", json!({"filter": {"stat": "ACTIVE"}})).expect("unknown");
    assert_eq!(misfit.detail, "Request property [filter.stat] cannot be parsed");
    assert_eq!(misfit.path, "$.filter.stat");
    assert_eq!(misfit.did_you_mean.as_deref(), Some("state"));
    assert_eq!(
        detail("createProcessInstance", json!({"bogus": 1})),
        "Request property [bogus] cannot be parsed"
    );
    assert_eq!(
        detail("createProcessInstance", json!({"startInstructions": [{"elementID": "a"}]})),
        "Request property [startInstructions.elementID] cannot be parsed"
    );
    assert_eq!(
        detail("searchProcessInstances", json!({"filter": {"$or": [{"$or": []}]}})),
        "Request property [filter.$or.$or] cannot be parsed"
    );
}

#[test]
fn nothing_is_coerced() {
    for (operation, body, property) in [
        ("createProcessInstance", json!({"processDefinitionKey": 5}), "processDefinitionKey"),
        ("createProcessInstance", json!({"processDefinitionVersion": "1"}), "processDefinitionVersion"),
        ("createProcessInstance", json!({"processDefinitionVersion": 1.5}), "processDefinitionVersion"),
        (
            "createProcessInstance",
            json!({"processDefinitionVersion": 3_000_000_000_i64}),
            "processDefinitionVersion",
        ),
        ("createProcessInstance", json!({"awaitCompletion": "true"}), "awaitCompletion"),
        ("createProcessInstance", json!({"variables": []}), "variables"),
        ("searchJobs", json!({"filter": {"type": true}}), "filter.type"),
        ("searchJobs", json!({"filter": {"jobKey": {"$in": [1]}}}), "filter.jobKey.$in"),
        ("searchJobs", json!({"filter": {"jobKey": {"$gt": "1"}}}), "filter.jobKey.$gt"),
        ("searchJobs", json!({"filter": {"type": {"$regex": "x"}}}), "filter.type.$regex"),
        ("searchJobs", json!({"page": {"limit": "5"}}), "page.limit"),
    ] {
        assert_eq!(detail(operation, body), format!("Request property [{property}] cannot be parsed"));
    }
}

#[test]
fn an_unknown_word_lists_the_known_ones_in_order() {
    assert_eq!(
        detail("searchProcessInstances", json!({"filter": {"state": {"$eq": "RUNNING"}}})),
        "Unexpected value 'RUNNING' for enum field '$eq'. Use any of the following values: \
         [ACTIVE, COMPLETED, SUSPENDED, TERMINATED]"
    );
    assert_eq!(
        detail("searchVariables", json!({"sort": [{"field": "nme"}]})),
        "Unexpected value 'nme' for enum field 'field'. Use any of the following values: \
         [value, name, tenantId, variableKey, scopeKey, processInstanceKey]"
    );
    assert_eq!(
        detail("searchVariables", json!({"sort": [{"field": "name", "order": "up"}]})),
        "Unexpected value 'up' for enum field 'order'. Use any of the following values: [ASC, DESC]"
    );
}

#[test]
fn a_page_has_one_start() {
    assert_eq!(
        detail("searchJobs", json!({"page": {}})),
        "At least one of [from, after, before, limit] is required."
    );
    assert_eq!(
        detail("searchJobs", json!({"page": {"from": 1, "after": "x"}})),
        "Only one of [from, after, before] is allowed."
    );
    assert_eq!(
        detail("searchUserTaskEffectiveVariables", json!({"page": {"after": "x"}})),
        "Request property [page.after] cannot be parsed"
    );
}

#[test]
fn answers_are_held_against_their_description() {
    let flow =
        json!({"items": [{"elementId": "a", "active": 1, "canceled": 0, "incidents": 0, "completed": 0}]});
    assert_eq!(answer_misfit("getProcessInstanceStatistics", 200, &flow), None);
    let missing = json!({"items": [{"elementId": "a", "active": 1, "canceled": 0, "incidents": 0}]});
    assert_eq!(
        answer_misfit("getProcessInstanceStatistics", 200, &missing).as_deref(),
        Some("$.items[0].completed is missing")
    );
    let key = json!({"tenantId": "<default>", "messageKey": 5});
    assert_eq!(answer_misfit("publishMessage", 200, &key).as_deref(), Some("$.messageKey is not a key: 5"));
}
