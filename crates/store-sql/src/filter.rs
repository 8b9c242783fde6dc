//! Conditions to SQL.

use super::table::{Column, SearchTable};
use super::{SqlValue, Statement, tree};
use std::collections::BTreeSet;
use tidemill_store::query::{
    Condition, ElementInstanceField, FieldKind, Filter, IncidentField, JobField, Pattern, Search, Test,
    Value, VariableScope,
};

/// Which of an entity's two tables a statement reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Live,
    History,
}

/// Appends ` WHERE ...`; always, so that callers can go on with ` AND`.
pub fn where_clause<F: SearchTable>(statement: &mut Statement<'_>, filter: &Filter<F>, side: Side) {
    statement.push(" WHERE ");
    // A condition that always holds keeps the text simple: whatever follows begins with AND.
    statement.push(F::HIDDEN.unwrap_or("1=1"));
    for condition in &filter.all {
        statement.push(" AND ");
        push_condition(statement, condition, side);
    }
}

/// The sides on which rows can pass the filter.
/// A filter by state often excludes one of the two tables, and a table that is not read costs nothing.
pub(super) fn sides<F: SearchTable>(filter: &Filter<F>) -> Vec<Side> {
    let mut sides = vec![Side::Live, Side::History];
    sides.retain(|side| F::table(*side).is_some());
    for condition in &filter.all {
        if let Condition::Is(field, test) = condition
            && let Some(only) = field.side_of(test)
        {
            // Two conditions may exclude both sides. Then nothing is found, and no statement is run.
            sides.retain(|side| *side == only);
        }
    }
    sides
}

/// True if a condition is about a field that comes from the join of live rows.
pub(super) fn needs_join<F: SearchTable>(filter: &Filter<F>) -> bool {
    filter.all.iter().any(|condition| match condition {
        Condition::Is(field, _) => field.is_joined(),
        Condition::Any(filters) => filters.iter().any(needs_join),
        _ => false,
    })
}

/// Columns whose single values few rows share. Databases guess this from statistics, which lag behind a table
/// that grows fast or, in SQLite, do not exist. The meaning of a column is known here.
const NARROW: &[&str] = &[
    "key",
    "instance_key",
    "root_key",
    "parent_key",
    "parent_element",
    "scope_key",
    "element_instance",
    "business_id",
    "correlation_key",
    "message_key",
    "subscription_key",
    "job_key",
    "incident_key",
    "message_hash",
    "assignee",
    "value",
];

/// Columns that indexes of history have in their order.
/// A filter on one of them and a page sorted by it can be served by the same index.
const ORDERED: &[&str] = &["definition_key", "started_at", "ended_at", "created_at", "name"];

/// True if no index serves this test on history: then rows are best read in the order of the page. A database that knows
/// nothing of the values would read and sort all of them.
fn is_along_the_page<F: SearchTable>(field: F, test: &Test, side: Side) -> bool {
    let Column::Own(name) = field.column() else { return false };
    let is_rare = match (name, test) {
        // Terminated instances and those with incidents are rare and have partial indexes of their own. All
        // other states match most of history.
        ("state", Test::Eq(Value::Text(state))) => &**state == "TERMINATED",
        ("has_incident", Test::Eq(value)) => *value == Value::Bool(true),
        _ => NARROW.contains(&name) || ORDERED.contains(&name),
    };
    side == Side::History && !is_rare
}

/// True if a filter leaves so few rows that they are found by their own index and then sorted.
pub(super) fn is_narrow<F: SearchTable>(filter: &Filter<F>) -> bool {
    let is_one_value = |test: &Test| match test {
        Test::Eq(_) => true,
        Test::In(values) => !values.is_empty(),
        // Without a literal beginning no index helps, and every row must be looked at.
        Test::Like(pattern) => !Pattern::new(pattern).prefix().is_empty(),
        _ => false,
    };
    filter.all.iter().any(|condition| match condition {
        Condition::Is(field, test) => {
            matches!(field.column(), Column::Own(name) if NARROW.contains(&name)) && is_one_value(test)
        }
        Condition::WithinInstance(_) | Condition::WithinElement(_) => true,
        _ => false,
    })
}

/// Definitions that get a part of the statement each.
/// Each part reads as much as the page shows, so many parts would cost more than sorting the rows of all of them.
const PARTS_MAX: usize = 16;

/// The search in parts whose rows each come from one definition, where an index has the rows of a definition in order:
/// those of several definitions together would have to be sorted.
pub(super) fn by_definition<F: SearchTable>(search: &Search<F>) -> Vec<Search<F>> {
    let found = search.filter.all.iter().enumerate().find_map(|(n, condition)| match condition {
        Condition::Is(field, Test::In(values))
            if F::IS_SORTED_BY_DEFINITION
                && field.column() == Column::Own("definition_key")
                && (2..=PARTS_MAX).contains(&values.len()) =>
        {
            Some((n, *field, distinct(values)))
        }
        _ => None,
    });
    let Some((n, field, values)) = found else { return vec![search.clone()] };
    values
        .into_iter()
        .map(|value| {
            let mut part = search.clone();
            part.filter.all[n] = Condition::Is(field, Test::Eq(value.clone()));
            part
        })
        .collect()
}

fn push_condition<F: SearchTable>(statement: &mut Statement<'_>, condition: &Condition<F>, side: Side) {
    match condition {
        Condition::Is(field, test) if is_along_the_page(*field, test, side) => {
            // The planner is told not to begin with this test: the rows come in the order of the page, and most of them pass.
            let (begin, end) = statement.dialect.likely();
            statement.push(begin);
            push_field_test(statement, "t", *field, test, side);
            statement.push(end);
        }
        Condition::Is(field, test) => push_field_test(statement, "t", *field, test, side),
        Condition::Any(filters) => push_any(statement, filters, side),
        Condition::HasVariable { scope, name, value } => push_variable(statement, *scope, name, value, side),
        Condition::HasElement(tests) => push_related::<ElementInstanceField>(statement, tests, side),
        Condition::HasIncident(tests) => push_related::<IncidentField>(statement, tests, side),
        Condition::HasJob(tests) => push_related::<JobField>(statement, tests, side),
        Condition::WithinInstance(instance) => tree::push_within_instance(statement, *instance),
        Condition::WithinElement(element) => tree::push_within_element(statement, *element),
    }
}

fn push_any<F: SearchTable>(statement: &mut Statement<'_>, filters: &[Filter<F>], side: Side) {
    match filters {
        [] => statement.push("1=1"),
        [filter] => {
            statement.push("(1=1");
            for condition in &filter.all {
                statement.push(" AND ");
                push_condition(statement, condition, side);
            }
            statement.push(")");
        }
        // Halves of halves: databases limit how deep an expression goes, and a plain row of them goes as deep as it is
        // long.
        many => {
            let (first, second) = many.split_at(many.len() / 2);
            statement.push("(");
            push_any(statement, first, side);
            statement.push(" OR ");
            push_any(statement, second, side);
            statement.push(")");
        }
    }
}

/// Facts of the definition are tested on the small table of definitions, so that the big one can be read by
/// its own indexes.
fn push_field_test<F: SearchTable>(
    statement: &mut Statement<'_>,
    alias: &str,
    field: F,
    test: &Test,
    side: Side,
) {
    match field.column() {
        Column::Definition(name) => {
            statement.push(&format!("{alias}.definition_key IN (SELECT key FROM process_definitions WHERE "));
            push_test(statement, name, field.kind(), test);
            statement.push(")");
        }
        Column::Own("key") if push_key_test(statement, alias, test) => {}
        // Only history has an index over values. Live variables are few, and an index over them would cost every change of one.
        Column::Own("value") if side == Side::History => push_value_test(statement, alias, test),
        column => push_test(statement, &column.expression(alias, side), field.kind(), test),
    }
}

/// Longer lists are one parameter: databases limit the size of a statement and the number of its parameters.
const VALUES_IN_TEXT_MAX: usize = 20;

/// A long list as one parameter, each value once; none where it is short. Values of a list are of one type.
fn long_list(values: &[Value]) -> Option<SqlValue> {
    if values.len() <= VALUES_IN_TEXT_MAX {
        return None;
    }
    let ints: BTreeSet<i64> = values
        .iter()
        .filter_map(|value| if let Value::Int(value) = value { Some(*value) } else { None })
        .collect();
    let texts: BTreeSet<&str> = values
        .iter()
        .filter_map(|value| if let Value::Text(text) = value { Some(text.as_str()) } else { None })
        .collect();
    match (ints.is_empty(), texts.is_empty()) {
        (false, _) => Some(SqlValue::Ints(ints.into_iter().collect())),
        (true, false) => Some(SqlValue::Texts(texts.into_iter().map(str::to_owned).collect())),
        (true, true) => None,
    }
}

/// The values of a short list, each once.
/// A value that a client lists twice would make a part or a parameter of its own.
fn distinct(values: &[Value]) -> Vec<&Value> {
    let mut distinct: Vec<&Value> = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// Tests that find rows by their key. False where the test is of another kind, and nothing was written.
fn push_key_test(statement: &mut Statement<'_>, alias: &str, test: &Test) -> bool {
    let (operator, values) = match test {
        Test::Eq(value) => ("=", std::slice::from_ref(value)),
        Test::Gt(value) => (">", std::slice::from_ref(value)),
        Test::Gte(value) => (">=", std::slice::from_ref(value)),
        Test::Lt(value) => ("<", std::slice::from_ref(value)),
        Test::Lte(value) => ("<=", std::slice::from_ref(value)),
        // An empty list lets everything pass, which `push_test` knows.
        Test::In(values) if !values.is_empty() => ("=", &values[..]),
        _ => return false,
    };
    if let Some(list) = long_list(values) {
        let parameter = statement.parameter(list);
        let text = statement.dialect.key_is_in(alias, &parameter);
        statement.push(&text);
        return true;
    }
    for (n, value) in distinct(values).into_iter().enumerate() {
        statement.push(if n == 0 { "(" } else { " OR " });
        let parameter = statement.parameter(value);
        let text = statement.dialect.key_test(alias, operator, &parameter);
        statement.push(&text);
    }
    statement.push(")");
    true
}

pub(super) fn push_test(statement: &mut Statement<'_>, expression: &str, kind: FieldKind, test: &Test) {
    // SQL has no empty list.
    if matches!(test, Test::In(values) | Test::NotIn(values) if values.is_empty()) {
        return statement.push("1=1");
    }
    if kind == FieldKind::Texts {
        return push_member_test(statement, expression, test);
    }
    match test {
        Test::Eq(value) => push_equal(statement, expression, value),
        Test::Gt(value) => push_comparison(statement, expression, ">", value.into()),
        Test::Gte(value) => push_comparison(statement, expression, ">=", value.into()),
        Test::Lt(value) => push_comparison(statement, expression, "<", value.into()),
        Test::Lte(value) => push_comparison(statement, expression, "<=", value.into()),
        // In SQL a comparison with a null is neither true nor false, but a missing value does differ from the one given.
        Test::Neq(value) => {
            statement.push(&format!("({expression} IS NULL OR "));
            push_comparison(statement, expression, "<>", value.into());
            statement.push(")");
        }
        Test::Exists(true) => statement.push(&format!("{expression} IS NOT NULL")),
        Test::Exists(false) => statement.push(&format!("{expression} IS NULL")),
        Test::In(values) => push_list(statement, expression, true, values),
        Test::NotIn(values) => {
            statement.push(&format!("({expression} IS NULL OR "));
            push_list(statement, expression, false, values);
            statement.push(")");
        }
        Test::Like(pattern) => push_like(statement, expression, pattern),
    }
}

fn push_comparison(statement: &mut Statement<'_>, expression: &str, operator: &str, value: SqlValue) {
    statement.push(&format!("{expression} {operator} "));
    statement.push_parameter(value);
}

/// States and truth values stand in the text: the conditions of partial indexes are compared with the text.
fn push_equal(statement: &mut Statement<'_>, expression: &str, value: &Value) {
    match value {
        Value::Bool(value) => {
            let literal = statement.dialect.boolean(*value);
            statement.push(&format!("{expression} = {literal}"));
        }
        Value::Text(state) if expression == "t.state" && is_name_of_state(state) => {
            statement.push(&format!("{expression} = '{state}'"));
        }
        value => push_comparison(statement, expression, "=", value.into()),
    }
}

/// The text comes from a client and goes into the statement without a parameter, so it may have no character that ends a literal.
fn is_name_of_state(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Where the pattern begins with literal text, an index over the expression serves it.
fn push_like(statement: &mut Statement<'_>, expression: &str, pattern: &str) {
    statement.push("(");
    if statement.dialect.needs_prefix_of_pattern()
        && let Some((from, to)) = prefix_range(Pattern::new(pattern).prefix())
    {
        push_comparison(statement, expression, ">=", SqlValue::Text(from));
        statement.push(" AND ");
        push_comparison(statement, expression, "<", SqlValue::Text(to));
        statement.push(" AND ");
    }
    let pattern = statement.dialect.like_pattern(pattern);
    let parameter = statement.parameter(SqlValue::Text(pattern));
    let text = statement.dialect.like(expression, &parameter);
    statement.push(&text);
    statement.push(")");
}

/// Between which texts all lie that begin with this one, in the order of their bytes. None for the empty one, and where
/// nothing can come behind.
fn prefix_range(prefix: &str) -> Option<(String, String)> {
    let last = prefix.chars().next_back()?;
    // Between these two there are no characters.
    let next = if last == '\u{d7ff}' { '\u{e000}' } else { char::from_u32(u32::from(last) + 1)? };
    let mut end = prefix[..prefix.len() - last.len_utf8()].to_owned();
    end.push(next);
    Some((prefix.to_owned(), end))
}

fn push_list(statement: &mut Statement<'_>, expression: &str, is_in: bool, values: &[Value]) {
    if let Some(list) = long_list(values) {
        let parameter = statement.parameter(list);
        let text = match is_in {
            true => statement.dialect.is_in(expression, &parameter),
            false => statement.dialect.is_not_in(expression, &parameter),
        };
        return statement.push(&text);
    }
    statement.push(&format!("{expression} {} (", if is_in { "IN" } else { "NOT IN" }));
    for (n, value) in distinct(values).into_iter().enumerate() {
        statement.push(if n == 0 { "" } else { ", " });
        statement.push_parameter(value);
    }
    statement.push(")");
}

/// On several texts: one of them passes, or none of them is what was excluded.
fn push_member_test(statement: &mut Statement<'_>, column: &str, test: &Test) {
    let members = statement.dialect.array_members(column, "m");
    let positive = match test {
        Test::Exists(true) => return statement.push(&format!("EXISTS (SELECT 1 FROM {members})")),
        Test::Exists(false) => return statement.push(&format!("NOT EXISTS (SELECT 1 FROM {members})")),
        Test::Neq(value) => Some(Test::Eq(value.clone())),
        Test::NotIn(values) => Some(Test::In(values.clone())),
        _ => None,
    };
    // "None of them is x" is not "one of them is not x", so the test is turned around and then negated as a whole.
    let negation = if positive.is_some() { "NOT " } else { "" };
    statement.push(&format!("{negation}EXISTS (SELECT 1 FROM {members} WHERE "));
    push_test(statement, "m.value", FieldKind::Text, positive.as_ref().unwrap_or(test));
    statement.push(")");
}

/// A condition that has not become a list of keys: so many rows pass it that each row of the page is asked for its own.
fn push_variable(
    statement: &mut Statement<'_>,
    scope: VariableScope,
    name: &str,
    tests: &[Test],
    side: Side,
) {
    // A task can end long before its instance, so variables of both sides count for ended tasks too.
    let side = if scope == VariableScope::Anywhere { side } else { Side::Live };
    push_exists_on_sides(statement, "variables", side, |statement, side| {
        statement.push(match scope {
            VariableScope::Anywhere => "r.instance_key = t.key",
            VariableScope::Local => "r.instance_key = t.instance_key AND r.scope_key = t.element_instance",
            VariableScope::Instance => "r.instance_key = t.instance_key AND r.scope_key = t.instance_key",
        });
        statement.push(" AND ");
        push_variable_tests(statement, name, tests, side, false);
        let row_by_row = statement.dialect.row_by_row();
        statement.push(row_by_row);
    });
}

/// Tests on the variable `r`, to be found by its name and value or not: otherwise by what stands beside them.
pub(super) fn push_variable_tests(
    statement: &mut Statement<'_>,
    name: &str,
    tests: &[Test],
    side: Side,
    is_way_in: bool,
) {
    // Where the instance is known already, the index by name would lead through the variables of all instances.
    let column = if is_way_in { "r.name".to_owned() } else { statement.dialect.not_by_index("r.name") };
    push_comparison(statement, &column, "=", SqlValue::Text(name.to_owned()));
    for test in tests {
        statement.push(" AND ");
        match is_way_in && side == Side::History {
            true => push_value_test(statement, "r", test),
            false => push_test(statement, "r.value", FieldKind::Text, test),
        }
    }
}

/// On the value of a variable in history, in a form that its index serves.
fn push_value_test(statement: &mut Statement<'_>, alias: &str, test: &Test) {
    let value = format!("{alias}.value");
    let key = statement.dialect.value_key(&value);
    match test {
        Test::Eq(Value::Text(text)) if is_short(text) => {
            push_comparison(statement, &key, "=", SqlValue::from(&**text))
        }
        // Two long values may have the same key, so the value itself is compared as well.
        Test::Eq(Value::Text(text)) => {
            let parameter = statement.parameter(&**text);
            let same_key = statement.dialect.value_key(&parameter);
            statement.push(&format!("({key} = {same_key} AND {value} = {parameter})"));
        }
        Test::In(values)
            if !values.is_empty()
                && values.iter().all(|value| matches!(value, Value::Text(text) if is_short(text))) =>
        {
            push_list(statement, &key, true, values);
        }
        // A long value is indexed by its first characters, so no longer beginning may bound the search.
        Test::Like(pattern) => {
            let beginning: String =
                Pattern::new(pattern).prefix().chars().take(VALUE_BEGINNING_CHARS).collect();
            if let Some((from, to)) = prefix_range(&beginning) {
                push_comparison(statement, &key, ">=", SqlValue::Text(from));
                statement.push(" AND ");
                push_comparison(statement, &key, "<", SqlValue::Text(to));
                statement.push(" AND ");
            }
            push_like(statement, &value, pattern);
        }
        test => push_test(statement, &value, FieldKind::Text, test),
    }
}

/// Characters of a value that is indexed as it is, and of the beginning of a longer one (see `Dialect::value_key`).
/// They stand in the migrations of both stores: an index over another expression would not be used.
const SHORT_VALUE_CHARS: usize = 64;
const VALUE_BEGINNING_CHARS: usize = 32;

fn is_short(text: &str) -> bool {
    text.chars().nth(SHORT_VALUE_CHARS).is_none()
}

fn push_related<R: SearchTable>(statement: &mut Statement<'_>, tests: &[(R, Test)], side: Side) {
    let live = R::LIVE.expect("what belongs to an instance lives");
    push_exists_on_sides(statement, live, side, |statement, side| {
        statement.push("r.instance_key = t.key");
        push_related_tests(statement, tests, side);
    });
}

pub(super) fn push_related_tests<R: SearchTable>(
    statement: &mut Statement<'_>,
    tests: &[(R, Test)],
    side: Side,
) {
    for (field, test) in tests {
        statement.push(" AND ");
        push_field_test(statement, "r", *field, test, side);
    }
}

/// A live instance has parts that have ended already, so a condition on its parts looks at live and ended rows.
fn push_exists_on_sides(
    statement: &mut Statement<'_>,
    table: &str,
    side: Side,
    mut push_condition: impl FnMut(&mut Statement<'_>, Side),
) {
    let select = "EXISTS (SELECT 1 FROM";
    statement.push("(");
    // All parts of an ended instance have ended, so only live instances need both looks.
    if side == Side::Live {
        statement.push(&format!("{select} {table} r WHERE "));
        push_condition(statement, Side::Live);
        statement.push(") OR ");
    }
    statement.push(&format!("{select} {table}_history r WHERE "));
    push_condition(statement, Side::History);
    statement.push("))");
}

#[cfg(test)]
mod tests {
    use super::prefix_range;

    #[test]
    fn prefixes_bound_what_begins_with_them() {
        let range = |prefix: &str| prefix_range(prefix).map(|(_, to)| to);
        assert_eq!(range("order"), Some("ordes".to_owned()));
        assert_eq!(range("é"), Some("ê".to_owned()));
        assert_eq!(range("\u{d7ff}"), Some("\u{e000}".to_owned()));
        assert_eq!(range("a\u{10ffff}"), None);
        assert_eq!(range(""), None);
        assert!("order\u{10ffff}z" < "ordes");
    }
}
