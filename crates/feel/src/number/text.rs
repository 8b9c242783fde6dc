//! Numbers from text and to text. Digits beyond the 34th are rounded half to even.

use super::{DIGITS_MAX, Number, Parts};
use std::fmt;

/// Beyond this many zeros a number is written with an exponent.
const ZEROS_MAX: i32 = 40;

impl Number {
    /// Reads `12`, `-0.5`, `.5`; no exponent, as in FEEL source.
    pub fn parse(text: &str) -> Option<Number> {
        if text.bytes().any(|byte| byte.eq_ignore_ascii_case(&b'e')) {
            None
        } else {
            Number::parse_json(text)
        }
    }

    /// Reads a JSON number, exponent included; a missing leading zero is forgiven.
    pub fn parse_json(text: &str) -> Option<Number> {
        let bytes = text.as_bytes();
        let negative = bytes.first() == Some(&b'-');
        let digits = &bytes[usize::from(negative)..];
        if (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
            let magnitude = digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
            return Some(Number::integer(if negative { -magnitude } else { magnitude }));
        }
        parse_decimal(negative, digits)
    }
}

fn parse_decimal(negative: bool, bytes: &[u8]) -> Option<Number> {
    let mantissa = bytes.iter().position(|byte| byte.eq_ignore_ascii_case(&b'e')).unwrap_or(bytes.len());
    let mut exponent = match &bytes[mantissa..] {
        [] => 0,
        [_, digits @ ..] => parse_exponent(digits)?,
    };
    let mut coefficient = 0u128;
    let (mut point, mut any, mut cut) = (false, false, false);
    for byte in &bytes[..mantissa] {
        match byte {
            b'.' if !point => point = true,
            b'0'..=b'9' => {
                any = true;
                // Two digits more than are kept; below them only "nothing or something" matters.
                if coefficient < 10u128.pow(DIGITS_MAX + 2) {
                    coefficient = coefficient * 10 + u128::from(byte - b'0');
                    exponent -= i64::from(point);
                } else {
                    cut |= *byte != b'0';
                    exponent += i64::from(!point);
                }
            }
            _ => return None,
        }
    }
    if !any || bytes[..mantissa].last() == Some(&b'.') {
        return None;
    }
    // A cut-off rest can only turn an exact half into "above": make the last digit show it.
    let coefficient = if cut && coefficient.is_multiple_of(10) { coefficient + 1 } else { coefficient };
    let exponent = exponent.clamp(-100_000, 100_000) as i32;
    Number::from_parts(Parts { negative, coefficient, exponent })
}

fn parse_exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude =
        digits.iter().fold(0i64, |value, digit| (value * 10 + i64::from(digit - b'0')).min(1 << 40));
    Some(if negative { -magnitude } else { magnitude })
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(value) = self.small() {
            return write!(f, "{value}");
        }
        let Parts { negative, coefficient, exponent } = self.parts();
        let sign = if negative { "-" } else { "" };
        let digits = coefficient.to_string();
        let leading = digits.len() as i32 + exponent;
        if exponent > ZEROS_MAX || leading < -ZEROS_MAX {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            return write!(f, "{sign}{first}{point}{rest}E{:+}", leading - 1);
        }
        if exponent >= 0 {
            return write!(
                f,
                "{sign}{digits}{}",
                "0".repeat(if coefficient == 0 { 0 } else { exponent as usize })
            );
        }
        if leading <= 0 {
            return write!(f, "{sign}0.{}{digits}", "0".repeat(leading.unsigned_abs() as usize));
        }
        let (whole, fraction) = digits.split_at(leading as usize);
        write!(f, "{sign}{whole}.{fraction}")
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
