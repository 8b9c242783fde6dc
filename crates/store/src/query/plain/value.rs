//! What a field holds in one row, and whether it passes a test.

use crate::query::{CursorValue, Test, Value};
use std::cmp::Ordering;
use tidemill_model::{Text, Timestamp};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldValue<'v> {
    Null,
    /// Keys and times too.
    Int(i64),
    Text(&'v str),
    Bool(bool),
    Texts(&'v [Text]),
}

impl FieldValue<'_> {
    pub fn passes(&self, test: &Test) -> bool {
        match self {
            FieldValue::Texts(members) => members_pass(members, test),
            value => value.passes_alone(test),
        }
    }

    fn passes_alone(&self, test: &Test) -> bool {
        let is_null = *self == FieldValue::Null;
        let compares =
            |value: &Value, expected: fn(Ordering) -> bool| self.compare(value).is_some_and(expected);
        match test {
            Test::Eq(value) => compares(value, Ordering::is_eq),
            Test::Neq(value) => !compares(value, Ordering::is_eq),
            Test::Exists(exists) => *exists != is_null,
            Test::In(values) => {
                values.is_empty() || values.iter().any(|value| compares(value, Ordering::is_eq))
            }
            Test::NotIn(values) => !values.iter().any(|value| compares(value, Ordering::is_eq)),
            Test::Like(pattern) => matches!(self, FieldValue::Text(text) if is_like(text, pattern)),
            Test::Gt(value) => compares(value, Ordering::is_gt),
            Test::Gte(value) => compares(value, Ordering::is_ge),
            Test::Lt(value) => compares(value, Ordering::is_lt),
            Test::Lte(value) => compares(value, Ordering::is_le),
        }
    }

    /// None where there is nothing to compare: a null, or a value of another type.
    fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (FieldValue::Int(own), Value::Int(other)) => Some(own.cmp(other)),
            (FieldValue::Text(own), Value::Text(other)) => Some((*own).cmp(other.as_str())),
            (FieldValue::Bool(own), Value::Bool(other)) => Some(own.cmp(other)),
            _ => None,
        }
    }

    /// Its place in an order. Lists have none: nobody sorts by them.
    pub(super) fn to_sort_value(self) -> CursorValue {
        match self {
            FieldValue::Null | FieldValue::Texts(_) => CursorValue::Null,
            FieldValue::Int(value) => CursorValue::Int(value),
            FieldValue::Text(text) => CursorValue::Text(text.to_owned()),
            FieldValue::Bool(value) => CursorValue::Bool(value),
        }
    }
}

/// On several texts: one of them passes, or none of them is what was excluded.
fn members_pass(members: &[Text], test: &Test) -> bool {
    let one_passes = |test: &Test| members.iter().any(|member| FieldValue::Text(member).passes_alone(test));
    match test {
        Test::Exists(exists) => *exists != members.is_empty(),
        Test::In(values) | Test::NotIn(values) if values.is_empty() => true,
        Test::Neq(value) => !one_passes(&Test::Eq(value.clone())),
        Test::NotIn(values) => !one_passes(&Test::In(values.clone())),
        test => one_passes(test),
    }
}

/// One place of a pattern.
#[derive(Clone, Copy, PartialEq)]
enum Piece {
    AnyText,
    AnyCharacter,
    Literal(char),
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        pieces.push(match character {
            '*' => Piece::AnyText,
            '?' => Piece::AnyCharacter,
            // At the very end it stands for itself.
            '\\' => Piece::Literal(characters.next().unwrap_or('\\')),
            literal => Piece::Literal(literal),
        });
    }
    pieces
}

/// Goes back to the last `*` only, so that a pattern with many of them takes no longer than text times pattern.
fn is_like(text: &str, pattern: &str) -> bool {
    let (text, pieces): (Vec<char>, Vec<Piece>) = (text.chars().collect(), pieces(pattern));
    let (mut at, mut piece) = (0, 0);
    let mut last_any: Option<(usize, usize)> = None;
    while at < text.len() {
        match pieces.get(piece) {
            Some(Piece::AnyText) => {
                last_any = Some((at, piece));
                piece += 1;
            }
            Some(Piece::AnyCharacter) => (at, piece) = (at + 1, piece + 1),
            Some(Piece::Literal(literal)) if *literal == text[at] => (at, piece) = (at + 1, piece + 1),
            _ => {
                let Some((from, any)) = last_any else { return false };
                last_any = Some((from + 1, any));
                (at, piece) = (from + 1, any + 1);
            }
        }
    }
    pieces[piece..].iter().all(|piece| *piece == Piece::AnyText)
}

impl<'v> From<&'v Text> for FieldValue<'v> {
    fn from(text: &'v Text) -> FieldValue<'v> {
        FieldValue::Text(text)
    }
}

impl From<i64> for FieldValue<'_> {
    fn from(value: i64) -> Self {
        FieldValue::Int(value)
    }
}

impl From<i32> for FieldValue<'_> {
    fn from(value: i32) -> Self {
        FieldValue::Int(value.into())
    }
}

impl From<bool> for FieldValue<'_> {
    fn from(value: bool) -> Self {
        FieldValue::Bool(value)
    }
}

impl From<Timestamp> for FieldValue<'_> {
    fn from(time: Timestamp) -> Self {
        FieldValue::Int(time.0)
    }
}

impl<'v, T: Into<FieldValue<'v>>> From<Option<T>> for FieldValue<'v> {
    fn from(value: Option<T>) -> Self {
        value.map_or(FieldValue::Null, Into::into)
    }
}

impl<'v> From<&'v Vec<Text>> for FieldValue<'v> {
    fn from(members: &'v Vec<Text>) -> Self {
        FieldValue::Texts(members)
    }
}

#[cfg(test)]
mod tests {
    use super::is_like;

    #[test]
    fn patterns_match_whole_texts() {
        for (text, pattern, expected) in [
            ("", "", true),
            ("", "*", true),
            ("", "?", false),
            ("abc", "a*", true),
            ("abc", "a?", false),
            ("abcbc", "a*bc", true),
            ("abcbd", "a*bc", false),
            ("a*b", r"a\*b", true),
            ("axb", r"a\*b", false),
            (r"a\", r"a\", true),
            ("é€", "??", true),
            ("Abc", "a*", false),
            ("aXbXc", "*X*X*", true),
        ] {
            assert_eq!(is_like(text, pattern), expected, "{text:?} like {pattern:?}");
        }
    }

    #[test]
    fn many_wildcards_take_bounded_time() {
        assert!(!is_like(&"a".repeat(5_000), &format!("{}b", "a*".repeat(500))));
    }
}
