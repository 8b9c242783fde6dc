//! The form in which expressions are evaluated: names resolved to slots, paths fused, constants folded.

use crate::builtins::Builtin;
use crate::error::WarningKind;
use crate::syntax::ast::{Arithmetic, Comparison, Quantifier, Type};
use crate::value::{ShapeRef, Text, Value};
use std::sync::Arc;

/// A slot of the current frame.
pub(crate) type Slot = u32;

#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) root: ProgramNode,
    /// Names of the variables that are read; `ProgramNode::Global` is an index into them.
    pub(crate) globals: Vec<Text>,
    pub(crate) frame_size: u32,
    /// Levels of nodes, a measure of the stack that an evaluation takes.
    pub(crate) height: u32,
}

#[derive(Debug)]
pub(crate) enum ProgramNode {
    Constant(Value),
    Local(Slot),
    Global(u32),
    /// A name inside filters: an entry of an item, or what the name means outside.
    Member(Box<Member>),
    List(Box<[ProgramNode]>),
    Context(Box<ContextNode>),
    Range(Box<RangeNode>),
    HalfRange(Comparison, Box<ProgramNode>),
    Negate(Box<ProgramNode>),
    Arithmetic(Box<ProgramNode>, Box<[(Arithmetic, ProgramNode)]>),
    Compare(Comparison, Box<(ProgramNode, ProgramNode)>),
    /// A comparison whose right side is known.
    CompareConstant(Comparison, Box<(ProgramNode, Value)>),
    Between(Box<[ProgramNode; 3]>),
    In(Box<TestsNode>),
    InstanceOf(Box<ProgramNode>, Box<Type>),
    And(Box<[ProgramNode]>),
    Or(Box<[ProgramNode]>),
    If(Box<[(ProgramNode, ProgramNode)]>, Box<ProgramNode>),
    For(Box<ForNode>),
    Quantified(Quantifier, Box<QuantifiedNode>),
    Function(Box<FunctionNode>),
    Path(Box<ProgramNode>, Box<[Text]>),
    Filter(Box<FilterNode>),
    CallBuiltin(Box<BuiltinCall>),
    Call(Box<FunctionCall>),
    /// Null, for a reason known since compilation.
    Refused(WarningKind, Box<str>),
}

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: Text,
    /// Slots of the items that may have such an entry, the innermost first.
    pub(crate) items: Box<[Slot]>,
    pub(crate) outside: ProgramNode,
}

#[derive(Debug)]
pub(crate) struct ContextNode {
    /// Set if every key occurs once.
    pub(crate) shape: Option<ShapeRef>,
    pub(crate) keys: Box<[Text]>,
    pub(crate) values: Box<[ProgramNode]>,
    /// The first of the slots in which entries see those before them.
    pub(crate) slot: Slot,
}

#[derive(Debug)]
pub(crate) struct RangeNode {
    pub(crate) start: ProgramNode,
    pub(crate) start_closed: bool,
    pub(crate) end: ProgramNode,
    pub(crate) end_closed: bool,
}

#[derive(Debug)]
pub(crate) struct TestsNode {
    pub(crate) value: ProgramNode,
    /// Where the tests find the value as `?`.
    pub(crate) slot: Slot,
    pub(crate) tests: Box<[TestNode]>,
    pub(crate) negated: bool,
    /// A decision table's cell answers for every type; `in` gives null where nothing can be compared.
    pub(crate) is_cell: bool,
}

#[derive(Debug)]
pub(crate) enum TestNode {
    Compare(Comparison, ProgramNode),
    /// A value to be met, or, if it reads `?`, a condition.
    Value {
        node: ProgramNode,
        reads_input: bool,
    },
}

#[derive(Debug)]
pub(crate) struct IterationNode {
    pub(crate) slot: Slot,
    pub(crate) domain: DomainNode,
}

#[derive(Debug)]
pub(crate) enum DomainNode {
    Items(ProgramNode),
    Span(ProgramNode, ProgramNode),
}

#[derive(Debug)]
pub(crate) struct ForNode {
    pub(crate) iterations: Box<[IterationNode]>,
    /// Set if the body reads `partial`.
    pub(crate) partial: Option<Slot>,
    pub(crate) body: ProgramNode,
}

#[derive(Debug)]
pub(crate) struct QuantifiedNode {
    pub(crate) iterations: Box<[IterationNode]>,
    pub(crate) condition: ProgramNode,
}

#[derive(Debug)]
pub(crate) struct FilterNode {
    pub(crate) base: ProgramNode,
    pub(crate) condition: ProgramNode,
    pub(crate) slot: Slot,
    pub(crate) mode: FilterMode,
}

/// Facts about a filter that are known before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilterMode {
    /// The filter is a place in the list.
    Index,
    Condition,
    /// The first value decides.
    Unknown,
}

#[derive(Debug)]
pub(crate) struct BuiltinCall {
    pub(crate) builtin: &'static Builtin,
    pub(crate) signature: usize,
    /// In the order of the signature; none for what was not given.
    pub(crate) arguments: Box<[Option<ProgramNode>]>,
}

#[derive(Debug)]
pub(crate) struct FunctionCall {
    pub(crate) function: ProgramNode,
    pub(crate) name: Text,
    pub(crate) arguments: CallArguments,
}

#[derive(Debug)]
pub(crate) enum CallArguments {
    Positional(Box<[ProgramNode]>),
    Named(Box<[(Text, ProgramNode)]>),
}

/// A function definition: the code, and where the values come from that it takes along.
#[derive(Debug)]
pub(crate) struct FunctionNode {
    pub(crate) code: Arc<FunctionCode>,
    pub(crate) captures: Box<[ProgramNode]>,
}

/// A function that an expression defines. The frame holds the parameters, then the captured values, then itself
/// (so that it can call itself), then the locals of the body.
#[derive(Debug)]
pub(crate) struct FunctionCode {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: ProgramNode,
    /// Slots of the captured values.
    pub(crate) captured: Vec<Slot>,
    /// The slot of the function itself, if the body calls it by the name of its context entry.
    pub(crate) itself: Option<Slot>,
    pub(crate) frame_size: u32,
    pub(crate) height: u32,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Text,
    pub(crate) kind: Option<Type>,
}
