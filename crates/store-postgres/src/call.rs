//! A statement with its parameters. Types are told with it, so that it can be sent without asking the server
//! first, and works unprepared behind a transaction pooler.

use bytes::BytesMut;
use std::borrow::Cow;
use std::error::Error;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

#[derive(Debug)]
pub(crate) enum Param<'a> {
    Int(Option<i64>),
    Small(i16),
    Bool(bool),
    Text(Option<Cow<'a, str>>),
    Bytes(Cow<'a, [u8]>),
    Ints(Vec<Option<i64>>),
    Keys(Vec<i64>),
    Smalls(Vec<i16>),
    Bools(Vec<bool>),
    Texts(Vec<Option<Cow<'a, str>>>),
    Blobs(Vec<Cow<'a, [u8]>>),
}

impl Param<'_> {
    pub(crate) fn of_type(&self) -> Type {
        match self {
            Param::Int(_) => Type::INT8,
            Param::Small(_) => Type::INT2,
            Param::Bool(_) => Type::BOOL,
            Param::Text(_) => Type::TEXT,
            Param::Bytes(_) => Type::BYTEA,
            Param::Ints(_) | Param::Keys(_) => Type::INT8_ARRAY,
            Param::Smalls(_) => Type::INT2_ARRAY,
            Param::Bools(_) => Type::BOOL_ARRAY,
            Param::Texts(_) => Type::TEXT_ARRAY,
            Param::Blobs(_) => Type::BYTEA_ARRAY,
        }
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Param::Int(value) => value.to_sql(ty, out),
            Param::Small(value) => value.to_sql(ty, out),
            Param::Bool(value) => value.to_sql(ty, out),
            Param::Text(value) => value.to_sql(ty, out),
            Param::Bytes(value) => value.to_sql(ty, out),
            Param::Ints(values) => values.to_sql(ty, out),
            Param::Keys(values) => values.to_sql(ty, out),
            Param::Smalls(values) => values.to_sql(ty, out),
            Param::Bools(values) => values.to_sql(ty, out),
            Param::Texts(values) => values.to_sql(ty, out),
            Param::Blobs(values) => values.to_sql(ty, out),
        }
    }

    /// The type is told with the statement, so there is nothing to check.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl From<i64> for Param<'_> {
    fn from(value: i64) -> Self {
        Param::Int(Some(value))
    }
}

impl<'a> From<&'a str> for Param<'a> {
    fn from(text: &'a str) -> Self {
        Param::Text(Some(Cow::Borrowed(text)))
    }
}

impl From<tidemill_model::PartitionId> for Param<'_> {
    fn from(partition: tidemill_model::PartitionId) -> Self {
        Param::Small(small(partition))
    }
}

impl From<Vec<i64>> for Param<'_> {
    fn from(keys: Vec<i64>) -> Self {
        Param::Keys(keys)
    }
}

/// As the column `partition_id` holds it.
pub(crate) fn small(partition: tidemill_model::PartitionId) -> i16 {
    i16::try_from(partition.0).expect("a key has 12 bits for its partition")
}

#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) sql: Cow<'a, str>,
    pub(crate) params: Vec<Param<'a>>,
    /// Kept prepared on its connection. Not for texts of which there is no end.
    /// A server keeps every prepared statement in memory for as long as the connection lasts.
    pub(crate) is_prepared: bool,
}

impl<'a> Call<'a> {
    pub(crate) fn new(sql: impl Into<Cow<'a, str>>, params: impl Into<Vec<Param<'a>>>) -> Call<'a> {
        Call { sql: sql.into(), params: params.into(), is_prepared: true }
    }

    /// For texts that are made for one use.
    pub(crate) fn once(sql: impl Into<Cow<'a, str>>, params: impl Into<Vec<Param<'a>>>) -> Call<'a> {
        Call { is_prepared: false, ..Call::new(sql, params) }
    }

    pub(crate) fn types(&self) -> Vec<Type> {
        self.params.iter().map(Param::of_type).collect()
    }

    pub(crate) fn typed(&self) -> Vec<(&(dyn ToSql + Sync), Type)> {
        self.params.iter().map(|param| (param as &(dyn ToSql + Sync), param.of_type())).collect()
    }

    pub(crate) fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.params.iter().map(|param| param as &(dyn ToSql + Sync)).collect()
    }
}
