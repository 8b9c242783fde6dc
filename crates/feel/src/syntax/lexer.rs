//! Text to tokens, one at a time and from any position: the parser decides what a run of words means.

/// The kind of a token; its text is the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    /// A name in backticks.
    Quoted,
    Number,
    String,
    Symbol(Symbol),
    End,
    /// A character or an unfinished literal that no token begins with.
    Invalid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Comma,
    Colon,
    Dot,
    DotDot,
    Plus,
    Minus,
    Arrow,
    Star,
    StarStar,
    Slash,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Question,
    At,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

pub(super) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$' || c >= '\u{10000}' || ('\u{2070}'..='\u{218f}').contains(&c)
}

pub(super) fn is_name_part(c: char) -> bool {
    is_name_start(c)
        || c.is_numeric()
        || matches!(c, '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{200c}' | '\u{200d}' | '\u{203f}' | '\u{fe0f}')
}

/// The token at or after a position.
pub(super) fn token_at(text: &str, position: usize, exponents: bool) -> Token {
    let start = skip_blank(text, position);
    let rest = &text[start..];
    let bytes = rest.as_bytes();
    let token = |kind, length| Token { kind, start, end: start + length };
    match bytes.first() {
        None => token(Kind::End, 0),
        Some(b'0'..=b'9') => token(Kind::Number, number_length(bytes, exponents)),
        Some(b'.') if bytes.get(1).is_some_and(u8::is_ascii_digit) => {
            token(Kind::Number, number_length(bytes, exponents))
        }
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$') => token(Kind::Name, name_length(rest)),
        Some(b'"') => match string_length(bytes) {
            Some(length) => token(Kind::String, length),
            None => token(Kind::Invalid, rest.len()),
        },
        Some(b'`') => match rest[1..].find('`') {
            Some(length) => token(Kind::Quoted, length + 2),
            None => token(Kind::Invalid, rest.len()),
        },
        Some(byte) if byte.is_ascii() => match symbol(bytes) {
            Some((symbol, length)) => token(Kind::Symbol(symbol), length),
            None => token(Kind::Invalid, 1),
        },
        Some(_) => match name_length(rest) {
            0 => token(Kind::Invalid, rest.chars().next().map_or(0, char::len_utf8)),
            length => token(Kind::Name, length),
        },
    }
}

/// Skips white space and comments. A comment without an end reaches to the end of the text.
pub(super) fn skip_blank(text: &str, mut position: usize) -> usize {
    let bytes = text.as_bytes();
    loop {
        match bytes.get(position) {
            Some(b' ' | b'\t' | b'\n' | b'\r') => position += 1,
            Some(b'/') if bytes.get(position + 1) == Some(&b'/') => {
                position = text[position..].find('\n').map_or(text.len(), |length| position + length);
            }
            Some(b'/') if bytes.get(position + 1) == Some(&b'*') => {
                position = text[position + 2..].find("*/").map_or(text.len(), |length| position + length + 4);
            }
            Some(byte) if !byte.is_ascii() => {
                let c = text[position..].chars().next().expect("a byte is there");
                if !c.is_whitespace() && c != '\u{feff}' {
                    return position;
                }
                position += c.len_utf8();
            }
            Some(0x0b | 0x0c) => position += 1,
            _ => return position,
        }
    }
}

fn name_length(text: &str) -> usize {
    let ascii =
        text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')).count();
    if text.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
        return ascii;
    }
    let mut chars = text.char_indices();
    match chars.next() {
        Some((_, first)) if is_name_start(first) => {}
        _ => return 0,
    }
    chars.find(|(_, c)| !is_name_part(*c)).map_or(text.len(), |(index, _)| index)
}

fn number_length(bytes: &[u8], exponents: bool) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    // `1..5` is a range: a point belongs to the number only before a digit.
    if bytes.get(length) == Some(&b'.') && bytes.get(length + 1).is_some_and(u8::is_ascii_digit) {
        length += 1 + digits(length + 1);
    }
    if exponents && bytes.get(length).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = bytes.get(length + 1 + sign..).map_or(0, |_| digits(length + 1 + sign));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut index = 1;
    loop {
        match bytes.get(index)? {
            b'"' => return Some(index + 1),
            b'\\' => index += 2,
            _ => index += 1,
        }
    }
}

fn symbol(bytes: &[u8]) -> Option<(Symbol, usize)> {
    use Symbol::*;
    let second = bytes.get(1).copied();
    Some(match (bytes[0], second) {
        (b'*', Some(b'*')) => (StarStar, 2),
        (b'.', Some(b'.')) => (DotDot, 2),
        (b'-', Some(b'>')) => (Arrow, 2),
        (b'!', Some(b'=')) => (Unequal, 2),
        (b'<', Some(b'=')) => (LessOrEqual, 2),
        (b'>', Some(b'=')) => (GreaterOrEqual, 2),
        (b'(', _) => (OpenParen, 1),
        (b')', _) => (CloseParen, 1),
        (b'[', _) => (OpenBracket, 1),
        (b']', _) => (CloseBracket, 1),
        (b'{', _) => (OpenBrace, 1),
        (b'}', _) => (CloseBrace, 1),
        (b',', _) => (Comma, 1),
        (b':', _) => (Colon, 1),
        (b'.', _) => (Dot, 1),
        (b'+', _) => (Plus, 1),
        (b'-', _) => (Minus, 1),
        (b'*', _) => (Star, 1),
        (b'/', _) => (Slash, 1),
        (b'=', _) => (Equal, 1),
        (b'<', _) => (Less, 1),
        (b'>', _) => (Greater, 1),
        (b'?', _) => (Question, 1),
        (b'@', _) => (At, 1),
        _ => return None,
    })
}

/// The text that a string literal (with its quotes) stands for. Unknown escapes keep their backslash, so that
/// regular expressions can be written as they are.
pub(super) fn unescape(literal: &str) -> String {
    let inner = &literal[1..literal.len() - 1];
    if !inner.contains('\\') {
        return inner.to_string();
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(index) = rest.find('\\') {
        text.push_str(&rest[..index]);
        let (replacement, length) = escape(&rest[index..]);
        match replacement {
            Some(c) => text.push(c),
            None => text.push_str(&rest[index..index + length]),
        }
        rest = &rest[index + length..];
    }
    text.push_str(rest);
    text
}

/// The character an escape stands for, and how long the escape is.
fn escape(text: &str) -> (Option<char>, usize) {
    let single = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'"') => '"',
        Some(b'\'') => '\'',
        Some(b'\\') => '\\',
        Some(b'u') => return unicode(text, 4),
        Some(b'U') => return unicode(text, 6),
        _ => return (None, 1),
    };
    (Some(single), 2)
}

fn unicode(text: &str, digits: usize) -> (Option<char>, usize) {
    let code = |text: &str| {
        let hex = text.get(2..2 + digits)?;
        hex.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(hex, 16).ok())?
    };
    let Some(first) = code(text) else { return (None, 1) };
    if let Some(c) = char::from_u32(first) {
        return (Some(c), 2 + digits);
    }
    // A character beyond the basic plane may be written as two surrogates.
    let after = &text[2 + digits..];
    if digits == 4
        && after.starts_with("\\u")
        && let Some(second) = code(after)
        && let Some(Ok(c)) = char::decode_utf16([first as u16, second as u16]).next()
    {
        return (Some(c), 12);
    }
    (Some(char::REPLACEMENT_CHARACTER), 2 + digits)
}
