//! Conditions to SQL.

use super::table::{Column, SearchTable};
use super::{SqlValue, Statement, tree};
use std::collections::BTreeSet;
use tidemill_store::query::{
    Condition, ElementInstanceField, FieldKind, Filter, IncidentField, JobField, Pattern, Test, Value,
    VariableScope,
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
    statement.push(F::HIDDEN.unwrap_or("1=1"));
    for condition in &filter.all {
        statement.push(" AND ");
        push_condition(statement, condition, side);
    }
}

/// The sides on which rows can pass the filter.
pub(super) fn sides<F: SearchTable>(filter: &Filter<F>) -> Vec<Side> {
    let mut sides = vec![Side::Live, Side::History];
    sides.retain(|side| F::table(*side).is_some());
    for condition in &filter.all {
        if let Condition::Is(field, test) = condition
            && let Some(only) = field.side_of(test)
        {
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

fn push_condition<F: SearchTable>(statement: &mut Statement<'_>, condition: &Condition<F>, side: Side) {
    match condition {
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

fn push_test(statement: &mut Statement<'_>, expression: &str, kind: FieldKind, test: &Test) {
    if matches!(test, Test::In(values) | Test::NotIn(values) if values.is_empty()) {
        return statement.push("1=1");
    }
    if kind == FieldKind::Texts {
        return push_member_test(statement, expression, test);
    }
    match test {
        Test::Eq(value) => push_comparison(statement, expression, "=", value.into()),
        Test::Gt(value) => push_comparison(statement, expression, ">", value.into()),
        Test::Gte(value) => push_comparison(statement, expression, ">=", value.into()),
        Test::Lt(value) => push_comparison(statement, expression, "<", value.into()),
        Test::Lte(value) => push_comparison(statement, expression, "<=", value.into()),
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
    let negation = if positive.is_some() { "NOT " } else { "" };
    statement.push(&format!("{negation}EXISTS (SELECT 1 FROM {members} WHERE "));
    push_test(statement, "m.value", FieldKind::Text, positive.as_ref().unwrap_or(test));
    statement.push(")");
}

/// Anywhere in an instance: the variables are looked through once, not once per instance.
fn push_variable(
    statement: &mut Statement<'_>,
    scope: VariableScope,
    name: &str,
    tests: &[Test],
    side: Side,
) {
    let push_tests = |statement: &mut Statement<'_>| {
        push_comparison(statement, "r.name", "=", SqlValue::Text(name.to_owned()));
        for test in tests {
            statement.push(" AND ");
            push_test(statement, "r.value", FieldKind::Text, test);
        }
    };
    if scope == VariableScope::Anywhere {
        return push_on_sides(
            statement,
            "variables",
            side,
            "t.key IN (SELECT r.instance_key FROM",
            |statement, _| {
                push_tests(statement);
            },
        );
    }
    // A task can end long before its instance, so variables of both sides count for ended tasks too.
    push_exists_on_sides(statement, "variables", Side::Live, |statement, _| {
        statement.push(match scope {
            VariableScope::Local => "r.instance_key = t.instance_key AND r.scope_key = t.element_instance",
            _ => "r.instance_key = t.instance_key AND r.scope_key = t.instance_key",
        });
        statement.push(" AND ");
        push_tests(statement);
    });
}

fn push_related<R: SearchTable>(statement: &mut Statement<'_>, tests: &[(R, Test)], side: Side) {
    let live = R::LIVE.expect("what belongs to an instance lives");
    push_exists_on_sides(statement, live, side, |statement, side| {
        statement.push("r.instance_key = t.key");
        for (field, test) in tests {
            statement.push(" AND ");
            push_field_test(statement, "r", *field, test, side);
        }
    });
}

fn push_exists_on_sides(
    statement: &mut Statement<'_>,
    table: &str,
    side: Side,
    push_condition: impl FnMut(&mut Statement<'_>, Side),
) {
    push_on_sides(statement, table, side, "EXISTS (SELECT 1 FROM", push_condition);
}

/// A live instance has parts that have ended already, so a condition on its parts looks at live and ended rows.
fn push_on_sides(
    statement: &mut Statement<'_>,
    table: &str,
    side: Side,
    select: &str,
    mut push_condition: impl FnMut(&mut Statement<'_>, Side),
) {
    statement.push("(");
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
