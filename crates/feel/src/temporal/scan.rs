//! A cursor over ASCII text, shared by the parsers of temporal literals.

pub(super) struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// Consumes `wanted` if it is next.
    pub(super) fn eat(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Consumes the longest run of digits, which may be empty.
    pub(super) fn digits(&mut self) -> &'a str {
        let len = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(len);
        self.rest = rest;
        digits
    }

    /// Consumes exactly two digits.
    pub(super) fn two_digits(&mut self) -> Option<u8> {
        let digits = self.rest.get(..2)?;
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        self.rest = &self.rest[2..];
        digits.parse().ok()
    }

    /// Consumes the digits of a fraction of a second and returns nanoseconds;
    /// digits beyond the ninth are cut off.
    pub(super) fn fraction_nanos(&mut self) -> i64 {
        let digits = self.digits();
        let mut nanos = 0;
        for place in 0..9 {
            let digit = digits.as_bytes().get(place).map_or(0, |b| b - b'0');
            nanos = nanos * 10 + i64::from(digit);
        }
        nanos
    }
}
