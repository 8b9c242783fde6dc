//! Filter objects become conditions on the fields of a store. Fields have the same names on both sides, and
//! each knows the kind of its values; what has no field of its own is translated by its entity.

use super::super::findings::Findings;
use super::constant;
use serde_json::{Map, Value as Json};
use tidemill_store::query::{
    Condition, Field, FieldKind, Filter, LIST_VALUES_MAX, PATTERN_CHARS_MAX, Test, Value,
};

/// An entity that can be searched for.
pub(crate) trait Searchable: Field {
    /// Translates a member of a filter that is no field of the store. True where it is known.
    fn special(_name: &str, _given: &Json, _conditions: &mut Conditions<'_, Self>) -> bool {
        false
    }
}

/// The conditions of one filter object while it is being translated.
pub(crate) struct Conditions<'a, F> {
    pub(crate) filter: Filter<F>,
    pub(crate) findings: &'a mut Findings,
    /// The whole object, for members that belong together.
    pub(crate) members: &'a Map<String, Json>,
}

impl<F: Field> Conditions<'_, F> {
    pub(crate) fn add(&mut self, condition: Condition<F>) {
        self.filter.all.push(condition);
    }

    /// A field that is null in every row.
    pub(crate) fn null(&mut self, kind: FieldKind, name: &str, given: &Json) {
        self.constant(None, kind, name, given);
    }

    /// A text that every row has.
    pub(crate) fn text(&mut self, value: &str, name: &str, given: &Json) {
        self.constant(Some(&value.into()), FieldKind::Text, name, given);
    }

    fn constant(&mut self, value: Option<&Value>, kind: FieldKind, name: &str, given: &Json) {
        let tests = tests(name, kind, given, self.findings);
        if !constant::passes(value, &tests) {
            self.add(Condition::Is(F::key(), Test::eq(NO_KEY)));
        }
    }

    /// The tests of another member of the same filter.
    pub(crate) fn tests(&mut self, name: &str, kind: FieldKind) -> Vec<Test> {
        match self.members.get(name) {
            None | Some(Json::Null) => Vec::new(),
            Some(given) => tests(name, kind, given, self.findings),
        }
    }
}

/// No row has this key.
pub(crate) const NO_KEY: i64 = -1;

pub(super) fn translate<F: Searchable>(tree: &Json, findings: &mut Findings) -> Filter<F> {
    let Json::Object(members) = tree else { return Filter::default() };
    let mut conditions = Conditions { filter: Filter::default(), findings, members };
    for (name, given) in members.iter().filter(|(_, given)| !given.is_null()) {
        if name == "$or" {
            let alternatives = given.as_array().into_iter().flatten();
            let any = alternatives.map(|one| translate(one, conditions.findings)).collect();
            conditions.add(Condition::Any(any));
        } else if let Some(field) = F::from_name(name) {
            for test in tests(name, field.kind(), given, conditions.findings) {
                conditions.add(Condition::Is(field, test));
            }
        } else {
            let is_known = F::special(name, given, &mut conditions);
            debug_assert!(is_known, "the description has a filter that nobody translates: {name}");
        }
    }
    conditions.filter
}

/// A plain value means equality, an object has operators, a list asks for each of its values.
pub(crate) fn tests(name: &str, kind: FieldKind, given: &Json, findings: &mut Findings) -> Vec<Test> {
    let mut tests = Vec::new();
    match given {
        Json::Object(operators) => {
            for (operator, operand) in operators.iter().filter(|(_, operand)| !operand.is_null()) {
                tests.extend(test(name, kind, operator, operand, findings));
            }
        }
        Json::Array(values) => {
            tests.extend(values.iter().filter_map(|one| scalar(name, kind, one, findings)).map(Test::Eq));
        }
        plain => tests.extend(scalar(name, kind, plain, findings).map(Test::Eq)),
    }
    tests
}

fn test(
    name: &str,
    kind: FieldKind,
    operator: &str,
    operand: &Json,
    findings: &mut Findings,
) -> Option<Test> {
    let list = |findings: &mut Findings| -> Vec<Value> {
        let items = operand.as_array().into_iter().flatten();
        if operand.as_array().is_some_and(|items| items.len() > LIST_VALUES_MAX) {
            findings.add(format!("The provided {name} list exceeds the limit of {LIST_VALUES_MAX} values"));
            return Vec::new();
        }
        items.filter_map(|item| scalar(name, kind, item, findings)).collect()
    };
    match operator {
        "$exists" => return operand.as_bool().map(Test::Exists),
        "$like" => {
            return operand.as_str().map(|pattern| {
                findings.no_nul(name, pattern);
                if pattern.chars().nth(PATTERN_CHARS_MAX).is_some() {
                    findings.add(format!(
                        "The provided {name} pattern exceeds the limit of {PATTERN_CHARS_MAX} characters"
                    ));
                }
                Test::Like(pattern.into())
            });
        }
        "$in" => return Some(list(findings)).filter(|values| !values.is_empty()).map(Test::In),
        "$notIn" => return Some(list(findings)).filter(|values| !values.is_empty()).map(Test::NotIn),
        _ => {}
    }
    let value = scalar(name, kind, operand, findings)?;
    match operator {
        "$eq" => Some(Test::Eq(value)),
        "$neq" => Some(Test::Neq(value)),
        "$gt" => Some(Test::Gt(value)),
        "$gte" => Some(Test::Gte(value)),
        "$lt" => Some(Test::Lt(value)),
        "$lte" => Some(Test::Lte(value)),
        _ => None,
    }
}

fn scalar(name: &str, kind: FieldKind, given: &Json, findings: &mut Findings) -> Option<Value> {
    match kind {
        FieldKind::Key => given.as_str().map(|text| Value::Int(findings.key(name, text))),
        FieldKind::Time => given.as_str().map(|text| {
            let time = findings.required_date(name, text);
            Value::Int(time.map_or(0, |time| time.0))
        }),
        FieldKind::Int => given.as_i64().map(Value::Int),
        FieldKind::Bool => given.as_bool().map(Value::Bool),
        FieldKind::Text | FieldKind::Texts => given.as_str().map(|text| {
            findings.no_nul(name, text);
            Value::Text(text.into())
        }),
    }
}
