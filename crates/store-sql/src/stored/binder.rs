//! What rows are bound to: a statement's parameters in one store, columns of arrays in another.

use std::borrow::Cow;
use tidemill_model::entity::Origin;
use tidemill_model::{RawJson, Text, Timestamp};

/// Takes the values of a row one after the other. A column gets its values by the same of the first four
/// methods in every row, so a store can tell the type of a column from any row.
pub trait Binder<'r> {
    fn maybe_int(&mut self, value: Option<i64>);
    fn maybe_cow(&mut self, text: Option<Cow<'r, str>>);
    fn boolean(&mut self, value: bool);
    fn bytes(&mut self, bytes: Vec<u8>);

    fn int(&mut self, value: impl Into<i64>) {
        self.maybe_int(Some(value.into()));
    }

    fn time(&mut self, time: Timestamp) {
        self.maybe_int(Some(time.0));
    }

    fn maybe_time(&mut self, time: Option<Timestamp>) {
        self.maybe_int(time.map(|time| time.0));
    }

    fn text(&mut self, text: &'r str) {
        self.maybe_cow(Some(Cow::Borrowed(text)));
    }

    fn maybe_text(&mut self, text: Option<&'r Text>) {
        self.maybe_cow(text.map(|text| Cow::Borrowed(text.as_str())));
    }

    fn maybe_json(&mut self, json: Option<&'r RawJson>) {
        self.maybe_cow(json.map(|json| Cow::Borrowed(json.as_str())));
    }

    /// As a JSON array; null for an empty list, which is the common case.
    fn texts(&mut self, texts: &[Text]) {
        if texts.is_empty() {
            return self.maybe_cow(None);
        }
        let members: Vec<RawJson> = texts.iter().map(|text| RawJson::string(text)).collect();
        let members: Vec<&str> = members.iter().map(RawJson::as_str).collect();
        self.maybe_cow(Some(Cow::Owned(format!("[{}]", members.join(",")))));
    }

    /// `instance_key, root_key, definition_key, tenant`.
    fn origin(&mut self, origin: &'r Origin) {
        self.int(origin.instance.0);
        self.int(origin.root.0);
        self.int(origin.definition.0);
        self.text(origin.tenant.as_str());
    }
}
