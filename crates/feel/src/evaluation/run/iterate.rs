//! `for`, `some` and `every`, over lists and over spans of numbers or dates.

use crate::error::WarningKind;
use crate::evaluation::machine::{Fault, Machine};
use crate::evaluation::program::{DomainNode, ForNode, IterationNode, ProgramNode, QuantifiedNode};
use crate::expression::Dialect;
use crate::number::Number;
use crate::syntax::ast::Quantifier;
use crate::temporal::Date;
use crate::value::{Bound, List, Range, Value};

/// The items that an iteration goes over.
enum Items {
    List(List),
    Numbers {
        from: i64,
        to: i64,
    },
    /// Days since 1970.
    Days {
        from: i64,
        to: i64,
    },
}

impl Items {
    fn len(&self) -> u64 {
        match self {
            Items::List(list) => list.len() as u64,
            Items::Numbers { from, to } | Items::Days { from, to } => from.abs_diff(*to).saturating_add(1),
        }
    }

    fn get(&self, index: u64) -> Value {
        let step = |from: i64, to: i64| {
            if to >= from { from.wrapping_add(index as i64) } else { from.wrapping_sub(index as i64) }
        };
        match self {
            Items::List(list) => list[index as usize].clone(),
            Items::Numbers { from, to } => Number::integer(step(*from, *to)).into(),
            Items::Days { from, to } => Date::from_epoch_days(step(*from, *to)).into(),
        }
    }
}

/// Tells whether an iteration goes on.
type Flow = std::ops::ControlFlow<()>;

impl Machine<'_> {
    pub(super) fn iteration(&mut self, node: &ForNode) -> Result<Value, Fault> {
        let mut results = Vec::new();
        let complete = self.each(&node.iterations, &mut |machine| {
            if let Some(slot) = node.partial {
                let partial = machine.charge_value(List::from(results.clone()).into())?;
                machine.set_local(slot, partial);
            }
            machine.charge_bytes(size_of::<Value>() as u64)?;
            results.push(machine.eval(&node.body)?);
            Ok(Flow::Continue(()))
        })?;
        match complete {
            Some(_) => self.charge_value(List::from(results).into()),
            None => Ok(Value::Null),
        }
    }

    pub(super) fn quantified(
        &mut self,
        quantifier: Quantifier,
        node: &QuantifiedNode,
    ) -> Result<Value, Fault> {
        let decisive = quantifier == Quantifier::Some;
        let mut result = Some(!decisive);
        let complete = self.each(&node.iterations, &mut |machine| {
            match machine.eval(&node.condition)? {
                Value::Boolean(holds) if holds == decisive => {
                    result = Some(decisive);
                    return Ok(Flow::Break(()));
                }
                Value::Boolean(_) => {}
                other => {
                    result = None;
                    if machine.is_misplaced(&other) {
                        return Ok(Flow::Break(()));
                    }
                }
            }
            Ok(Flow::Continue(()))
        })?;
        Ok(complete.map_or(Value::Null, |_| result.into()))
    }

    /// Runs the body for every combination, the last variable fastest. None if a domain is nothing to go over.
    fn each(
        &mut self,
        iterations: &[IterationNode],
        body: &mut dyn FnMut(&mut Self) -> Result<Flow, Fault>,
    ) -> Result<Option<Flow>, Fault> {
        let Some((first, rest)) = iterations.split_first() else { return body(self).map(Some) };
        let Some(items) = self.items(&first.domain)? else { return Ok(None) };
        for index in 0..items.len() {
            self.charge_steps(1)?;
            self.set_local(first.slot, items.get(index));
            match self.each(rest, body)? {
                Some(Flow::Continue(())) => {}
                ended => return Ok(ended),
            }
        }
        Ok(Some(Flow::Continue(())))
    }

    fn items(&mut self, domain: &DomainNode) -> Result<Option<Items>, Fault> {
        let items = match domain {
            DomainNode::Items(node) => collection(self.eval(node)?, self.dialect()),
            DomainNode::Span(from, to) => self.span(from, to)?,
        };
        if items.is_none() {
            self.warn(WarningKind::InvalidType, || {
                "Expected a list or a span of whole numbers to go over, so the result is null".to_string()
            });
        }
        Ok(items)
    }

    fn span(&mut self, from: &ProgramNode, to: &ProgramNode) -> Result<Option<Items>, Fault> {
        let from = self.eval(from)?;
        let to = self.eval(to)?;
        Ok(between(&from, &to))
    }
}

fn between(from: &Value, to: &Value) -> Option<Items> {
    match (from, to) {
        (Value::Number(from), Value::Number(to)) => {
            Some(Items::Numbers { from: from.to_i64()?, to: to.to_i64()? })
        }
        (Value::Date(from), Value::Date(to)) => {
            Some(Items::Days { from: from.epoch_days(), to: to.epoch_days() })
        }
        _ => None,
    }
}

fn collection(value: Value, dialect: Dialect) -> Option<Items> {
    match value {
        Value::List(list) => Some(Items::List(list)),
        Value::Range(range) => range_items(&range),
        Value::Null => None,
        single if dialect == Dialect::Standard => Some(Items::List(List::from(vec![single]))),
        _ => None,
    }
}

/// A range goes over its whole numbers or days, without the ends that it leaves out.
fn range_items(range: &Range) -> Option<Items> {
    let (start, end) = (range.start.value()?, range.end.value()?);
    let inner = |from: i64, to: i64| {
        let up = from <= to;
        let inward = |end: i64, up: bool| if up { end.checked_add(1) } else { end.checked_sub(1) };
        let from = if matches!(range.start, Bound::Open(_)) { inward(from, up)? } else { from };
        let to = if matches!(range.end, Bound::Open(_)) { inward(to, !up)? } else { to };
        let any = if up { from <= to } else { from >= to };
        any.then_some((from, to))
    };
    match between(start, end)? {
        Items::Numbers { from, to } => Some(match inner(from, to) {
            Some((from, to)) => Items::Numbers { from, to },
            None => Items::List(List::from(Vec::new())),
        }),
        Items::Days { from, to } => Some(match inner(from, to) {
            Some((from, to)) => Items::Days { from, to },
            None => Items::List(List::from(Vec::new())),
        }),
        other => Some(other),
    }
}
