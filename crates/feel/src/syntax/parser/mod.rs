//! Recursive descent over the tokens, with limits on nesting and on work, so that no text can overflow the stack
//! or take more than linear time.

mod constructs;
mod names;
mod operators;
mod postfix;
mod primary;
mod tests;
mod types;

use super::ast::{Expr, Tests, Type};
use super::lexer::{Kind, Symbol, Token, token_at};
use crate::error::SyntaxError;
use crate::expression::{CompileOptions, Dialect};
use crate::value::Text;

/// How deep brackets, calls and constructs may nest.
pub(crate) const NESTING_MAX: u32 = 100;
/// Texts longer than this are refused.
pub(crate) const TEXT_BYTES_MAX: usize = 1 << 20;

pub(in crate::syntax) use names::is_reserved;

/// The error is boxed to keep results, and with them the stack, small.
type Parsed<T> = Result<T, Box<SyntaxError>>;

pub(crate) fn parse_expression(text: &str, options: &CompileOptions) -> Result<Expr, Box<SyntaxError>> {
    let mut parser = Parser::new(text, options)?;
    let expression = parser.expression()?;
    parser.expect_end()?;
    Ok(expression)
}

pub(crate) fn parse_unary_tests(text: &str, options: &CompileOptions) -> Result<Tests, Box<SyntaxError>> {
    let mut parser = Parser::new(text, options)?;
    let tests = parser.unary_tests()?;
    parser.expect_end()?;
    Ok(tests)
}

pub(crate) fn parse_type(text: &str, options: &CompileOptions) -> Result<Type, Box<SyntaxError>> {
    let mut parser = Parser::new(text, options)?;
    let kind = parser.type_name()?;
    parser.expect_end()?;
    Ok(kind)
}

struct Parser<'a> {
    text: &'a str,
    dialect: Dialect,
    token: Token,
    depth: u32,
    /// More than zero while the end of a range is read, where `[` may close the range.
    range_ends: u32,
    /// Tokens that may still be read. Looking back costs tokens, so this bounds the work.
    tokens_left: usize,
    /// Names with blanks or operators that the caller knows, the longest first.
    known: Vec<&'a str>,
    /// Such names that the expression itself declares.
    declared: Vec<Text>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, options: &'a CompileOptions) -> Parsed<Parser<'a>> {
        if text.len() > TEXT_BYTES_MAX {
            let expected = format!("at most {TEXT_BYTES_MAX} bytes");
            let found = format!("{} bytes", text.len());
            return Err(SyntaxError { line: 1, column: 1, expected, found }.into());
        }
        let types = options.known_types.iter().map(|(name, _)| name);
        let mut known: Vec<&str> = options.known_names.iter().chain(types).map(|name| name.trim()).collect();
        known.retain(|name| names::is_special(name));
        known.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let token = token_at(text, 0, options.dialect == Dialect::Standard);
        Ok(Parser {
            text,
            dialect: options.dialect,
            token,
            depth: 0,
            range_ends: 0,
            tokens_left: 16 * text.len() + 64,
            known,
            declared: Vec::new(),
        })
    }

    fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    fn read_at(&self, position: usize) -> Token {
        token_at(self.text, position, self.dialect == Dialect::Standard)
    }

    /// The token after the current one.
    fn peek(&self) -> Token {
        self.read_at(self.token.end)
    }

    fn advance(&mut self) -> Parsed<Token> {
        let current = self.token;
        self.go_to(current.end)?;
        Ok(current)
    }

    /// Continues with the token at a position, which may lie behind.
    fn go_to(&mut self, position: usize) -> Parsed<()> {
        if self.tokens_left == 0 {
            return self.fail("a simpler expression");
        }
        self.tokens_left -= 1;
        self.token = self.read_at(position);
        Ok(())
    }

    fn at(&self, symbol: Symbol) -> bool {
        self.token.kind == Kind::Symbol(symbol)
    }

    fn at_word(&self, word: &str) -> bool {
        self.token.kind == Kind::Name && self.slice(self.token) == word
    }

    fn accept(&mut self, symbol: Symbol) -> Parsed<bool> {
        let found = self.at(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, symbol: Symbol, expected: &str) -> Parsed<()> {
        if self.accept(symbol)? { Ok(()) } else { self.fail(expected) }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.at_word(word) {
            self.advance()?;
            return Ok(());
        }
        self.fail(&format!("'{word}'"))
    }

    fn expect_end(&self) -> Parsed<()> {
        if self.token.kind == Kind::End { Ok(()) } else { self.fail("an operator or the end") }
    }

    /// Runs a part of the grammar one level deeper.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= NESTING_MAX {
            return self.fail(&format!("at most {NESTING_MAX} levels of nesting"));
        }
        self.depth += 1;
        let parsed = part(self);
        self.depth -= 1;
        parsed
    }

    /// Runs a part of the grammar that stands in brackets of its own.
    fn isolated<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let range_ends = std::mem::take(&mut self.range_ends);
        let parsed = part(self);
        self.range_ends = range_ends;
        parsed
    }

    /// An error at the current token.
    fn fail<T>(&self, expected: &str) -> Parsed<T> {
        let before = &self.text[..self.token.start];
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() as u32 + 1;
        let found = self.describe_token();
        Err(SyntaxError { line, column, expected: expected.to_string(), found }.into())
    }

    fn describe_token(&self) -> String {
        let text = self.slice(self.token);
        match self.token.kind {
            Kind::End => "the end of the expression".to_string(),
            Kind::Invalid if text.starts_with('"') => "a string without its closing quote".to_string(),
            Kind::Invalid if text.starts_with('`') => "a name without its closing backtick".to_string(),
            _ if text.chars().count() > 30 => format!("'{}…'", text.chars().take(30).collect::<String>()),
            _ => format!("'{text}'"),
        }
    }
}
