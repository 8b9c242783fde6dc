//! A span that has ended.

use super::SpanContext;
use std::time::{SystemTime, UNIX_EPOCH};

/// By the numbers of OTLP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SpanKind {
    Internal = 1,
    Server = 2,
    Client = 3,
    Producer = 4,
}

#[derive(Debug)]
pub(crate) struct Span {
    pub(crate) context: SpanContext,
    pub(crate) parent: Option<SpanContext>,
    pub(crate) name: String,
    pub(crate) kind: SpanKind,
    pub(crate) began: u64,
    pub(crate) ended: u64,
    pub(crate) attributes: Vec<(&'static str, String)>,
    /// The reason, where it failed.
    pub(crate) error: Option<String>,
}

/// The time of day, as spans tell it.
pub(crate) fn unix_nanos() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
