//! Paths, filters and the names inside filters.

use super::column::Column;
use crate::error::WarningKind;
use crate::evaluation::machine::{Fault, Machine};
use crate::evaluation::program::{FilterMode, FilterNode, Member, ProgramNode};
use crate::evaluation::suggestion::nearest;
use crate::expression::Dialect;
use crate::number::Number;
use crate::temporal;
use crate::value::{Bound, Context, List, Range, Text, Value, shown};

/// More keys than this say nothing new.
const KEYS_TOLD_MAX: usize = 50;

impl Machine<'_> {
    pub(super) fn member(&mut self, member: &Member) -> Result<Value, Fault> {
        for slot in &member.items {
            match self.local(*slot) {
                Value::Context(context) => {
                    if let Some(value) = context.get(&member.name) {
                        return Ok(value.clone());
                    }
                }
                Value::Null | Value::Boolean(_) | Value::Number(_) | Value::String(_) => {}
                other => {
                    if let Some(value) = scalar_property(other, &member.name) {
                        return Ok(value);
                    }
                }
            }
        }
        self.eval(&member.outside)
    }

    pub(super) fn path(&mut self, base: &ProgramNode, names: &[Text]) -> Result<Value, Fault> {
        if let ProgramNode::Global(index) = base
            && let Some(value) = self.global_path(*index, names)?
        {
            return Ok(value);
        }
        let mut value = self.eval(base)?;
        for name in names {
            value = self.property(&value, name)?;
        }
        Ok(value)
    }

    fn property(&mut self, value: &Value, name: &Text) -> Result<Value, Fault> {
        match value {
            Value::Context(context) => match context.get(name) {
                Some(value) => Ok(value.clone()),
                None => {
                    let context = context.clone();
                    Ok(self.refuse(WarningKind::NoContextEntryFound, || no_entry(name, &context)))
                }
            },
            Value::List(list) => self.projection(list, name),
            Value::Null => Ok(self.refuse(WarningKind::NoContextEntryFound, || {
                format!("No context entry found with key '{name}'. The context is null")
            })),
            other => Ok(scalar_property(other, name)
                .unwrap_or_else(|| self.refuse(WarningKind::NoPropertyFound, || no_property(name, other)))),
        }
    }

    fn projection(&mut self, list: &List, name: &Text) -> Result<Value, Fault> {
        self.charge_steps(list.len() as u64)?;
        let mut items = Vec::with_capacity(list.len());
        for item in list {
            items.push(self.property(item, name)?);
        }
        self.charge_value(List::from(items).into())
    }

    pub(super) fn filter(&mut self, node: &FilterNode) -> Result<Value, Fault> {
        if let Some(value) = self.filter_json(node)? {
            return Ok(value);
        }
        let list = match self.eval(&node.base)? {
            Value::List(list) => list,
            Value::Null => return self.filter_refused("null"),
            single if self.dialect() == Dialect::Standard => List::from(vec![single]),
            other => return self.filter_refused(other.type_name()),
        };
        match node.mode {
            FilterMode::Index => {
                let index = self.eval(&node.condition)?;
                Ok(self.item_at(&list, &index))
            }
            FilterMode::Condition => self.matching(node, &list, Vec::new(), 0),
            FilterMode::Unknown => self.filter_by_first(node, &list),
        }
    }

    fn filter_refused(&mut self, found: &str) -> Result<Value, Fault> {
        Ok(self.refuse(WarningKind::InvalidType, || format!("Expected list but found {found}")))
    }

    /// A filter that may be a number: the value for the first item tells.
    fn filter_by_first(&mut self, node: &FilterNode, list: &List) -> Result<Value, Fault> {
        let Some(first) = list.first() else {
            self.set_local(node.slot, Value::Null);
            let value = self.quietly(|machine| machine.eval(&node.condition))?;
            let empty = || List::from(Vec::new()).into();
            return Ok(if let Value::Number(_) = value { Value::Null } else { empty() });
        };
        self.set_local(node.slot, first.clone());
        match self.eval(&node.condition)? {
            index @ Value::Number(_) => Ok(self.item_at(list, &index)),
            Value::Boolean(true) => self.matching(node, list, vec![first.clone()], 1),
            other if self.is_misplaced(&other) => Ok(Value::Null),
            _ => self.matching(node, list, Vec::new(), 1),
        }
    }

    /// True if the standard refuses a value as a condition: it is neither a boolean nor null.
    pub(super) fn is_misplaced(&mut self, condition: &Value) -> bool {
        let misplaced =
            self.dialect() == Dialect::Standard && !matches!(condition, Value::Boolean(_) | Value::Null);
        if misplaced {
            let found = condition.type_name();
            self.warn(WarningKind::InvalidType, || {
                format!("Expected a boolean condition, but found a {found}, so the result is null")
            });
        }
        misplaced
    }

    fn matching(
        &mut self,
        node: &FilterNode,
        list: &List,
        mut kept: Vec<Value>,
        from: usize,
    ) -> Result<Value, Fault> {
        let mut column = Column::of(node);
        for item in &list[from..] {
            if let Some(keeps) = column.as_mut().and_then(|column| column.keeps(item)) {
                self.charge_steps(Column::STEPS)?;
                if keeps {
                    kept.push(item.clone());
                }
                continue;
            }
            self.set_local(node.slot, item.clone());
            match self.eval(&node.condition)? {
                Value::Boolean(true) => kept.push(item.clone()),
                other if self.is_misplaced(&other) => return Ok(Value::Null),
                _ => {}
            }
        }
        self.set_local(node.slot, Value::Null);
        self.charge_value(List::from(kept).into())
    }

    /// Places count from 1, and from the end if negative.
    fn item_at(&mut self, list: &List, index: &Value) -> Value {
        let place = index.as_number().and_then(Number::to_i64);
        let found = match place {
            Some(place) if place > 0 => usize::try_from(place - 1).ok(),
            Some(place) if place < 0 => {
                usize::try_from(place.unsigned_abs()).ok().and_then(|back| list.len().checked_sub(back))
            }
            _ => None,
        };
        match found.and_then(|place| list.get(place)) {
            Some(value) => value.clone(),
            None => {
                self.refuse(WarningKind::Unknown, || format!("no item {index} in a list of {}", list.len()))
            }
        }
    }
}

fn no_entry(name: &str, context: &Context) -> String {
    let keys: Vec<String> = context.keys().take(KEYS_TOLD_MAX).map(|key| format!("'{key}'")).collect();
    let told = match keys.is_empty() {
        true => "The context is empty".to_owned(),
        false => format!("Available keys: {}", keys.join(", ")),
    };
    let hint = nearest(name, context.keys().map(Text::as_str));
    let hint = hint.map(|near| format!(". Did you mean '{near}'?")).unwrap_or_default();
    format!("No context entry found with key '{name}'. {told}{hint}")
}

fn no_property(name: &str, value: &Value) -> String {
    let known: &[&str] = match value {
        Value::Date(_) => &["year", "month", "day", "weekday"],
        Value::Time(_) => &["hour", "minute", "second", "time offset", "timezone"],
        Value::DateTime(_) => {
            &["year", "month", "day", "weekday", "hour", "minute", "second", "time offset", "timezone"]
        }
        Value::DaysDuration(_) => &["days", "hours", "minutes", "seconds"],
        Value::MonthsDuration(_) => &["years", "months"],
        Value::Range(_) => &["start", "end", "start included", "end included"],
        _ => &[],
    };
    let known: Vec<String> = known.iter().map(|name| format!("'{name}'")).collect();
    format!(
        "No property found with name '{name}' of value '{}'. Available properties: {}",
        shown(value),
        known.join(", ")
    )
}

/// A property of a range or a temporal value.
fn scalar_property(value: &Value, name: &str) -> Option<Value> {
    match value {
        Value::Range(range) => range_property(range, name),
        other => temporal::property(other, name),
    }
}

fn range_property(range: &Range, name: &str) -> Option<Value> {
    let end = |bound: &Bound| bound.value().cloned().unwrap_or_default();
    match name {
        "start" => Some(end(&range.start)),
        "end" => Some(end(&range.end)),
        "start included" => Some(range.start.is_closed().into()),
        "end included" => Some(range.end.is_closed().into()),
        _ => None,
    }
}
