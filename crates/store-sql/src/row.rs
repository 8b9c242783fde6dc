//! Reading result rows, whatever the driver.

use tidemill_model::entity::FlowSet;
use tidemill_model::{PartitionId, RawJson, TenantId, Text, Timestamp};
use tidemill_store::query::CursorValue;
use tidemill_store::{Error, Result, unpack};

/// One result row. Columns are counted from 0; a column of another type than asked for is an error.
/// It is used as `dyn`, so that the code which reads a view is compiled once and not again for each store.
pub trait SqlRow {
    fn int(&self, column: usize) -> Result<Option<i64>>;
    fn text(&self, column: usize) -> Result<Option<&str>>;
    fn bytes(&self, column: usize) -> Result<Option<&[u8]>>;
    fn boolean(&self, column: usize) -> Result<Option<bool>>;
    /// A value that rows can be sorted by, whatever its type.
    fn cursor_value(&self, column: usize) -> Result<CursorValue>;
}

/// Takes the columns of a row one after the other.
pub struct Columns<'r> {
    row: &'r dyn SqlRow,
    next: usize,
    /// This counts toward the limit on a page.
    text_bytes: usize,
}

impl<'r> Columns<'r> {
    pub fn of(row: &'r dyn SqlRow) -> Columns<'r> {
        Columns { row, next: 0, text_bytes: 0 }
    }

    /// Bytes of the texts that were taken so far.
    pub fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    fn step(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    pub fn maybe_int(&mut self) -> Result<Option<i64>> {
        let column = self.step();
        self.row.int(column)
    }

    pub fn int(&mut self) -> Result<i64> {
        let column = self.next;
        self.maybe_int()?.ok_or_else(|| missing(column))
    }

    pub fn small(&mut self) -> Result<i32> {
        let column = self.next;
        i32::try_from(self.int()?).map_err(|_| missing(column))
    }

    /// Sums over no rows are null, and counts are never negative.
    pub fn count(&mut self) -> Result<u64> {
        Ok(self.maybe_int()?.unwrap_or_default().unsigned_abs())
    }

    pub fn key<K: From<tidemill_model::Key>>(&mut self) -> Result<K> {
        Ok(tidemill_model::Key(self.int()?).into())
    }

    pub fn maybe_key<K: From<tidemill_model::Key>>(&mut self) -> Result<Option<K>> {
        Ok(self.maybe_int()?.map(|key| tidemill_model::Key(key).into()))
    }

    pub fn time(&mut self) -> Result<Timestamp> {
        Ok(Timestamp(self.int()?))
    }

    pub fn maybe_time(&mut self) -> Result<Option<Timestamp>> {
        Ok(self.maybe_int()?.map(Timestamp))
    }

    pub fn maybe_str(&mut self) -> Result<Option<&'r str>> {
        let column = self.step();
        let text = self.row.text(column)?;
        self.text_bytes += text.map_or(0, str::len);
        Ok(text)
    }

    pub fn maybe_text(&mut self) -> Result<Option<Text>> {
        Ok(self.maybe_str()?.map(Text::from))
    }

    pub fn text(&mut self) -> Result<Text> {
        let column = self.next;
        self.maybe_text()?.ok_or_else(|| missing(column))
    }

    pub fn tenant(&mut self) -> Result<TenantId> {
        Ok(TenantId(self.text()?))
    }

    pub fn boolean(&mut self) -> Result<bool> {
        let column = self.step();
        Ok(self.row.boolean(column)?.unwrap_or_default())
    }

    /// A JSON array of strings; null for an empty one.
    pub fn texts(&mut self) -> Result<Vec<Text>> {
        let column = self.next;
        match self.maybe_str()? {
            None => Ok(Vec::new()),
            Some(json) => serde_json::from_str(json).map_err(|_| missing(column)),
        }
    }

    pub fn flows(&mut self) -> Result<FlowSet> {
        let column = self.step();
        match self.row.bytes(column)? {
            None => Ok(FlowSet::default()),
            Some(bytes) => unpack(bytes).map_err(|_| missing(column)),
        }
    }
}

/// A type that a column can be read as.
pub trait FromColumn: Sized {
    fn from_column(columns: &mut Columns<'_>) -> Result<Self>;
}

impl Columns<'_> {
    pub fn read<T: FromColumn>(&mut self) -> Result<T> {
        T::from_column(self)
    }
}

macro_rules! from_column {
    ($($type:ty: |$columns:ident| $value:expr;)+) => {$(
        impl FromColumn for $type {
            fn from_column($columns: &mut Columns<'_>) -> Result<$type> {
                $value
            }
        }
    )+};
}

// Texts and numbers can be facts of a definition that is not there: then they are null.
from_column! {
    Text: |columns| Ok(columns.maybe_text()?.unwrap_or_default());
    Option<Text>: |columns| columns.maybe_text();
    String: |columns| Ok(columns.maybe_str()?.unwrap_or_default().to_owned());
    TenantId: |columns| columns.tenant();
    RawJson: |columns| Ok(RawJson::new(columns.text()?));
    Option<RawJson>: |columns| Ok(columns.maybe_text()?.map(RawJson::new));
    Vec<Text>: |columns| columns.texts();
    i32: |columns| {
        let column = columns.next;
        i32::try_from(columns.maybe_int()?.unwrap_or_default()).map_err(|_| missing(column))
    };
    bool: |columns| columns.boolean();
    Timestamp: |columns| columns.time();
    Option<Timestamp>: |columns| columns.maybe_time();
    PartitionId: |columns| {
        let column = columns.next;
        u16::try_from(columns.int()?).map(PartitionId).map_err(|_| missing(column))
    };
}

macro_rules! keys_from_columns {
    ([] $($(#[$doc:meta])* $key:ident)+) => {
        from_column! {
            $(
                tidemill_model::$key: |columns| columns.key();
                Option<tidemill_model::$key>: |columns| columns.maybe_key();
            )+
        }
    };
}

tidemill_model::for_each_key!([keys_from_columns] []);

macro_rules! named_from_columns {
    ([] $($type:ty,)+) => {
        from_column! {
            $($type: |columns| {
                let column = columns.next;
                <$type>::from_name(columns.maybe_str()?.unwrap_or_default()).ok_or_else(|| missing(column))
            };)+
        }
    };
}

tidemill_model::for_each_named!([named_from_columns] []);

/// Only a damaged store, or one that was changed by hand, has such a value.
fn missing(column: usize) -> Error {
    Error::Corrupt { place: format!("column {column} of a result"), reason: "not the expected value".into() }
}
