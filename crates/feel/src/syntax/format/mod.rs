//! The canonical form of an expression: one space around operators, brackets only where they are needed, names
//! that are not plain words in backticks. Reading it back gives the same tree.

mod names;
mod types;

use super::ast::{
    Arguments, Arithmetic, Comparison, Domain, Expr, Iteration, Postfix, Quantifier, Test, Tests,
};
use crate::value::write_quoted;
use names::{write_key, write_name, write_property};
use types::{write_parameters, write_type};

pub(crate) fn format_expression(expression: &Expr) -> String {
    let mut out = String::new();
    write(&mut out, expression, Level::Anything);
    out
}

pub(crate) fn format_tests(tests: &Tests) -> String {
    let mut out = String::new();
    match tests {
        Tests::Any => out.push('-'),
        Tests::Not(tests) => {
            out.push_str("not(");
            write_tests(&mut out, tests);
            out.push(')');
        }
        // A call of `not` alone would be read as negated tests.
        Tests::One(tests) if matches!(tests.as_slice(), [Test::Expression(Expr::Postfix(..))]) => {
            write_tests(&mut out, tests);
            if out.starts_with("not(") {
                out = format!("({out})");
            }
        }
        Tests::One(tests) => write_tests(&mut out, tests),
    }
    out
}

/// How tightly an expression holds together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Anything,
    Disjunction,
    Conjunction,
    Comparison,
    Sum,
    Product,
    Power,
    Unary,
    Postfix,
    Primary,
}

fn level(expression: &Expr) -> Level {
    match expression {
        Expr::If(..) | Expr::For(..) | Expr::Quantified(..) | Expr::Function(..) => Level::Anything,
        // The text behind a type could be read as part of it.
        Expr::ExternalFunction(..) | Expr::InstanceOf(..) => Level::Anything,
        Expr::Or(_) => Level::Disjunction,
        Expr::And(_) => Level::Conjunction,
        Expr::Compare(..) | Expr::Between(..) | Expr::In(..) => Level::Comparison,
        Expr::Arithmetic(_, rest) => match rest.first().map(|(operator, _)| *operator) {
            Some(Arithmetic::Add | Arithmetic::Subtract) => Level::Sum,
            Some(Arithmetic::Multiply | Arithmetic::Divide) => Level::Product,
            Some(Arithmetic::Power) | None => Level::Power,
        },
        Expr::Negate(_) => Level::Unary,
        Expr::Number(number) if number.is_negative() => Level::Unary,
        Expr::Postfix(..) => Level::Postfix,
        _ => Level::Primary,
    }
}

/// Writes an expression, in parentheses if it holds together less tightly than its place demands.
fn write(out: &mut String, expression: &Expr, least: Level) {
    if level(expression) < least {
        out.push('(');
        write_bare(out, expression);
        out.push(')');
    } else {
        write_bare(out, expression);
    }
}

fn write_bare(out: &mut String, expression: &Expr) {
    match expression {
        Expr::Null => out.push_str("null"),
        Expr::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Expr::Number(number) => out.push_str(&number_text(&number.to_string())),
        Expr::String(text) => quoted(out, text),
        Expr::At(text) => {
            out.push('@');
            quoted(out, text);
        }
        Expr::Name(name) => write_name(out, name),
        Expr::Input => out.push('?'),
        Expr::List(items) => write_list(out, "[", items, "]"),
        Expr::Context(entries) => write_context(out, entries),
        Expr::Range(range) => {
            out.push(if range.start_closed { '[' } else { '(' });
            write(out, &range.start, Level::Anything);
            out.push_str("..");
            write(out, &range.end, Level::Sum);
            out.push(if range.end_closed { ']' } else { ')' });
        }
        Expr::HalfRange(operator, end) => {
            out.push('(');
            out.push_str(comparison_text(*operator));
            out.push(' ');
            write(out, end, Level::Sum);
            out.push(')');
        }
        Expr::Postfix(base, chain) => write_postfix(out, base, chain),
        Expr::If(branches, otherwise) => write_conditional(out, branches, otherwise),
        Expr::For(iterations, body) => write_iterations(out, "for", iterations, "return", body),
        Expr::Quantified(Quantifier::Some, iterations, condition) => {
            write_iterations(out, "some", iterations, "satisfies", condition);
        }
        Expr::Quantified(Quantifier::Every, iterations, condition) => {
            write_iterations(out, "every", iterations, "satisfies", condition);
        }
        Expr::Function(parameters, body) => {
            write_parameters(out, parameters);
            write(out, body, Level::Anything);
        }
        Expr::ExternalFunction(parameters, body) => {
            write_parameters(out, parameters);
            out.push_str("external ");
            write(out, body, Level::Anything);
        }
        operator => write_operator(out, operator),
    }
}

fn write_operator(out: &mut String, expression: &Expr) {
    match expression {
        Expr::Or(operands) => write_joined(out, operands, " or ", Level::Conjunction),
        Expr::And(operands) => write_joined(out, operands, " and ", Level::Comparison),
        Expr::Compare(operator, left, right) => {
            write(out, left, Level::Sum);
            out.push(' ');
            out.push_str(comparison_text(*operator));
            out.push(' ');
            write(out, right, Level::Sum);
        }
        Expr::Between(value, low, high) => {
            write(out, value, Level::Sum);
            out.push_str(" between ");
            write(out, low, Level::Sum);
            out.push_str(" and ");
            write(out, high, Level::Sum);
        }
        Expr::In(value, tests) => {
            write(out, value, Level::Sum);
            out.push_str(" in ");
            write_in_tests(out, tests);
        }
        Expr::InstanceOf(value, kind) => {
            write(out, value, Level::Unary);
            out.push_str(" instance of ");
            write_type(out, kind);
        }
        Expr::Negate(operand) => {
            out.push('-');
            let direct = level(operand) == Level::Unary;
            write(out, operand, if direct { Level::Unary } else { Level::Postfix });
        }
        Expr::Arithmetic(first, rest) => write_arithmetic(out, first, rest),
        other => unreachable!("{other:?} is not an operator"),
    }
}

fn write_arithmetic(out: &mut String, first: &Expr, rest: &[(Arithmetic, Expr)]) {
    let operand = match rest.first().map(|(operator, _)| *operator) {
        Some(Arithmetic::Add | Arithmetic::Subtract) => Level::Product,
        Some(Arithmetic::Multiply | Arithmetic::Divide) => Level::Power,
        Some(Arithmetic::Power) | None => Level::Unary,
    };
    write(out, first, operand);
    for (operator, right) in rest {
        out.push_str(match operator {
            Arithmetic::Add => " + ",
            Arithmetic::Subtract => " - ",
            Arithmetic::Multiply => " * ",
            Arithmetic::Divide => " / ",
            Arithmetic::Power => " ** ",
        });
        write(out, right, operand);
    }
}

fn comparison_text(operator: Comparison) -> &'static str {
    match operator {
        Comparison::Equal => "=",
        Comparison::Unequal => "!=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

fn write_joined(out: &mut String, operands: &[Expr], joint: &str, least: Level) {
    for (index, operand) in operands.iter().enumerate() {
        out.push_str(if index > 0 { joint } else { "" });
        write(out, operand, least);
    }
}

fn write_list(out: &mut String, open: &str, items: &[Expr], close: &str) {
    out.push_str(open);
    write_joined(out, items, ", ", Level::Anything);
    out.push_str(close);
}

fn write_context(out: &mut String, entries: &[(crate::value::Text, Expr)]) {
    out.push('{');
    for (index, (key, value)) in entries.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write_key(out, key);
        out.push_str(": ");
        write(out, value, Level::Anything);
    }
    out.push('}');
}

fn write_postfix(out: &mut String, base: &Expr, chain: &[Postfix]) {
    match base {
        Expr::Name(name) if matches!(chain.first(), Some(Postfix::Call(_))) => {
            names::write_function(out, name)
        }
        other => write(out, other, Level::Primary),
    }
    for part in chain {
        match part {
            Postfix::Path(name) => {
                out.push('.');
                write_property(out, name);
            }
            Postfix::Filter(condition) => {
                out.push('[');
                write(out, condition, Level::Anything);
                out.push(']');
            }
            Postfix::Call(Arguments::Positional(arguments)) => write_list(out, "(", arguments, ")"),
            Postfix::Call(Arguments::Named(arguments)) => {
                out.push('(');
                for (index, (name, value)) in arguments.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    names::write_argument_name(out, name);
                    out.push_str(": ");
                    write(out, value, Level::Anything);
                }
                out.push(')');
            }
        }
    }
}

fn write_conditional(out: &mut String, branches: &[(Expr, Expr)], otherwise: &Expr) {
    for (condition, result) in branches {
        out.push_str("if ");
        write(out, condition, Level::Anything);
        out.push_str(" then ");
        write(out, result, Level::Anything);
        out.push_str(" else ");
    }
    write(out, otherwise, Level::Anything);
}

fn write_iterations(out: &mut String, word: &str, iterations: &[Iteration], joint: &str, body: &Expr) {
    out.push_str(word);
    for (index, Iteration { name, domain }) in iterations.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { " " });
        names::write_argument_name(out, name);
        out.push_str(" in ");
        match domain {
            Domain::Items(items) => write(out, items, Level::Anything),
            Domain::Span(from, to) => {
                write(out, from, Level::Anything);
                out.push_str("..");
                write(out, to, Level::Anything);
            }
        }
    }
    out.push(' ');
    out.push_str(joint);
    out.push(' ');
    write(out, body, Level::Anything);
}

fn write_tests(out: &mut String, tests: &[Test]) {
    for (index, test) in tests.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write_test(out, test);
    }
}

fn write_test(out: &mut String, test: &Test) {
    match test {
        Test::Compare(operator, end) => {
            out.push_str(comparison_text(*operator));
            out.push(' ');
            write(out, end, Level::Sum);
        }
        Test::Expression(expression) => write(out, expression, Level::Anything),
    }
}

/// One plain value stands alone; everything else in parentheses.
fn write_in_tests(out: &mut String, tests: &[Test]) {
    if let [Test::Expression(single)] = tests {
        let plain = match single {
            Expr::List(_) | Expr::Name(_) | Expr::String(_) => true,
            Expr::Number(number) => !number.is_negative(),
            Expr::Range(range) => range.start_closed,
            _ => false,
        };
        if plain {
            return write(out, single, Level::Primary);
        }
    }
    out.push('(');
    write_tests(out, tests);
    out.push(')');
}

fn quoted(out: &mut String, text: &str) {
    write_quoted(out, text).expect("writing to a string does not fail");
}

/// A number in plain digits: Camunda's FEEL has no exponents.
fn number_text(text: &str) -> String {
    let Some((mantissa, exponent)) = text.split_once('E') else { return text.to_string() };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let negative = mantissa.starts_with('-');
    let digits = mantissa.trim_start_matches('-');
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let point = whole.len() as i32 + exponent;
    let plain = if point <= 0 {
        format!("0.{}{all}", "0".repeat(point.unsigned_abs() as usize))
    } else {
        format!("{all}{}", "0".repeat((point - all.len() as i32).max(0) as usize))
    };
    if negative { format!("-{plain}") } else { plain }
}
