//! Values as JSON: keys as strings, dates in UTC with milliseconds, stored JSON as it is.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::fmt::temporal::DateTimePrinter;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use tidemill_model::{Key, RawJson, Timestamp};

const DATE_PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// A key as a string of digits.
#[derive(Clone, Copy)]
pub(crate) struct KeyText(i64);

impl<K: Into<Key>> From<K> for KeyText {
    fn from(key: K) -> KeyText {
        KeyText(key.into().0)
    }
}

impl Serialize for KeyText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

pub(crate) fn optional_key<K: Into<Key>>(key: Option<K>) -> Option<KeyText> {
    key.map(KeyText::from)
}

/// A point in time as `2026-01-01T00:00:00.000Z`.
#[derive(Clone, Copy)]
pub(crate) struct Date(pub(crate) Timestamp);

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&date_text(self.0))
    }
}

/// Times beyond the calendar are shown as its last moment.
pub(crate) fn date_text(time: Timestamp) -> String {
    if let Some(text) = time.to_text() {
        return String::from_utf8_lossy(&text).into_owned();
    }
    let end = if time.0 < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    DATE_PRINTER.timestamp_to_string(&jiff::Timestamp::from_millisecond(time.0).unwrap_or(end))
}

/// A text as JSON writes it.
pub(crate) struct JsonText<'a>(pub(crate) &'a str);

impl std::fmt::Display for JsonText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
        if self.0.bytes().all(is_plain) {
            f.write_str("\"")?;
            f.write_str(self.0)?;
            return f.write_str("\"");
        }
        write!(f, "{}", serde_json::Value::from(self.0))
    }
}

pub(crate) fn parse_date(text: &str) -> Option<Timestamp> {
    text.parse::<jiff::Timestamp>().ok().map(|time| Timestamp(time.as_millisecond()))
}

/// Stored JSON, written as it is.
pub(crate) struct Raw<'a>(pub(crate) &'a RawJson);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.0.as_str()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// Stored JSON of an object, `{}` where there is none.
pub(crate) struct RawObject<'a>(pub(crate) Option<&'a RawJson>);

impl Serialize for RawObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(raw) => Raw(raw).serialize(serializer),
            None => serializer.collect_map(std::iter::empty::<((), ())>()),
        }
    }
}

/// 200 with this JSON.
pub(crate) fn ok(body: &impl Serialize) -> Response {
    with_status(StatusCode::OK, body)
}

pub(crate) fn with_status(status: StatusCode, body: &impl Serialize) -> Response {
    let text = serde_json::to_vec(body).expect("answers have string keys and stored JSON is valid");
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], text).into_response()
}

pub(crate) fn no_content() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_utc_with_milliseconds() {
        assert_eq!(date_text(Timestamp(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(date_text(Timestamp(1_767_225_600_007)), "2026-01-01T00:00:00.007Z");
        assert_eq!(parse_date("2026-01-01T02:00:00.007+02:00"), Some(Timestamp(1_767_225_600_007)));
        assert_eq!(parse_date("2026-01-01"), None);
        assert!(date_text(Timestamp::MAX).starts_with("9999-12-30"));
    }

    #[test]
    fn stored_json_is_written_as_it_is() {
        let json = RawJson::new("{\"a\":1.50}");
        assert_eq!(serde_json::to_string(&Raw(&json)).expect("valid"), "{\"a\":1.50}");
        assert_eq!(serde_json::to_string(&RawObject(None)).expect("valid"), "{}");
    }
}
