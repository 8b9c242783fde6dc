//! The syntax tree of a pattern. Flags are already applied: a letter that ignores case is a class.

use regex_syntax::hir::ClassUnicode;

#[derive(Clone, Debug)]
pub(super) enum PatternNode {
    Empty,
    Char(char),
    Class(ClassUnicode),
    Assertion(Assertion),
    Concat(Vec<PatternNode>),
    Alternate(Vec<PatternNode>),
    /// A capturing group with its number, from 1.
    Group(Box<PatternNode>, usize),
    /// A group that, once matched, is never tried in another way.
    Atomic(Box<PatternNode>),
    Look(Box<PatternNode>, Look),
    Repeat(Box<PatternNode>, Repeat),
    /// The same text that the group with that number has matched.
    BackReference {
        group: usize,
        ignore_case: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NotWordBoundary,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) ahead: bool,
    pub(super) negated: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    pub(super) min: u32,
    pub(super) max: Option<u32>,
    pub(super) greedy: bool,
}
