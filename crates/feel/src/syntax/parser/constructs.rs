//! `if`, `for`, `some`, `every` and function definitions.

use super::{Parsed, Parser};
use crate::syntax::ast::{Domain, Expr, Iteration, ParameterDefinition, Quantifier};
use crate::syntax::lexer::Symbol;

impl Parser<'_> {
    /// `else if` goes on with the same list of branches.
    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        let mut branches = Vec::new();
        loop {
            self.expect_word("if")?;
            let condition = self.expression()?;
            self.expect_word("then")?;
            let result = self.expression()?;
            self.expect_word("else")?;
            branches.push((condition, result));
            if !self.at_word("if") {
                break;
            }
        }
        Ok(match self.expression()? {
            // The same in parentheses.
            Expr::If(more, otherwise) => {
                branches.extend(more);
                Expr::If(branches, otherwise)
            }
            otherwise => Expr::If(branches, otherwise.into()),
        })
    }

    pub(super) fn iteration(&mut self) -> Parsed<Expr> {
        self.advance()?;
        let declared = self.declared.len();
        let iterations = self.iterations("return")?;
        let body = self.expression()?;
        self.declared.truncate(declared);
        Ok(Expr::For(iterations, body.into()))
    }

    pub(super) fn quantified(&mut self) -> Parsed<Expr> {
        let quantifier = if self.at_word("some") { Quantifier::Some } else { Quantifier::Every };
        self.advance()?;
        let declared = self.declared.len();
        let iterations = self.iterations("satisfies")?;
        let condition = self.expression()?;
        self.declared.truncate(declared);
        Ok(Expr::Quantified(quantifier, iterations, condition.into()))
    }

    fn iterations(&mut self, end: &str) -> Parsed<Vec<Iteration>> {
        let mut iterations = Vec::new();
        loop {
            let name = self.declared_name("in")?;
            self.expect_word("in")?;
            let domain = self.domain()?;
            self.declare(&name);
            iterations.push(Iteration { name, domain });
            if !self.accept(Symbol::Comma)? {
                break;
            }
        }
        if !self.at_word(end) {
            return self.fail(&format!("',' or '{end}'"));
        }
        self.advance()?;
        Ok(iterations)
    }

    fn domain(&mut self) -> Parsed<Domain> {
        let first = self.expression()?;
        if self.accept(Symbol::DotDot)? {
            return Ok(Domain::Span(first, self.expression()?));
        }
        Ok(Domain::Items(first))
    }

    pub(super) fn function(&mut self) -> Parsed<Expr> {
        self.advance()?;
        self.expect(Symbol::OpenParen, "'('")?;
        let declared = self.declared.len();
        let mut parameters = Vec::new();
        while !self.at(Symbol::CloseParen) {
            let name = self.declared_name("")?;
            let kind = if self.accept(Symbol::Colon)? { Some(self.nested(Self::type_name)?) } else { None };
            self.declare(&name);
            parameters.push(ParameterDefinition { name, kind });
            if !self.accept(Symbol::Comma)? {
                break;
            }
        }
        self.expect(Symbol::CloseParen, "',' or ')'")?;
        let external = self.at_word("external");
        if external {
            self.advance()?;
        }
        let body = self.expression()?;
        self.declared.truncate(declared);
        Ok(if external {
            Expr::ExternalFunction(parameters, body.into())
        } else {
            Expr::Function(parameters, body.into())
        })
    }
}
