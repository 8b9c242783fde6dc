//! Patterns without back-references and look-around, on the linear-time engine of the `regex` crate.

use regex_automata::meta;
use regex_automata::{Input, util::captures::Captures};
use regex_syntax::hir::{self, Class, Hir};

use super::node::{Assertion, Node};
use super::{Match, PatternError};

/// How many bytes of text one step of the budget pays for.
pub(super) const BYTES_PER_STEP: u64 = 256;

/// Memory for one compiled pattern; bounds what counted repetitions can expand to.
pub(super) const PROGRAM_BYTES_MAX: usize = 1 << 20;

/// Memory for the states that a search has met.
const CACHE_BYTES_MAX: usize = 1 << 18;

/// The tree in terms of the linear engine; none if it needs backtracking.
pub(super) fn translate(node: &Node) -> Option<Hir> {
    Some(match node {
        Node::Empty => Hir::empty(),
        Node::Char(letter) => Hir::literal(letter.to_string().into_bytes()),
        Node::Class(class) => Hir::class(Class::Unicode(class.clone())),
        Node::Assertion(assertion) => Hir::look(look(*assertion)),
        Node::Concat(nodes) => Hir::concat(translate_all(nodes)?),
        Node::Alternate(nodes) => Hir::alternation(translate_all(nodes)?),
        Node::Group(inner, index) => Hir::capture(hir::Capture {
            index: u32::try_from(*index).ok()?,
            name: None,
            sub: Box::new(translate(inner)?),
        }),
        Node::Repeat(inner, repeat) => Hir::repetition(hir::Repetition {
            min: repeat.min,
            max: repeat.max,
            greedy: repeat.greedy,
            sub: Box::new(translate(inner)?),
        }),
        Node::Atomic(_) | Node::Look(..) | Node::BackReference { .. } => return None,
    })
}

fn translate_all(nodes: &[Node]) -> Option<Vec<Hir>> {
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

pub(super) fn build(hir: &Hir) -> Result<meta::Regex, PatternError> {
    let config = meta::Config::new()
        .nfa_size_limit(Some(PROGRAM_BYTES_MAX))
        .onepass_size_limit(Some(PROGRAM_BYTES_MAX))
        .hybrid_cache_capacity(CACHE_BYTES_MAX);
    meta::Builder::new().configure(config).build_from_hir(hir).map_err(|_| PatternError::TooLarge)
}

pub(super) fn find_at<E>(
    regex: &meta::Regex,
    text: &str,
    start: usize,
    charge: &mut impl FnMut(u64) -> Result<(), E>,
) -> Result<Option<Match>, E> {
    // A search may look at all the text that is left, even if the match is short, and carries its groups along.
    charge(regex.captures_len() as u64 * (1 + (text.len() - start) as u64 / BYTES_PER_STEP))?;
    let mut captures: Captures = regex.create_captures();
    regex.captures(Input::new(text).range(start..), &mut captures);
    if !captures.is_match() {
        return Ok(None);
    }
    let group = |index| captures.get_group(index).map(|span| span.range());
    Ok(Some(Match { groups: (0..captures.group_len()).map(group).collect() }))
}
