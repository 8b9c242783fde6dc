//! Arithmetic, comparison and logic.

use crate::error::WarningKind;
use crate::evaluation::machine::{Fault, Machine};
use crate::evaluation::program::{ProgramNode, RangeNode};
use crate::expression::Dialect;
use crate::number::Number;
use crate::syntax::ast::{Arithmetic, Comparison};
use crate::temporal::{self, Operator};
use crate::value::{Bound, Range, Relation, Text, Value, shown};
use std::cmp::Ordering;

impl Machine<'_> {
    pub(super) fn arithmetic(
        &mut self,
        first: &ProgramNode,
        rest: &[(Arithmetic, ProgramNode)],
    ) -> Result<Value, Fault> {
        let mut left = self.eval(first)?;
        for (operator, operand) in rest {
            let right = self.eval(operand)?;
            left = match (&left, &right) {
                (Value::Number(left), Value::Number(right)) => self.on_numbers(*operator, *left, *right),
                (Value::String(left), Value::String(right)) if *operator == Arithmetic::Add => {
                    self.joined(left, right)?
                }
                _ => self.on_others(*operator, left, right),
            };
        }
        Ok(left)
    }

    fn on_numbers(&mut self, operator: Arithmetic, left: Number, right: Number) -> Value {
        let result = match operator {
            Arithmetic::Add => left.checked_add(right),
            Arithmetic::Subtract => left.checked_sub(right),
            Arithmetic::Multiply => left.checked_mul(right),
            Arithmetic::Divide => left.checked_div(right),
            Arithmetic::Power => left.power(right),
        };
        match result {
            Some(number) => Value::Number(number),
            None if operator == Arithmetic::Divide && right.is_zero() => {
                self.undefined(operator, &Value::Number(left), &Value::Number(right))
            }
            None => self.refuse(WarningKind::InvalidType, || {
                format!("'{left} {} {right}' has no result in range, so it is null", symbol(operator))
            }),
        }
    }

    fn joined(&mut self, left: &Text, right: &Text) -> Result<Value, Fault> {
        self.charge_bytes((left.len() + right.len()) as u64)?;
        Ok(Value::String([left.as_str(), right.as_str()].concat().into()))
    }

    fn on_others(&mut self, operator: Arithmetic, left: Value, right: Value) -> Value {
        let temporal = match operator {
            Arithmetic::Add => temporal::arithmetic(Operator::Add, &left, &right),
            Arithmetic::Subtract => temporal::arithmetic(Operator::Subtract, &left, &right),
            Arithmetic::Multiply => temporal::arithmetic(Operator::Multiply, &left, &right),
            Arithmetic::Divide => temporal::arithmetic(Operator::Divide, &left, &right),
            Arithmetic::Power => None,
        };
        temporal.unwrap_or_else(|| self.undefined(operator, &left, &right))
    }

    #[cold]
    fn undefined(&mut self, operator: Arithmetic, left: &Value, right: &Value) -> Value {
        self.refuse(WarningKind::InvalidType, || {
            let (shown_left, shown_right) = (shown(left), shown(right));
            match operator {
                Arithmetic::Add => format!("Can't add '{shown_right}' to '{shown_left}'"),
                Arithmetic::Subtract => format!("Can't subtract '{shown_right}' from '{shown_left}'"),
                Arithmetic::Multiply => format!("Can't multiply '{shown_left}' by '{shown_right}'"),
                Arithmetic::Divide => format!("Can't divide '{shown_left}' by '{shown_right}'"),
                Arithmetic::Power if left.as_number().is_none() => {
                    format!("Expected number but found '{shown_left}'")
                }
                Arithmetic::Power => format!("Expected number but found '{shown_right}'"),
            }
        })
    }

    /// In the standard, a list of one item stands for its item where no list is expected.
    pub(super) fn unwrapped(&self, value: Value) -> Value {
        match &value {
            Value::List(list) if list.len() == 1 && self.dialect() == Dialect::Standard => list[0].clone(),
            _ => value,
        }
    }

    pub(super) fn negate(&mut self, operand: &ProgramNode) -> Result<Value, Fault> {
        Ok(match self.eval(operand)? {
            Value::Number(number) => Value::Number(number.negate()),
            other => temporal::negate(&other).unwrap_or_else(|| {
                self.refuse(WarningKind::InvalidType, || {
                    format!("Expected number but found '{}'", shown(&other))
                })
            }),
        })
    }

    pub(super) fn compare_constant(
        &mut self,
        operator: Comparison,
        (node, constant): &(ProgramNode, Value),
    ) -> Result<Value, Fault> {
        let value = self.eval(node)?;
        match (&value, constant) {
            (Value::Number(left), Value::Number(right)) => Ok(holds(operator, left.cmp(right)).into()),
            (Value::String(left), Value::String(right)) if operator == Comparison::Equal => {
                Ok((left == right).into())
            }
            _ => self.compare(operator, &value, constant),
        }
    }

    pub(super) fn compare_nodes(
        &mut self,
        operator: Comparison,
        (left, right): &(ProgramNode, ProgramNode),
    ) -> Result<Value, Fault> {
        let left = self.eval(left)?;
        let right = self.eval(right)?;
        self.compare(operator, &left, &right)
    }

    pub(super) fn compare(
        &mut self,
        operator: Comparison,
        left: &Value,
        right: &Value,
    ) -> Result<Value, Fault> {
        let result = match operator {
            Comparison::Equal => self.equal(left, right)?,
            Comparison::Unequal => self.equal(left, right)?.map(|equal| !equal),
            _ => Relation::order(left, right).map(|order| holds(operator, order)),
        };
        Ok(match result {
            Some(result) => Value::Boolean(result),
            None => self.refuse(WarningKind::NotComparable, || {
                format!("Can't compare '{}' with '{}'", shown(left), shown(right))
            }),
        })
    }

    /// Equality, paid for by what is looked at.
    pub(super) fn equal(&mut self, left: &Value, right: &Value) -> Result<Option<bool>, Fault> {
        if matches!(left, Value::List(_) | Value::Context(_)) {
            self.charge_steps(left.weight().min(right.weight()) / 64)?;
        }
        Ok(Relation::equal(left, right).or_else(|| {
            let unwrapped = |value: &Value| self.unwrapped(value.clone());
            let mixed = matches!(left, Value::List(_)) != matches!(right, Value::List(_));
            if mixed { Relation::equal(&unwrapped(left), &unwrapped(right)) } else { None }
        }))
    }

    pub(super) fn conjunction(&mut self, operands: &[ProgramNode]) -> Result<Value, Fault> {
        let mut result = Value::Boolean(true);
        for operand in operands {
            match self.eval(operand)? {
                Value::Boolean(true) => {}
                Value::Boolean(false) => return Ok(Value::Boolean(false)),
                other => {
                    self.expect_boolean(&other);
                    result = Value::Null;
                }
            }
        }
        Ok(result)
    }

    pub(super) fn disjunction(&mut self, operands: &[ProgramNode]) -> Result<Value, Fault> {
        let mut result = Value::Boolean(false);
        for operand in operands {
            match self.eval(operand)? {
                Value::Boolean(false) => {}
                Value::Boolean(true) => return Ok(Value::Boolean(true)),
                other => {
                    self.expect_boolean(&other);
                    result = Value::Null;
                }
            }
        }
        Ok(result)
    }

    /// Warns of an operand that is neither a boolean nor null.
    #[cold]
    fn expect_boolean(&mut self, found: &Value) {
        if !matches!(found, Value::Null) {
            self.warn(WarningKind::InvalidType, || format!("Expected boolean but found '{}'", shown(found)));
        }
    }

    pub(super) fn between(&mut self, [value, low, high]: &[ProgramNode; 3]) -> Result<Value, Fault> {
        let value = self.eval(value)?;
        let low = self.eval(low)?;
        let high = self.eval(high)?;
        let above = self.compare(Comparison::GreaterOrEqual, &value, &low)?.as_bool();
        let below = self.compare(Comparison::LessOrEqual, &value, &high)?.as_bool();
        Ok(match (above, below) {
            (Some(false), _) | (_, Some(false)) => Value::Boolean(false),
            (Some(true), Some(true)) => Value::Boolean(true),
            _ => Value::Null,
        })
    }

    pub(super) fn range(&mut self, node: &RangeNode) -> Result<Value, Fault> {
        let start = self.eval(&node.start)?;
        let end = self.eval(&node.end)?;
        let comparable = match (&start, &end) {
            (Value::Null, other) | (other, Value::Null) => has_order(other),
            (start, end) => Relation::order(start, end).is_some(),
        };
        if !comparable {
            return Ok(self.refuse(WarningKind::InvalidType, || {
                format!("Invalid range definition '{}..{}'", shown(&start), shown(&end))
            }));
        }
        // A null stays an end: nothing can be compared with it, unlike with an end that is missing.
        let bound = |value, closed| if closed { Bound::Closed(value) } else { Bound::Open(value) };
        Ok(Range { start: bound(start, node.start_closed), end: bound(end, node.end_closed) }.into())
    }

    pub(super) fn half_range(&mut self, operator: Comparison, end: &ProgramNode) -> Result<Value, Fault> {
        let end = self.eval(end)?;
        if !has_order(&end) && operator != Comparison::Equal {
            return Ok(self
                .refuse(WarningKind::InvalidType, || format!("Invalid range definition '{}'", shown(&end))));
        }
        let (start, end) = match operator {
            Comparison::Less => (Bound::Unbounded, Bound::Open(end)),
            Comparison::LessOrEqual => (Bound::Unbounded, Bound::Closed(end)),
            Comparison::Greater => (Bound::Open(end), Bound::Unbounded),
            Comparison::GreaterOrEqual => (Bound::Closed(end), Bound::Unbounded),
            Comparison::Equal => (Bound::Closed(end.clone()), Bound::Closed(end)),
            Comparison::Unequal => {
                return Ok(
                    self.refuse(WarningKind::InvalidType, || "Invalid range definition '!='".to_string())
                );
            }
        };
        // The end of `(= x)` may be anything, also a collection.
        self.charge_value(Range { start, end }.into())
    }
}

fn has_order(value: &Value) -> bool {
    Relation::order(value, value).is_some()
}

#[inline]
pub(super) fn holds(operator: Comparison, order: Ordering) -> bool {
    match operator {
        Comparison::Equal => order == Ordering::Equal,
        Comparison::Unequal => order != Ordering::Equal,
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order != Ordering::Greater,
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterOrEqual => order != Ordering::Less,
    }
}

fn symbol(operator: Arithmetic) -> &'static str {
    match operator {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Power => "**",
    }
}
