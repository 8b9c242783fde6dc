//! Points 12 to 16: pages, order, filters, variables, definitions.

use crate::models::{empty, one_job};
use crate::world::{World, text};
use serde_json::{Value, json};

/// Instances of `order` that wait for their job, oldest first.
async fn with_instances(count: usize) -> (World, Vec<String>) {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let mut keys = Vec::new();
    for n in 0..count {
        keys.push(world.create("order", json!({"n": n})).await);
    }
    (world, keys)
}

fn keys(found: &Value) -> Vec<String> {
    found["items"].as_array().expect("a list").iter().map(|item| text(&item["processInstanceKey"])).collect()
}

#[tokio::test]
async fn point_12_pages_by_offset_and_cursor() {
    let (world, all) = with_instances(5).await;
    let page = async |page: Value| world.post("/v2/process-instances/search", json!({"page": page})).await;
    let first = page(json!({"limit": 2})).await.ok();
    assert_eq!(keys(&first), all[..2]);
    assert_eq!(first["page"]["totalItems"], 5);
    let next = page(json!({"limit": 2, "after": first["page"]["endCursor"]})).await.ok();
    assert_eq!(keys(&next), all[2..4]);
    let back = page(json!({"limit": 2, "before": next["page"]["startCursor"]})).await.ok();
    assert_eq!(keys(&back), all[..2]);
    assert_eq!(keys(&page(json!({"from": 4})).await.ok()), all[4..]);
    for empty in [json!({"limit": 0}), json!({"from": 9, "limit": 2})] {
        let none = page(empty).await.ok();
        assert_eq!(none["items"], json!([]));
        let expected = json!({
            "totalItems": 5, "hasMoreTotalItems": false, "startCursor": null, "endCursor": null,
        });
        assert_eq!(none["page"], expected);
    }
    for member in ["limit", "from"] {
        let detail = format!("The value for page.{member} is '-1' but must be a non-negative number.");
        page(json!({member: -1})).await.refused(400, "INVALID_ARGUMENT", &detail);
    }
    let body = json!({
        "sort": [{"field": "startDate"}], "page": {"limit": 2, "after": first["page"]["endCursor"]},
    });
    let problem = world.post("/v2/process-instances/search", body).await.problem(400);
    assert_eq!(problem["title"], "INVALID_ARGUMENT");
}

#[tokio::test]
async fn point_13_the_order_is_total() {
    let (world, all) = with_instances(3).await;
    let sorted = async |sort: Value| world.post("/v2/process-instances/search", json!({"sort": sort})).await;
    assert_eq!(keys(&world.post("/v2/process-instances/search", json!({})).await.ok()), all);
    // All are equal in this, so the key decides, and ascending whatever the direction.
    let equal = sorted(json!([{"field": "processDefinitionId", "order": "DESC"}])).await.ok();
    assert_eq!(keys(&equal), all);
    assert_eq!(keys(&sorted(json!([{"field": "processInstanceKey"}])).await.ok()), all);
    let backwards = sorted(json!([{"field": "processInstanceKey", "order": "DESC"}])).await.ok();
    assert_eq!(keys(&backwards), all.iter().rev().cloned().collect::<Vec<_>>());
    sorted(json!([{"order": "ASC"}])).await.refused(400, "INVALID_ARGUMENT", "Sort field must not be null.");
    let problem = world.post("/v2/variables/search", json!({"sort": [{"field": "size"}]})).await;
    let detail = text(&problem.problem(400)["detail"]);
    assert!(
        detail.starts_with(
            "Unexpected value 'size' for enum field 'field'. Use any of the following values: ["
        ),
        "{detail}"
    );
    sorted(json!([{"field": "startDate", "order": "UP"}])).await.refused(
        400,
        "Bad Request",
        "Unexpected value 'UP' for enum field 'order'. Use any of the following values: [ASC, DESC]",
    );
}

#[tokio::test]
async fn point_14_filters_are_joined() {
    let (world, all) = with_instances(3).await;
    world.deploy(&empty("Done")).await;
    let done = world.create("Done", json!({})).await;
    let found = async |filter: Value| {
        keys(&world.post("/v2/process-instances/search", json!({"filter": filter})).await.ok())
    };
    let nobody = Vec::<String>::new();
    assert_eq!(found(json!({"processDefinitionId": "order", "state": "COMPLETED"})).await, nobody);
    assert_eq!(
        found(json!({"processInstanceKey": {"$in": [all[0], all[1]], "$neq": all[0]}})).await,
        [&*all[1]]
    );
    assert_eq!(
        found(json!({"state": "ACTIVE", "$or": [{"processInstanceKey": all[2]}, {"processDefinitionId": "Done"}]}))
            .await,
        [&*all[2]]
    );
    assert_eq!(
        found(json!({"$or": [{"processInstanceKey": all[2]}, {"state": "COMPLETED"}]})).await,
        [&*all[2], &*done]
    );
    assert_eq!(found(json!({"processInstanceKey": {"$in": []}})).await.len(), 4);
    assert_eq!(found(json!({"processDefinitionVersion": {"$gte": 1, "$lt": 2}})).await.len(), 4);
    assert_eq!(found(json!({"processDefinitionVersion": {"$gte": 1, "$lt": 1}})).await, nobody);
    assert_eq!(found(json!({"processDefinitionId": {"$like": "o*r"}})).await, all);
    assert_eq!(found(json!({"processDefinitionId": {"$like": "?one"}})).await, [&*done]);
    assert_eq!(found(json!({"processDefinitionId": {"$like": "?rde"}})).await, nobody);
    assert_eq!(found(json!({"processDefinitionId": {"$like": "\\?one"}})).await, nobody);
    assert_eq!(found(json!({"processDefinitionId": "done"})).await, nobody);
    assert_eq!(found(json!({"processDefinitionId": "ord"})).await, nobody);
    assert_eq!(found(json!({"processInstanceKey": "12"})).await, nobody);
    assert_eq!(found(json!({"variables": [{"name": "n", "value": "1"}]})).await, [&*all[1]]);
}

#[tokio::test]
async fn point_15_variable_values_are_json_text() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let long = "é".repeat(9000);
    let instance = world.create("order", json!({"a": "abc", "b": {"c": [1, null]}, "long": long})).await;
    let variable = async |name: &str| {
        world.one("variables", json!({"processInstanceKey": instance, "name": name})).await
    };
    assert_eq!(variable("a").await["value"], "\"abc\"");
    assert_eq!(variable("a").await["isTruncated"], false);
    assert_eq!(variable("b").await["value"], "{\"c\":[1,null]}");
    let by_value = world.one("variables", json!({"value": "\"abc\""})).await;
    assert_eq!(by_value["name"], "a");
    assert_eq!(world.found("variables", json!({"value": "abc"})).await, Vec::<Value>::new());

    let cut = variable("long").await;
    assert_eq!(cut["isTruncated"], true);
    assert_eq!(text(&cut["value"]).chars().count(), 8191);
    let body = json!({"filter": {"name": "long"}});
    let whole = world.post("/v2/variables/search?truncateValues=false", body).await.ok();
    assert_eq!(whole["items"][0]["isTruncated"], false);
    assert_eq!(text(&whole["items"][0]["value"]), format!("\"{long}\""));
    let got = world.get(&format!("/v2/variables/{}", text(&cut["variableKey"]))).await.ok();
    assert_eq!(text(&got["value"]), format!("\"{long}\""));
}

#[tokio::test]
async fn point_16_latest_versions_are_paged_forward() {
    let world = World::new().await;
    world.deploy(&empty("a")).await;
    world.deploy(&one_job("a", "work")).await;
    world.deploy(&empty("b")).await;
    let search = async |mut body: Value| {
        body["filter"] = json!({"isLatestVersion": true});
        world.post("/v2/process-definitions/search", body).await
    };
    let versions = |found: &Value| -> Vec<(String, i64)> {
        let items = found["items"].as_array().expect("a list").iter();
        items
            .map(|item| (text(&item["processDefinitionId"]), item["version"].as_i64().unwrap_or(0)))
            .collect()
    };
    let found = search(json!({"sort": [{"field": "processDefinitionId", "order": "DESC"}]})).await.ok();
    assert_eq!(versions(&found), [("b".to_owned(), 1), ("a".to_owned(), 2)]);
    assert_eq!(found["page"]["totalItems"], 2);
    let first = search(json!({"page": {"limit": 1}})).await.ok();
    let body = json!({"page": {"limit": 1, "after": first["page"]["endCursor"]}});
    assert_eq!(versions(&search(body).await.ok()).len(), 1);
    for body in [
        json!({"page": {"from": 1}}),
        json!({"page": {"before": first["page"]["endCursor"]}}),
        json!({"sort": [{"field": "version"}]}),
    ] {
        assert_eq!(search(body).await.problem(400)["title"], "INVALID_ARGUMENT");
    }
}

#[tokio::test]
async fn searches_are_as_large_as_stated_and_larger_ones_name_the_limit() {
    let world = World::new().await;
    world.deploy(&empty("order")).await;
    let instance = world.create("order", json!({"a": "x"})).await;
    let keys: Vec<String> = (1..10_000).map(|n| n.to_string()).chain([instance.clone()]).collect();
    let found = world.one("process-instances", json!({"processInstanceKey": {"$in": keys}})).await;
    assert_eq!(found["processInstanceKey"], instance.as_str());
    world.one("variables", json!({"value": {"$like": format!("\"{}", "*".repeat(900))}})).await;

    let refused = async |what: &str, body: Value, limit: &str| {
        let problem = world.post(&format!("/v2/{what}/search"), body).await.problem(400);
        let detail = text(&problem["detail"]);
        assert!(detail.contains(limit), "{detail}");
    };
    let many = |count: usize| (0..count).map(|n| json!({"businessId": n.to_string()})).collect::<Vec<_>>();
    // The instance passes the last of as many alternatives as there may be.
    let mut alternatives = many(299);
    alternatives.push(json!({"processInstanceKey": instance}));
    let found = world.one("process-instances", json!({"$or": alternatives})).await;
    assert_eq!(found["processInstanceKey"], instance.as_str());
    let limit = "The provided filter exceeds the limit of 300 conditions: it has 301";
    refused("process-instances", json!({"filter": {"$or": many(301)}}), limit).await;
    let limit = "The provided filter exceeds the limit of 300 conditions";
    refused("process-instances", json!({"filter": {"$or": many(1_500)}}), limit).await;
    let tags: Vec<String> = (0..2_000).map(|n| format!("t{n}")).collect();
    refused("process-instances", json!({"filter": {"tags": tags}}), limit).await;
    let variables: Vec<Value> = (0..31).map(|n| json!({"name": format!("v{n}"), "value": "1"})).collect();
    let limit = "The provided filter exceeds the limit of 30 conditions on variables";
    refused("process-instances", json!({"filter": {"variables": variables}}), limit).await;
    let limit = "The provided value pattern exceeds the limit of 1000 characters";
    refused("variables", json!({"filter": {"value": {"$like": "a".repeat(60_000)}}}), limit).await;
    let limit = "The provided elementName pattern exceeds the limit of 1000 characters";
    refused("element-instances", json!({"filter": {"elementName": {"$like": "*a".repeat(600)}}}), limit)
        .await;
    let limit = "The provided processInstanceKey list exceeds the limit of 20000 values";
    let keys: Vec<String> = (0..20_001).map(|n| n.to_string()).collect();
    refused("process-instances", json!({"filter": {"processInstanceKey": {"$notIn": keys}}}), limit).await;
    let sorts = vec![json!({"field": "startDate"}); 51];
    refused("process-instances", json!({"sort": sorts}), "The provided sort exceeds the limit of 50").await;
}

#[tokio::test]
async fn a_page_with_too_much_text_is_refused_with_the_remedy() {
    let world = World::new().await;
    let plain = one_job("order", "work");
    let header = format!("<zeebe:header key=\"k\" value=\"{}\"/>", "x".repeat(250_000));
    let headers = format!("<zeebe:taskHeaders>{header}</zeebe:taskHeaders></extensionElements>");
    let model = plain.replacen("</extensionElements>", &headers, 1);
    assert_ne!(model, plain, "the task has extensions");
    world.deploy(&model).await;
    for _ in 0..140 {
        world.create("order", json!({})).await;
    }
    let search = async |limit: u32| world.post("/v2/jobs/search", json!({"page": {"limit": limit}})).await;
    let detail = text(&search(1_000).await.problem(400)["detail"]);
    assert!(detail.contains("more than 32 MB of text; ask for fewer items (page.limit)"), "{detail}");
    assert_eq!(search(100).await.ok()["items"].as_array().map(Vec::len), Some(100));
}

#[tokio::test]
async fn a_variable_in_a_filter_has_a_name_and_a_value() {
    let world = World::new().await;
    let refused = async |variable: Value, detail: &str| {
        let filter = json!({"filter": {"variables": [variable]}});
        world.post("/v2/process-instances/search", filter).await.refused(400, "INVALID_ARGUMENT", detail);
    };
    refused(json!({"name": "a"}), "Variable value must not be null.").await;
    refused(json!({"name": "a", "value": {}}), "Variable value must not be null.").await;
    refused(json!({"value": "1"}), "Variable name must not be null.").await;
    refused(json!({}), "Variable name must not be null. Variable value must not be null.").await;
}

/// As Camunda does: only the length of names is limited.
#[tokio::test]
async fn a_variable_may_have_the_empty_name() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let instance = world.create("order", json!({"": 1, "a": 2})).await;
    let unnamed = world.one("variables", json!({"processInstanceKey": instance, "name": ""})).await;
    assert_eq!((&unnamed["name"], &unnamed["value"]), (&json!(""), &json!("1")));
    assert_eq!(world.activate("work").await[0]["variables"], json!({"": 1, "a": 2}));
}
