//! A reading position in a text, shared by all parsers here so that every error can say where it is.

use crate::ParseError;

/// Longest run of digits that is read as one number; keeps every later multiplication inside `i128`.
const DIGITS_MAX: usize = 18;
/// Fractions are read to the nanosecond.
const FRACTION_DIGITS_MAX: usize = 9;
pub(crate) const NANOS_PER_SECOND: i64 = 1_000_000_000;

#[derive(Debug, Clone)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    /// Byte offset, always on a character boundary.
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Cursor { text, at: 0 }
    }

    /// Byte offset, to come back to with [`Cursor::error_at`].
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub(crate) fn error(&self, expected: impl Into<String>) -> ParseError {
        self.error_at(self.at, expected)
    }

    pub(crate) fn error_at(&self, offset: usize, expected: impl Into<String>) -> ParseError {
        ParseError { position: self.text[..offset].chars().count() + 1, expected: expected.into() }
    }

    /// Takes the ASCII character if it is next, in either case.
    pub(crate) fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek().is_some_and(|next| next.eq_ignore_ascii_case(&wanted));
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    pub(crate) fn expect(&mut self, wanted: char) -> Result<(), ParseError> {
        if self.eat(wanted) { Ok(()) } else { Err(self.error(format!("`{wanted}`"))) }
    }

    pub(crate) fn expect_end(&self) -> Result<(), ParseError> {
        if self.at_end() { Ok(()) } else { Err(self.error("the end of the text")) }
    }

    /// Takes characters for as long as they satisfy the predicate.
    pub(crate) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !wanted(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// A number of at least one digit.
    pub(crate) fn number(&mut self) -> Result<i64, ParseError> {
        let from = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        match digits.len() {
            0 => Err(self.error("a digit")),
            1..=DIGITS_MAX => Ok(digits.parse().expect("18 digits fit")),
            _ => Err(self.error_at(from, format!("a number of at most {DIGITS_MAX} digits"))),
        }
    }

    /// A number inside a range.
    pub(crate) fn number_in(&mut self, least: i64, most: i64) -> Result<i64, ParseError> {
        let from = self.at;
        let out_of_range = format!("a number from {least} to {most}");
        match self.number() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(self.error_at(from, out_of_range)),
        }
    }

    /// A number of exactly so many digits, inside a range.
    pub(crate) fn fixed(&mut self, digits: usize, least: i64, most: i64) -> Result<i64, ParseError> {
        let from = self.at;
        for nth in 0..digits {
            if !self.rest().as_bytes().get(nth).is_some_and(u8::is_ascii_digit) {
                return Err(self.error_at(from + nth, "a digit"));
            }
        }
        self.at += digits;
        let number = self.text[from..self.at].parse().expect("a few digits fit");
        if (least..=most).contains(&number) {
            return Ok(number);
        }
        Err(self.error_at(from, format!("a number from {least:0digits$} to {most:0digits$}")))
    }

    /// A decimal fraction in billionths, if a point or comma is next.
    pub(crate) fn fraction(&mut self) -> Result<Option<i64>, ParseError> {
        if !self.eat('.') && !self.eat(',') {
            return Ok(None);
        }
        let from = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        match digits.len() {
            0 => Err(self.error("a digit")),
            1..=FRACTION_DIGITS_MAX => {
                let billionths: i64 = format!("{digits:0<9}").parse().expect("nine digits fit");
                Ok(Some(billionths))
            }
            _ => Err(self.error_at(from, format!("at most {FRACTION_DIGITS_MAX} digits of fraction"))),
        }
    }
}

/// Reads the whole text with one parser.
pub(crate) fn read_all<'t, T>(
    text: &'t str,
    read: impl FnOnce(&mut Cursor<'t>) -> Result<T, ParseError>,
) -> Result<T, ParseError> {
    let mut cursor = Cursor::new(text);
    let value = read(&mut cursor)?;
    cursor.expect_end()?;
    Ok(value)
}
