//! Answers of Redis as plain data.

use redis::{FromRedisValue, Value, from_redis_value};
use tidemill_store::{Error, Result};

/// Names and values.
type Fields = Vec<(String, Vec<u8>)>;

/// One entry of a stream.
pub(crate) struct Entry {
    pub(crate) id: String,
    fields: Fields,
}

impl Entry {
    pub(crate) fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_slice())
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.bytes(name).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    pub(crate) fn number(&self, name: &str) -> i64 {
        self.text(name).parse().unwrap_or_default()
    }

    /// The number behind the dash of its id.
    pub(crate) fn sequence(&self) -> i64 {
        self.id.split_once('-').and_then(|(_, number)| number.parse().ok()).unwrap_or_default()
    }

    /// The number before the dash of its id.
    pub(crate) fn first_number(&self) -> i64 {
        self.id.split_once('-').and_then(|(number, _)| number.parse().ok()).unwrap_or_default()
    }
}

pub(crate) fn entries(answer: Value) -> Result<Vec<Entry>> {
    let rows: Vec<(String, Fields)> = read(answer)?;
    Ok(rows.into_iter().map(|(id, fields)| Entry { id, fields }).collect())
}

/// The fields of a hash.
pub(crate) fn fields(answer: Value) -> Result<Fields> {
    read(answer)
}

pub(crate) fn read<T: FromRedisValue>(answer: Value) -> Result<T> {
    from_redis_value(answer).map_err(|error| Error::Failed {
        place: "Redis".into(),
        reason: format!("an answer has another form than expected: {error}"),
    })
}
