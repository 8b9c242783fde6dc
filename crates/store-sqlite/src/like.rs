//! Matching by pattern as a function of our own: SQLite's operators take time that grows with text times pattern, and
//! whoever waits for them cannot interrupt them.

use crate::patience::Patience;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error};
use std::sync::Arc;
use tidemill_store::query::Pattern;

/// The name of the function `(text, pattern)`. A value that is no text does not match.
pub(crate) const LIKE: &str = "tidemill_like";

pub(crate) fn register(connection: &Connection, patience: Arc<Patience>) -> rusqlite::Result<()> {
    // A deterministic function may be called once for equal arguments.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function(LIKE, 2, flags, move |context| is_like(context, &patience))
}

fn is_like(context: &Context<'_>, patience: &Patience) -> rusqlite::Result<bool> {
    // Values can be large, and SQLite looks at the clock only between many rows.
    if patience.is_over() {
        return Err(Error::UserFunctionError("given up".into()));
    }
    // SQLite keeps the parsed pattern for as long as it stays the same, so it is parsed once for a statement and not for every row.
    let pattern: Arc<Pattern> = context.get_or_create_aux(1, |pattern| {
        Ok::<_, rusqlite::types::FromSqlError>(Pattern::new(pattern.as_str()?))
    })?;
    Ok(match context.get_raw(0) {
        ValueRef::Text(text) => std::str::from_utf8(text).is_ok_and(|text| pattern.matches(text)),
        _ => false,
    })
}
