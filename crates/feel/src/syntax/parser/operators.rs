//! Operators by their precedence: `or`, `and`, comparisons, `+ -`, `* /`, `**`, negation, `instance of`.

use super::{Parsed, Parser};
use crate::syntax::ast::{Arithmetic, Comparison, Expr};
use crate::syntax::lexer::{Kind, Symbol};

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(Self::disjunction)
    }

    fn disjunction(&mut self) -> Parsed<Expr> {
        let first = self.conjunction()?;
        if !self.at_word("or") {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.at_word("or") {
            self.advance()?;
            operands.push(self.conjunction()?);
        }
        Ok(Expr::Or(operands))
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let first = self.comparison()?;
        if !self.at_word("and") {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.at_word("and") {
            self.advance()?;
            operands.push(self.comparison()?);
        }
        Ok(Expr::And(operands))
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.sum()?;
        if let Some(operator) = self.comparison_operator() {
            self.advance()?;
            let right = self.sum()?;
            return Ok(Expr::Compare(operator, left.into(), right.into()));
        }
        if self.at_word("between") {
            self.advance()?;
            let low = self.sum()?;
            self.expect_word("and")?;
            let high = self.sum()?;
            return Ok(Expr::Between(left.into(), low.into(), high.into()));
        }
        if self.at_word("in") {
            self.advance()?;
            let tests = self.in_tests()?;
            return Ok(Expr::In(left.into(), tests));
        }
        Ok(left)
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

    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        let operator = |kind| match kind {
            Kind::Symbol(Symbol::Plus) => Some(Arithmetic::Add),
            Kind::Symbol(Symbol::Minus) => Some(Arithmetic::Subtract),
            _ => None,
        };
        let first = self.product()?;
        self.chain(first, operator, Self::product)
    }

    fn product(&mut self) -> Parsed<Expr> {
        let operator = |kind| match kind {
            Kind::Symbol(Symbol::Star) => Some(Arithmetic::Multiply),
            Kind::Symbol(Symbol::Slash) => Some(Arithmetic::Divide),
            _ => None,
        };
        let first = self.power()?;
        self.chain(first, operator, Self::power)
    }

    fn power(&mut self) -> Parsed<Expr> {
        let operator = |kind| (kind == Kind::Symbol(Symbol::StarStar)).then_some(Arithmetic::Power);
        let first = self.unary()?;
        self.chain(first, operator, Self::unary)
    }

    /// Operands of one level, as a flat list.
    fn chain(
        &mut self,
        first: Expr,
        operator: impl Fn(Kind) -> Option<Arithmetic>,
        operand: impl Fn(&mut Self) -> Parsed<Expr>,
    ) -> Parsed<Expr> {
        let mut rest = Vec::new();
        while let Some(operator) = operator(self.token.kind) {
            self.advance()?;
            rest.push((operator, operand(self)?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Arithmetic(first.into(), rest) })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let value = if self.at(Symbol::Minus) {
            self.advance()?;
            self.nested(Self::negated)?
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

    /// What follows a minus; a number becomes a negative literal.
    fn negated(&mut self) -> Parsed<Expr> {
        if self.at(Symbol::Minus) {
            self.advance()?;
            let inner = self.nested(Self::negated)?;
            return Ok(Expr::Negate(inner.into()));
        }
        Ok(match self.postfix()? {
            Expr::Number(number) => Expr::Number(number.negate()),
            operand => Expr::Negate(operand.into()),
        })
    }
}
