//! FEEL finds all matches of a pattern, splits a text by them, or replaces them.

use super::{Flavour, Match, Pattern, PatternError};

/// A piece of a replacement text.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Group(usize),
}

impl Pattern {
    /// Hands each match, from left to right, to `visit`.
    fn for_each_match<E>(
        &self,
        text: &str,
        charge: &mut impl FnMut(u64) -> Result<(), E>,
        mut visit: impl FnMut(&Match),
    ) -> Result<(), E> {
        let mut at = 0;
        while at <= text.len() {
            let Some(found) = self.find_at(text, at, charge)? else { break };
            let range = found.range();
            visit(&found);
            at = range.end;
            if range.is_empty() {
                // Step over one character, or the same empty match would be found for ever.
                at += text[at..].chars().next().map_or(1, char::len_utf8);
            }
        }
        Ok(())
    }

    /// The text of every match.
    pub(crate) fn find_all<'t, E>(
        &self,
        text: &'t str,
        charge: &mut impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Vec<&'t str>, E> {
        let mut found = Vec::new();
        self.for_each_match(text, charge, |one| found.push(&text[one.range()]))?;
        Ok(found)
    }

    /// The text between the matches, empty pieces included; an empty match at the very start
    /// does not count as a border.
    pub(crate) fn split<'t, E>(
        &self,
        text: &'t str,
        charge: &mut impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Vec<&'t str>, E> {
        let mut pieces = Vec::new();
        let mut from = 0;
        self.for_each_match(text, charge, |one| {
            let range = one.range();
            if range.end > 0 {
                pieces.push(&text[from..range.start]);
                from = range.end;
            }
        })?;
        pieces.push(&text[from..]);
        Ok(pieces)
    }

    /// Finds what to replace; `$1` in the replacement stands for the first group.
    pub(crate) fn replacement<'t, E>(
        &self,
        text: &'t str,
        replacement: &str,
        charge: &mut impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Result<Replacement<'t>, PatternError>, E> {
        let pieces = match self.template(replacement) {
            Ok(pieces) => pieces,
            Err(error) => return Ok(Err(error)),
        };
        let mut matches = Vec::new();
        self.for_each_match(text, charge, |one| matches.push(one.clone()))?;
        Ok(Ok(Replacement { text, pieces, matches }))
    }

    fn template(&self, replacement: &str) -> Result<Vec<Piece>, PatternError> {
        let error = |message, at| Err(PatternError::Syntax { message, at });
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut letters = replacement.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => match letters.next() {
                    Some((_, escaped)) if self.flavour == Flavour::Java => text.push(escaped),
                    Some((_, escaped @ ('\\' | '$'))) => text.push(escaped),
                    _ => return error("a backslash in the replacement must precede '\\' or '$'", at),
                },
                '$' => {
                    let Some(first) = letters.next().and_then(|(_, digit)| digit.to_digit(10)) else {
                        return error("a '$' in the replacement must precede a digit", at);
                    };
                    let mut group = first as usize;
                    while let Some(digit) = letters.peek().and_then(|(_, digit)| digit.to_digit(10)) {
                        let longer = group * 10 + digit as usize;
                        if longer > self.group_count {
                            break;
                        }
                        group = longer;
                        letters.next();
                    }
                    if group > self.group_count && self.flavour == Flavour::Java {
                        return error("the replacement names a group that does not exist", at);
                    }
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                    pieces.push(Piece::Group(group));
                }
                other => text.push(other),
            }
        }
        pieces.push(Piece::Text(text));
        Ok(pieces)
    }
}

/// A replacement that is yet to be written, so that its size can be paid for first.
pub(crate) struct Replacement<'t> {
    text: &'t str,
    pieces: Vec<Piece>,
    matches: Vec<Match>,
}

impl Replacement<'_> {
    /// No less than the bytes that the result will take.
    pub(crate) fn byte_len(&self) -> usize {
        let piece_len = |piece: &Piece, one: &Match| match piece {
            Piece::Text(text) => text.len(),
            Piece::Group(group) => one.group(*group).map_or(0, |range| range.len()),
        };
        let one_len = |one: &Match| self.pieces.iter().map(|piece| piece_len(piece, one)).sum::<usize>();
        self.text.len() + self.matches.iter().map(one_len).sum::<usize>()
    }

    pub(crate) fn write(&self) -> String {
        let mut result = String::with_capacity(self.text.len());
        let mut from = 0;
        for one in &self.matches {
            result.push_str(&self.text[from..one.range().start]);
            self.expand(&mut result, one);
            from = one.range().end;
        }
        result.push_str(&self.text[from..]);
        result
    }

    fn expand(&self, result: &mut String, one: &Match) {
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => result.push_str(piece),
                Piece::Group(group) => {
                    if let Some(range) = one.group(*group) {
                        result.push_str(&self.text[range]);
                    }
                }
            }
        }
    }
}
