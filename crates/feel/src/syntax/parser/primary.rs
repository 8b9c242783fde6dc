//! Literals, names, lists, contexts, ranges and brackets.

use super::names::is_reserved;
use super::{Parsed, Parser};
use crate::number::Number;
use crate::syntax::ast::{Comparison, Expr, RangeExpr};
use crate::syntax::lexer::{Kind, Symbol, unescape};
use crate::value::Text;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        match self.token.kind {
            Kind::Number => self.number_literal(),
            Kind::String => self.string_literal().map(Expr::String),
            Kind::Quoted => self.quoted_name().map(Expr::Name),
            Kind::Name => self.word(),
            Kind::Symbol(Symbol::OpenParen) => self.isolated(Self::parenthesis),
            Kind::Symbol(Symbol::OpenBracket) => self.isolated(Self::list_or_range),
            Kind::Symbol(Symbol::CloseBracket) => self.isolated(Self::open_range),
            Kind::Symbol(Symbol::OpenBrace) => self.isolated(Self::context),
            Kind::Symbol(Symbol::Question) => {
                self.advance()?;
                Ok(Expr::Input)
            }
            Kind::Symbol(Symbol::At) => self.at_literal(),
            _ => self.fail("an expression"),
        }
    }

    fn number_literal(&mut self) -> Parsed<Expr> {
        let Some(number) = Number::parse_json(self.slice(self.token)) else {
            return self.fail("a number in range");
        };
        self.advance()?;
        Ok(Expr::Number(number))
    }

    pub(super) fn string_literal(&mut self) -> Parsed<Text> {
        let token = self.advance()?;
        Ok(Text::from(unescape(self.slice(token))))
    }

    fn at_literal(&mut self) -> Parsed<Expr> {
        self.advance()?;
        if self.token.kind != Kind::String {
            return self.fail("a string after '@'");
        }
        self.string_literal().map(Expr::At)
    }

    fn word(&mut self) -> Parsed<Expr> {
        let special = self.special_name();
        let function = self.function_name();
        let several = match (special, function) {
            (Some(special), Some(function)) if function.1 > special.1 => Some(function),
            (special, function) => special.or(function),
        };
        if let Some((name, end)) = several {
            self.go_to(end)?;
            return Ok(Expr::Name(name));
        }
        let word = self.slice(self.token);
        let construct = match word {
            "null" => Some(Expr::Null),
            "true" => Some(Expr::Boolean(true)),
            "false" => Some(Expr::Boolean(false)),
            _ => None,
        };
        if let Some(literal) = construct {
            self.advance()?;
            return Ok(literal);
        }
        match word {
            "if" => self.isolated(Self::conditional),
            "for" if self.peek_is_word() => self.isolated(Self::iteration),
            "some" | "every" if self.peek_is_word() => self.isolated(Self::quantified),
            "function" => self.isolated(Self::function),
            // Two built-ins bear the names of operators.
            "and" | "or" if self.peek().kind == Kind::Symbol(Symbol::OpenParen) => {
                self.advance()?;
                Ok(Expr::Name(Text::new(word)))
            }
            word if is_reserved(word) => self.fail("an expression"),
            word => {
                let name = Text::new(word);
                self.advance()?;
                Ok(Expr::Name(name))
            }
        }
    }

    fn peek_is_word(&self) -> bool {
        let next = self.peek();
        next.kind == Kind::Quoted || (next.kind == Kind::Name && !is_reserved(self.slice(next)))
    }

    /// `(a)`, `(a..b]` or `(< a)`.
    fn parenthesis(&mut self) -> Parsed<Expr> {
        self.advance()?;
        if let Some(operator) = self.comparison_operator() {
            return self.half_range(operator);
        }
        let inner = self.expression()?;
        if self.at(Symbol::DotDot) {
            return self.range_from(inner, false);
        }
        self.expect(Symbol::CloseParen, "')'")?;
        Ok(inner)
    }

    fn half_range(&mut self, operator: Comparison) -> Parsed<Expr> {
        self.advance()?;
        let end = self.nested(Self::sum)?;
        self.expect(Symbol::CloseParen, "')'")?;
        Ok(Expr::HalfRange(operator, end.into()))
    }

    fn list_or_range(&mut self) -> Parsed<Expr> {
        self.advance()?;
        let mut items = Vec::new();
        while !self.at(Symbol::CloseBracket) {
            let item = self.expression()?;
            if items.is_empty() && self.at(Symbol::DotDot) {
                return self.range_from(item, true);
            }
            items.push(item);
            if !self.accept(Symbol::Comma)? {
                break;
            }
        }
        self.expect(Symbol::CloseBracket, "',' or ']'")?;
        Ok(Expr::List(items))
    }

    /// `]a..b]`.
    fn open_range(&mut self) -> Parsed<Expr> {
        self.advance()?;
        let start = self.nested(Self::sum)?;
        if !self.at(Symbol::DotDot) {
            return self.fail("'..'");
        }
        self.range_from(start, false)
    }

    /// The rest of a range, from its two points on.
    fn range_from(&mut self, start: Expr, start_closed: bool) -> Parsed<Expr> {
        self.advance()?;
        self.range_ends += 1;
        let end = self.nested(Self::sum);
        self.range_ends -= 1;
        let end_closed = self.at(Symbol::CloseBracket);
        if !end_closed && !self.at(Symbol::CloseParen) && !self.at(Symbol::OpenBracket) {
            end?;
            return self.fail("']', ')' or '['");
        }
        let end = end?;
        self.advance()?;
        Ok(Expr::Range(RangeExpr { start, start_closed, end, end_closed }.into()))
    }

    fn context(&mut self) -> Parsed<Expr> {
        self.advance()?;
        let declared = self.declared.len();
        let mut entries = Vec::new();
        while !self.at(Symbol::CloseBrace) {
            let key = self.context_key()?;
            self.expect(Symbol::Colon, "':'")?;
            entries.push((key.clone(), self.expression()?));
            self.declare(&key);
            if !self.accept(Symbol::Comma)? {
                break;
            }
        }
        self.declared.truncate(declared);
        self.expect(Symbol::CloseBrace, "',' or '}'")?;
        Ok(Expr::Context(entries))
    }
}
