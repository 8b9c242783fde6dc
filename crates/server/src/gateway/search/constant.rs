//! Tests on a single value, for what no store is asked: fields that are the same in every row, and short lists.

use tidemill_store::query::{Pattern, Test, Value};

/// True if a value passes all tests, with nulls as a store treats them.
pub(crate) fn passes(value: Option<&Value>, tests: &[Test]) -> bool {
    tests.iter().all(|test| match (test, value) {
        (Test::Exists(wanted), value) => value.is_some() == *wanted,
        (Test::Neq(other), value) => value != Some(other),
        (Test::NotIn(others), value) => value.is_none_or(|value| !others.contains(value)),
        (Test::In(others), _) if others.is_empty() => true,
        (_, None) => false,
        (Test::Eq(other), Some(value)) => value == other,
        (Test::In(others), Some(value)) => others.contains(value),
        (Test::Like(pattern), Some(Value::Text(text))) => Pattern::new(pattern).matches(text),
        (Test::Like(_), Some(_)) => false,
        (Test::Gt(other), Some(value)) => compare(value, other).is_some_and(|order| order.is_gt()),
        (Test::Gte(other), Some(value)) => compare(value, other).is_some_and(|order| order.is_ge()),
        (Test::Lt(other), Some(value)) => compare(value, other).is_some_and(|order| order.is_lt()),
        (Test::Lte(other), Some(value)) => compare(value, other).is_some_and(|order| order.is_le()),
    })
}

fn compare(value: &Value, other: &Value) -> Option<std::cmp::Ordering> {
    match (value, other) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_store() {
        for (text, pattern, expected) in [
            ("order-42", "order-*", true),
            ("order-42", "*-4?", true),
            ("order-42", "order", false),
            ("a*b", "a\\*b", true),
            ("axb", "a\\*b", false),
            ("", "*", true),
            ("", "?", false),
            ("abcabd", "*abd", true),
            ("ABC", "abc", false),
        ] {
            let test = Test::Like(pattern.into());
            assert_eq!(passes(Some(&text.into()), &[test]), expected, "{text} like {pattern}");
        }
    }

    #[test]
    fn nulls_pass_negations_only() {
        assert!(passes(None, &[Test::Neq("x".into()), Test::NotIn(vec!["x".into()]), Test::Exists(false)]));
        assert!(!passes(None, &[Test::eq("x")]));
        assert!(passes(Some(&Value::Int(5)), &[Test::Gte(5.into()), Test::Lt(6.into())]));
        assert!(!passes(Some(&Value::Int(5)), &[Test::Gt(5.into())]));
    }
}
