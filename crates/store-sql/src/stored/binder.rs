//! Targets that the values of rows are bound to: a statement's parameters in one store, columns of arrays in another.

use std::borrow::Cow;
use tidemill_model::{RawJson, TenantId, Text, Timestamp};

/// Takes the values of a row one after the other. A column gets values of the same type in every row, so a store can tell
/// the type of a column from any row.
///
/// Used as `dyn`, like [`crate::SqlRow`]: the code of every entity is then compiled here once, and not again in each store.
pub trait Binder<'r> {
    fn maybe_int(&mut self, value: Option<i64>);
    /// Most texts are borrowed from the entity; some, such as JSON arrays, are made for the row.
    fn maybe_cow(&mut self, text: Option<Cow<'r, str>>);
    fn boolean(&mut self, value: bool);
    fn bytes(&mut self, bytes: Vec<u8>);
}

/// A value that a column can hold.
pub trait Bound<'r> {
    fn bind(self, binder: &mut dyn Binder<'r>);
}

macro_rules! bound {
    ($($type:ty: |$value:ident, $binder:ident| $bind:expr;)+) => {$(
        impl<'r> Bound<'r> for $type {
            fn bind(self, $binder: &mut dyn Binder<'r>) {
                let $value = self;
                $bind
            }
        }
    )+};
}

bound! {
    i64: |value, binder| binder.maybe_int(Some(value));
    i32: |value, binder| binder.maybe_int(Some(value.into()));
    u32: |value, binder| binder.maybe_int(Some(value.into()));
    u16: |value, binder| binder.maybe_int(Some(value.into()));
    Option<i64>: |value, binder| binder.maybe_int(value);
    bool: |value, binder| binder.boolean(value);
    Vec<u8>: |value, binder| binder.bytes(value);
    Timestamp: |time, binder| binder.maybe_int(Some(time.0));
    Option<Timestamp>: |time, binder| binder.maybe_int(time.map(|time| time.0));
    &'r str: |text, binder| binder.maybe_cow(Some(Cow::Borrowed(text)));
    &'r Text: |text, binder| binder.maybe_cow(Some(Cow::Borrowed(text.as_str())));
    &'r TenantId: |tenant, binder| binder.maybe_cow(Some(Cow::Borrowed(tenant.as_str())));
    String: |text, binder| binder.maybe_cow(Some(Cow::Owned(text)));
    Option<&'r Text>: |text, binder| binder.maybe_cow(text.map(|text| Cow::Borrowed(text.as_str())));
    Option<&'r RawJson>: |json, binder| binder.maybe_cow(json.map(|json| Cow::Borrowed(json.as_str())));
    &[Text]: |texts, binder| binder.maybe_cow(json_array(texts).map(Cow::Owned));
}

/// None for an empty list, which is the common case.
/// A null costs no bytes in a row, and every instance and task has such lists.
fn json_array(texts: &[Text]) -> Option<String> {
    if texts.is_empty() {
        return None;
    }
    let members: Vec<RawJson> = texts.iter().map(|text| RawJson::string(text)).collect();
    let members: Vec<&str> = members.iter().map(RawJson::as_str).collect();
    Some(format!("[{}]", members.join(",")))
}
