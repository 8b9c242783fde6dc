//! The characters of JSON: white space, strings, numbers, and values that are only passed over.

use crate::error::JsonError;
use crate::number::Number;
use crate::value::Text;

/// The error is boxed to keep results small on the way that is taken.
pub(super) type Scan<T> = Result<T, Box<JsonError>>;

pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    pub(super) position: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, position: 0 }
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.position..]
    }

    /// The next byte that is not white space.
    #[inline]
    pub(super) fn next_significant(&mut self) -> Option<u8> {
        match self.peek() {
            Some(byte) if byte > b' ' => Some(byte),
            _ => self.after_blank(),
        }
    }

    fn after_blank(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.position += 1;
        }
        self.peek()
    }

    #[cold]
    pub(super) fn fail<T>(&self, expected: &'static str) -> Scan<T> {
        Err(Box::new(JsonError { offset: self.position, expected }))
    }

    #[inline]
    pub(super) fn expect(&mut self, byte: u8, expected: &'static str) -> Scan<()> {
        if self.next_significant() != Some(byte) {
            return self.fail(expected);
        }
        self.position += 1;
        Ok(())
    }

    pub(super) fn word(&mut self, word: &'static str) -> Scan<()> {
        if !self.text.as_bytes()[self.position..].starts_with(word.as_bytes()) {
            return self.fail("a value");
        }
        self.position += word.len();
        Ok(())
    }

    /// A string without escapes, from its opening quote, if that is what stands here; else nothing is read.
    #[inline]
    pub(super) fn plain_string(&mut self) -> Option<&'a str> {
        let start = self.position + 1;
        let end = self.plain_end(start).ok()?;
        if self.text.as_bytes()[end] != b'"' {
            return None;
        }
        self.position = end + 1;
        Some(&self.text[start..end])
    }

    /// A string, from its opening quote.
    #[inline]
    pub(super) fn string(&mut self) -> Scan<Text> {
        let start = self.position + 1;
        let end = self.plain_end(start)?;
        self.position = end + 1;
        if self.text.as_bytes()[end] == b'"' {
            return Ok(Text::new(&self.text[start..end]));
        }
        self.escaped(start, end).map(Text::from)
    }

    /// The first quote or backslash at or after a position, looked for in eight bytes at a time.
    #[inline]
    fn plain_end(&self, start: usize) -> Scan<usize> {
        let bytes = self.text.as_bytes();
        let mut index = start;
        while let Some(chunk) = bytes.get(index..).and_then(|rest| rest.first_chunk()) {
            let ends = string_ends(u64::from_le_bytes(*chunk));
            if ends != 0 {
                index += ends.trailing_zeros() as usize / 8;
                break;
            }
            index += 8;
        }
        loop {
            match bytes.get(index) {
                Some(b'"' | b'\\') => return Ok(index),
                Some(byte) if *byte >= 0x20 => index += 1,
                _ => return Err(Box::new(JsonError { offset: index, expected: "the end of the string" })),
            }
        }
    }

    /// The rest of a string with escapes; the first backslash was passed.
    fn escaped(&mut self, start: usize, backslash: usize) -> Scan<String> {
        let mut text = self.text[start..backslash].to_string();
        loop {
            text.push(self.escape()?);
            let run = self.position;
            let end = self.plain_end(run)?;
            text.push_str(&self.text[run..end]);
            self.position = end + 1;
            if self.text.as_bytes()[end] == b'"' {
                return Ok(text);
            }
        }
    }

    /// One escape, from behind its backslash.
    fn escape(&mut self) -> Scan<char> {
        let c = match self.peek() {
            Some(c @ (b'"' | b'\\' | b'/')) => c as char,
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return self.fail("an escape"),
        };
        self.position += 1;
        Ok(c)
    }

    fn unicode(&mut self) -> Scan<char> {
        let first = self.hex(self.position + 1)?;
        self.position += 5;
        if let Some(c) = char::from_u32(u32::from(first)) {
            return Ok(c);
        }
        if self.text.as_bytes()[self.position..].starts_with(b"\\u")
            && let Ok(second) = self.hex(self.position + 2)
            && let Some(Ok(c)) = char::decode_utf16([first, second]).next()
        {
            self.position += 6;
            return Ok(c);
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex(&self, from: usize) -> Scan<u16> {
        let digits = self.text.as_bytes().get(from..from + 4);
        let mut code = 0;
        for digit in digits.unwrap_or(b"?") {
            match (*digit as char).to_digit(16) {
                Some(value) => code = code << 4 | value as u16,
                None => return self.fail("four hexadecimal digits"),
            }
        }
        Ok(code)
    }

    /// A whole number of up to 18 digits, if that is what stands here; else nothing is read.
    #[inline]
    pub(super) fn small_integer(&mut self) -> Option<i64> {
        let bytes = self.text.as_bytes();
        let start = self.position;
        let negative = bytes[start] == b'-';
        let first = start + usize::from(negative);
        let mut index = first;
        let mut value = 0i64;
        while let Some(digit @ b'0'..=b'9') = bytes.get(index) {
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
            index += 1;
        }
        let digits = index - first;
        let small = digits == 1 || ((2..=18).contains(&digits) && bytes[first] != b'0');
        if !small || matches!(bytes.get(index), Some(b'.' | b'e' | b'E')) {
            return None;
        }
        self.position = index;
        Some(if negative { -value } else { value })
    }

    /// The same, if nothing follows that a skip would pass over with it.
    #[inline]
    pub(super) fn whole_small_integer(&mut self) -> Option<i64> {
        let start = self.position;
        let value = self.small_integer()?;
        if self.peek().is_some_and(is_plain) {
            self.position = start;
            return None;
        }
        Some(value)
    }

    pub(super) fn number(&mut self) -> Scan<Number> {
        if let Some(value) = self.small_integer() {
            return Ok(Number::integer(value));
        }
        let bytes = self.text.as_bytes();
        let start = self.position;
        let first = start + usize::from(bytes[start] == b'-');
        let digits = bytes[first..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || (digits > 1 && bytes[first] == b'0') {
            return self.fail("a number");
        }
        self.long_number(start, first + digits)
    }

    /// A number with fraction, exponent or many digits; its whole part ends at `index`.
    fn long_number(&mut self, start: usize, mut index: usize) -> Scan<Number> {
        let bytes = self.text.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if bytes.get(index) == Some(&b'.') {
            let fraction = digits(index + 1);
            index += 1 + fraction;
            if fraction == 0 {
                self.position = index;
                return self.fail("a digit");
            }
        }
        if matches!(bytes.get(index), Some(b'e' | b'E')) {
            index += 1 + usize::from(matches!(bytes.get(index + 1), Some(b'+' | b'-')));
            let exponent = bytes.get(index..).map_or(0, |_| digits(index));
            index += exponent;
            if exponent == 0 {
                self.position = index;
                return self.fail("a digit");
            }
        }
        let Some(number) = Number::parse_json(&self.text[start..index]) else {
            return self.fail("a number of at most 6145 places");
        };
        self.position = index;
        Ok(number)
    }

    /// Passes over a key, from its opening quote, and tells whether it is this one.
    #[inline]
    pub(super) fn key_is(&mut self, name: &str) -> Scan<bool> {
        let start = self.position + 1;
        let end = self.plain_end(start)?;
        if self.text.as_bytes()[end] != b'"' {
            return Ok(self.string()? == name);
        }
        self.position = end + 1;
        Ok(self.text.as_bytes()[start..end] == *name.as_bytes())
    }

    /// Passes over one value without reading it.
    #[inline(always)]
    pub(super) fn skip(&mut self) -> Scan<()> {
        match self.next_significant() {
            Some(b'"') => self.skip_string(),
            Some(b'{' | b'[') => self.skip_collection(),
            Some(b'-' | b'0'..=b'9' | b'a'..=b'z') => {
                self.skip_plain();
                Ok(())
            }
            _ => self.fail("a value"),
        }
    }

    #[inline]
    fn skip_plain(&mut self) {
        self.position += self.rest().iter().take_while(|byte| is_plain(**byte)).count();
    }

    /// Counts brackets, so that no depth can overflow the stack.
    #[inline(never)]
    fn skip_collection(&mut self) -> Scan<()> {
        let mut depth = 0usize;
        loop {
            match self.next_significant() {
                Some(b'"') => self.skip_string()?,
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.position += 1;
                    continue;
                }
                Some(b'}' | b']') if depth > 0 => {
                    depth -= 1;
                    self.position += 1;
                }
                Some(b',' | b':') if depth > 0 => {
                    self.position += 1;
                    continue;
                }
                Some(b'-' | b'0'..=b'9' | b'a'..=b'z') => self.skip_plain(),
                _ => return self.fail("a value"),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    #[inline(always)]
    fn skip_string(&mut self) -> Scan<()> {
        let mut index = self.position + 1;
        loop {
            let end = self.plain_end(index)?;
            if self.text.as_bytes()[end] == b'"' {
                self.position = end + 1;
                return Ok(());
            }
            index = end + 2;
        }
    }
}

/// True if the byte may be part of a number or a word.
#[inline]
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// Marks, with their highest bits, the bytes that may end a run of plain characters: quotes, backslashes, control
/// characters. Above the lowest mark there may be false ones.
#[inline]
fn string_ends(bytes: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    let quotes = bytes ^ (EACH * b'"' as u64);
    let backslashes = bytes ^ (EACH * b'\\' as u64);
    let below = |bytes: u64, end: u64| bytes.wrapping_sub(EACH * end) & !bytes;
    (below(quotes, 1) | below(backslashes, 1) | below(bytes, 0x20)) & HIGH
}
