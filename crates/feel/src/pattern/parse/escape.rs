//! Reads the part of a pattern that follows a backslash.

use super::{Parse, Parser, letter_node};
use crate::pattern::class;
use crate::pattern::node::{Assertion, PatternNode};
use regex_syntax::hir::ClassUnicode;

/// An escape that may also stand in brackets.
pub(super) enum Escaped {
    Char(char),
    Class(ClassUnicode),
}

impl Parser {
    /// An escape outside of brackets, after the backslash.
    pub(super) fn escape(&mut self) -> Parse<PatternNode> {
        let Some(letter) = self.peek() else { return self.error("a backslash at the end") };
        if letter.is_ascii_digit() && letter != '0' {
            return self.back_reference();
        }
        let assertion = match letter {
            'b' => Assertion::WordBoundary,
            'B' => Assertion::NotWordBoundary,
            'A' => Assertion::TextStart,
            'z' | 'Z' => Assertion::TextEnd,
            'Q' if self.is_java() => return self.quoted(),
            'R' if self.is_java() => return self.line_break(),
            'k' if self.is_java() => return self.named_reference(),
            _ => {
                return Ok(match self.escaped()? {
                    Escaped::Char(letter) => letter_node(letter, self.flags.ignore_case),
                    Escaped::Class(class) => PatternNode::Class(class),
                });
            }
        };
        self.at += 1;
        Ok(PatternNode::Assertion(assertion))
    }

    /// An escape that stands for one character or a class of them, after the backslash.
    pub(super) fn escaped(&mut self) -> Parse<Escaped> {
        let Some(letter) = self.next() else { return self.error("a backslash at the end") };
        if let Some(class) = class::escape(letter, self.flavour) {
            return Ok(Escaped::Class(class));
        }
        Ok(Escaped::Char(match letter {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'p' | 'P' => return self.property(letter == 'P').map(Escaped::Class),
            'f' => '\u{c}',
            'a' => '\u{7}',
            'e' => '\u{1b}',
            'x' if self.eat("{") => self.braced_hex()?,
            'x' => self.hex(2)?,
            'u' => self.hex(4)?,
            '0' if self.is_java() => self.octal()?,
            'c' if self.is_java() => match self.next() {
                Some(control) if control.is_ascii() => char::from(control as u8 ^ 64),
                _ => return self.error("a control character is missing"),
            },
            other if other.is_ascii_alphanumeric() => return self.error("an unknown escape"),
            other => other,
        }))
    }

    fn property(&mut self, negated: bool) -> Parse<ClassUnicode> {
        let name: String = if self.eat("{") {
            let start = self.at;
            while self.peek().is_some_and(|letter| letter != '}') {
                self.at += 1;
            }
            let name = self.letters[start..self.at].iter().collect();
            if !self.eat("}") {
                return self.error("a property without its '}'");
            }
            name
        } else {
            self.next().filter(|_| self.is_java()).map(String::from).unwrap_or_default()
        };
        match class::property(&name, self.flavour) {
            Some(found) if negated => Ok(class::negated(found)),
            Some(found) => Ok(found),
            None => self.error("an unknown character property"),
        }
    }

    /// As many digits as name a group; the standard wants that group to be closed already.
    fn back_reference(&mut self) -> Parse<PatternNode> {
        let mut group = 0;
        while let Some(digit) = self.peek().and_then(|letter| letter.to_digit(10)) {
            let longer = group * 10 + digit as usize;
            if group > 0 && longer > self.group_count {
                break;
            }
            group = longer;
            self.at += 1;
        }
        if !self.is_java() && !self.closed_groups.contains(&group) {
            return self.error("a back-reference to a group that is not closed");
        }
        Ok(self.reference(group))
    }

    fn named_reference(&mut self) -> Parse<PatternNode> {
        self.at += 1;
        if !self.eat("<") {
            return self.error("a group name is missing");
        }
        let name = self.name_until('>')?;
        match self.names.iter().find(|(known, _)| *known == name) {
            Some((_, group)) => Ok(self.reference(*group)),
            None => self.error("an unknown group name"),
        }
    }

    fn reference(&self, group: usize) -> PatternNode {
        if group > self.group_count {
            // Java lets such a pattern compile; nothing can ever match it.
            return PatternNode::Class(ClassUnicode::empty());
        }
        PatternNode::BackReference { group, ignore_case: self.flags.ignore_case }
    }

    /// `\Q...\E`: everything in between is meant literally.
    fn quoted(&mut self) -> Parse<PatternNode> {
        self.at += 1;
        let mut nodes = Vec::new();
        while !self.eat("\\E") {
            let Some(letter) = self.next() else { break };
            nodes.push(letter_node(letter, self.flags.ignore_case));
        }
        Ok(PatternNode::Concat(nodes))
    }

    fn line_break(&mut self) -> Parse<PatternNode> {
        self.at += 1;
        let pair = PatternNode::Concat(vec![PatternNode::Char('\r'), PatternNode::Char('\n')]);
        let single = class::escape('v', self.flavour).expect("Java has vertical white space");
        Ok(PatternNode::Alternate(vec![pair, PatternNode::Class(single)]))
    }

    fn hex(&mut self, digits: usize) -> Parse<char> {
        let mut code = 0;
        for _ in 0..digits {
            match self.next().and_then(|letter| letter.to_digit(16)) {
                Some(digit) => code = code * 16 + digit,
                None => return self.error("a hexadecimal digit is missing"),
            }
        }
        self.letter(code)
    }

    fn braced_hex(&mut self) -> Parse<char> {
        let mut code: u32 = 0;
        loop {
            match self.next() {
                Some('}') => return self.letter(code),
                Some(letter) => match letter.to_digit(16) {
                    Some(digit) => code = code.saturating_mul(16).saturating_add(digit),
                    None => return self.error("a hexadecimal digit is missing"),
                },
                None => return self.error("a '{' without its '}'"),
            }
        }
    }

    fn octal(&mut self) -> Parse<char> {
        let mut code = 0;
        let mut digits = 0;
        while let Some(digit) = self.peek().and_then(|letter| letter.to_digit(8)) {
            if digits == 3 || code * 8 + digit > 0o377 {
                break;
            }
            code = code * 8 + digit;
            digits += 1;
            self.at += 1;
        }
        if digits == 0 { self.error("an octal digit is missing") } else { self.letter(code) }
    }

    fn letter(&self, code: u32) -> Parse<char> {
        match char::from_u32(code) {
            Some(letter) => Ok(letter),
            None => self.error("no such character"),
        }
    }
}
