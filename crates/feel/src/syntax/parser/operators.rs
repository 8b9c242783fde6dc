//! Operators by their precedence: `or`, `and`, comparisons, `+ -`, `* /`, `**`, negation, `instance of`.

use super::{Parsed, Parser};
use crate::syntax::ast::{Arithmetic, Comparison, Expr};
use crate::syntax::lexer::{Kind, Symbol};

/// How tightly an operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Power,
}

impl Level {
    fn looser(self) -> Level {
        match self {
            Level::Or | Level::And => Level::Or,
            Level::Comparison => Level::And,
            Level::Sum => Level::Comparison,
            Level::Product => Level::Sum,
            Level::Power => Level::Product,
        }
    }
}

fn arithmetic(kind: Kind) -> Option<(Level, Arithmetic)> {
    match kind {
        Kind::Symbol(Symbol::Plus) => Some((Level::Sum, Arithmetic::Add)),
        Kind::Symbol(Symbol::Minus) => Some((Level::Sum, Arithmetic::Subtract)),
        Kind::Symbol(Symbol::Star) => Some((Level::Product, Arithmetic::Multiply)),
        Kind::Symbol(Symbol::Slash) => Some((Level::Product, Arithmetic::Divide)),
        Kind::Symbol(Symbol::StarStar) => Some((Level::Power, Arithmetic::Power)),
        _ => None,
    }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.operators(Level::Or))
    }

    /// An operand of a comparison.
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        self.operators(Level::Sum)
    }

    /// Operators of this level or tighter ones. One loop for all levels keeps the stack low.
    fn operators(&mut self, least: Level) -> Parsed<Expr> {
        let mut left = self.unary()?;
        let mut tightest = Level::Power;
        while let Some(level) = self.operator_level().filter(|level| *level >= least && *level <= tightest) {
            left = match level {
                Level::Or => Expr::Or(self.joined(left, "or", Level::And)?),
                Level::And => Expr::And(self.joined(left, "and", Level::Comparison)?),
                Level::Comparison => self.compared(left)?,
                Level::Sum | Level::Product | Level::Power => self.chained(left, level)?,
            };
            // All of this level is taken; what follows binds less tightly. Comparisons do not chain.
            tightest = level.looser();
        }
        Ok(left)
    }

    fn operator_level(&self) -> Option<Level> {
        match self.token.kind {
            Kind::Name => match self.slice(self.token) {
                "or" => Some(Level::Or),
                "and" => Some(Level::And),
                "between" | "in" => Some(Level::Comparison),
                _ => None,
            },
            kind => match arithmetic(kind) {
                Some((level, _)) => Some(level),
                None => self.comparison_operator().map(|_| Level::Comparison),
            },
        }
    }

    fn joined(&mut self, first: Expr, word: &str, operand: Level) -> Parsed<Vec<Expr>> {
        let mut operands = vec![first];
        while self.at_word(word) {
            self.advance()?;
            operands.push(self.operators(operand)?);
        }
        Ok(operands)
    }

    fn compared(&mut self, left: Expr) -> Parsed<Expr> {
        if let Some(operator) = self.comparison_operator() {
            self.advance()?;
            let right = self.sum()?;
            return Ok(Expr::Compare(operator, left.into(), right.into()));
        }
        if self.at_word("in") {
            self.advance()?;
            let tests = self.in_tests()?;
            return Ok(Expr::In(left.into(), tests));
        }
        self.expect_word("between")?;
        let low = self.sum()?;
        self.expect_word("and")?;
        let high = self.sum()?;
        Ok(Expr::Between(left.into(), low.into(), high.into()))
    }

    /// Operands of one level of arithmetic, as a flat list.
    fn chained(&mut self, first: Expr, level: Level) -> Parsed<Expr> {
        let operand = if level == Level::Sum { Level::Product } else { Level::Power };
        let mut rest = Vec::new();
        while let Some((_, operator)) = arithmetic(self.token.kind).filter(|(found, _)| *found == level) {
            self.advance()?;
            let right = if level == Level::Power { self.unary()? } else { self.operators(operand)? };
            rest.push((operator, right));
        }
        Ok(Expr::Arithmetic(first.into(), rest))
    }

    pub(super) fn comparison_operator(&self) -> Option<Comparison> {
        match self.token.kind {
            Kind::Symbol(Symbol::Equal) => Some(Comparison::Equal),
            Kind::Symbol(Symbol::Unequal) => Some(Comparison::Unequal),
            Kind::Symbol(Symbol::Less) => Some(Comparison::Less),
            Kind::Symbol(Symbol::LessOrEqual) => Some(Comparison::LessOrEqual),
            Kind::Symbol(Symbol::Greater) => Some(Comparison::Greater),
            Kind::Symbol(Symbol::GreaterOrEqual) => Some(Comparison::GreaterOrEqual),
            _ => None,
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let value = if self.at(Symbol::Minus) {
            self.advance()?;
            self.negated()?
        } else {
            self.postfix()?
        };
        if self.at_word("instance") && self.slice(self.peek()) == "of" {
            self.advance()?;
            self.advance()?;
            let kind = self.nested(Self::type_name)?;
            return Ok(Expr::InstanceOf(value.into(), kind));
        }
        Ok(value)
    }

    /// Reads the operand behind a minus; a number becomes a negative literal.
    fn negated(&mut self) -> Parsed<Expr> {
        if self.at(Symbol::Minus) {
            self.advance()?;
            return Ok(match self.nested(Self::negated)? {
                // Zero has no sign: negated once or twice, it is the same literal.
                Expr::Number(zero) if zero.is_zero() => Expr::Number(zero),
                inner => Expr::Negate(inner.into()),
            });
        }
        Ok(match self.postfix()? {
            Expr::Number(number) => Expr::Number(number.negate()),
            operand => Expr::Negate(operand.into()),
        })
    }
}
