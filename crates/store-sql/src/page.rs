//! Searches to statements: one for the page, one for the total. Each side is cut to the page before the two
//! are merged, and columns are fetched for the rows of the page only, so a page costs as much as it shows and
//! not as much as there is.

use super::filter::{Side, by_definition, needs_join, sides, where_clause};
use super::order::{SortKey, push_after, push_order, push_picking_order, sort_keys};
use super::table::SearchTable;
use super::{Columns, Dialect, SqlRow, Statement};
use std::cell::Cell;
use tidemill_store::query::{
    BRIEF_CHARS_MAX, Cursor, Filter, PAGE_BYTES_MAX, PageStart, Search, Sort, TOTAL_MAX,
};
use tidemill_store::{Error, Result};

/// The statement of a page and what is needed to read its rows.
pub struct PageQuery<'d, F> {
    pub statement: Statement<'d>,
    order: Vec<Sort<F>>,
    /// They follow the columns of the view.
    sort_value_count: usize,
    /// The rows come last first.
    is_backward: bool,
    /// Bytes of text in the rows that were read so far.
    /// Rows are counted while they are read, so that a page with huge values ends before it fills the memory.
    text_bytes: Cell<usize>,
}

impl<F: SearchTable> PageQuery<'_, F> {
    /// A row as a view, with the cursor that leads to it.
    pub fn read(&self, row: &dyn SqlRow) -> Result<(F::View, String)> {
        let columns = F::MEMBERS.len()..F::MEMBERS.len() + self.sort_value_count;
        let values = columns.map(|column| row.cursor_value(column)).collect::<Result<Vec<_>>>()?;
        let mut columns = Columns::of(row);
        let view = F::view(&mut columns)?;
        self.text_bytes.set(self.text_bytes.get() + columns.text_bytes());
        if self.text_bytes.get() > PAGE_BYTES_MAX {
            return Err(Error::PageTooLarge { bytes_max: PAGE_BYTES_MAX });
        }
        Ok((view, Cursor { values }.encode(&self.order)))
    }

    /// From the order in which rows come to that of the sort.
    pub fn in_order(&self, mut rows: Vec<(F::View, String)>) -> Vec<(F::View, String)> {
        if self.is_backward {
            rows.reverse();
        }
        rows
    }
}

/// None where no row can pass.
pub fn page_query<'d, F: SearchTable>(
    dialect: &'d dyn Dialect,
    search: &Search<F>,
) -> Result<Option<PageQuery<'d, F>>> {
    let order = search.total_order();
    // The items right before a cursor are the first ones of the reversed order, so they are read that way and turned around.
    let is_backward = matches!(search.page.start, PageStart::Before(_));
    let keys = sort_keys(search, &order, is_backward);
    let cursor = match &search.page.start {
        PageStart::Offset(_) => None,
        PageStart::After(text) | PageStart::Before(text) => Some(Cursor::decode(text, &order, keys.len())?),
    };
    let offset = if let PageStart::Offset(offset) = search.page.start { i64::from(offset) } else { 0 };
    let limit = i64::from(search.page.limit);
    let sides = sides(&search.filter);
    // A client may ask for the total alone.
    if sides.is_empty() || limit == 0 {
        return Ok(None);
    }

    let mut statement = Statement::new(dialect);
    let parts = by_definition(search);
    for (n, (side, part)) in
        sides.iter().flat_map(|side| parts.iter().map(move |part| (side, part))).enumerate()
    {
        // No row is on both sides, so nothing has to be compared to leave out duplicates.
        statement.push(if n == 0 { "" } else { " UNION ALL " });
        push_columns::<F>(&mut statement, *side, search.is_brief);
        push_names(&mut statement, &keys);
        statement.push(" FROM (");
        push_picked(&mut statement, part, *side, &keys, cursor.as_ref());
        // Each side gives enough for the whole page: nobody knows before how the two will mix.
        statement.push(" LIMIT ");
        statement.push_parameter(offset + limit);
        statement.push(")");
        push_fetched::<F>(&mut statement, *side);
    }
    push_order(&mut statement, &keys);
    statement.push(" LIMIT ");
    statement.push_parameter(limit);
    // The offset is applied after the merge: which side the skipped rows come from is not known before.
    statement.push(" OFFSET ");
    statement.push_parameter(offset);
    let sort_value_count = keys.len();
    Ok(Some(PageQuery { statement, order, sort_value_count, is_backward, text_bytes: Cell::new(0) }))
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
        // Counting needs no columns, so tables are joined only where a condition asks for them.
        if *side == Side::Live && needs_join(filter) {
            statement.push(&F::live_join(dialect));
        }
        where_clause(&mut statement, filter, *side);
    }
    // The limit stands inside: the database stops there instead of counting everything.
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
        // A filter without conditions still leaves out hidden rows.
        where_clause::<F>(&mut statement, &Filter::default(), side);
        let parameter = statement.parameter(key);
        let text = key_test::<F>(statement.dialect, "=", &parameter);
        statement.push(&format!(" AND {text}"));
    }
    statement.push(" LIMIT 1");
    statement
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
    // Leases are joined here only where they decide which rows are picked; for what is shown they are joined
    // later, to the rows of the page alone.
    let is_joined = needs_join(&search.filter) || search.sort.iter().any(|sort| sort.field.is_joined());
    push_from::<F>(statement, side, is_joined);
    where_clause(statement, &search.filter, side);
    if let Some(cursor) = cursor {
        statement.push(" AND ");
        push_after(statement, keys, side, cursor);
    }
    push_picking_order(statement, keys, side);
}

/// Behind the picked rows: the tables that their columns come from.
/// Wide columns are read by key for the rows of the page alone; picking and sorting moves keys and sort values only.
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

/// Sort values have names by number, because the two sides of a union must agree on names and their expressions differ.
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
        // A row whose definition is missing is shown all the same.
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
