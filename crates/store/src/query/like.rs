//! Patterns of `$like`, matched in time that grows with the text alone: a client chooses both, and a pattern with many
//! wildcards must not hold up whoever runs it.

use rustc_hash::FxHashMap;

/// Characters that a pattern may have. The longest texts that are searched by pattern are values of variables, and
/// matching takes a step per character of the text for every 64 of these.
pub const PATTERN_CHARS_MAX: usize = 1_000;

/// A pattern that is ready to be matched: `*` any characters, `?` one, a backslash takes the next literally.
#[derive(Debug)]
pub struct Pattern {
    /// The beginning of the text.
    first: Piece,
    /// The pieces behind the beginning, each after any characters. None where there is no `*` at all.
    rest: Option<Rest>,
}

#[derive(Debug)]
struct Rest {
    /// In this order, between the first and the last.
    middle: Vec<Piece>,
    /// The end of the text.
    last: Piece,
}

impl Pattern {
    pub fn new(pattern: &str) -> Pattern {
        let mut pieces = vec![Vec::new()];
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            let place = match character {
                '*' => {
                    pieces.push(Vec::new());
                    continue;
                }
                '?' => None,
                // At the very end it stands for itself.
                '\\' => Some(characters.next().unwrap_or('\\')),
                literal => Some(literal),
            };
            pieces.last_mut().expect("there is one from the beginning").push(place);
        }
        let mut pieces = pieces.into_iter().map(Piece::new);
        let first = pieces.next().expect("there is one from the beginning");
        let mut middle: Vec<Piece> = pieces.collect();
        let rest = middle.pop().map(|last| {
            // Two `*` in a row mean the same as one.
            middle.retain(|piece| !piece.places.is_empty());
            Rest { middle, last }
        });
        Pattern { first, rest }
    }

    /// True if the whole text is as the pattern says.
    pub fn matches(&self, text: &str) -> bool {
        let Some(mut left) = self.first.after_start(text) else { return false };
        let Some(rest) = &self.rest else { return left.is_empty() };
        // The first place for each piece leaves most room for the pieces behind it, so no other place need be tried.
        for piece in &rest.middle {
            match piece.after_first(left) {
                Some(behind) => left = behind,
                None => return false,
            }
        }
        rest.last.is_end_of(left)
    }

    /// The literal text that everything that matches begins with.
    pub fn prefix(&self) -> &str {
        &self.first.prefix
    }
}

/// Places between two `*`: a literal character, or none for any.
#[derive(Debug)]
struct Piece {
    places: Vec<Option<char>>,
    /// The literal characters up to the first `?`.
    prefix: String,
    /// None where all places are literal.
    gaps: Option<Gaps>,
}

/// The places of a piece as bits, for each character.
#[derive(Debug)]
struct Gaps {
    /// Where any character may stand.
    any: Vec<u64>,
    /// Where a literal may stand, the places of any character included.
    of: FxHashMap<char, Vec<u64>>,
}

impl Piece {
    fn new(places: Vec<Option<char>>) -> Piece {
        let prefix = places.iter().map_while(|place| *place).collect();
        let gaps = places.contains(&None).then(|| Gaps::new(&places));
        Piece { places, prefix, gaps }
    }

    /// The rest of a text that begins with the piece.
    fn after_start<'t>(&self, text: &'t str) -> Option<&'t str> {
        let mut left = text.chars();
        for place in &self.places {
            let character = left.next()?;
            if place.is_some_and(|literal| literal != character) {
                return None;
            }
        }
        Some(left.as_str())
    }

    /// The comparison goes from the end, so that the text before it need not be looked at.
    fn is_end_of(&self, text: &str) -> bool {
        let mut left = text.chars();
        self.places.iter().rev().all(|place| {
            left.next_back().is_some_and(|character| place.is_none_or(|literal| literal == character))
        })
    }

    /// The rest of a text behind the first place where the piece is.
    fn after_first<'t>(&self, text: &'t str) -> Option<&'t str> {
        match &self.gaps {
            Some(gaps) => gaps.end_of_first(self.places.len(), text).map(|end| &text[end..]),
            // Without `?` the search of the standard library does, which takes linear time for any text.
            None => text.find(&self.prefix).map(|at| &text[at + self.prefix.len()..]),
        }
    }
}

impl Gaps {
    fn new(places: &[Option<char>]) -> Gaps {
        let mut any = vec![0u64; places.len().div_ceil(64)];
        for (n, _) in places.iter().enumerate().filter(|(_, place)| place.is_none()) {
            any[n / 64] |= 1 << (n % 64);
        }
        let mut of: FxHashMap<char, Vec<u64>> = FxHashMap::default();
        for (n, literal) in places.iter().enumerate().filter_map(|(n, place)| Some((n, (*place)?))) {
            // A literal also fits where any character may stand, so its places begin as a copy of those.
            of.entry(literal).or_insert_with(|| any.clone())[n / 64] |= 1 << (n % 64);
        }
        Gaps { any, of }
    }

    /// Follows all beginnings of the piece at once, a bit for each: where bit n is set, the last n + 1 characters are as
    /// the first n + 1 places of the piece say.
    fn end_of_first(&self, places: usize, text: &str) -> Option<usize> {
        let mut state = vec![0u64; self.any.len()];
        // This bit in the last word says that all places have matched.
        let whole = 1u64 << ((places - 1) % 64);
        for (at, character) in text.char_indices() {
            let mask = self.of.get(&character).unwrap_or(&self.any);
            // A match may begin at every character, which is why a 1 is shifted in each time.
            let mut carry = 1;
            for (word, mask) in state.iter_mut().zip(mask) {
                let next = *word >> 63;
                *word = (*word << 1 | carry) & mask;
                carry = next;
            }
            if state.last().is_some_and(|word| word & whole != 0) {
                return Some(at + character.len_utf8());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_like(text: &str, pattern: &str) -> bool {
        Pattern::new(pattern).matches(text)
    }

    #[test]
    fn patterns_match_whole_texts() {
        for (text, pattern, expected) in [
            ("", "", true),
            ("", "*", true),
            ("", "?", false),
            ("abc", "a*", true),
            ("abc", "a?", false),
            ("abcbc", "a*bc", true),
            ("abcbd", "a*bc", false),
            ("a*b", r"a\*b", true),
            ("axb", r"a\*b", false),
            (r"a\", r"a\", true),
            ("é€", "??", true),
            ("é€x", "*?x", true),
            ("é€x", "*€?x", false),
            ("Abc", "a*", false),
            ("aXbXc", "*X*X*", true),
            ("aa", "a*a*a", false),
            ("ab", "ab*b", false),
            ("xaybzcw", "*a?b*c?", true),
            ("xaybzc", "*a?b*c?", false),
        ] {
            assert_eq!(is_like(text, pattern), expected, "{text:?} like {pattern:?}");
        }
    }

    /// Goes back to the last `*`, the plain way.
    fn is_like_slowly(text: &[char], pattern: &[char]) -> bool {
        match pattern.first() {
            None => text.is_empty(),
            Some('*') => (0..=text.len()).any(|at| is_like_slowly(&text[at..], &pattern[1..])),
            Some('?') => !text.is_empty() && is_like_slowly(&text[1..], &pattern[1..]),
            Some(literal) => text.first() == Some(literal) && is_like_slowly(&text[1..], &pattern[1..]),
        }
    }

    #[test]
    fn all_small_patterns_match_what_they_say() {
        let words = |letters: &[char], longest: usize| -> Vec<Vec<char>> {
            let mut words = vec![Vec::new()];
            let mut at = 0;
            while let Some(word) = words.get(at).cloned() {
                if word.len() < longest {
                    words.extend(letters.iter().map(|letter| [&word[..], &[*letter]].concat()));
                }
                at += 1;
            }
            words
        };
        let texts = words(&['a', 'b'], 6);
        for pattern in words(&['a', 'b', '?', '*'], 5) {
            let compiled = Pattern::new(&pattern.iter().collect::<String>());
            for text in &texts {
                let expected = is_like_slowly(text, &pattern);
                let found = compiled.matches(&text.iter().collect::<String>());
                assert_eq!(found, expected, "{text:?} like {pattern:?}");
            }
        }
    }

    #[test]
    fn long_pieces_with_gaps_are_found() {
        let piece = format!("{}?{}", "a".repeat(100), "b".repeat(100));
        let text = format!("{}x{}", "a".repeat(200), "b".repeat(200));
        assert!(is_like(&text, &format!("*{piece}*")));
        assert!(!is_like(&text, &format!("*{piece}*a*")));
    }

    /// Each of these would take minutes if the text were looked at again for each place of the pattern.
    #[test]
    fn hostile_patterns_take_bounded_time() {
        let text = "a".repeat(4 << 20);
        let many = "a*".repeat(PATTERN_CHARS_MAX / 2 - 1);
        let long = "a".repeat(PATTERN_CHARS_MAX - 3);
        let gaps = "a?".repeat(PATTERN_CHARS_MAX / 2 - 2);
        let began = std::time::Instant::now();
        for pattern in [format!("{many}b"), format!("*{long}b*"), format!("*{gaps}b*")] {
            assert!(!is_like(&text, &pattern));
        }
        assert!(began.elapsed().as_secs() < 60, "it took {:?}", began.elapsed());
    }
}
