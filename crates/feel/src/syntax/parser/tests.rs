//! Tests of a value: what follows `in`, and the cells of decision tables.

use super::{Parsed, Parser};
use crate::syntax::ast::{Expr, Test, Tests};
use crate::syntax::lexer::{Kind, Symbol};

impl Parser<'_> {
    pub(super) fn unary_tests(&mut self) -> Parsed<Tests> {
        if self.at(Symbol::Minus) && self.peek().kind == Kind::End {
            self.advance()?;
            return Ok(Tests::Any);
        }
        if self.at_word("not") && self.peek().kind == Kind::Symbol(Symbol::OpenParen) {
            let start = self.token.start;
            if let Some(tests) = self.negated_tests()? {
                return Ok(Tests::Not(tests));
            }
            self.go_to(start)?;
        }
        Ok(Tests::One(self.test_list()?))
    }

    /// `not(tests)` if that is all there is; `not(a) or b` is an expression.
    fn negated_tests(&mut self) -> Parsed<Option<Vec<Test>>> {
        self.advance()?;
        self.advance()?;
        let tests = self.nested(Self::test_list)?;
        self.expect(Symbol::CloseParen, "',' or ')'")?;
        Ok((self.token.kind == Kind::End).then_some(tests))
    }

    fn test_list(&mut self) -> Parsed<Vec<Test>> {
        let mut tests = vec![self.test(Self::expression)?];
        while self.accept(Symbol::Comma)? {
            tests.push(self.test(Self::expression)?);
        }
        Ok(tests)
    }

    fn test(&mut self, operand: impl Fn(&mut Self) -> Parsed<Expr>) -> Parsed<Test> {
        match self.comparison_operator() {
            Some(operator) => {
                self.advance()?;
                Ok(Test::Compare(operator, self.nested(Self::sum)?))
            }
            None => operand(self).map(Test::Expression),
        }
    }

    /// Reads the part behind `in`: one test, or several in parentheses.
    pub(super) fn in_tests(&mut self) -> Parsed<Vec<Test>> {
        if self.at(Symbol::OpenParen) {
            let start = self.token.start;
            if let Some(tests) = self.nested(Self::parenthesized_tests)? {
                return Ok(tests);
            }
            self.go_to(start)?;
        }
        Ok(vec![self.test(Self::sum)?])
    }

    /// None if the parenthesis is a range, or goes on as an expression.
    fn parenthesized_tests(&mut self) -> Parsed<Option<Vec<Test>>> {
        self.isolated(|parser| {
            parser.advance()?;
            let tests = parser.test_list()?;
            if parser.at(Symbol::DotDot) && tests.len() == 1 {
                return Ok(None);
            }
            parser.expect(Symbol::CloseParen, "',' or ')'")?;
            Ok(if parser.goes_on() { None } else { Some(tests) })
        })
    }

    /// True if an operator follows that would take what was read as its operand.
    fn goes_on(&self) -> bool {
        use Symbol::*;
        matches!(
            self.token.kind,
            Kind::Symbol(Dot | OpenBracket | OpenParen | Plus | Minus | Star | Slash | StarStar)
        )
    }
}
