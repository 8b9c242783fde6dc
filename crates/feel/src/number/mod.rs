//! FEEL numbers: 34 decimal digits, rounded half to even, with a fast path for 64-bit integers.
//! Packed into 16 bytes so that a `Value` stays small; the arithmetic unpacks what it needs.

mod arithmetic;
mod power;
mod round;
mod text;
mod wide;

pub use round::Rounding;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// Digits of the coefficient, as in IEEE 754 decimal128.
pub(crate) const DIGITS_MAX: u32 = 34;
const COEFFICIENT_END: u128 = 10u128.pow(DIGITS_MAX);
const EXPONENT_MIN: i32 = -6176;
const EXPONENT_MAX: i32 = 6111;
const EXPONENT_BIAS: i32 = 6176;
/// Marks the integer form: a bit pattern that no packed decimal has (its exponent would be out of range).
const INTEGER: u64 = u64::MAX;

/// A decimal number of up to 34 digits.
///
/// Trailing zeros are kept (`1.50` prints as `1.50`), but equality, order and hash see the number alone.
#[derive(Clone, Copy)]
pub struct Number {
    high: u64,
    low: u64,
}

/// A number taken apart: `coefficient * 10^exponent`, with its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) negative: bool,
    pub(crate) coefficient: u128,
    pub(crate) exponent: i32,
}

impl Number {
    pub const ZERO: Number = Number::integer(0);
    pub const ONE: Number = Number::integer(1);

    pub const fn integer(value: i64) -> Number {
        Number { high: INTEGER, low: value as u64 }
    }

    /// `coefficient * 10^exponent`, rounded to 34 digits; none if that is out of range.
    pub fn decimal(coefficient: i128, exponent: i32) -> Option<Number> {
        let parts = Parts { negative: coefficient < 0, coefficient: coefficient.unsigned_abs(), exponent };
        Number::from_parts(parts)
    }

    /// The value, if it is held as an integer; the test for the fast path.
    #[inline]
    pub(crate) const fn small(self) -> Option<i64> {
        if self.high == INTEGER { Some(self.low as i64) } else { None }
    }

    /// The value as `i64` if it has no fraction and fits; `3.0` does.
    pub fn to_i64(self) -> Option<i64> {
        self.small().or_else(|| self.rounded(0, Rounding::Down).filter(|whole| *whole == self)?.integral())
    }

    /// Cuts off the fraction; none if the rest does not fit.
    pub fn trunc_i64(self) -> Option<i64> {
        self.small().or_else(|| self.rounded(0, Rounding::Down)?.integral())
    }

    fn integral(self) -> Option<i64> {
        i64::try_from(self.to_i128()?).ok()
    }

    /// The value if it is written without a fraction and fits.
    pub(crate) fn to_i128(self) -> Option<i128> {
        if let Some(value) = self.small() {
            return Some(i128::from(value));
        }
        let parts = self.parts();
        let scale = 10u128.checked_pow(u32::try_from(parts.exponent).ok()?)?;
        let magnitude = i128::try_from(parts.coefficient.checked_mul(scale)?).ok()?;
        Some(if parts.negative { -magnitude } else { magnitude })
    }

    pub fn is_integer(self) -> bool {
        self.small().is_some() || self.rounded(0, Rounding::Down).is_some_and(|whole| whole == self)
    }

    pub fn is_zero(self) -> bool {
        self.small().map_or_else(|| self.parts().coefficient == 0, |value| value == 0)
    }

    pub fn is_negative(self) -> bool {
        self.small().map_or_else(|| self.parts().negative, |value| value < 0)
    }

    pub fn to_f64(self) -> f64 {
        match self.small() {
            Some(value) => value as f64,
            None => self.to_string().parse().unwrap_or(f64::NAN),
        }
    }

    /// The shortest decimal that reads back as this double; none for infinities and not-a-number.
    pub fn from_f64(value: f64) -> Option<Number> {
        if value.is_finite() { Number::parse_json(&format!("{value:e}")) } else { None }
    }

    pub(crate) fn parts(self) -> Parts {
        match self.small() {
            Some(value) => {
                Parts { negative: value < 0, coefficient: u128::from(value.unsigned_abs()), exponent: 0 }
            }
            None => Parts {
                negative: self.high >> 63 == 1,
                coefficient: u128::from(self.high & ((1 << 49) - 1)) << 64 | u128::from(self.low),
                exponent: ((self.high >> 49) & 0x3fff) as i32 - EXPONENT_BIAS,
            },
        }
    }

    /// Packs, rounding to 34 digits; none when the exponent is out of range. Too small becomes zero.
    pub(crate) fn from_parts(parts: Parts) -> Option<Number> {
        let Parts { negative, mut coefficient, mut exponent } = parts;
        if coefficient >= COEFFICIENT_END {
            (coefficient, exponent) = wide::Wide::from(coefficient).shorten(exponent, false);
        }
        if coefficient == 0 {
            exponent = exponent.clamp(-DIGITS_MAX.cast_signed(), 0);
        }
        if exponent == 0
            && let Ok(magnitude) = i64::try_from(coefficient)
        {
            return Some(Number::integer(if negative { -magnitude } else { magnitude }));
        }
        while exponent > EXPONENT_MAX && coefficient * 10 < COEFFICIENT_END {
            coefficient *= 10;
            exponent -= 1;
        }
        if exponent > EXPONENT_MAX {
            return None;
        }
        if exponent < EXPONENT_MIN {
            return Some(Number::ZERO);
        }
        let negative = negative && coefficient != 0;
        let biased = (exponent + EXPONENT_BIAS) as u64;
        let high = u64::from(negative) << 63 | biased << 49 | (coefficient >> 64) as u64;
        Some(Number { high, low: coefficient as u64 })
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Number::integer(value)
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Number::integer(i64::from(value))
    }
}

impl From<usize> for Number {
    fn from(value: usize) -> Self {
        Number::decimal(value as i128, 0).expect("a 64-bit count has at most 20 digits")
    }
}

impl PartialEq for Number {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.small(), other.small()) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => arithmetic::compare(self.parts(), other.parts()),
        }
    }
}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Parts { negative, mut coefficient, mut exponent } = self.parts();
        if coefficient == 0 {
            return 0u8.hash(state);
        }
        while coefficient % 10 == 0 {
            coefficient /= 10;
            exponent += 1;
        }
        (negative, coefficient, exponent).hash(state);
    }
}
