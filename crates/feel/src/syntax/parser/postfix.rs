//! Reads paths, filters and calls that follow an expression, as one flat chain.

use super::{Parsed, Parser};
use crate::syntax::ast::{Arguments, Expr, Postfix};
use crate::syntax::lexer::{Kind, Symbol};
use crate::value::Text;

impl Parser<'_> {
    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        let base = self.primary()?;
        let mut chain = Vec::new();
        loop {
            match self.token.kind {
                Kind::Symbol(Symbol::Dot) => {
                    self.advance()?;
                    chain.push(Postfix::Path(self.property_name()?));
                }
                Kind::Symbol(Symbol::OpenBracket) => match self.filter()? {
                    Some(filter) => chain.push(filter),
                    None => break,
                },
                Kind::Symbol(Symbol::OpenParen) => {
                    self.advance()?;
                    chain.push(Postfix::Call(self.isolated(Self::argument_list)?));
                }
                _ => break,
            }
        }
        Ok(if chain.is_empty() { base } else { Expr::Postfix(base.into(), chain) })
    }

    /// A filter; none if the bracket rather closes a range, as in `]1..n[`.
    fn filter(&mut self) -> Parsed<Option<Postfix>> {
        let bracket = self.token;
        let parsed = self.filter_condition();
        if self.range_ends == 0 {
            return parsed.map(Some);
        }
        match parsed {
            Ok(filter) if self.closes_range() => Ok(Some(filter)),
            _ => {
                self.go_to(bracket.start)?;
                Ok(None)
            }
        }
    }

    fn filter_condition(&mut self) -> Parsed<Postfix> {
        self.advance()?;
        let condition = self.isolated(Self::expression)?;
        self.expect(Symbol::CloseBracket, "']'")?;
        Ok(Postfix::Filter(condition))
    }

    /// True if the current token can stand after the end of a range, or go on with that end.
    fn closes_range(&self) -> bool {
        use Symbol::*;
        matches!(
            self.token.kind,
            Kind::Symbol(
                CloseBracket
                    | CloseParen
                    | OpenBracket
                    | Dot
                    | Plus
                    | Minus
                    | Star
                    | Slash
                    | StarStar
                    | OpenParen
            )
        )
    }

    fn argument_list(&mut self) -> Parsed<Arguments> {
        if self.accept(Symbol::CloseParen)? {
            return Ok(Arguments::Positional(Vec::new()));
        }
        if let Some(first) = self.argument_name()? {
            return self.named_arguments(first);
        }
        let mut positional = Vec::new();
        loop {
            positional.push(self.expression()?);
            if !self.accept(Symbol::Comma)? {
                break;
            }
        }
        self.expect(Symbol::CloseParen, "',' or ')'")?;
        Ok(Arguments::Positional(positional))
    }

    fn named_arguments(&mut self, first: Text) -> Parsed<Arguments> {
        let mut named = vec![(first, self.expression()?)];
        while self.accept(Symbol::Comma)? {
            match self.argument_name()? {
                Some(name) => named.push((name, self.expression()?)),
                None => return self.fail("the name of a parameter"),
            }
        }
        self.expect(Symbol::CloseParen, "',' or ')'")?;
        Ok(Arguments::Named(named))
    }

    /// `name:` if that stands here.
    fn argument_name(&mut self) -> Parsed<Option<Text>> {
        let start = self.token.start;
        if !matches!(self.token.kind, Kind::Name | Kind::Quoted) {
            return Ok(None);
        }
        let name = self.declared_name("")?;
        if self.accept(Symbol::Colon)? {
            return Ok(Some(name));
        }
        self.go_to(start)?;
        Ok(None)
    }
}
