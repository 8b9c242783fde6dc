//! Random searches. Values come from the rows that are there, so that some of them pass.

use super::entities::Searched;
use super::world::{TEXTS, World};
use std::collections::BTreeSet;
use tidemill_model::dice::Dice;
use tidemill_model::{ElementInstanceKey, ProcessInstanceKey, Text};
use tidemill_store::query::plain::{FieldValue, Related};
use tidemill_store::query::*;
use tidemill_store::view::*;

pub(super) fn search<F: Searched>(dice: &mut Dice, world: &World, views: &[F::View]) -> Search<F> {
    let mut search = Search::of(filter(dice, world, views, 0));
    for _ in 0..dice.below(3) {
        let fields: Vec<F> =
            F::all().iter().copied().filter(|field| field.kind() != FieldKind::Texts).collect();
        let order = if dice.below(2) == 0 { Order::Ascending } else { Order::Descending };
        search = search.sort_by(pick(dice, &fields), order);
    }
    search
}

fn filter<F: Searched>(dice: &mut Dice, world: &World, views: &[F::View], depth: u32) -> Filter<F> {
    (0..dice.below(3)).fold(Filter::default(), |filter, _| filter.and(condition(dice, world, views, depth)))
}

fn condition<F: Searched>(dice: &mut Dice, world: &World, views: &[F::View], depth: u32) -> Condition<F> {
    let special = if dice.below(3) == 0 { F::special(dice, world) } else { None };
    if let Some(special) = special {
        return special;
    }
    if depth < 2 && dice.below(4) == 0 {
        return Condition::Any((0..dice.below(4)).map(|_| filter(dice, world, views, depth + 1)).collect());
    }
    let field = pick(dice, F::all());
    let mut values = Vec::new();
    if !views.is_empty() {
        for _ in 0..3 {
            let view = &views[dice.below(views.len() as u64) as usize];
            values.extend(to_value(dice, field.value(view, &Alone)));
        }
    }
    Condition::Is(field, test(dice, field.kind(), &values))
}

fn to_value(dice: &mut Dice, value: FieldValue<'_>) -> Option<Value> {
    match value {
        FieldValue::Null => None,
        FieldValue::Int(value) => Some(value.into()),
        FieldValue::Text(text) => Some(text.into()),
        FieldValue::Bool(value) => Some(value.into()),
        FieldValue::Texts([]) => None,
        FieldValue::Texts(members) => Some(pick(dice, &members.iter().collect::<Vec<_>>()).as_str().into()),
    }
}

/// A test that fits the kind of field, often with one of these values.
pub(super) fn test(dice: &mut Dice, kind: FieldKind, values: &[Value]) -> Test {
    let has_text = matches!(kind, FieldKind::Text | FieldKind::Texts);
    // Nobody asks for members of a list that lie above or below something.
    let has_order = !matches!(kind, FieldKind::Bool | FieldKind::Texts);
    match dice.below(10) {
        0 => Test::Eq(value(dice, kind, values)),
        1 => Test::Neq(value(dice, kind, values)),
        2 => Test::Exists(dice.below(2) == 0),
        3 => Test::In(list(dice, kind, values)),
        4 => Test::NotIn(list(dice, kind, values)),
        5 if has_order => Test::Gt(value(dice, kind, values)),
        6 if has_order => Test::Gte(value(dice, kind, values)),
        7 if has_order => Test::Lt(value(dice, kind, values)),
        8 if has_order => Test::Lte(value(dice, kind, values)),
        _ if has_text => Test::Like(pattern(dice, kind, values)),
        _ => Test::Eq(value(dice, kind, values)),
    }
}

/// Now and then a long one: stores write these in another way.
fn list(dice: &mut Dice, kind: FieldKind, values: &[Value]) -> Vec<Value> {
    let count = dice.below(4);
    let mut list: Vec<Value> = (0..count).map(|_| value(dice, kind, values)).collect();
    if dice.below(4) == 0 {
        let more = 20 + dice.below(200) as i64;
        list.extend((0..more).map(|n| match kind {
            FieldKind::Key | FieldKind::Int | FieldKind::Time => Value::Int(1_000_000 + n),
            FieldKind::Text | FieldKind::Texts => Value::Text(format!("long {n}").into()),
            FieldKind::Bool => Value::Bool(n % 3 == 0),
        }));
    }
    list
}

fn value(dice: &mut Dice, kind: FieldKind, values: &[Value]) -> Value {
    if !values.is_empty() && dice.below(5) > 0 {
        return values[dice.below(values.len() as u64) as usize].clone();
    }
    match kind {
        FieldKind::Key | FieldKind::Int | FieldKind::Time => Value::Int(dice.below(12) as i64 - 2),
        FieldKind::Text | FieldKind::Texts => Value::Text(text(dice)),
        FieldKind::Bool => Value::Bool(dice.below(2) == 0),
    }
}

pub(super) fn text(dice: &mut Dice) -> Text {
    pick(dice, &TEXTS).into()
}

/// A text with some of its characters replaced by wildcards or escaped.
fn pattern(dice: &mut Dice, kind: FieldKind, values: &[Value]) -> Text {
    let Value::Text(text) = value(dice, kind, values) else { return "*".into() };
    let mut pattern = String::new();
    for character in text.chars() {
        match dice.below(8) {
            0 => pattern.push('*'),
            1 => pattern.push('?'),
            2 => pattern.extend(['\\', character]),
            3 => pattern.extend(['*', character]),
            _ => pattern.push(character),
        }
    }
    match dice.below(4) {
        0 => pattern.push('*'),
        1 => pattern.push('\\'),
        _ => {}
    }
    pattern.into()
}

fn pick<T: Copy>(dice: &mut Dice, from: &[T]) -> T {
    from[dice.below(from.len() as u64) as usize]
}

/// Values to search for are taken from rows by themselves.
struct Alone;

impl Related for Alone {
    fn is_latest(&self, _: &ProcessDefinitionView) -> bool {
        true
    }

    fn variables_of(&self, _: ProcessInstanceKey) -> Vec<VariableView> {
        Vec::new()
    }

    fn elements_of(&self, _: ProcessInstanceKey) -> Vec<ElementInstanceView> {
        Vec::new()
    }

    fn incidents_of(&self, _: ProcessInstanceKey) -> Vec<IncidentView> {
        Vec::new()
    }

    fn jobs_of(&self, _: ProcessInstanceKey) -> Vec<JobView> {
        Vec::new()
    }

    fn instances_within(&self, _: ProcessInstanceKey) -> BTreeSet<ProcessInstanceKey> {
        BTreeSet::new()
    }

    fn elements_within(&self, _: ElementInstanceKey) -> BTreeSet<ElementInstanceKey> {
        BTreeSet::new()
    }
}
