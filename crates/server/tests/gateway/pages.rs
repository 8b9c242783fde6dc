//! Pages in all four forms, cursors and totals.

use crate::world::World;
use serde_json::{Value, json};

const PATH: &str = "/v2/variables/search";

/// Variables `v0` to `v4`, beside the one that is always there.
async fn five() -> World {
    let world = World::full().await;
    let scope = world.instance.key.scope();
    let make = &world.session.make;
    world.put((0..5).map(|n| make.variable(&world.instance, scope, &format!("v{n}"), "1"))).await;
    world
}

fn names(found: &Value) -> String {
    let items = found["items"].as_array().expect("items").iter();
    items.map(|item| item["name"].as_str().expect("a name")).collect::<Vec<_>>().join(" ")
}

async fn page(world: &World, page: Value) -> Value {
    let filter = json!({"name": {"$like": "v*"}});
    let body = json!({"filter": filter, "sort": [{"field": "name", "order": "DESC"}], "page": page});
    world.search("searchVariables", PATH, body).await
}

#[tokio::test]
async fn pages_start_at_a_number_or_at_a_cursor() {
    let world = five().await;
    let first = page(&world, json!({"limit": 2})).await;
    assert_eq!(names(&first), "v4 v3");
    assert_eq!(
        (&first["page"]["totalItems"], &first["page"]["hasMoreTotalItems"]),
        (&json!(5), &json!(false))
    );
    assert_eq!(names(&page(&world, json!({"from": 1, "limit": 2})).await), "v3 v2");
    let second = page(&world, json!({"after": first["page"]["endCursor"], "limit": 2})).await;
    assert_eq!(names(&second), "v2 v1");
    assert_eq!(second["page"]["totalItems"], 5);
    let third = page(&world, json!({"after": second["page"]["endCursor"], "limit": 2})).await;
    assert_eq!(names(&third), "v0");
    let back = page(&world, json!({"before": third["page"]["startCursor"], "limit": 2})).await;
    assert_eq!(names(&back), "v2 v1");
}

#[tokio::test]
async fn an_empty_page_has_a_total_and_no_cursors() {
    let world = five().await;
    for (given, total) in [(json!({"limit": 0}), 5), (json!({"from": 10, "limit": 2}), 5)] {
        let found = page(&world, given).await;
        let expected =
            json!({"totalItems": total, "hasMoreTotalItems": false, "startCursor": null, "endCursor": null});
        assert_eq!((&found["items"], &found["page"]), (&json!([]), &expected));
    }
}

#[tokio::test]
async fn a_cursor_belongs_to_its_sort() {
    let world = five().await;
    let cursor = page(&world, json!({"limit": 2})).await["page"]["endCursor"].clone();
    for body in [json!({"page": {"after": cursor}}), json!({"page": {"after": "nonsense"}})] {
        assert_eq!(world.fixture.post(PATH, body).await.problem(400).0, "INVALID_ARGUMENT");
    }
}

#[tokio::test]
async fn latest_versions_are_paged_forward_by_name() {
    let world = World::full().await;
    let second = world.session.make.definition("order", 2);
    world.put([second]).await;
    let path = "/v2/process-definitions/search";
    let search = async |body: Value| world.search("searchProcessDefinitions", path, body).await;
    let latest = json!({"isLatestVersion": true});
    let found =
        search(json!({"filter": latest, "sort": [{"field": "processDefinitionId"}], "page": {"limit": 5}}))
            .await;
    assert_eq!((&found["page"]["totalItems"], &found["items"][0]["version"]), (&json!(1), &json!(2)));
    for body in [
        json!({"filter": latest, "sort": [{"field": "version"}]}),
        json!({"filter": latest, "page": {"from": 1}}),
        json!({"filter": latest, "page": {"before": "x"}}),
    ] {
        world.fixture.post(path, body).await.problem(400);
    }
    assert_eq!(search(json!({"filter": {"isLatestVersion": false}})).await["page"]["totalItems"], 1);
}

#[tokio::test]
async fn unknown_ids_are_found_nowhere() {
    let world = World::full().await;
    let body = json!({"filter": {"processInstanceKey": "42", "name": {"$in": ["a", "b"]}}});
    assert_eq!(world.search("searchVariables", PATH, body).await["items"], json!([]));
    let body = json!({"filter": {"processInstanceKey": "abc"}});
    let detail = world.fixture.post(PATH, body).await.problem(400).1;
    assert!(detail.starts_with("The provided processInstanceKey 'abc' is not a valid key."), "{detail}");
}

#[tokio::test]
async fn elements_are_sorted_by_the_names_of_the_model() {
    let world = World::full().await;
    let scope = world.instance.key.scope();
    let more = ["end", "start", "end"].map(|id| world.session.make.element(&world.instance, scope, id));
    world.put(more).await;
    let page = async |page: Value| {
        let body = json!({"sort": [{"field": "elementName", "order": "DESC"}], "page": page});
        world.search("searchElementInstances", "/v2/element-instances/search", body).await
    };
    let ids = |found: &Value| -> Vec<Value> {
        found["items"].as_array().expect("items").iter().map(|item| item["elementId"].clone()).collect()
    };
    let first = page(json!({"limit": 2})).await;
    assert_eq!(ids(&first), ["start", "end"]);
    assert_eq!(first["page"]["totalItems"], 4);
    let second = page(json!({"after": first["page"]["endCursor"], "limit": 5})).await;
    assert_eq!(ids(&second), ["end", "pay"], "Take the money is the last");
    let back = page(json!({"before": second["page"]["startCursor"], "limit": 1})).await;
    assert_eq!(ids(&back), ["end"]);
    let cursor = &first["page"]["endCursor"];
    let body = json!({"sort": [{"field": "elementName"}], "page": {"after": cursor}});
    world.fixture.post("/v2/element-instances/search", body).await.problem(400);
}

#[tokio::test]
async fn words_are_taken_in_any_casing() {
    let world = World::full().await;
    let path = "/v2/process-instances/search";
    let sort = |order: &str, field: &str| json!([{"field": field, "order": order}]);
    let as_described = json!({"filter": {"state": "ACTIVE"}, "sort": sort("DESC", "processInstanceKey")});
    let expected = world.search("searchProcessInstances", path, as_described).await;
    assert_ne!(expected["items"], json!([]));
    for filter in [
        json!({"state": "active"}),
        json!({"state": {"$eq": "Active"}}),
        json!({"state": {"$in": ["aCTIVE"]}}),
        json!({"$or": [{"state": {"$neq": "completed"}}], "state": "active"}),
    ] {
        let body = json!({"filter": filter, "sort": sort("desc", "PROCESSINSTANCEKEY")});
        assert_eq!(world.search("searchProcessInstances", path, body).await, expected, "{filter}");
    }
}
