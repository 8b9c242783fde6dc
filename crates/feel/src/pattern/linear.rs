//! Patterns without back-references and look-around, on the linear-time engine of the `regex` crate.

use regex_automata::meta;
use regex_automata::util::captures::Captures;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{self, Class, Hir};

use super::cost::Cost;
use super::node::{Assertion, PatternNode};
use super::{Match, PatternError};

/// Memory for one compiled pattern; bounds what counted repetitions can expand to.
pub(super) const PROGRAM_BYTES_MAX: usize = 1 << 20;

/// Memory for the states that a search has met.
const CACHE_BYTES_MAX: usize = 1 << 18;

/// The tree in terms of the linear engine; none if it needs backtracking.
pub(super) fn translate(node: &PatternNode) -> Option<Hir> {
    Some(match node {
        PatternNode::Empty => Hir::empty(),
        PatternNode::Char(letter) => Hir::literal(letter.to_string().into_bytes()),
        PatternNode::Class(class) => Hir::class(Class::Unicode(class.clone())),
        PatternNode::Assertion(assertion) => Hir::look(look(*assertion)),
        PatternNode::Concat(nodes) => Hir::concat(translate_all(nodes)?),
        PatternNode::Alternate(nodes) => Hir::alternation(translate_all(nodes)?),
        PatternNode::Group(inner, index) => Hir::capture(hir::Capture {
            index: u32::try_from(*index).ok()?,
            name: None,
            sub: Box::new(translate(inner)?),
        }),
        PatternNode::Repeat(inner, repeat) => Hir::repetition(hir::Repetition {
            min: repeat.min,
            max: repeat.max,
            greedy: repeat.greedy,
            sub: Box::new(translate(inner)?),
        }),
        PatternNode::Atomic(_) | PatternNode::Look(..) | PatternNode::BackReference { .. } => return None,
    })
}

fn translate_all(nodes: &[PatternNode]) -> Option<Vec<Hir>> {
    nodes.iter().map(translate).collect()
}

fn look(assertion: Assertion) -> hir::Look {
    match assertion {
        Assertion::TextStart => hir::Look::Start,
        Assertion::TextEnd => hir::Look::End,
        Assertion::LineStart => hir::Look::StartLF,
        Assertion::LineEnd => hir::Look::EndLF,
        Assertion::WordBoundary => hir::Look::WordUnicode,
        Assertion::NotWordBoundary => hir::Look::WordUnicodeNegate,
    }
}

/// A regular pattern, and what a search with it may cost.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    regex: meta::Regex,
    cost: Cost,
}

pub(super) fn build(hir: Hir) -> Result<Linear, PatternError> {
    let config = meta::Config::new()
        .nfa_size_limit(Some(PROGRAM_BYTES_MAX))
        .onepass_size_limit(Some(PROGRAM_BYTES_MAX))
        .hybrid_cache_capacity(CACHE_BYTES_MAX)
        .dfa(false);
    let regex =
        meta::Builder::new().configure(config).build_from_hir(&hir).map_err(|_| PatternError::TooLarge)?;
    Ok(Linear { regex, cost: Cost::of(hir) })
}

impl Linear {
    pub(super) fn memory_usage(&self) -> usize {
        self.regex.memory_usage()
    }

    pub(super) fn check_steps(&self) -> u64 {
        self.cost.check_steps()
    }

    pub(super) fn is_match<E>(
        &self,
        text: &str,
        charge: &mut impl FnMut(u64) -> Result<(), E>,
    ) -> Result<bool, E> {
        charge(self.cost.of_search(text))?;
        Ok(self.regex.is_match(text))
    }

    pub(super) fn find_at<E>(
        &self,
        text: &str,
        start: usize,
        charge: &mut impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Option<Match>, E> {
        // A search may look at all the text that is left, even if the match is short.
        charge(self.cost.of_search(&text[start..]))?;
        let Some(found) = self.regex.find(Input::new(text).range(start..)) else { return Ok(None) };
        let groups = self.regex.captures_len();
        if groups == 1 {
            return Ok(Some(Match { groups: vec![Some(found.range())] }));
        }
        // The groups are looked for in what was found, and are carried along.
        charge(self.cost.of_groups(groups, found.len()))?;
        let mut captures: Captures = self.regex.create_captures();
        let within = Input::new(text).range(found.range()).anchored(Anchored::Yes);
        self.regex.captures(within, &mut captures);
        if !captures.is_match() {
            return Ok(Some(Match { groups: vec![Some(found.range())] }));
        }
        let group = |index| captures.get_group(index).map(|span| span.range());
        Ok(Some(Match { groups: (0..captures.group_len()).map(group).collect() }))
    }
}
