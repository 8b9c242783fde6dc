//! Tests on a single value, for what no store is asked: fields that are the same in every row, and short lists.

use tidemill_store::query::{Test, Value};

/// Whether a value passes all tests; nulls as a store treats them.
pub(crate) fn passes(value: Option<&Value>, tests: &[Test]) -> bool {
    tests.iter().all(|test| match (test, value) {
        (Test::Exists(wanted), value) => value.is_some() == *wanted,
        (Test::Neq(other), value) => value != Some(other),
        (Test::NotIn(others), value) => value.is_none_or(|value| !others.contains(value)),
        (Test::In(others), _) if others.is_empty() => true,
        (_, None) => false,
        (Test::Eq(other), Some(value)) => value == other,
        (Test::In(others), Some(value)) => others.contains(value),
        (Test::Like(pattern), Some(Value::Text(text))) => is_like(text, pattern),
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

/// One piece of a pattern.
#[derive(PartialEq)]
enum Piece {
    Any,
    One,
    Exactly(char),
}

/// `*` any characters, `?` one, a backslash takes the next literally. Linear but for the last star.
fn is_like(text: &str, pattern: &str) -> bool {
    let (pieces, text) = (pieces(pattern), text.chars().collect::<Vec<_>>());
    let (mut t, mut p) = (0, 0);
    // Where to go on if what follows the last star does not fit.
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match pieces.get(p) {
            Some(Piece::Any) => {
                retry = Some((p, t));
                p += 1;
                continue;
            }
            Some(Piece::One) => {}
            Some(Piece::Exactly(c)) if *c == text[t] => {}
            _ => {
                let Some((star, from)) = retry else { return false };
                retry = Some((star, from + 1));
                (p, t) = (star + 1, from + 1);
                continue;
            }
        }
        p += 1;
        t += 1;
    }
    pieces[p..].iter().all(|piece| *piece == Piece::Any)
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut characters = pattern.chars();
    while let Some(c) = characters.next() {
        pieces.push(match c {
            '*' => Piece::Any,
            '?' => Piece::One,
            '\\' => Piece::Exactly(characters.next().unwrap_or('\\')),
            other => Piece::Exactly(other),
        });
    }
    pieces
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
            assert_eq!(is_like(text, pattern), expected, "{text} like {pattern}");
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
