//! Reads a pattern into its tree: alternatives, quantifiers, groups and escapes.
//! Bracket expressions are in `bracket`.

mod bracket;
mod escape;

use super::class;
use super::node::{Assertion, Look, PatternNode, Repeat};
use super::{Flags, Flavour, PatternError};

/// How deep groups may nest; the parser and the matcher recurse this far.
const DEPTH_MAX: usize = 100;

/// Groups that a pattern may have: every position of a search may copy what all of them hold.
const GROUPS_MAX: usize = 200;

/// The largest count in `{n,m}`.
const REPEAT_MAX: u32 = 10_000;

pub(super) struct Parsed {
    pub(super) node: PatternNode,
    pub(super) group_count: usize,
}

pub(super) fn parse(source: &str, flags: Flags, flavour: Flavour) -> Result<Parsed, PatternError> {
    if flags.literal {
        let letters = source.chars().map(|letter| letter_node(letter, flags.ignore_case)).collect();
        return Ok(Parsed { node: PatternNode::Concat(letters), group_count: 0 });
    }
    let letters = if flags.ignore_whitespace && flavour == Flavour::XPath {
        without_whitespace(source)
    } else {
        source.chars().collect()
    };
    let mut parser = Parser {
        letters,
        at: 0,
        flags,
        flavour,
        depth: 0,
        group_count: 0,
        closed_groups: Vec::new(),
        names: Vec::new(),
    };
    let node = parser.alternatives()?;
    if !parser.is_done() {
        return parser.error("unexpected ')'");
    }
    if parser.group_count > GROUPS_MAX {
        return Err(PatternError::TooLarge);
    }
    Ok(Parsed { node, group_count: parser.group_count })
}

/// The standard's `x` flag drops blanks before anything else is read, except in brackets.
fn without_whitespace(source: &str) -> Vec<char> {
    let mut bracket_depth = 0u32;
    let mut escaped = false;
    let mut kept = Vec::new();
    for letter in source.chars() {
        if bracket_depth == 0 && matches!(letter, ' ' | '\t' | '\n' | '\r') {
            continue;
        }
        kept.push(letter);
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => bracket_depth += 1,
            ']' => bracket_depth = bracket_depth.saturating_sub(1),
            _ => {}
        }
    }
    kept
}

fn letter_node(letter: char, ignore_case: bool) -> PatternNode {
    if !ignore_case {
        return PatternNode::Char(letter);
    }
    let class = class::folded(class::of(&[letter]), true);
    if class.ranges().len() == 1 && class.ranges()[0].len() == 1 {
        return PatternNode::Char(letter);
    }
    PatternNode::Class(class)
}

struct Parser {
    letters: Vec<char>,
    at: usize,
    flags: Flags,
    flavour: Flavour,
    depth: usize,
    group_count: usize,
    closed_groups: Vec<usize>,
    names: Vec<(String, usize)>,
}

type Parse<T> = Result<T, PatternError>;

impl Parser {
    fn error<T>(&self, message: &'static str) -> Parse<T> {
        Err(PatternError::Syntax { message, at: self.at.min(self.letters.len()) })
    }

    fn is_done(&self) -> bool {
        self.at >= self.letters.len()
    }

    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += 1;
        Some(letter)
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let len = wanted.chars().count();
        let matches = self.letters[self.at..].iter().copied().take(len).eq(wanted.chars());
        if matches {
            self.at += len;
        }
        matches
    }

    fn is_java(&self) -> bool {
        self.flavour == Flavour::Java
    }

    fn alternatives(&mut self) -> Parse<PatternNode> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(PatternError::TooLarge);
        }
        let mut branches = vec![self.sequence()?];
        while self.eat("|") {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(if branches.len() == 1 { branches.remove(0) } else { PatternNode::Alternate(branches) })
    }

    fn sequence(&mut self) -> Parse<PatternNode> {
        let mut nodes = Vec::new();
        loop {
            self.skip_comments();
            match self.peek() {
                None | Some('|' | ')') => break,
                Some(_) => {}
            }
            let atom = self.atom()?;
            nodes.push(self.quantified(atom)?);
        }
        Ok(match nodes.len() {
            0 => PatternNode::Empty,
            1 => nodes.remove(0),
            _ => PatternNode::Concat(nodes),
        })
    }

    /// Java's `x` flag also knows comments, and leaves escaped blanks alone.
    fn skip_comments(&mut self) {
        if !self.flags.ignore_whitespace || !self.is_java() {
            return;
        }
        while let Some(letter) = self.peek() {
            if letter == '#' {
                while self.peek().is_some_and(|letter| letter != '\n') {
                    self.at += 1;
                }
            } else if letter.is_ascii_whitespace() {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    fn atom(&mut self) -> Parse<PatternNode> {
        let Some(letter) = self.next() else { return self.error("unexpected end") };
        Ok(match letter {
            '.' => PatternNode::Class(class::dot(self.flags.dot_matches_newline, self.flavour)),
            '^' if self.flags.multi_line => PatternNode::Assertion(Assertion::LineStart),
            '^' => PatternNode::Assertion(Assertion::TextStart),
            '$' if self.flags.multi_line => PatternNode::Assertion(Assertion::LineEnd),
            '$' => PatternNode::Assertion(Assertion::TextEnd),
            '(' => self.group()?,
            '[' => PatternNode::Class(self.bracket()?),
            '\\' => self.escape()?,
            '*' | '+' | '?' => return self.error("nothing to repeat before a quantifier"),
            '{' | '}' | ']' if !self.is_java() => {
                return self.error("an unescaped bracket or brace");
            }
            '{' => return self.error("nothing to repeat before a quantifier"),
            other => letter_node(other, self.flags.ignore_case),
        })
    }

    fn quantified(&mut self, atom: PatternNode) -> Parse<PatternNode> {
        let mut node = atom;
        loop {
            self.skip_comments();
            let (min, max) = match self.peek() {
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('?') => (0, Some(1)),
                Some('{') => {
                    self.at += 1;
                    let counts = self.counts()?;
                    node = self.repeated(node, counts.0, counts.1);
                    continue;
                }
                _ => return Ok(node),
            };
            self.at += 1;
            node = self.repeated(node, min, max);
            if !self.is_java() && matches!(self.peek(), Some('*' | '+' | '?' | '{')) {
                return self.error("a quantifier after a quantifier");
            }
        }
    }

    fn repeated(&mut self, node: PatternNode, min: u32, max: Option<u32>) -> PatternNode {
        let greedy = !self.eat("?");
        let repeat = PatternNode::Repeat(Box::new(node), Repeat { min, max, greedy });
        if greedy && self.is_java() && self.eat("+") { PatternNode::Atomic(Box::new(repeat)) } else { repeat }
    }

    /// The inside of `{n}`, `{n,}` or `{n,m}`, after the brace.
    fn counts(&mut self) -> Parse<(u32, Option<u32>)> {
        let min = self.count()?;
        let max = if self.eat(",") {
            if self.peek() == Some('}') { None } else { Some(self.count()?) }
        } else {
            Some(min)
        };
        if !self.eat("}") {
            return self.error("a '{' without its '}'");
        }
        if max.is_some_and(|max| max < min) {
            return self.error("the second count is below the first");
        }
        Ok((min, max))
    }

    fn count(&mut self) -> Parse<u32> {
        let mut value: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|letter| letter.to_digit(10)) {
            self.at += 1;
            value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        }
        match value {
            Some(value) if value > REPEAT_MAX => Err(PatternError::TooLarge),
            Some(value) => Ok(value),
            None => self.error("a count is missing"),
        }
    }

    fn group(&mut self) -> Parse<PatternNode> {
        let outer_flags = self.flags;
        if !self.eat("?") {
            let index = self.open_group();
            return self.rest_of_group(
                outer_flags,
                |inner| PatternNode::Group(Box::new(inner), index),
                Some(index),
            );
        }
        if self.eat(":") {
            return self.rest_of_group(outer_flags, |inner| inner, None);
        }
        if !self.is_java() {
            return self.error("only '(?:' may follow a '(?'");
        }
        let looks = [("<=", false, false), ("<!", false, true), ("=", true, false), ("!", true, true)];
        for (sign, ahead, negated) in looks {
            if self.eat(sign) {
                let look = Look { ahead, negated };
                return self.rest_of_group(
                    outer_flags,
                    |inner| PatternNode::Look(Box::new(inner), look),
                    None,
                );
            }
        }
        if self.eat(">") {
            return self.rest_of_group(outer_flags, |inner| PatternNode::Atomic(Box::new(inner)), None);
        }
        if self.eat("<") {
            let name = self.name_until('>')?;
            let index = self.open_group();
            self.names.push((name, index));
            return self.rest_of_group(
                outer_flags,
                |inner| PatternNode::Group(Box::new(inner), index),
                Some(index),
            );
        }
        self.inline_flags(outer_flags)
    }

    fn open_group(&mut self) -> usize {
        self.group_count += 1;
        self.group_count
    }

    fn rest_of_group(
        &mut self,
        outer_flags: Flags,
        wrap: impl FnOnce(PatternNode) -> PatternNode,
        index: Option<usize>,
    ) -> Parse<PatternNode> {
        let inner = self.alternatives()?;
        if !self.eat(")") {
            return self.error("a '(' without its ')'");
        }
        self.flags = outer_flags;
        self.closed_groups.extend(index);
        Ok(wrap(inner))
    }

    /// `(?i)` up to the end of the group, or `(?i:...)` for a part of its own.
    fn inline_flags(&mut self, outer_flags: Flags) -> Parse<PatternNode> {
        let mut value = true;
        loop {
            match self.next() {
                Some('i') => self.flags.ignore_case = value,
                Some('s') => self.flags.dot_matches_newline = value,
                Some('m') => self.flags.multi_line = value,
                Some('x') => self.flags.ignore_whitespace = value,
                Some('u' | 'U' | 'd') => {}
                Some('-') if value => value = false,
                Some(')') => return Ok(PatternNode::Empty),
                Some(':') => return self.rest_of_group(outer_flags, |inner| inner, None),
                _ => return self.error("an unknown kind of group"),
            }
        }
    }

    fn name_until(&mut self, end: char) -> Parse<String> {
        let mut name = String::new();
        loop {
            match self.next() {
                Some(letter) if letter == end => return Ok(name),
                Some(letter) if letter.is_ascii_alphanumeric() => name.push(letter),
                _ => return self.error("a malformed name"),
            }
        }
    }
}
