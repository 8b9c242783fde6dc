//! Searches to statements: one for the page, one for the total. Each side is cut to the page before the two
//! are merged, and columns are fetched for the rows of the page only, so a page costs as much as it shows and
//! not as much as there is.

use super::filter::{Side, needs_join, sides, where_clause};
use super::table::{Column, SearchTable};
use super::{Columns, Dialect, SqlRow, SqlValue, Statement};
use tidemill_store::Result;
use tidemill_store::query::{
    BRIEF_CHARS_MAX, Cursor, CursorValue, Filter, Order, PageStart, Search, Sort, TOTAL_MAX,
};

/// The statement of a page and what is needed to read its rows.
pub struct PageQuery<'d, F> {
    pub statement: Statement<'d>,
    order: Vec<Sort<F>>,
    /// They follow the columns of the view.
    sort_value_count: usize,
    /// The rows come last first.
    is_backward: bool,
}

impl<F: SearchTable> PageQuery<'_, F> {
    /// A row as a view, with the cursor that leads to it.
    pub fn read(&self, row: &dyn SqlRow) -> Result<(F::View, String)> {
        let columns = F::MEMBERS.len()..F::MEMBERS.len() + self.sort_value_count;
        let values = columns.map(|column| row.cursor_value(column)).collect::<Result<Vec<_>>>()?;
        Ok((F::view(&mut Columns::of(row))?, Cursor { values }.encode(&self.order)))
    }

    /// From the order in which rows come to that of the sort.
    pub fn in_order(&self, mut rows: Vec<(F::View, String)>) -> Vec<(F::View, String)> {
        if self.is_backward {
            rows.reverse();
        }
        rows
    }
}

struct SortKey {
    /// The key of the entity's table itself.
    is_key: bool,
    live: String,
    history: String,
    is_ascending: bool,
}

impl SortKey {
    fn expression(&self, side: Side) -> &str {
        match side {
            Side::Live => &self.live,
            Side::History => &self.history,
        }
    }
}

/// None where no row can pass.
pub fn page_query<'d, F: SearchTable>(
    dialect: &'d dyn Dialect,
    search: &Search<F>,
) -> Result<Option<PageQuery<'d, F>>> {
    let order = search.total_order();
    let is_backward = matches!(search.page.start, PageStart::Before(_));
    let keys = sort_keys(&order, is_backward);
    let cursor = match &search.page.start {
        PageStart::Offset(_) => None,
        PageStart::After(text) | PageStart::Before(text) => Some(Cursor::decode(text, &order, keys.len())?),
    };
    let offset = if let PageStart::Offset(offset) = search.page.start { i64::from(offset) } else { 0 };
    let limit = i64::from(search.page.limit);
    let sides = sides(&search.filter);
    if sides.is_empty() || limit == 0 {
        return Ok(None);
    }

    let mut statement = Statement::new(dialect);
    for (n, side) in sides.iter().enumerate() {
        statement.push(if n == 0 { "" } else { " UNION ALL " });
        push_columns::<F>(&mut statement, *side, search.is_brief);
        push_names(&mut statement, &keys);
        statement.push(" FROM (");
        push_picked(&mut statement, search, *side, &keys, cursor.as_ref());
        statement.push(" LIMIT ");
        statement.push_parameter(offset + limit);
        statement.push(")");
        push_fetched::<F>(&mut statement, *side);
    }
    push_order(&mut statement, &keys);
    statement.push(" LIMIT ");
    statement.push_parameter(limit);
    statement.push(" OFFSET ");
    statement.push_parameter(offset);
    let sort_value_count = keys.len();
    Ok(Some(PageQuery { statement, order, sort_value_count, is_backward }))
}

/// Counts the rows that pass, no further than the exact range of totals and one more.
pub fn count_query<'d, F: SearchTable>(
    dialect: &'d dyn Dialect,
    filter: &Filter<F>,
) -> Option<Statement<'d>> {
    let sides = sides(filter);
    if sides.is_empty() {
        return None;
    }
    let mut statement = Statement::new(dialect);
    statement.push("SELECT count(*) FROM (");
    for (n, side) in sides.iter().enumerate() {
        statement.push(if n == 0 { "SELECT 1 AS one FROM " } else { " UNION ALL SELECT 1 AS one FROM " });
        statement.push(F::table(*side).expect("sides have tables"));
        statement.push(" t");
        if *side == Side::Live && needs_join(filter) {
            statement.push(&F::live_join(dialect));
        }
        where_clause(&mut statement, filter, *side);
    }
    statement.push(&format!(" LIMIT {}) c", TOTAL_MAX + 1));
    Some(statement)
}

/// The one row with this key, on whichever side.
pub fn single_query<'d, F: SearchTable>(dialect: &'d dyn Dialect, key: i64) -> Statement<'d> {
    let mut statement = Statement::new(dialect);
    let sides = [Side::Live, Side::History].into_iter().filter(|side| F::table(*side).is_some());
    for (n, side) in sides.enumerate() {
        statement.push(if n == 0 { "" } else { " UNION ALL " });
        push_columns::<F>(&mut statement, side, false);
        push_from::<F>(&mut statement, side, true);
        where_clause::<F>(&mut statement, &Filter::default(), side);
        let parameter = statement.parameter(key);
        let text = key_test::<F>(statement.dialect, "=", &parameter);
        statement.push(&format!(" AND {text}"));
    }
    statement.push(" LIMIT 1");
    statement
}

fn sort_keys<F: SearchTable>(order: &[Sort<F>], is_backward: bool) -> Vec<SortKey> {
    let mut keys: Vec<SortKey> = order
        .iter()
        .map(|sort| SortKey {
            is_key: sort.field.column() == Column::Own("key"),
            live: sort.field.column().expression("t", Side::Live),
            history: sort.field.column().expression("t", Side::History),
            is_ascending: (sort.order == Order::Ascending) != is_backward,
        })
        .collect();
    if let Some(column) = F::TIE_BREAK {
        let column = format!("t.{column}");
        keys.push(SortKey {
            is_key: false,
            live: column.clone(),
            history: column,
            is_ascending: !is_backward,
        });
    }
    keys
}

/// The keys and sort values of one side's part of the page.
fn push_picked<F: SearchTable>(
    statement: &mut Statement<'_>,
    search: &Search<F>,
    side: Side,
    keys: &[SortKey],
    cursor: Option<&Cursor>,
) {
    statement.push(&format!("SELECT t.{} AS k0", F::KEY));
    if let Some(column) = F::TIE_BREAK {
        statement.push(&format!(", t.{column} AS k1"));
    }
    for (n, key) in keys.iter().enumerate() {
        statement.push(&format!(", {} AS s{n}", key.expression(side)));
    }
    let is_joined = needs_join(&search.filter) || search.sort.iter().any(|sort| sort.field.is_joined());
    push_from::<F>(statement, side, is_joined);
    where_clause(statement, &search.filter, side);
    if let Some(cursor) = cursor {
        statement.push(" AND ");
        push_after(statement, keys, side, cursor);
    }
    push_picking_order(statement, keys);
}

/// Behind the picked rows: the tables that their columns come from.
fn push_fetched<F: SearchTable>(statement: &mut Statement<'_>, side: Side) {
    let table = F::table(side).expect("sides have tables");
    let same = key_test::<F>(statement.dialect, "=", "p.k0");
    statement.push(&format!(" p JOIN {table} t ON {same}"));
    if let Some(column) = F::TIE_BREAK {
        statement.push(&format!(" AND t.{column} = p.k1"));
    }
    push_joins::<F>(statement, side, true);
}

fn push_columns<F: SearchTable>(statement: &mut Statement<'_>, side: Side, is_brief: bool) {
    statement.push("SELECT ");
    for (n, (member, column)) in F::MEMBERS.iter().enumerate() {
        statement.push(if n == 0 { "" } else { ", " });
        let expression = column.expression("t", side);
        if is_brief && F::LONG == Some(*member) {
            // One character more tells that there is more.
            statement.push(&format!("substr({expression}, 1, {}) AS c{n}", BRIEF_CHARS_MAX + 1));
        } else {
            statement.push(&format!("{expression} AS c{n}"));
        }
    }
}

fn push_names(statement: &mut Statement<'_>, keys: &[SortKey]) {
    for n in 0..keys.len() {
        statement.push(&format!(", p.s{n} AS s{n}"));
    }
}

fn push_from<F: SearchTable>(statement: &mut Statement<'_>, side: Side, is_joined: bool) {
    statement.push(" FROM ");
    statement.push(F::table(side).expect("sides have tables"));
    statement.push(" t");
    push_joins::<F>(statement, side, is_joined);
}

fn push_joins<F: SearchTable>(statement: &mut Statement<'_>, side: Side, is_joined: bool) {
    if F::has_definition() {
        statement.push(" LEFT JOIN process_definitions d ON d.key = t.definition_key");
    }
    if side == Side::Live && is_joined {
        let join = F::live_join(statement.dialect);
        statement.push(&join);
    }
}

fn key_test<F: SearchTable>(dialect: &dyn Dialect, operator: &str, expression: &str) -> String {
    match F::KEY {
        "key" => dialect.key_test("t", operator, expression),
        column => format!("t.{column} {operator} {expression}"),
    }
}

/// Within one side, where the key can be sorted by its index.
fn push_picking_order(statement: &mut Statement<'_>, keys: &[SortKey]) {
    for (n, key) in keys.iter().enumerate() {
        statement.push(if n == 0 { " ORDER BY " } else { ", " });
        let direction = if key.is_ascending { "" } else { " DESC" };
        let text = match key.is_key {
            true => statement.dialect.key_order("t", direction),
            false => format!("s{n}{direction}{}", statement.dialect.nulls_as_lowest(key.is_ascending)),
        };
        statement.push(&text);
    }
}

/// By the names of the sort values, which both sides share.
fn push_order(statement: &mut Statement<'_>, keys: &[SortKey]) {
    for (n, key) in keys.iter().enumerate() {
        let direction = if key.is_ascending { "" } else { " DESC" };
        let nulls = statement.dialect.nulls_as_lowest(key.is_ascending);
        statement.push(if n == 0 { " ORDER BY " } else { ", " });
        statement.push(&format!("s{n}{direction}{nulls}"));
    }
}

/// Behind the cursor: equal in the first sort values and beyond in the next.
fn push_after(statement: &mut Statement<'_>, keys: &[SortKey], side: Side, cursor: &Cursor) {
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
    let expression = key.expression(side);
    if key.is_key && *value != CursorValue::Null {
        let parameter = statement.parameter(value);
        let operator = if key.is_ascending { ">" } else { "<" };
        let text = statement.dialect.key_test("t", operator, &parameter);
        return statement.push(&text);
    }
    match (value, key.is_ascending) {
        (CursorValue::Null, true) => statement.push(&format!("{expression} IS NOT NULL")),
        (CursorValue::Null, false) => statement.push("1=0"),
        (value, true) => {
            statement.push(&format!("{expression} > "));
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
