//! Variables as they are shown: JSON text, cut where it is long, seen from a task or from an expression.

use crate::world::World;
use serde_json::{Value, json};

#[tokio::test]
async fn values_are_json_text_and_cut_in_searches_only() {
    let world = World::full().await;
    let long = format!("\"{}\"", "é".repeat(9000));
    let variable = world.session.make.variable(&world.instance, world.instance.key.scope(), "long", &long);
    world.put([variable.clone()]).await;
    let body = json!({"filter": {"name": "long"}});
    let found = world.search("searchVariables", "/v2/variables/search", body.clone()).await;
    let item = &found["items"][0];
    assert_eq!(item["value"].as_str().map(|text| text.chars().count()), Some(8191));
    assert_eq!(item["isTruncated"], true);
    let found = world.search("searchVariables", "/v2/variables/search?truncateValues=false", body).await;
    assert_eq!(
        (&found["items"][0]["value"], &found["items"][0]["isTruncated"]),
        (&json!(long), &json!(false))
    );
    let got = world.read("getVariable", &format!("/v2/variables/{}", variable.key)).await;
    assert_eq!(got["value"], json!(long));

    let body = json!({"filter": {"value": "\"abc\""}});
    let found = world.search("searchVariables", "/v2/variables/search", body).await;
    assert_eq!(found["items"][0]["name"], "amount");
    let body = json!({"filter": {"variables": [{"name": "amount", "value": {"$eq": "\"abc\""}}]}});
    let found = world.search("searchProcessInstances", "/v2/process-instances/search", body).await;
    assert_eq!(found["page"]["totalItems"], 1);
    let body = json!({"filter": {"variables": [{"name": "amount", "value": "abc"}]}});
    let found = world.search("searchProcessInstances", "/v2/process-instances/search", body).await;
    assert_eq!(found["page"]["totalItems"], 0);
}

#[tokio::test]
async fn a_task_sees_the_innermost_of_each_name() {
    let world = World::full().await;
    let hiding = world.session.make.variable(&world.instance, world.element.key, "amount", "7");
    let other = world.session.make.variable(&world.instance, world.element.key, "zeta", "1");
    world.put([hiding, other]).await;
    let path = |kind: &str| format!("/v2/user-tasks/{}/{kind}/search", world.task.key);
    let found = world.search("searchUserTaskVariables", &path("variables"), json!({})).await;
    assert_eq!(found["page"]["totalItems"], 3);
    let values = async |body: Value| -> Vec<(Value, Value)> {
        let found =
            world.search("searchUserTaskEffectiveVariables", &path("effective-variables"), body).await;
        let items = found["items"].as_array().expect("items").iter();
        items.map(|item| (item["name"].clone(), item["value"].clone())).collect()
    };
    let (amount, zeta) = ((json!("amount"), json!("7")), (json!("zeta"), json!("1")));
    assert_eq!(values(json!({})).await, [amount.clone(), zeta.clone()]);
    let body = json!({"sort": [{"field": "name", "order": "DESC"}], "page": {"from": 1, "limit": 5}});
    assert_eq!(values(body).await, [amount]);
    assert_eq!(values(json!({"filter": {"name": {"$like": "z*"}}})).await, [zeta]);
}

#[tokio::test]
async fn an_expression_sees_its_scope_and_what_it_is_given() {
    let world = World::full().await;
    let body = json!({
        "expression": "=amount + x",
        "scopeKey": world.element.key.to_string(),
        "variables": {"x": "def"},
    });
    let answer = world.search("evaluateExpression", "/v2/expression/evaluation", body).await;
    assert_eq!(answer["result"], "abcdef");
}
