//! Filters of the commonest kind: an entry of each item against a constant. They look at the items where they lie,
//! and find the entry at the same place as long as the items have the same keys. Of a list that is still JSON text,
//! only the items that are kept are read.

use super::operators::holds;
use crate::error::JsonError;
use crate::evaluation::machine::{Fault, Machine};
use crate::evaluation::program::{FilterNode, ProgramNode};
use crate::json::{Element, Elements};
use crate::syntax::ast::Comparison;
use crate::value::{Shape, Text, Value};

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
        let ProgramNode::CompareConstant(operator, sides) = &node.condition else { return None };
        let (ProgramNode::Member(member), constant) = &**sides else { return None };
        let own = member.items.first() == Some(&node.slot);
        own.then_some(Column { name: &member.name, operator: *operator, constant, seen: None })
    }

    /// True if the item is kept; none where the usual way has to find out.
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

    /// True if an element of a JSON array is kept; none where the usual way has to find out.
    #[inline]
    fn keeps_element(
        &self,
        elements: &mut Elements<'_>,
        element: &Element,
    ) -> Result<Option<bool>, JsonError> {
        if let Value::Number(constant) = self.constant
            && let Some(constant) = constant.small()
            && let Some(value) = elements.small_entry(element)
        {
            return Ok(Some(holds(self.operator, value.cmp(&constant))));
        }
        Ok(elements.entry(element)?.and_then(|entry| self.holds(&entry)))
    }

    /// True if the comparison holds for a value of the entry.
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
        let ProgramNode::Global(index) = node.base else { return Ok(None) };
        let Some(column) = Column::of(node) else { return Ok(None) };
        let Some(text) = self.unread_json(index)? else { return Ok(None) };
        let Some(mut elements) = Elements::of(text) else { return Ok(None) };
        // The usual way counts a step for the variable itself.
        self.charge_steps(1)?;
        loop {
            let element = elements.next(column.name).map_err(|error| self.bad_variable(index, error))?;
            let Some(element) = element else { break };
            let keeps = column.keeps_element(&mut elements, &element);
            let keeps = keeps.map_err(|error| self.bad_variable(index, error))?;
            if keeps.is_some() {
                self.charge_steps(Column::STEPS)?;
            }
            if keeps == Some(false) {
                continue;
            }
            elements.keep(&element).map_err(|error| self.bad_variable(index, error))?;
            if keeps.is_none() {
                let item = elements.last_kept().expect("it was just kept").clone();
                self.set_local(node.slot, item);
                match self.eval(&node.condition)? {
                    Value::Boolean(true) => {}
                    other if self.is_misplaced(&other) => return Ok(Some(Value::Null)),
                    _ => elements.drop_last(),
                }
            }
        }
        self.charge_read(elements.into_kept().into()).map(Some)
    }
}
