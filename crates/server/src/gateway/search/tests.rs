//! From search bodies to searches of a store.

use super::super::schema::{Api, Request, check};
use super::translate;
use crate::gateway::problem::Problem;
use serde_json::{Value as Json, json};
use tidemill_store::query::*;

fn searched<F: super::Searchable>(tree: Json) -> Search<F> {
    translate(&tree).expect("a good search")
}

#[test]
fn no_body_searches_for_everything() {
    let search: Search<JobField> = searched(Json::Null);
    assert_eq!(search, Search::default());
}

#[test]
fn values_and_operators_become_tests_of_their_kind() {
    let search: Search<ProcessInstanceField> = searched(json!({"filter": {
        "processInstanceKey": {"$in": ["1", "2"], "$neq": "3"},
        "processDefinitionVersion": {"$gte": 1, "$lt": 5},
        "startDate": {"$gt": "1970-01-01T00:00:01Z"},
        "businessId": {"$like": "a*", "$exists": true},
        "state": {"$in": []},
        "hasIncident": true,
        "tags": ["a", "b"],
    }}));
    let is = |field, test| Condition::Is(field, test);
    use ProcessInstanceField as F;
    let expected = [
        is(F::Key, Test::In(vec![Value::Int(1), Value::Int(2)])),
        is(F::Key, Test::Neq(Value::Int(3))),
        is(F::Version, Test::Gte(Value::Int(1))),
        is(F::Version, Test::Lt(Value::Int(5))),
        is(F::StartDate, Test::Gt(Value::Int(1000))),
        is(F::BusinessId, Test::Like("a*".into())),
        is(F::BusinessId, Test::Exists(true)),
        is(F::HasIncident, Test::eq(true)),
        is(F::Tags, Test::eq("a")),
        is(F::Tags, Test::eq("b")),
    ];
    assert_eq!(search.filter.all.len(), expected.len());
    for condition in &expected {
        assert!(search.filter.all.contains(condition), "{condition:?} in {:?}", search.filter);
    }
}

#[test]
fn members_about_one_element_are_tested_on_one_element() {
    let search: Search<ProcessInstanceField> =
        searched(json!({"filter": {"elementId": "a", "elementInstanceState": "ACTIVE"}}));
    let expected = Condition::HasElement(vec![
        (ElementInstanceField::ElementId, Test::eq("a")),
        (ElementInstanceField::State, Test::eq("ACTIVE")),
    ]);
    assert_eq!(search.filter.all, [expected]);
}

#[test]
fn alternatives_are_filters_of_their_own() {
    let search: Search<ElementInstanceField> =
        searched(json!({"filter": {"type": "USER_TASK", "$or": [{"elementId": "a"}, {"state": "ACTIVE"}]}}));
    let one = |field, text| Filter::default().is(field, Test::eq(text));
    let any = Condition::Any(vec![
        one(ElementInstanceField::ElementId, "a"),
        one(ElementInstanceField::State, "ACTIVE"),
    ]);
    assert!(search.filter.all.contains(&any), "{:?}", search.filter);
}

#[test]
fn what_no_row_has_is_found_by_nobody() {
    let never = Condition::Is(JobField::Key, Test::eq(-1));
    let search: Search<JobField> = searched(json!({"filter": {"isDenied": true}}));
    assert_eq!(search.filter.all, [never]);
    let search: Search<JobField> = searched(json!({"filter": {"listenerEventType": "UNSPECIFIED"}}));
    assert_eq!(search.filter.all, []);
}

#[test]
fn sort_and_page_are_taken_over() {
    let search: Search<JobField> = searched(json!({
        "sort": [{"field": "deadline", "order": "DESC"}, {"field": "isDenied"}, {"field": "type"}],
        "page": {"limit": 0, "before": "c"},
    }));
    let by = |field, order| Sort { field, order };
    assert_eq!(
        search.sort,
        [by(JobField::Deadline, Order::Descending), by(JobField::Type, Order::Ascending)]
    );
    assert_eq!(search.page, Page { limit: 0, start: PageStart::Before("c".into()) });
}

#[test]
fn all_broken_rules_are_told_at_once() {
    let tree = json!({
        "filter": {"deadline": {"$gt": "yesterday"}, "jobKey": "abc"},
        "sort": [{"order": "ASC"}],
        "page": {"from": -1, "limit": -1},
    });
    let expected = Problem::invalid_argument(
        "The provided deadline 'yesterday' cannot be parsed as a date according to RFC 3339, section 5.6. \
         The provided jobKey 'abc' is not a valid key. Expected a numeric value. \
         Did you pass an entity id instead of an entity key?. \
         Sort field must not be null. \
         The value for page.limit is '-1' but must be a non-negative number. \
         The value for page.from is '-1' but must be a non-negative number.",
    );
    assert_eq!(translate::<JobField>(&tree), Err(expected));
}

/// Every filter that the description offers can be translated.
#[test]
fn every_described_filter_is_known() {
    fn check_all<F: super::Searchable>(filter: &str) {
        let api = Api::get();
        for field in api.object(filter).iter().filter(|field| field.name != "$or") {
            let mut members = serde_json::Map::new();
            let value = example(api, &field.shape);
            members.insert(field.name.to_owned(), value);
            let tree = json!({"filter": members});
            let request = Request::Search(super::super::schema::Search {
                is_required: false,
                page: super::super::schema::PageKind::Full,
                filter: Some(api.types.get_key_value(filter).expect("described").0),
                sort: Vec::new(),
            });
            assert_eq!(check::misfit(api, &request, &mut tree.clone()), None);
            assert!(translate::<F>(&tree).is_ok(), "{filter}.{}", field.name);
        }
    }
    check_all::<ProcessDefinitionField>("ProcessDefinitionFilter");
    check_all::<ProcessInstanceField>("ProcessInstanceFilter");
    check_all::<ProcessInstanceField>("ProcessDefinitionStatisticsFilter");
    check_all::<ElementInstanceField>("ElementInstanceFilter");
    check_all::<JobField>("JobFilter");
    check_all::<UserTaskField>("UserTaskFilter");
    check_all::<VariableField>("VariableFilter");
    check_all::<VariableField>("UserTaskVariableFilter");
    check_all::<MessageSubscriptionField>("MessageSubscriptionFilter");
    check_all::<CorrelationField>("CorrelatedMessageSubscriptionFilter");
    check_all::<IncidentField>("IncidentFilter");
    check_all::<ResourceField>("ResourceFilter");
}

fn example(api: &Api, shape: &super::super::schema::Type) -> Json {
    use super::super::schema::Type;
    match shape {
        Type::Filter(base) => json!({"$eq": example(api, base)}),
        Type::List(item) => json!([example(api, item)]),
        Type::Key => json!("1"),
        Type::Int32 | Type::Int64 => json!(1),
        Type::Boolean => json!(true),
        Type::DateTime => json!("2026-01-01T00:00:00Z"),
        Type::Named("VariableValueFilterProperty") => json!({"name": "a", "value": "1"}),
        other => match api.words(other) {
            Some(words) => json!(words[0]),
            None => json!("x"),
        },
    }
}
