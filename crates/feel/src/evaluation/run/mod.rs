//! The evaluation itself. Each kind of node has its own function, so that the frame of `eval`, which recurses,
//! stays small.

mod access;
mod call;
mod column;
mod iterate;
mod operators;
mod tests;
mod types;

pub(super) use call::{no_function, no_named_function};
pub(crate) use types::conforms;

use super::machine::{Fault, Machine};
use super::program::{ContextNode, FunctionNode, ProgramNode};
use crate::error::WarningKind;
use crate::expression::Dialect;
use crate::value::{Context, ContextBuilder, Function, List, UserFunction, Value, shown};
use std::sync::Arc;

impl Machine<'_> {
    pub(crate) fn eval(&mut self, node: &ProgramNode) -> Result<Value, Fault> {
        self.charge_steps(1)?;
        match node {
            ProgramNode::Constant(value) => Ok(value.clone()),
            ProgramNode::Local(slot) => Ok(self.local(*slot).clone()),
            ProgramNode::Global(index) => self.global(*index),
            ProgramNode::Member(member) => self.member(member),
            ProgramNode::CompareConstant(operator, sides) => self.compare_constant(*operator, sides),
            ProgramNode::Compare(operator, sides) => self.compare_nodes(*operator, sides),
            ProgramNode::And(operands) => self.conjunction(operands),
            ProgramNode::Or(operands) => self.disjunction(operands),
            ProgramNode::Path(base, names) => self.path(base, names),
            ProgramNode::Filter(filter) => self.filter(filter),
            ProgramNode::Arithmetic(first, rest) => self.arithmetic(first, rest),
            ProgramNode::Negate(operand) => self.negate(operand),
            ProgramNode::If(branches, otherwise) => self.conditional(branches, otherwise),
            ProgramNode::CallBuiltin(call) => self.call_builtin(call),
            ProgramNode::Call(call) => self.call_value(call),
            ProgramNode::List(items) => self.list(items),
            ProgramNode::Context(context) => self.context(context),
            ProgramNode::Range(range) => self.range(range),
            ProgramNode::HalfRange(operator, end) => self.half_range(*operator, end),
            ProgramNode::Between(operands) => self.between(operands),
            ProgramNode::In(tests) => self.in_tests(tests),
            ProgramNode::InstanceOf(value, kind) => self.instance_of(value, kind),
            ProgramNode::For(node) => self.iteration(node),
            ProgramNode::Quantified(quantifier, node) => self.quantified(*quantifier, node),
            ProgramNode::Function(function) => self.function(function),
            ProgramNode::Refused(kind, reason) => Ok(self.refuse(*kind, || reason.to_string())),
        }
    }

    fn list(&mut self, nodes: &[ProgramNode]) -> Result<Value, Fault> {
        let mut items = Vec::with_capacity(nodes.len());
        for node in nodes {
            items.push(self.eval(node)?);
        }
        self.charge_value(List::from(items).into())
    }

    fn context(&mut self, node: &ContextNode) -> Result<Value, Fault> {
        let mut values = Vec::with_capacity(node.values.len());
        for (index, value) in node.values.iter().enumerate() {
            let value = self.eval(value)?;
            self.set_local(node.slot + index as u32, value.clone());
            values.push(value);
        }
        let context = match &node.shape {
            Some(shape) => Context::with_shape(shape.clone(), values.into_iter()),
            None if self.dialect() == Dialect::Standard => {
                return Ok(self.refuse(WarningKind::Unknown, || {
                    "A key occurs twice, so the context is null".to_string()
                }));
            }
            None => {
                let mut builder = ContextBuilder::default();
                for (key, value) in node.keys.iter().zip(values) {
                    builder.put(key.clone(), value);
                }
                builder.build()
            }
        };
        self.charge_value(context.into())
    }

    fn conditional(
        &mut self,
        branches: &[(ProgramNode, ProgramNode)],
        otherwise: &ProgramNode,
    ) -> Result<Value, Fault> {
        for (condition, result) in branches {
            match self.eval(condition)? {
                Value::Boolean(true) => return self.eval(result),
                Value::Boolean(false) => {}
                other => self.warn(WarningKind::InvalidType, || {
                    format!("Expected boolean but found '{}'", shown(&other))
                }),
            }
        }
        self.eval(otherwise)
    }

    /// A function takes along what it reads from outside. A variable that is missing shows when it is used.
    fn function(&mut self, node: &FunctionNode) -> Result<Value, Fault> {
        let mut captured = Vec::with_capacity(node.captures.len());
        for capture in &node.captures {
            captured.push(self.quietly(|machine| machine.eval(capture))?);
        }
        let function = UserFunction::new(node.code.clone(), captured);
        self.charge_value(Function::User(Arc::new(function)).into())
    }
}
