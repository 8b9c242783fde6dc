//! Constants: operators on constants are evaluated once, at compile time.

use crate::environment::Environment;
use crate::evaluation::machine::Machine;
use crate::evaluation::program::ProgramNode;
use crate::expression::Dialect;
use crate::scope::EmptyScope;
use crate::syntax::ast::Comparison;

/// Larger values are made anew at each evaluation, so that they count against its budget.
const WEIGHT_MAX: u64 = 4096;

/// The constant that the node stands for, or the node. A node whose evaluation would warn is not folded.
pub(super) fn fold(node: ProgramNode, dialect: Dialect) -> ProgramNode {
    let constant = |node: &ProgramNode| matches!(node, ProgramNode::Constant(_));
    let mut frame_size = 0;
    let foldable = match &node {
        ProgramNode::List(items) => items.iter().all(constant),
        ProgramNode::Negate(operand) => constant(operand),
        ProgramNode::Arithmetic(first, rest) => {
            constant(first) && rest.iter().all(|(_, operand)| constant(operand))
        }
        ProgramNode::CompareConstant(_, sides) => constant(&sides.0),
        ProgramNode::Range(range) => constant(&range.start) && constant(&range.end),
        ProgramNode::Context(context) => {
            frame_size = context.slot + context.values.len() as u32;
            context.values.iter().all(constant)
        }
        _ => false,
    };
    if !foldable {
        return node;
    }
    let environment = Environment::at_millis(0);
    let mut machine = Machine::new(&environment, &EmptyScope, &[], dialect);
    machine.reserve(frame_size);
    match machine.eval(&node) {
        Ok(value) if machine.is_silent() && value.weight() <= WEIGHT_MAX => ProgramNode::Constant(value),
        _ => node,
    }
}

/// The operator with its sides exchanged.
pub(super) fn mirrored(operator: Comparison) -> Comparison {
    match operator {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        symmetric => symmetric,
    }
}
