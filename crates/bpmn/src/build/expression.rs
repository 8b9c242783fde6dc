//! Text that is FEEL, may be FEEL, or must be there.

use super::static_value::static_value;
use super::{Builder, namespace};
use crate::executable::Source;
use crate::xml::Tag;
use tidemill_feel::{Budget, EmptyScope, Environment, EvaluationError, Expression, Value};

/// Of one expression or static text.
const TEXT_MAX_BYTES: usize = 64 * 1024;
const INDEXED_MAX_BYTES: usize = 512;
/// Expressions that must be known at deployment are simple, and a file may hold many of them.
const CONSTANT_BUDGET: Budget = Budget { steps_max: 10_000, bytes_max: 64 * 1024 };

impl<'a> Builder<'a, '_, '_> {
    /// FEEL where the text begins with `=`, else the value that the text stands for.
    pub(super) fn source(&mut self, at: Tag<'a>, text: &str) -> Option<Source> {
        self.check_length(at, text)?;
        match feel_text(text) {
            Some(feel) => self.compile(at, feel).map(Source::Feel),
            None => Some(static_source(text)),
        }
    }

    /// For places where only FEEL makes sense.
    pub(super) fn feel(&mut self, at: Tag<'a>, text: &str) -> Option<Expression> {
        self.check_length(at, text)?;
        if let Some(feel) = feel_text(text) {
            return self.compile(at, feel);
        }
        let reason = match text {
            "" => "Expected expression but not found.".to_string(),
            text => format!(
                "Expected expression but found static value '{text}'. An expression must start with '=' (e.g. '={text}')."
            ),
        };
        self.report.refuse(at, reason);
        None
    }

    fn check_length(&mut self, at: Tag<'a>, text: &str) -> Option<()> {
        if text.len() > TEXT_MAX_BYTES {
            let reason = format!("Expected at most {TEXT_MAX_BYTES} bytes of text, but found {}", text.len());
            self.report.refuse(at, reason);
            return None;
        }
        let fits = self.budget.take_text(text.len());
        if !fits {
            self.report
                .refuse(self.definitions.root(), "Expected less text in shared definitions and expressions");
        }
        fits.then_some(())
    }

    /// For texts that are looked up by name later: names of messages and signals, codes, types of jobs.
    pub(super) fn indexed(&mut self, at: Tag<'a>, text: &'a str) -> Option<Source> {
        if feel_text(text).is_none() && text.len() > INDEXED_MAX_BYTES {
            let reason = format!("Expected at most {INDEXED_MAX_BYTES} bytes, but found {}", text.len());
            self.report.refuse(at, reason);
            return None;
        }
        self.source(at, text)
    }

    fn compile(&mut self, at: Tag<'a>, feel: &str) -> Option<Expression> {
        match Expression::compile(feel) {
            Ok(expression) => {
                for (reason, remedy) in namespace::findings(&expression) {
                    self.report.refuse_new(at, reason, remedy);
                }
                Some(expression)
            }
            Err(error) => {
                self.report.refuse(at, format!("Failed to parse expression '{feel}': {error}"));
                None
            }
        }
    }

    /// An attribute that must be there and not be empty.
    pub(super) fn required(&mut self, at: Tag<'a>, attribute: &str) -> Option<&'a str> {
        let value = at.attribute(attribute);
        if value.is_none() {
            self.report.refuse(at, format!("Attribute '{attribute}' must be present and not empty"));
        }
        value
    }

    pub(super) fn required_source(&mut self, at: Tag<'a>, attribute: &str) -> Option<Source> {
        let text = self.required(at, attribute)?;
        self.source(at, text)
    }

    pub(super) fn optional_source(&mut self, at: Tag<'a>, attribute: &str) -> Option<Source> {
        at.attribute(attribute).and_then(|text| self.source(at, text))
    }

    /// A value that holds before any instance exists must not need variables: the result is fixed here.
    pub(super) fn constant_string(&mut self, at: Tag<'a>, what: &str, source: Source) -> Option<Source> {
        let Source::Feel(expression) = &source else { return Some(source) };
        let text = expression.text();
        match constant(expression) {
            Ok(Value::String(constant)) => Some(static_source(constant.as_str())),
            Ok(value) => {
                let reason = format!(
                    "Expected constant expression of type String for {what} name '{text}', but was {value}"
                );
                self.report.refuse(at, reason);
                None
            }
            Err(error) => {
                let reason = format!(
                    "Expected constant expression but found '{text}', which could not be evaluated without context: {error}"
                );
                self.report.refuse(at, reason);
                None
            }
        }
    }
}

/// The value of an expression before there are variables.
pub(super) fn constant(expression: &Expression) -> Result<Value, EvaluationError> {
    let environment = Environment::at_millis(0).with_budget(CONSTANT_BUDGET);
    Ok(expression.evaluate(&EmptyScope, &environment)?.value)
}

pub(super) fn static_source(text: &str) -> Source {
    Source::Static { text: text.into(), value: static_value(text) }
}

/// The expression without its mark. A lone `=` is plain text.
pub(super) fn feel_text(text: &str) -> Option<&str> {
    text.strip_prefix('=').filter(|feel| !feel.is_empty())
}
