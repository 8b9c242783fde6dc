//! Names of several words: built-in functions, names that the caller knows, names that the expression declares.

use super::{Parsed, Parser};
use crate::builtins;
use crate::syntax::lexer::{Kind, Symbol, is_name_part, skip_blank};
use crate::value::Text;

/// Words that are never names.
const RESERVED: [&str; 11] =
    ["null", "true", "false", "function", "in", "return", "then", "else", "satisfies", "and", "or"];

/// Properties of several words that dates and ranges have.
const PROPERTIES: [&str; 3] = ["time offset", "start included", "end included"];

pub(in crate::syntax) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// True if a name needs help: it is not one plain word.
pub(super) fn is_special(name: &str) -> bool {
    !name.is_empty() && !name.chars().all(is_name_part)
}

impl Parser<'_> {
    /// The end of the longest known or declared name that starts at the current token, and the name.
    pub(super) fn special_name(&self) -> Option<(Text, usize)> {
        if self.known.is_empty() && self.declared.is_empty() {
            return None;
        }
        let start = self.token.start;
        let found = |name: &str| self.match_name(name, start).map(|end| (Text::new(name), end));
        let known = self.known.iter().find_map(|name| found(name));
        let declared = self.declared.iter().filter_map(|name| found(name)).max_by_key(|(_, end)| *end);
        match (known, declared) {
            (Some(known), Some(declared)) => Some(if declared.1 > known.1 { declared } else { known }),
            (known, declared) => known.or(declared),
        }
    }

    /// Where a name ends in the text, if it stands there. Blanks match any white space.
    fn match_name(&self, name: &str, start: usize) -> Option<usize> {
        let mut position = start;
        for c in name.chars() {
            if c.is_whitespace() {
                let next = skip_blank(self.text, position);
                if next == position {
                    return None;
                }
                position = next;
            } else {
                position += self.text[position..].starts_with(c).then(|| c.len_utf8())?;
            }
        }
        let open = name.chars().next_back().is_some_and(is_name_part)
            && self.text[position..].chars().next().is_some_and(is_name_part);
        if open { None } else { Some(position) }
    }

    /// A built-in function of several words at the current token, if a call follows.
    pub(super) fn function_name(&self) -> Option<(Text, usize)> {
        let next = skip_blank(self.text, self.token.end);
        if next == self.token.end || !self.text[next..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let candidates = builtins::starting_with(self.slice(self.token));
        candidates
            .filter_map(|name| self.match_name(name, self.token.start).map(|end| (name, end)))
            .filter(|(_, end)| self.text[skip_blank(self.text, *end)..].starts_with('('))
            .max_by_key(|(_, end)| *end)
            .map(|(name, end)| (Text::new_static(name), end))
    }

    /// The name after a point. Any word will do here, reserved or not.
    pub(super) fn property_name(&mut self) -> Parsed<Text> {
        if let Some((name, end)) = self.special_name() {
            self.go_to(end)?;
            return Ok(name);
        }
        for property in PROPERTIES {
            if let Some(end) = self.match_name(property, self.token.start) {
                self.go_to(end)?;
                return Ok(Text::new_static(property));
            }
        }
        match self.token.kind {
            Kind::Name => {
                let token = self.advance()?;
                Ok(Text::new(self.slice(token)))
            }
            Kind::Quoted => self.quoted_name(),
            _ => self.fail("a name"),
        }
    }

    pub(super) fn quoted_name(&mut self) -> Parsed<Text> {
        let token = self.advance()?;
        let text = self.slice(token);
        Ok(Text::new(&text[1..text.len() - 1]))
    }

    /// A name that is being declared: one or more words, up to something that is not a word, or to `stop`.
    pub(super) fn declared_name(&mut self, stop: &str) -> Parsed<Text> {
        if self.token.kind == Kind::Quoted {
            return self.quoted_name();
        }
        if let Some((name, end)) = self.special_name() {
            self.go_to(end)?;
            return Ok(name);
        }
        let mut name = String::new();
        while matches!(self.token.kind, Kind::Name | Kind::Number) && !self.at_word(stop) {
            if name.is_empty() && self.token.kind == Kind::Number {
                break;
            }
            if !name.is_empty() {
                name.push(' ');
            }
            let token = self.advance()?;
            name.push_str(self.slice(token));
        }
        if name.is_empty() {
            return self.fail("a name");
        }
        Ok(Text::from(name))
    }

    /// The key of a context entry: a string, or words that may hold some operators, up to the colon.
    pub(super) fn context_key(&mut self) -> Parsed<Text> {
        match self.token.kind {
            Kind::String => return self.string_literal(),
            Kind::Quoted => return self.quoted_name(),
            Kind::Name => {}
            _ => return self.fail("a key or '}'"),
        }
        let mut name = String::new();
        let mut last_end = self.token.start;
        while self.is_key_part() {
            if self.token.start > last_end && !name.is_empty() {
                name.push(' ');
            }
            let token = self.advance()?;
            name.push_str(self.slice(token));
            last_end = token.end;
        }
        Ok(Text::from(name))
    }

    fn is_key_part(&self) -> bool {
        use Symbol::{Dot, Minus, Plus, Slash, Star};
        match self.token.kind {
            Kind::Name | Kind::Number => true,
            Kind::Symbol(Dot | Minus | Plus | Slash | Star) => true,
            Kind::Invalid => self.slice(self.token) == "'",
            _ => false,
        }
    }

    /// Lets the rest of a construct use a name of several words.
    pub(super) fn declare(&mut self, name: &Text) {
        if is_special(name) {
            self.declared.push(name.clone());
        }
    }
}
