//! The order of a page: what its rows are sorted by on each side, and where a cursor stands in that order.

use super::filter::{Side, is_narrow};
use super::table::{Column, ENDED_AT, SearchTable};
use super::{SqlValue, Statement};
use tidemill_store::query::{Cursor, CursorValue, Order, Search, Sort};

pub(super) struct SortKey {
    /// The key of the entity's table, to be read in the order of the primary key.
    is_primary: bool,
    live: Expression,
    history: Expression,
    is_ascending: bool,
}

struct Expression {
    text: String,
    /// Where there can be no nulls, simpler text lets an index serve the order.
    may_be_null: bool,
}

impl SortKey {
    fn of_side(&self, side: Side) -> &Expression {
        match side {
            Side::Live => &self.live,
            Side::History => &self.history,
        }
    }

    pub(super) fn expression(&self, side: Side) -> &str {
        &self.of_side(side).text
    }
}

/// A narrow filter leaves few rows, which are sorted. Any other is read in the order of the primary key: a database that
/// may choose walks through everything for the few, or sorts everything.
pub(super) fn sort_keys<F: SearchTable>(
    search: &Search<F>,
    order: &[Sort<F>],
    is_backward: bool,
) -> Vec<SortKey> {
    let is_narrow = is_narrow(&search.filter);
    let mut keys: Vec<SortKey> = order
        .iter()
        .map(|sort| SortKey {
            // Few rows are sorted in memory. Asking for the order of the primary key would tempt the planner
            // to walk through all of it.
            is_primary: sort.field.column() == Column::Own("key") && !is_narrow,
            live: expression(sort.field, Side::Live),
            history: expression(sort.field, Side::History),
            is_ascending: (sort.order == Order::Ascending) != is_backward,
        })
        .collect();
    if let Some(column) = F::TIE_BREAK {
        let column = || Expression { text: format!("t.{column}"), may_be_null: false };
        keys.push(SortKey {
            is_primary: false,
            live: column(),
            history: column(),
            is_ascending: !is_backward,
        });
    }
    keys
}

fn expression<F: SearchTable>(field: F, side: Side) -> Expression {
    let column = field.column();
    let may_be_null = match column {
        // The definition may be missing.
        Column::Definition(_) => true,
        // Live rows have no end, rows of history always do.
        column if column == ENDED_AT => side == Side::Live,
        _ => field.is_optional(),
    };
    Expression { text: column.expression("t", side), may_be_null }
}

/// Within one side, by an index where there is one. Indexes have nulls at their other end, so words about nulls stand
/// only where there can be some.
pub(super) fn push_picking_order(statement: &mut Statement<'_>, keys: &[SortKey], side: Side) {
    for (n, key) in keys.iter().enumerate() {
        statement.push(if n == 0 { " ORDER BY " } else { ", " });
        let direction = if key.is_ascending { "" } else { " DESC" };
        let text = match (key.is_primary, key.of_side(side).may_be_null) {
            (true, _) => statement.dialect.key_order("t", direction),
            (false, false) => format!("s{n}{direction}"),
            (false, true) => {
                format!("s{n}{direction}{}", statement.dialect.nulls_as_lowest(key.is_ascending))
            }
        };
        statement.push(&text);
    }
}

/// By the names of the sort values, which both sides share.
pub(super) fn push_order(statement: &mut Statement<'_>, keys: &[SortKey]) {
    for (n, key) in keys.iter().enumerate() {
        let direction = if key.is_ascending { "" } else { " DESC" };
        let nulls = statement.dialect.nulls_as_lowest(key.is_ascending);
        statement.push(if n == 0 { " ORDER BY " } else { ", " });
        statement.push(&format!("s{n}{direction}{nulls}"));
    }
}

/// Behind the cursor: equal in the first sort values and beyond in the next. The first value alone bounds all of that, in
/// a form by which an index is entered there and not at its beginning.
pub(super) fn push_after(statement: &mut Statement<'_>, keys: &[SortKey], side: Side, cursor: &Cursor) {
    // With one key, the condition that follows is such a bound already.
    if keys.len() > 1 {
        push_bound(statement, &keys[0], side, &cursor.values[0]);
    }
    statement.push("(");
    for last in 0..keys.len() {
        statement.push(if last == 0 { "(" } else { " OR (" });
        for (key, value) in keys[..last].iter().zip(&cursor.values) {
            push_same(statement, key.expression(side), value);
            statement.push(" AND ");
        }
        push_beyond(statement, &keys[last], side, &cursor.values[last]);
        statement.push(")");
    }
    statement.push(")");
}

fn push_bound(statement: &mut Statement<'_>, key: &SortKey, side: Side, value: &CursorValue) {
    let expression = key.of_side(side);
    // Nulls come last in falling order, and no range reaches them.
    if *value == CursorValue::Null || (expression.may_be_null && !key.is_ascending) {
        return;
    }
    let operator = if key.is_ascending { ">=" } else { "<=" };
    if key.is_primary {
        let parameter = statement.parameter(value);
        let text = statement.dialect.key_test("t", operator, &parameter);
        statement.push(&text);
    } else {
        statement.push(&format!("{} {operator} ", expression.text));
        statement.push_parameter(value);
    }
    statement.push(" AND ");
}

fn push_same(statement: &mut Statement<'_>, expression: &str, value: &CursorValue) {
    match value {
        CursorValue::Null => statement.push(&format!("{expression} IS NULL")),
        value => {
            statement.push(&format!("{expression} = "));
            statement.push_parameter(value);
        }
    }
}

/// Nulls are the lowest: everything else is above them and nothing is below.
fn push_beyond(statement: &mut Statement<'_>, key: &SortKey, side: Side, value: &CursorValue) {
    let Expression { text: expression, may_be_null } = key.of_side(side);
    if key.is_primary && *value != CursorValue::Null {
        let parameter = statement.parameter(value);
        let operator = if key.is_ascending { ">" } else { "<" };
        let text = statement.dialect.key_test("t", operator, &parameter);
        return statement.push(&text);
    }
    match (value, key.is_ascending) {
        (CursorValue::Null, true) => statement.push(&format!("{expression} IS NOT NULL")),
        // Nothing comes behind a null in falling order but other nulls, which the next keys tell apart.
        (CursorValue::Null, false) => statement.push("1=0"),
        (value, true) => {
            statement.push(&format!("{expression} > "));
            statement.push_parameter(value);
        }
        (value, false) if !may_be_null => {
            statement.push(&format!("{expression} < "));
            statement.push_parameter(value);
        }
        (value, false) => {
            statement.push(&format!("({expression} IS NULL OR {expression} < "));
            statement.push_parameter(value);
            statement.push(")");
        }
    }
}

impl From<&CursorValue> for SqlValue {
    fn from(value: &CursorValue) -> SqlValue {
        match value {
            CursorValue::Null => SqlValue::Null,
            CursorValue::Int(value) => SqlValue::Int(*value),
            CursorValue::Text(text) => SqlValue::Text(text.clone()),
            CursorValue::Bool(value) => SqlValue::Bool(*value),
        }
    }
}
