//! Before a search becomes a statement: conditions that lead over other tables become lists of keys, where those are
//! few. So a rare value is found by its index and a frequent one by reading in the order of the page, and no database has
//! to guess which of the two it is.

use super::filter::{Side, push_related_tests, push_variable_tests};
use super::table::{Column, SearchTable};
use super::{Dialect, SqlValue, Statement};
use std::collections::BTreeSet;
use tidemill_store::query::{Condition, Filter, IncidentField, Test, Value};

/// Keys that a condition may become. More are no longer few, and the condition stays as it is.
const KEYS_MAX: usize = 1_000;
/// Of called instances, which nothing else leads to.
const CALLED_MAX: usize = 10_000;

/// A question for keys: the first column of its rows.
pub struct Probe<'d> {
    pub statement: Statement<'d>,
    keys_max: usize,
}

/// The questions that a filter raises, in the order in which `settled` takes their answers.
pub fn probes<'d, F: SearchTable>(dialect: &'d dyn Dialect, filter: &Filter<F>) -> Vec<Probe<'d>> {
    let mut probes = Vec::new();
    collect(dialect, filter, &mut probes);
    probes
}

fn collect<'d, F: SearchTable>(dialect: &'d dyn Dialect, filter: &Filter<F>, probes: &mut Vec<Probe<'d>>) {
    // The order here must be that of `settled`, because answers have no names.
    probes.extend(definitions(dialect, filter));
    for condition in &filter.all {
        match condition {
            Condition::Any(filters) => filters.iter().for_each(|filter| collect(dialect, filter, probes)),
            condition => probes.extend(probe(dialect, filter, condition)),
        }
    }
}

/// The same filter with what the answers tell.
pub fn settled<F: SearchTable>(
    dialect: &dyn Dialect,
    filter: &Filter<F>,
    answers: &mut impl Iterator<Item = Vec<i64>>,
) -> Filter<F> {
    let mut all = Vec::with_capacity(filter.all.len() + 1);
    let definitions = definitions(dialect, filter).and_then(|probe| few(&probe, answers.next()));
    for condition in &filter.all {
        match condition {
            Condition::Any(filters) => {
                let filters = filters.iter().map(|filter| settled(dialect, filter, answers)).collect();
                all.push(Condition::Any(filters));
            }
            // All facts of the definition are in the list of its keys, so their own conditions can go.
            condition if definitions.is_some() && is_of_definition(condition) => {}
            condition => match probe(dialect, filter, condition) {
                Some(probe) => all.extend(narrowed(condition, few(&probe, answers.next()))),
                None => all.push(condition.clone()),
            },
        }
    }
    if let (Some(keys), Some(field)) = (definitions, F::with_column("definition_key")) {
        all.push(one_of(field, keys));
    }
    Filter { all }
}

/// None where the answer was broken off.
fn few(probe: &Probe<'_>, answer: Option<Vec<i64>>) -> Option<BTreeSet<i64>> {
    answer.filter(|keys| keys.len() <= probe.keys_max).map(|keys| keys.into_iter().collect())
}

fn narrowed<F: SearchTable>(condition: &Condition<F>, keys: Option<BTreeSet<i64>>) -> Vec<Condition<F>> {
    let Some(mut keys) = keys else { return vec![condition.clone()] };
    match condition {
        Condition::Is(field, test) => match field.owner() {
            Some(owner) => {
                // The scope of an instance has the key of the instance.
                keys.extend(values(test));
                // The condition stays beside the list: the list only says in which instances to look.
                vec![one_of(owner, keys), condition.clone()]
            }
            None => {
                keys.extend(values(test));
                vec![one_of(F::key(), keys)]
            }
        },
        // For rows of an instance, such as user tasks, the list tells only which instances to look into, so
        // the condition stays. For instances themselves the list is the answer.
        Condition::HasVariable { .. } | Condition::HasIncident(_) => match F::with_column("instance_key") {
            Some(instance) => vec![one_of(instance, keys), condition.clone()],
            None => vec![one_of(F::key(), keys)],
        },
        other => vec![other.clone()],
    }
}

/// An empty list lets everything pass, so none at all is told by a key that nothing has.
fn one_of<F>(field: F, keys: BTreeSet<i64>) -> Condition<F> {
    let mut values: Vec<Value> = keys.into_iter().map(Value::Int).collect();
    Condition::Is(
        field,
        match values.len() {
            0 => Test::eq(0),
            1 => Test::Eq(values.remove(0)),
            _ => Test::In(values),
        },
    )
}

fn is_of_definition<F: SearchTable>(condition: &Condition<F>) -> bool {
    matches!(condition, Condition::Is(field, _) if matches!(field.column(), Column::Definition(_)))
}

/// All facts of the definition at once.
fn definitions<'d, F: SearchTable>(dialect: &'d dyn Dialect, filter: &Filter<F>) -> Option<Probe<'d>> {
    F::with_column("definition_key")?;
    let mut statement = Statement::new(dialect);
    statement.push("SELECT key FROM process_definitions WHERE ");
    let mut count = 0;
    for condition in &filter.all {
        if let Condition::Is(field, test) = condition
            && let Column::Definition(name) = field.column()
        {
            statement.push(if count == 0 { "" } else { " AND " });
            super::filter::push_test(&mut statement, name, field.kind(), test);
            count += 1;
        }
    }
    (count > 0).then(|| limited(statement, KEYS_MAX))
}

fn probe<'d, F: SearchTable>(
    dialect: &'d dyn Dialect,
    filter: &Filter<F>,
    condition: &Condition<F>,
) -> Option<Probe<'d>> {
    let mut statement = Statement::new(dialect);
    match condition {
        Condition::Is(field, test) => {
            let keys = values(test);
            // A list that is long by itself would not get shorter by its owners.
            if keys.is_empty() || keys.len() > KEYS_MAX {
                return None;
            }
            if let Some(owner) = field.owner() {
                // The filter names the instance already, and a probe would only tell it again.
                if is_pinned(filter, owner) {
                    return None;
                }
                push_owners(&mut statement, &keys);
                return Some(limited(statement, KEYS_MAX));
            }
            if !field.is_root_of_itself() {
                return None;
            }
            push_called(&mut statement, &keys);
            Some(limited(statement, CALLED_MAX))
        }
        Condition::HasVariable { name, value, .. } => {
            for (n, side) in [Side::Live, Side::History].into_iter().enumerate() {
                let table = if n == 0 {
                    "variables"
                } else {
                    " UNION ALL SELECT r.instance_key FROM variables_history"
                };
                statement.push(&format!(
                    "{}{table} r WHERE ",
                    if n == 0 { "SELECT r.instance_key FROM " } else { "" }
                ));
                push_variable_tests(&mut statement, name, value, side, true);
            }
            Some(limited(statement, KEYS_MAX))
        }
        Condition::HasIncident(tests) => {
            statement.push("SELECT r.instance_key FROM incidents r WHERE 1=1");
            push_related_tests::<IncidentField>(&mut statement, tests, Side::Live);
            statement.push(" UNION ALL SELECT r.instance_key FROM incidents_history r WHERE 1=1");
            push_related_tests::<IncidentField>(&mut statement, tests, Side::History);
            Some(limited(statement, KEYS_MAX))
        }
        _ => None,
    }
}

fn is_pinned<F: SearchTable>(filter: &Filter<F>, field: F) -> bool {
    filter.all.iter().any(|condition| {
        matches!(condition, Condition::Is(other, test) if *other == field && !values(test).is_empty())
    })
}

/// The keys that a test asks for by name.
fn values(test: &Test) -> Vec<i64> {
    let values = match test {
        Test::Eq(value) => std::slice::from_ref(value),
        Test::In(values) => &values[..],
        _ => &[],
    };
    values.iter().filter_map(|value| if let Value::Int(key) = value { Some(*key) } else { None }).collect()
}

/// The instances of elements, and of jobs, whose keys a variable may have as its scope.
fn push_owners(statement: &mut Statement<'_>, keys: &[i64]) {
    let tables = ["element_instances", "element_instances_history", "jobs", "jobs_history"];
    for (n, table) in tables.into_iter().enumerate() {
        statement.push(if n == 0 { "" } else { " UNION ALL " });
        statement.push(&format!("SELECT e.instance_key FROM {table} e WHERE "));
        let parameter = statement.parameter(SqlValue::Ints(keys.to_vec()));
        let is_one = statement.dialect.key_is_in("e", &parameter);
        statement.push(&is_one);
    }
}

/// `parent_key IS NOT NULL` is the condition of the partial index, in its very words.
fn push_called(statement: &mut Statement<'_>, roots: &[i64]) {
    for (n, table) in ["process_instances", "process_instances_history"].into_iter().enumerate() {
        statement.push(if n == 0 { "" } else { " UNION ALL " });
        statement.push(&format!("SELECT c.key FROM {table} c WHERE c.parent_key IS NOT NULL AND "));
        let parameter = statement.parameter(SqlValue::Ints(roots.to_vec()));
        let is_one = statement.dialect.is_in("c.root_key", &parameter);
        statement.push(&is_one);
    }
}

fn limited(mut statement: Statement<'_>, keys_max: usize) -> Probe<'_> {
    // One more than the limit says that there are too many, without reading all of them.
    statement.push(&format!(" LIMIT {}", keys_max + 1));
    Probe { statement, keys_max }
}
