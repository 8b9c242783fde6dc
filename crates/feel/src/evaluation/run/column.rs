//! Filters of the commonest kind: an entry of each item against a constant. They look at the items where they lie,
//! and find the entry at the same place as long as the items have the same keys. Of a list that is still JSON text,
//! only the items that are kept are read.

use super::operators::holds;
use crate::evaluation::machine::{Fault, Machine};
use crate::evaluation::program::{FilterNode, Node};
use crate::json::Elements;
use crate::syntax::ast::Comparison;
use crate::value::{List, Shape, Text, Value};

pub(super) struct Column<'n> {
    name: &'n Text,
    operator: Comparison,
    constant: &'n Value,
    /// The keys last seen, and the place of the entry among them.
    seen: Option<(*const Shape, usize)>,
}

impl<'n> Column<'n> {
    /// Steps that the usual way counts for one item.
    pub(super) const STEPS: u64 = 2;

    pub(super) fn of(node: &'n FilterNode) -> Option<Column<'n>> {
        let Node::CompareConstant(operator, sides) = &node.condition else { return None };
        let (Node::Member(member), constant) = &**sides else { return None };
        let own = member.items.first() == Some(&node.slot);
        own.then_some(Column { name: &member.name, operator: *operator, constant, seen: None })
    }

    /// Whether the item is kept; none where the usual way has to find out.
    #[inline]
    pub(super) fn keeps(&mut self, item: &Value) -> Option<bool> {
        let Value::Context(context) = item else { return None };
        let shape = std::sync::Arc::as_ptr(context.shape());
        let place = match self.seen {
            // The items, and with them their shapes, live as long as the list: an address tells a shape.
            Some((seen, place)) if std::ptr::eq(seen, shape) => place,
            _ => {
                let place = context.shape().position(self.name)?;
                self.seen = Some((shape, place));
                place
            }
        };
        self.holds(context.value_at(place)?)
    }

    /// Whether the comparison holds for a value of the entry.
    #[inline]
    fn holds(&self, value: &Value) -> Option<bool> {
        match (value, self.constant) {
            (Value::Number(value), Value::Number(constant)) => {
                Some(holds(self.operator, value.cmp(constant)))
            }
            (Value::String(value), Value::String(constant)) => match self.operator {
                Comparison::Equal => Some(value == constant),
                Comparison::Unequal => Some(value != constant),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Machine<'_> {
    /// The result of such a filter over a variable that is a JSON array and was not read before; none if it is not.
    pub(super) fn filter_json(&mut self, node: &FilterNode) -> Result<Option<Value>, Fault> {
        let Node::Global(index) = node.base else { return Ok(None) };
        let Some(column) = Column::of(node) else { return Ok(None) };
        let Some(text) = self.unread_json(index)? else { return Ok(None) };
        let Some(mut elements) = Elements::of(text) else { return Ok(None) };
        let fault = |machine: &Self, error| machine.bad_variable(index, error);
        let mut kept = Vec::new();
        while let Some(element) = elements.next(column.name).map_err(|error| fault(self, error))? {
            let entry = elements.entry(&element).map_err(|error| fault(self, error))?;
            let mut read = || elements.value(&element);
            match entry.and_then(|entry| column.holds(&entry)) {
                Some(true) => {
                    self.charge_steps(Column::STEPS)?;
                    kept.push(read().map_err(|error| fault(self, error))?);
                }
                Some(false) => self.charge_steps(Column::STEPS)?,
                None => {
                    let item = read().map_err(|error| fault(self, error))?;
                    self.set_local(node.slot, item.clone());
                    match self.eval(&node.condition)? {
                        Value::Boolean(true) => kept.push(item),
                        other if self.is_misplaced(&other) => return Ok(Some(Value::Null)),
                        _ => {}
                    }
                }
            }
        }
        self.charge_value(List::from(kept).into()).map(Some)
    }
}
