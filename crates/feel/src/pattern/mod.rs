//! Regular expressions in the two flavours that FEEL users write: Java's (Camunda) and XPath's (the DMN
//! standard). Regular patterns run in linear time; back-references and look-around run in a backtracking
//! matcher whose every step is charged to the caller.

mod apply;
mod backtrack;
mod blocks;
mod cache;
mod class;
mod cost;
mod linear;
mod node;
mod parse;

pub(crate) use cache::PATTERNS_MAX;

use std::fmt;
use std::ops::Range;

use backtrack::Program;
use linear::Linear;

/// Bytes of a program that are built for one step.
const BYTES_PER_STEP: u64 = 64;

/// The rules that a pattern follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Flavour {
    Java,
    XPath,
}

/// The letters of the `flags` argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// `i`
    ignore_case: bool,
    /// `s`
    dot_matches_newline: bool,
    /// `m`
    multi_line: bool,
    /// `x`
    ignore_whitespace: bool,
    /// `q`
    literal: bool,
}

/// Why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternError {
    UnknownFlag(char),
    Syntax { message: &'static str, at: usize },
    TooLarge,
}

impl PatternError {
    /// Steps that it took to find out.
    pub(crate) fn build_steps(&self) -> u64 {
        match self {
            Self::TooLarge => linear::PROGRAM_BYTES_MAX as u64 / BYTES_PER_STEP,
            Self::UnknownFlag(_) | Self::Syntax { .. } => 0,
        }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFlag(flag) => write!(f, "Unknown regular expression flag '{flag}'"),
            Self::Syntax { message, at } => {
                write!(f, "Invalid regular expression: {message} at position {}", at + 1)
            }
            Self::TooLarge => f.write_str("The regular expression is too large"),
        }
    }
}

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    engine: Engine,
    flavour: Flavour,
    group_count: usize,
}

#[derive(Clone, Debug)]
enum Engine {
    Linear(Linear),
    Backtracking(Program),
}

/// Where a pattern matched: the whole match first, then its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    groups: Vec<Option<Range<usize>>>,
}

impl Match {
    pub(crate) fn range(&self) -> Range<usize> {
        self.groups[0].clone().expect("a match always has its whole range")
    }

    fn group(&self, index: usize) -> Option<Range<usize>> {
        self.groups.get(index).cloned().flatten()
    }
}

impl Flags {
    fn parse(text: &str, flavour: Flavour) -> Result<Self, PatternError> {
        let mut flags = Self::default();
        for flag in text.chars() {
            match flag {
                'i' => flags.ignore_case = true,
                's' => flags.dot_matches_newline = true,
                'm' => flags.multi_line = true,
                'x' => flags.ignore_whitespace = true,
                'q' if flavour == Flavour::XPath => flags.literal = true,
                _ if flavour == Flavour::Java => {}
                other => return Err(PatternError::UnknownFlag(other)),
            }
        }
        Ok(flags)
    }
}

impl Pattern {
    pub(crate) fn new(source: &str, flags: &str, flavour: Flavour) -> Result<Self, PatternError> {
        let flags = Flags::parse(flags, flavour)?;
        let parsed = parse::parse(source, flags, flavour)?;
        let engine = match linear::translate(&parsed.node) {
            Some(hir) => Engine::Linear(linear::build(hir)?),
            None => Engine::Backtracking(Program::compile(&parsed.node, parsed.group_count)?),
        };
        Ok(Self { engine, flavour, group_count: parsed.group_count })
    }

    /// Steps that building it costs: small patterns may stand for large programs.
    pub(crate) fn build_steps(&self) -> u64 {
        let check_steps = match &self.engine {
            Engine::Linear(linear) => linear.check_steps(),
            Engine::Backtracking(_) => 0,
        };
        self.memory_usage() as u64 / BYTES_PER_STEP + check_steps
    }

    /// The leftmost match that begins at byte `start` or later.
    pub(crate) fn find_at<E>(
        &self,
        text: &str,
        start: usize,
        charge: &mut impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Option<Match>, E> {
        match &self.engine {
            Engine::Linear(linear) => linear.find_at(text, start, charge),
            Engine::Backtracking(program) => program.find_at(text, start, charge),
        }
    }

    pub(crate) fn is_match<E>(
        &self,
        text: &str,
        charge: &mut impl FnMut(u64) -> Result<(), E>,
    ) -> Result<bool, E> {
        match &self.engine {
            Engine::Linear(linear) => linear.is_match(text, charge),
            Engine::Backtracking(program) => Ok(program.find_at(text, 0, charge)?.is_some()),
        }
    }
}

#[cfg(test)]
mod tests;
