//! The value of a field in one row, and tests on it.

use crate::query::{CursorValue, FieldKind, Pattern, Test, Value};
use std::cmp::Ordering;
use tidemill_model::{PartitionId, RawJson, TenantId, Text, Timestamp};

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
            // A null passes: it is not the value. SQL stores must add this, because comparing a null gives a null there.
            Test::Neq(value) => !compares(value, Ordering::is_eq),
            Test::Exists(exists) => *exists != is_null,
            Test::In(values) => {
                // An empty list is no condition: clients send it where nothing was chosen.
                values.is_empty() || values.iter().any(|value| compares(value, Ordering::is_eq))
            }
            Test::NotIn(values) => !values.iter().any(|value| compares(value, Ordering::is_eq)),
            Test::Like(pattern) => {
                matches!(self, FieldValue::Text(text) if Pattern::new(pattern).matches(text))
            }
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

/// The types that a member of a view can have.
pub trait Member {
    const KIND: FieldKind;
    /// A view may have nothing there.
    const IS_OPTIONAL: bool = false;

    fn value(&self) -> FieldValue<'_>;
}

macro_rules! members {
    ($($type:ty: $kind:ident = |$member:ident| $value:expr;)+) => {$(
        impl Member for $type {
            const KIND: FieldKind = FieldKind::$kind;

            fn value(&self) -> FieldValue<'_> {
                let $member = self;
                $value
            }
        }
    )+};
}

members! {
    i32: Int = |number| FieldValue::Int(i64::from(*number));
    PartitionId: Int = |id| FieldValue::Int(i64::from(id.0));
    Timestamp: Time = |time| FieldValue::Int(time.0);
    bool: Bool = |value| FieldValue::Bool(*value);
    Text: Text = |text| FieldValue::Text(text);
    String: Text = |text| FieldValue::Text(text);
    RawJson: Text = |json| FieldValue::Text(json.as_str());
    TenantId: Text = |tenant| FieldValue::Text(tenant.as_str());
    Vec<Text>: Texts = |texts| FieldValue::Texts(texts);
}

impl<T: Member> Member for Option<T> {
    const KIND: FieldKind = T::KIND;
    const IS_OPTIONAL: bool = true;

    fn value(&self) -> FieldValue<'_> {
        self.as_ref().map_or(FieldValue::Null, Member::value)
    }
}

macro_rules! key_members {
    ([] $($(#[$doc:meta])* $key:ident)+) => {
        members! { $(tidemill_model::$key: Key = |key| FieldValue::Int(key.0);)+ }
    };
}

tidemill_model::for_each_key!([key_members] []);

macro_rules! named_members {
    ([] $($type:ty,)+) => {
        members! { $($type: Text = |value| FieldValue::Text(value.name());)+ }
    };
}

tidemill_model::for_each_named!([named_members] []);
