//! The highest cost of a search with a regular pattern. A pattern with few states is searched with one state at a time. A
//! pattern with too many, such as `[ab]*a[ab]{200}`, is searched at all its places side by side, which takes as many times
//! longer as it has places. The pattern alone decides between the two, so the same search costs the same everywhere.

use regex_automata::MatchKind;
use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_syntax::hir::{Hir, HirKind, Look};
use std::cell::OnceCell;

/// Bytes of text that one step pays for, where there is one state at a time.
const BYTES_PER_STEP: u64 = 256;
/// Pairs of a byte of text and a place in the pattern that one step pays for, where all places are followed.
const PLACES_PER_STEP: u64 = 4;
/// The same for words in a text with letters beyond ASCII: the places are followed, but few of them at once.
const WORD_PLACES_PER_STEP: u64 = 16;
/// The same for a text so short that the states are not worth looking into.
const SHORT_PLACES_PER_STEP: u64 = 32;
const SHORT_TEXT_BYTES: u64 = 4096;
/// So few places can be combined to few states only.
const PLACES_FEW: u64 = 8;
/// Memory for the states of a pattern that has few.
const STATES_BYTES_MAX: usize = 1 << 18;
/// The cost of analysing whether a pattern has few states.
const CHECK_STEPS: u64 = 2_000;

#[derive(Clone, Debug)]
pub(super) struct Cost {
    hir: Hir,
    /// Letters and classes, each as often as it is repeated: so many places a search may be at side by side.
    places: u64,
    /// Words are told apart by one state at a time in ASCII only.
    looks_at_words: bool,
    has_few_states: OnceCell<bool>,
}

impl Cost {
    pub(super) fn of(hir: Hir) -> Cost {
        let looks = hir.properties().look_set();
        let looks_at_words = looks.contains(Look::WordUnicode) || looks.contains(Look::WordUnicodeNegate);
        Cost { places: places(&hir), looks_at_words, hir, has_few_states: OnceCell::new() }
    }

    /// The cost of analysing the pattern. The first long text triggers the analysis and pays for it, once.
    pub(super) fn check_steps(&self) -> u64 {
        if self.places > PLACES_FEW { CHECK_STEPS } else { 0 }
    }

    /// Steps for a search that may go over all of the text.
    pub(super) fn of_search(&self, text: &str) -> u64 {
        let length = text.len() as u64;
        let each = length.saturating_mul(self.places);
        let fast = 1 + length / BYTES_PER_STEP;
        if self.looks_at_words && !text.is_ascii() {
            return fast + each / WORD_PLACES_PER_STEP;
        }
        if self.places <= PLACES_FEW {
            return fast;
        }
        if length <= SHORT_TEXT_BYTES {
            return fast + each / SHORT_PLACES_PER_STEP;
        }
        if *self.has_few_states.get_or_init(|| has_few_states(&self.hir)) {
            return fast + SHORT_TEXT_BYTES * self.places / SHORT_PLACES_PER_STEP;
        }
        fast + each / PLACES_PER_STEP
    }

    /// Steps to find the groups of a match of that length.
    pub(super) fn of_groups(&self, groups: usize, length: usize) -> u64 {
        groups as u64 * (1 + (length as u64).saturating_mul(self.places) / WORD_PLACES_PER_STEP)
    }
}

fn places(hir: &Hir) -> u64 {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Class(_) => 1,
        HirKind::Capture(capture) => places(&capture.sub),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            places(&repetition.sub).saturating_mul(times.into())
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(places).fold(0, u64::saturating_add)
        }
    }
}

/// True if all states of a search, forwards for the end of a match and backwards for its start, fit into little memory.
fn has_few_states(hir: &Hir) -> bool {
    let states = |backwards: bool| {
        let config = thompson::Config::new()
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(super::linear::PROGRAM_BYTES_MAX))
            .reverse(backwards);
        let program = thompson::Compiler::new().configure(config).build_from_hir(hir).ok()?;
        let (kind, start) = if backwards {
            (MatchKind::All, StartKind::Anchored)
        } else {
            (MatchKind::LeftmostFirst, StartKind::Unanchored)
        };
        let config = dense::Config::new()
            .match_kind(kind)
            .start_kind(start)
            .accelerate(false)
            .unicode_word_boundary(true)
            .determinize_size_limit(Some(STATES_BYTES_MAX))
            .dfa_size_limit(Some(STATES_BYTES_MAX));
        dense::Builder::new().configure(config).build_from_nfa(&program).ok()
    };
    states(false).is_some() && states(true).is_some()
}
