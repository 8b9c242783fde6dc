//! From tree to program.

mod calls;
mod fold;
mod names;
mod types;

use super::machine::HEIGHT_MAX;
use super::program::{
    ContextNode, DomainNode, FilterMode, FilterNode, ForNode, FunctionCode, FunctionNode, IterationNode,
    Parameter, Program, ProgramNode, QuantifiedNode, RangeNode, TestNode, TestsNode,
};
use crate::error::WarningKind;
use crate::expression::{CompileOptions, Dialect, VariableRef};
use crate::syntax::ast::{
    Arithmetic, Comparison, Domain, Expr, Iteration, ParameterDefinition, Postfix, Quantifier, RangeExpr,
    Test, Tests,
};
use crate::temporal;
use crate::value::{Shape, Text, Value};
use names::{INPUT, Names};
use std::cell::Cell;
use std::sync::Arc;

/// A program, and the variables that it reads; none if its parts nest too deep.
pub(crate) type Compiled = Option<(Program, Vec<VariableRef>)>;

pub(crate) fn compile_expression(expression: &Expr, options: &CompileOptions) -> Compiled {
    compile(options, |compiler| compiler.node(expression))
}

/// A program that finds the input of the tests in slot 0.
pub(crate) fn compile_tests(tests: &Tests, options: &CompileOptions) -> Compiled {
    compile(options, |compiler| compiler.cell(tests))
}

fn compile(options: &CompileOptions, root: impl FnOnce(&mut Compiler<'_>) -> ProgramNode) -> Compiled {
    let mut compiler = Compiler {
        names: Names::default(),
        dialect: options.dialect,
        options,
        types_left: Cell::new(types::SPELLED_OUT_MAX),
        height: 0,
        height_max: 0,
    };
    compiler.names.enter_frame();
    let root = root(&mut compiler);
    let frame = compiler.names.leave_frame();
    let Names { globals, uses, .. } = compiler.names;
    let program = Program { root, globals, frame_size: frame.size, height: compiler.height_max };
    (program.height <= HEIGHT_MAX).then_some((program, uses))
}

struct Compiler<'a> {
    names: Names,
    dialect: Dialect,
    options: &'a CompileOptions,
    /// How many declared types may still be spelled out.
    types_left: Cell<u32>,
    height: u32,
    height_max: u32,
}

impl Compiler<'_> {
    fn node(&mut self, expression: &Expr) -> ProgramNode {
        let node = self.lower(1, |compiler| compiler.bare_node(expression));
        fold::fold(node, self.dialect)
    }

    /// Compiles something that is evaluated so many levels further down. Below the limit nothing is compiled any
    /// more, and the program as a whole is refused.
    fn lower(&mut self, levels: usize, part: impl FnOnce(&mut Self) -> ProgramNode) -> ProgramNode {
        let levels = u32::try_from(levels).unwrap_or(HEIGHT_MAX).min(HEIGHT_MAX);
        self.height += levels;
        self.height_max = self.height_max.max(self.height);
        let node = if self.height > HEIGHT_MAX { ProgramNode::Constant(Value::Null) } else { part(self) };
        self.height -= levels;
        node
    }

    fn nodes(&mut self, expressions: &[Expr]) -> Box<[ProgramNode]> {
        expressions.iter().map(|expression| self.node(expression)).collect()
    }

    fn bare_node(&mut self, expression: &Expr) -> ProgramNode {
        match expression {
            Expr::Null => ProgramNode::Constant(Value::Null),
            Expr::Boolean(value) => ProgramNode::Constant(Value::Boolean(*value)),
            Expr::Number(number) => ProgramNode::Constant(Value::Number(*number)),
            Expr::String(text) => ProgramNode::Constant(Value::String(text.clone())),
            Expr::At(text) => at_literal(text),
            Expr::Name(name) => self.name(name, None),
            Expr::Input => self.names.resolve(&Text::new_static(INPUT), None),
            Expr::List(items) => ProgramNode::List(self.nodes(items)),
            Expr::Context(entries) => self.context(entries),
            Expr::Range(range) => self.range(range),
            Expr::HalfRange(operator, end) => ProgramNode::HalfRange(*operator, self.node(end).into()),
            Expr::Negate(operand) => ProgramNode::Negate(self.node(operand).into()),
            Expr::Arithmetic(first, rest) => self.arithmetic(first, rest),
            Expr::Compare(operator, left, right) => self.comparison(*operator, left, right),
            Expr::Between(value, low, high) => {
                ProgramNode::Between([self.node(value), self.node(low), self.node(high)].into())
            }
            Expr::In(value, tests) => self.in_tests(value, tests),
            Expr::InstanceOf(value, kind) => {
                ProgramNode::InstanceOf(self.node(value).into(), self.resolved(kind).into())
            }
            Expr::And(operands) => ProgramNode::And(self.nodes(operands)),
            Expr::Or(operands) => ProgramNode::Or(self.nodes(operands)),
            Expr::If(branches, otherwise) => {
                let branches = branches
                    .iter()
                    .map(|(condition, result)| (self.node(condition), self.node(result)))
                    .collect();
                ProgramNode::If(branches, self.node(otherwise).into())
            }
            Expr::For(iterations, body) => {
                self.lower(iterations.len(), |compiler| compiler.iteration(iterations, body))
            }
            Expr::Quantified(quantifier, iterations, condition) => self
                .lower(iterations.len(), |compiler| compiler.quantified(*quantifier, iterations, condition)),
            Expr::Function(parameters, body) => self.function(parameters, body, None),
            Expr::ExternalFunction(..) => ProgramNode::Refused(
                WarningKind::Unknown,
                "Functions of other languages are not run, so the result is null".into(),
            ),
            Expr::Postfix(base, chain) => {
                // Each filter and call of the chain is evaluated below the next one.
                let levels = chain.iter().filter(|part| !matches!(part, Postfix::Path(_))).count();
                self.lower(levels, |compiler| compiler.postfix(base, chain))
            }
        }
    }

    fn name(&mut self, name: &Text, segment: Option<&Text>) -> ProgramNode {
        self.names.resolve(name, segment)
    }

    fn arithmetic(&mut self, first: &Expr, rest: &[(Arithmetic, Expr)]) -> ProgramNode {
        let first = self.node(first);
        let rest = rest.iter().map(|(operator, operand)| (*operator, self.node(operand))).collect();
        ProgramNode::Arithmetic(first.into(), rest)
    }

    fn comparison(&mut self, operator: Comparison, left: &Expr, right: &Expr) -> ProgramNode {
        match (self.node(left), self.node(right)) {
            (left, ProgramNode::Constant(value)) => {
                ProgramNode::CompareConstant(operator, (left, value).into())
            }
            (ProgramNode::Constant(value), right) => {
                ProgramNode::CompareConstant(fold::mirrored(operator), (right, value).into())
            }
            sides => ProgramNode::Compare(operator, sides.into()),
        }
    }

    fn range(&mut self, range: &RangeExpr) -> ProgramNode {
        let RangeExpr { start, start_closed, end, end_closed } = range;
        let (start, end) = (self.node(start), self.node(end));
        ProgramNode::Range(
            RangeNode { start, start_closed: *start_closed, end, end_closed: *end_closed }.into(),
        )
    }

    /// Entries see those before them; a function also sees itself.
    fn context(&mut self, entries: &[(Text, Expr)]) -> ProgramNode {
        let mark = self.names.mark();
        let slots: Vec<_> = entries.iter().map(|_| self.names.new_slot()).collect();
        self.names.open_names();
        let mut values = Vec::with_capacity(entries.len());
        for ((key, value), slot) in entries.iter().zip(&slots) {
            values.push(match value {
                Expr::Function(parameters, body) => self.function(parameters, body, Some(key)),
                other => self.node(other),
            });
            self.names.declare(key.clone(), *slot);
        }
        self.names.close();
        self.names.release(mark);
        let keys: Box<[Text]> = entries.iter().map(|(key, _)| key.clone()).collect();
        let mut sorted: Vec<&Text> = keys.iter().collect();
        sorted.sort_unstable();
        let unique = sorted.windows(2).all(|pair| pair[0] != pair[1]);
        let shape = unique.then(|| Shape::new(keys.to_vec()));
        let slot = slots.first().copied().unwrap_or(0);
        ProgramNode::Context(ContextNode { shape, keys, values: values.into(), slot }.into())
    }

    fn in_tests(&mut self, value: &Expr, tests: &[Test]) -> ProgramNode {
        let value = self.node(value);
        let mark = self.names.mark();
        let slot = self.names.new_slot();
        let tests = self.tests(tests, slot);
        self.names.release(mark);
        ProgramNode::In(TestsNode { value, slot, tests, negated: false, is_cell: false }.into())
    }

    fn cell(&mut self, tests: &Tests) -> ProgramNode {
        let slot = self.names.new_slot();
        let (tests, negated) = match tests {
            Tests::Any => return ProgramNode::Constant(Value::Boolean(true)),
            Tests::One(tests) => (tests, false),
            Tests::Not(tests) => (tests, true),
        };
        let tests = self.tests(tests, slot);
        ProgramNode::In(
            TestsNode { value: ProgramNode::Local(slot), slot, tests, negated, is_cell: true }.into(),
        )
    }

    fn tests(&mut self, tests: &[Test], slot: u32) -> Box<[TestNode]> {
        self.names.open_names();
        self.names.declare(Text::new_static(INPUT), slot);
        let tests = tests.iter().map(|test| self.test(test)).collect();
        self.names.close();
        tests
    }

    fn test(&mut self, test: &Test) -> TestNode {
        match test {
            Test::Compare(operator, end) => TestNode::Compare(*operator, self.node(end)),
            Test::Expression(expression) => {
                let reads = self.names.input_reads;
                let node = self.node(expression);
                TestNode::Value { node, reads_input: self.names.input_reads > reads }
            }
        }
    }

    fn iteration(&mut self, iterations: &[Iteration], body: &Expr) -> ProgramNode {
        let mark = self.names.mark();
        let partial = self.names.new_slot();
        let iterations = self.iterations(iterations);
        self.names.open_partial(partial);
        let body = self.node(body);
        let reads_partial = self.names.close();
        self.end_iterations(&iterations, mark);
        ProgramNode::For(ForNode { iterations, partial: reads_partial.then_some(partial), body }.into())
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        iterations: &[Iteration],
        condition: &Expr,
    ) -> ProgramNode {
        let mark = self.names.mark();
        let iterations = self.iterations(iterations);
        let condition = self.node(condition);
        self.end_iterations(&iterations, mark);
        ProgramNode::Quantified(quantifier, QuantifiedNode { iterations, condition }.into())
    }

    /// Each domain may read the variables before it. Leaves one block of names open for each.
    fn iterations(&mut self, iterations: &[Iteration]) -> Box<[IterationNode]> {
        let mut nodes = Vec::with_capacity(iterations.len());
        for Iteration { name, domain } in iterations {
            let domain = match domain {
                Domain::Items(items) => DomainNode::Items(self.node(items)),
                Domain::Span(from, to) => DomainNode::Span(self.node(from), self.node(to)),
            };
            let slot = self.names.new_slot();
            self.names.open_names();
            self.names.declare(name.clone(), slot);
            nodes.push(IterationNode { slot, domain });
        }
        nodes.into()
    }

    fn end_iterations(&mut self, iterations: &[IterationNode], mark: u32) {
        for _ in iterations {
            self.names.close();
        }
        self.names.release(mark);
    }

    fn function(
        &mut self,
        parameters: &[ParameterDefinition],
        body: &Expr,
        itself: Option<&Text>,
    ) -> ProgramNode {
        self.names.enter_frame();
        self.names.frame().itself = itself.map(|name| (name.clone(), None));
        self.names.open_names();
        for parameter in parameters {
            let slot = self.names.new_slot();
            self.names.declare(parameter.name.clone(), slot);
        }
        let (height, height_max) = (std::mem::take(&mut self.height), std::mem::take(&mut self.height_max));
        let body = self.node(body);
        let body_height = std::mem::replace(&mut self.height_max, height_max);
        self.height = height;
        self.names.close();
        let frame = self.names.leave_frame();
        let (captured, captures): (Vec<_>, Vec<_>) =
            frame.captures.into_iter().map(|(_, slot, node)| (slot, node)).unzip();
        let parameters = parameters
            .iter()
            .map(|parameter| Parameter {
                name: parameter.name.clone(),
                kind: parameter.kind.as_ref().map(|kind| self.resolved(kind)),
            })
            .collect();
        let code = FunctionCode {
            parameters,
            body,
            captured,
            itself: frame.itself.and_then(|(_, slot)| slot),
            frame_size: frame.size,
            height: body_height,
        };
        ProgramNode::Function(FunctionNode { code: Arc::new(code), captures: captures.into() }.into())
    }

    fn postfix(&mut self, base: &Expr, chain: &[Postfix]) -> ProgramNode {
        let mut rest = chain;
        let mut node = match (base, chain) {
            (Expr::Name(name), [Postfix::Call(arguments), after @ ..]) => {
                rest = after;
                self.named_call(name, arguments)
            }
            (Expr::Name(name), [Postfix::Path(segment), ..]) => self.name(name, Some(segment)),
            _ => self.node(base),
        };
        while let Some(part) = rest.first() {
            rest = &rest[1..];
            node = match part {
                Postfix::Path(first) => {
                    let mut segments = vec![first.clone()];
                    while let [Postfix::Path(next), after @ ..] = rest {
                        segments.push(next.clone());
                        rest = after;
                    }
                    ProgramNode::Path(node.into(), segments.into())
                }
                Postfix::Filter(condition) => self.filter(node, condition),
                Postfix::Call(arguments) => self.value_call(node, Text::new_static("function"), arguments),
            };
        }
        node
    }

    fn filter(&mut self, base: ProgramNode, condition: &Expr) -> ProgramNode {
        let mark = self.names.mark();
        let slot = self.names.new_slot();
        self.names.open_item(slot);
        let node = self.node(condition);
        self.names.close();
        self.names.release(mark);
        let mode = match condition {
            Expr::Number(_) => FilterMode::Index,
            Expr::Compare(..) | Expr::And(_) | Expr::Or(_) | Expr::Between(..) | Expr::In(..) => {
                FilterMode::Condition
            }
            Expr::InstanceOf(..) | Expr::Quantified(..) | Expr::Boolean(_) => FilterMode::Condition,
            _ => FilterMode::Unknown,
        };
        ProgramNode::Filter(FilterNode { base, condition: node, slot, mode }.into())
    }
}

fn at_literal(text: &str) -> ProgramNode {
    match temporal::literal(text) {
        Some(value) => ProgramNode::Constant(value),
        None => ProgramNode::Refused(
            WarningKind::InvalidType,
            format!("Expected a date, time or duration after '@', but \"{text}\" is none, so it is null")
                .into(),
        ),
    }
}
