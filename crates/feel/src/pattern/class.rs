//! Sets of characters: escapes such as `\d` and `\p{L}`, and the algebra behind `[...]`.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use super::Flavour;
use super::blocks;

pub(super) fn range(start: char, end: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(start, end)])
}

pub(super) fn of(letters: &[char]) -> ClassUnicode {
    ClassUnicode::new(letters.iter().map(|letter| ClassUnicodeRange::new(*letter, *letter)))
}

fn of_ranges(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(start, end)| ClassUnicodeRange::new(*start, *end)))
}

pub(super) fn negated(mut class: ClassUnicode) -> ClassUnicode {
    class.negate();
    class
}

pub(super) fn folded(mut class: ClassUnicode, ignore_case: bool) -> ClassUnicode {
    if ignore_case {
        class.case_fold_simple();
    }
    class
}

pub(super) fn contains(class: &ClassUnicode, letter: char) -> bool {
    let ranges = class.ranges();
    let after = ranges.partition_point(|range| range.start() <= letter);
    after > 0 && ranges[after - 1].end() >= letter
}

/// The characters that `.` stands for.
pub(super) fn dot(matches_newline: bool, flavour: Flavour) -> ClassUnicode {
    if matches_newline {
        return range('\0', char::MAX);
    }
    negated(match flavour {
        Flavour::XPath => of(&['\n', '\r']),
        Flavour::Java => of(&['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']),
    })
}

/// The class behind a one-letter escape such as `\d`, if it is one in this flavour.
pub(super) fn escape(letter: char, flavour: Flavour) -> Option<ClassUnicode> {
    if letter.is_ascii_uppercase() && "SDWICHV".contains(letter) {
        return escape(letter.to_ascii_lowercase(), flavour).map(negated);
    }
    let java = flavour == Flavour::Java;
    Some(match letter {
        's' if java => of(&[' ', '\t', '\n', '\u{b}', '\u{c}', '\r']),
        's' => of(&[' ', '\t', '\n', '\r']),
        'd' if java => range('0', '9'),
        'd' => unicode("Nd")?,
        'w' if java => of_ranges(&[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]),
        'w' => {
            let mut other = unicode("P")?;
            other.union(&unicode("Z")?);
            other.union(&unicode("C")?);
            negated(other)
        }
        'i' if !java => name_start(),
        'c' if !java => name_char(),
        'h' if java => of_ranges(&[
            (' ', ' '),
            ('\t', '\t'),
            ('\u{a0}', '\u{a0}'),
            ('\u{1680}', '\u{1680}'),
            ('\u{180e}', '\u{180e}'),
            ('\u{2000}', '\u{200a}'),
            ('\u{202f}', '\u{202f}'),
            ('\u{205f}', '\u{205f}'),
            ('\u{3000}', '\u{3000}'),
        ]),
        'v' if java => of_ranges(&[('\n', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')]),
        _ => return None,
    })
}

/// The class behind `\p{name}`: a category, a script, a block, or one of Java's own names.
pub(super) fn property(name: &str, flavour: Flavour) -> Option<ClassUnicode> {
    if name.is_empty() || name.contains(|c: char| c.is_whitespace()) {
        return None;
    }
    if let Some(block) = name.strip_prefix("Is").and_then(blocks::find) {
        return Some(range(block.0, block.1));
    }
    match flavour {
        // The standard knows categories (`L`, `Lu`) and blocks only.
        Flavour::XPath if name.len() <= 2 => unicode(name),
        Flavour::XPath => None,
        Flavour::Java => java_property(name),
    }
}

fn java_property(name: &str) -> Option<ClassUnicode> {
    if let Some(block) = name.strip_prefix("In").and_then(blocks::find) {
        return Some(range(block.0, block.1));
    }
    if let Some(posix) = posix(name) {
        return Some(posix);
    }
    let stripped = name.strip_prefix("Is").or_else(|| name.strip_prefix("java")).unwrap_or(name);
    unicode(match stripped {
        "LowerCase" => "Lowercase",
        "UpperCase" => "Uppercase",
        "Letter" => "L",
        "Digit" => "Nd",
        "LetterOrDigit" => "Alnum",
        other => other,
    })
}

fn posix(name: &str) -> Option<ClassUnicode> {
    Some(match name {
        "Lower" => range('a', 'z'),
        "Upper" => range('A', 'Z'),
        "ASCII" => range('\0', '\u{7f}'),
        "Alpha" => of_ranges(&[('a', 'z'), ('A', 'Z')]),
        "Digit" => range('0', '9'),
        "Alnum" => of_ranges(&[('a', 'z'), ('A', 'Z'), ('0', '9')]),
        "Punct" => of_ranges(&[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
        "Graph" => range('!', '~'),
        "Print" => range(' ', '~'),
        "Blank" => of(&[' ', '\t']),
        "Cntrl" => of_ranges(&[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')]),
        "XDigit" => of_ranges(&[('0', '9'), ('a', 'f'), ('A', 'F')]),
        "Space" => escape('s', Flavour::Java)?,
        _ => return None,
    })
}

/// A Unicode category, script or binary property by name.
fn unicode(name: &str) -> Option<ClassUnicode> {
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '=') {
        return None;
    }
    let hir = regex_syntax::parse(&format!(r"\p{{{name}}}")).ok()?;
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        _ => None,
    }
}

/// Characters that begin an XML name.
fn name_start() -> ClassUnicode {
    of_ranges(&[
        (':', ':'),
        ('A', 'Z'),
        ('_', '_'),
        ('a', 'z'),
        ('\u{c0}', '\u{d6}'),
        ('\u{d8}', '\u{f6}'),
        ('\u{f8}', '\u{2ff}'),
        ('\u{370}', '\u{37d}'),
        ('\u{37f}', '\u{1fff}'),
        ('\u{200c}', '\u{200d}'),
        ('\u{2070}', '\u{218f}'),
        ('\u{2c00}', '\u{2fef}'),
        ('\u{3001}', '\u{d7ff}'),
        ('\u{f900}', '\u{fdcf}'),
        ('\u{fdf0}', '\u{fffd}'),
        ('\u{10000}', '\u{effff}'),
    ])
}

/// Characters of an XML name.
fn name_char() -> ClassUnicode {
    let mut class = name_start();
    class.union(&of_ranges(&[
        ('-', '.'),
        ('0', '9'),
        ('\u{b7}', '\u{b7}'),
        ('\u{300}', '\u{36f}'),
        ('\u{203f}', '\u{2040}'),
    ]));
    class
}
