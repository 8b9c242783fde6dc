//! The tree of an expression. Chains (`a + b + c`, `a.b[c].d`, `else if`) are flat, so that the height of a tree is
//! bounded by the nesting of its brackets.

use crate::number::Number;
use crate::value::Text;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Null,
    Boolean(bool),
    Number(Number),
    String(Text),
    /// `@"..."`.
    At(Text),
    Name(Text),
    /// `?`, the value under test.
    Input,
    List(Vec<Expr>),
    Context(Vec<(Text, Expr)>),
    Range(Box<RangeExpr>),
    /// `(< 5)` as a value: a range with one end.
    HalfRange(Comparison, Box<Expr>),
    Negate(Box<Expr>),
    /// One level of operators: only `+ -`, only `* /`, or only `**`, from the left.
    Arithmetic(Box<Expr>, Vec<(Arithmetic, Expr)>),
    Compare(Comparison, Box<Expr>, Box<Expr>),
    Between(Box<Expr>, Box<Expr>, Box<Expr>),
    In(Box<Expr>, Vec<Test>),
    InstanceOf(Box<Expr>, Type),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// Conditions with their results, then what `else` gives.
    If(Vec<(Expr, Expr)>, Box<Expr>),
    For(Vec<Iteration>, Box<Expr>),
    Quantified(Quantifier, Vec<Iteration>, Box<Expr>),
    Function(Vec<ParameterDefinition>, Box<Expr>),
    /// A function of another language; it is never called.
    ExternalFunction(Vec<ParameterDefinition>, Box<Expr>),
    /// A path, filter or call that follows an expression.
    Postfix(Box<Expr>, Vec<Postfix>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RangeExpr {
    pub(crate) start: Expr,
    pub(crate) start_closed: bool,
    pub(crate) end: Expr,
    pub(crate) end_closed: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Postfix {
    Path(Text),
    Filter(Expr),
    Call(Arguments),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Arguments {
    Positional(Vec<Expr>),
    Named(Vec<(Text, Expr)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    Some,
    Every,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Iteration {
    pub(crate) name: Text,
    pub(crate) domain: Domain,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Domain {
    Items(Expr),
    /// `a..b`, up or down.
    Span(Expr, Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ParameterDefinition {
    pub(crate) name: Text,
    pub(crate) kind: Option<Type>,
}

/// One of the tests that a value is put to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    /// `< 5`.
    Compare(Comparison, Expr),
    /// A value, list or range to be met, or a condition on `?`.
    Expression(Expr),
}

/// The tests of a decision table's cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tests {
    /// `-`.
    Any,
    One(Vec<Test>),
    /// `not(...)`.
    Not(Vec<Test>),
}

/// A type as `instance of` and parameters name it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Any,
    Null,
    Boolean,
    Number,
    String,
    Date,
    Time,
    DateTime,
    DaysDuration,
    MonthsDuration,
    List(Option<Box<Type>>),
    Context(Vec<(Text, Type)>),
    Range(Option<Box<Type>>),
    Function(Option<(Vec<Type>, Box<Type>)>),
    /// A type that a model declares; FEEL itself does not know it.
    Named(Text),
}
