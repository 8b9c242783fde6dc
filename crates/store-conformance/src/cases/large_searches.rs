//! Searches as large as they may be: lists, alternatives and patterns of the allowed size find what small ones find.

use super::{end, put};
use crate::build::texts;
use crate::{Place, Session};
use tidemill_model::Timestamp;
use tidemill_model::entity::{Lifecycle, ProcessInstance};
use tidemill_store::query::*;

const VALUES: i64 = 10_000;

/// One that lives and one that has ended.
async fn instances(session: &Session) -> [ProcessInstance; 2] {
    let instance = |name: &str, tag: &str| ProcessInstance {
        business_id: Some(name.into()),
        tags: texts([tag]),
        ..session.make.instance(session.make.key())
    };
    let live = instance("live", "red");
    let over = ProcessInstance {
        state: Lifecycle::Completed,
        ended_at: Some(Timestamp(10)),
        ..instance("over", "blue")
    };
    session.commit(vec![put(&live), end(&over, false)]).await;
    [live, over]
}

async fn found(session: &Session, filter: Filter<ProcessInstanceField>) -> Vec<String> {
    let results = session.store.process_instances(&Search::of(filter)).await.expect("searches");
    assert_eq!(results.total as usize, results.items.len());
    results.items.iter().map(|item| item.business_id.as_deref().unwrap_or("-").to_owned()).collect()
}

pub async fn long_lists_are_searched(place: &dyn Place) {
    use ProcessInstanceField::*;
    let session = Session::open(place).await;
    let [live, over] = instances(&session).await;
    let keys = |and: i64| (1..VALUES).chain([and]).map(Value::Int).collect::<Vec<_>>();
    let names = |and: &str| {
        let others = (1..VALUES).map(|n| Value::Text(format!("other {n}").into()));
        others.chain([and.into()]).collect::<Vec<_>>()
    };
    let is = |field, test| Filter::default().is(field, test);
    for (filter, expected) in [
        (is(Key, Test::In(keys(live.key.0))), &["live"][..]),
        (is(Key, Test::In(keys(over.key.0))), &["over"]),
        (is(Key, Test::NotIn(keys(over.key.0))), &["live"]),
        (is(DefinitionKey, Test::In(keys(over.definition.0))), &["over"]),
        (is(BusinessId, Test::In(names("live"))), &["live"]),
        (is(BusinessId, Test::NotIn(names("live"))), &["over"]),
        (is(Tags, Test::In(names("blue"))), &["over"]),
        (is(Tags, Test::NotIn(names("blue"))), &["live"]),
        (is(HasIncident, Test::In((0..VALUES).map(|_| Value::Bool(false)).collect())), &["live", "over"]),
        (is(BusinessId, Test::In(vec!["live".into(); VALUES as usize])), &["live"]),
    ] {
        assert_eq!(found(&session, filter).await, expected);
    }
    let both = is(Key, Test::In(keys(live.key.0))).is(BusinessId, Test::In(names("live")));
    assert_eq!(found(&session, both).await, ["live"]);
}

pub async fn many_conditions_are_searched(place: &dyn Place) {
    use ProcessInstanceField::*;
    let session = Session::open(place).await;
    let [live, _] = instances(&session).await;
    let other = |n: i64| Filter::default().is(StartDate, Test::eq(1_000 + n));
    let last = Filter::default().is(Key, Test::eq(live.key.0));
    let any: Vec<_> = (1..CONDITIONS_MAX as i64).map(other).chain([last]).collect();
    let either = Filter::default().and(Condition::Any(any));
    assert_eq!(either.conditions(), CONDITIONS_MAX);
    assert_eq!(found(&session, either).await, ["live"]);
    let all = (0..CONDITIONS_MAX as i64)
        .fold(Filter::default(), |filter, n| filter.is(StartDate, Test::Neq((1_000 + n).into())));
    assert_eq!(found(&session, all).await, ["live", "over"]);
    let variables = (0..RELATED_MAX).fold(Filter::default(), |filter, n| {
        let name = format!("no such variable {n}").into();
        filter.and(Condition::HasVariable {
            scope: VariableScope::Anywhere,
            name,
            value: vec![Test::eq("1")],
        })
    });
    assert!(found(&session, variables).await.is_empty());
    let sorts =
        (0..SORTS_MAX).fold(Search::default(), |search, _| search.sort_by(StartDate, Order::Ascending));
    assert_eq!(session.store.process_instances(&sorts).await.expect("searches").total, 2);
}

pub async fn long_patterns_are_searched(place: &dyn Place) {
    let session = Session::open(place).await;
    let [live, _] = instances(&session).await;
    let text = format!("\"{}b\"", "a".repeat(PATTERN_CHARS_MAX * 4));
    session.put([std::sync::Arc::new(session.make.variable(&live, live.key.scope(), "long", &text))]).await;
    let found = async |pattern: String| {
        assert!(pattern.chars().count() <= PATTERN_CHARS_MAX, "{} characters", pattern.len());
        let filter = Filter::default().is(VariableField::Value, Test::Like(pattern.into()));
        session.store.variables(&Search::of(filter)).await.expect("searches").total
    };
    let half = PATTERN_CHARS_MAX / 2 - 2;
    assert_eq!(found(format!("\"{}*b\"", "a".repeat(half))).await, 1);
    assert_eq!(found(format!("*{}b?", "a?".repeat(half))).await, 1);
    assert_eq!(found(format!("\"{}b\"", "a*".repeat(half))).await, 1);
    assert_eq!(found(format!("{}c*", "*a".repeat(half))).await, 0);
    assert_eq!(found(format!("b{}", "*".repeat(half))).await, 0);
}
