//! Bracket expressions. The standard subtracts with `[a-z-[aeiou]]`; Java joins nested
//! brackets and intersects with `&&`.

use super::escape::Escaped;
use super::{Parse, Parser};
use crate::pattern::class;
use regex_syntax::hir::ClassUnicode;

impl Parser {
    /// The rest of a bracket expression, after its `[`.
    pub(super) fn bracket(&mut self) -> Parse<ClassUnicode> {
        self.depth += 1;
        if self.depth > super::DEPTH_MAX {
            return Err(crate::pattern::PatternError::TooLarge);
        }
        let negated = self.eat("^");
        let mut class = self.members()?;
        if negated {
            class.negate();
        }
        if self.ends_with_subtraction() {
            self.at += 2;
            let removed = self.bracket()?;
            class.difference(&removed);
        }
        if !self.eat("]") {
            return self.error("a '[' without its ']'");
        }
        self.depth -= 1;
        Ok(class)
    }

    fn ends_with_subtraction(&self) -> bool {
        !self.is_java() && self.letters[self.at..].starts_with(&['-', '['])
    }

    /// Everything up to the closing bracket, or up to a subtraction.
    fn members(&mut self) -> Parse<ClassUnicode> {
        let mut class = ClassUnicode::empty();
        let start = self.at;
        loop {
            if self.is_java() && self.flags.ignore_whitespace {
                self.skip_comments();
            }
            match self.peek() {
                None => return self.error("a '[' without its ']'"),
                Some(']') if self.at > start || !self.is_java() => break,
                _ if self.ends_with_subtraction() => break,
                _ if self.is_java() && self.eat("&&") => {
                    if self.peek() == Some(']') {
                        break;
                    }
                    let rest = self.members()?;
                    class.intersect(&rest);
                    break;
                }
                Some('[') if self.is_java() => {
                    self.at += 1;
                    class.union(&self.bracket()?);
                }
                Some('[') => return self.error("an unescaped '['"),
                _ => class.union(&self.member()?),
            }
        }
        if self.at == start {
            return self.error("empty brackets");
        }
        Ok(class)
    }

    /// One character, escape or range.
    fn member(&mut self) -> Parse<ClassUnicode> {
        let low = match self.bracket_letter()? {
            Escaped::Class(class) => return Ok(class),
            Escaped::Char(letter) => letter,
        };
        let is_range =
            self.peek() == Some('-') && !matches!(self.letters.get(self.at + 1), None | Some(']' | '['));
        if !is_range {
            return Ok(class::folded(class::of(&[low]), self.flags.ignore_case));
        }
        self.at += 1;
        match self.bracket_letter()? {
            Escaped::Char(high) if high >= low => {
                Ok(class::folded(class::range(low, high), self.flags.ignore_case))
            }
            _ => self.error("a range that does not ascend"),
        }
    }

    fn bracket_letter(&mut self) -> Parse<Escaped> {
        match self.next() {
            Some('\\') => self.escaped(),
            Some(letter) => Ok(Escaped::Char(letter)),
            None => self.error("a '[' without its ']'"),
        }
    }
}
