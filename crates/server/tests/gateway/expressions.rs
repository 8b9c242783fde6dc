//! Expressions that people try out.

use crate::harness::Fixture;
use serde_json::{Value, json};
use tidemill_server::gateway::schema::answer_misfit;

async fn evaluated(body: Value) -> Value {
    let answered = Fixture::new().post("/v2/expression/evaluation", body).await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    assert_eq!(answer_misfit("evaluateExpression", 200, &answered.json()), None);
    answered.json()
}

async fn refused(body: Value) -> (String, String) {
    Fixture::new().post("/v2/expression/evaluation", body).await.problem(400)
}

#[tokio::test]
async fn an_expression_gives_its_value() {
    let answer =
        evaluated(json!({"expression": "={a: x + 1, b: [\"c\", null]}", "variables": {"x": 2}})).await;
    assert_eq!(answer["result"], json!({"a": 3, "b": ["c", null]}));
    assert_eq!(answer["expression"], "={a: x + 1, b: [\"c\", null]}");
    assert_eq!(answer["warnings"], json!([]));
    assert_eq!(answer["referencedSecrets"], json!([]));
    assert_eq!(evaluated(json!({"expression": "=now()"})).await["result"], "1970-01-01T00:00:00Z");
}

#[tokio::test]
async fn an_unknown_variable_is_null_with_a_warning() {
    let answer = evaluated(json!({"expression": "=x"})).await;
    assert_eq!(answer["result"], json!(null));
    assert_eq!(answer["warnings"].as_array().map(Vec::len), Some(1), "{answer}");
}

#[tokio::test]
async fn what_is_no_expression_is_refused() {
    let (title, detail) = refused(json!({})).await;
    assert_eq!((title.as_str(), detail.as_str()), ("INVALID_ARGUMENT", "No expression provided"));
    for expression in ["=x +", "=assert(1, false, \"no\")", "=assert(null, false)"] {
        assert_eq!(refused(json!({"expression": expression})).await.0, "INVALID_ARGUMENT", "{expression}");
    }
    let answered = Fixture::new().post("/v2/expression/evaluation", json!({"expression": "=1 +"})).await;
    assert_eq!((&answered.json()["line"], &answered.json()["column"]), (&json!(1), &json!(4)));
    let body = json!({"expression": "=1", "scopeKey": "abc"});
    assert!(refused(body).await.1.starts_with("The provided scopeKey 'abc' is not a valid key."));
    let body = json!({"expression": "=1", "scopeKey": "5"});
    Fixture::new().post("/v2/expression/evaluation", body).await.problem(404);
}
