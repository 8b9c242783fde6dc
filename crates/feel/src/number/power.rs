//! Powers, roots, exponential and logarithm: computed with 77 digits, then rounded to 34.

use super::{Number, Parts};
use fastnum::D256;
use fastnum::decimal::Context;

impl Number {
    /// `self ** other`; none where it has no real value or is out of range.
    pub fn power(self, other: Number) -> Option<Number> {
        if let (Some(base), Some(exponent)) = (self.small(), other.small())
            && let Ok(exponent) = u32::try_from(exponent)
            && let Some(power) = base.checked_pow(exponent)
        {
            return Some(Number::integer(power));
        }
        if self.is_zero() {
            return if other.is_negative() { None } else { Some(Number::ZERO) };
        }
        match other.to_i64().map(i32::try_from) {
            Some(Ok(exponent)) => narrow(widen(self)?.powi(exponent)),
            Some(Err(_)) => None,
            None if self.is_negative() => None,
            None => narrow(widen(self)?.pow(widen(other)?)),
        }
    }

    /// None below zero.
    pub fn sqrt(self) -> Option<Number> {
        if self.is_negative() { None } else { narrow(widen(self)?.sqrt()) }
    }

    pub fn exp(self) -> Option<Number> {
        // Beyond this the result is out of range on one side and zero on the other.
        const LIMIT: Number = Number::integer(15_000);
        if self > LIMIT {
            return None;
        }
        if self < LIMIT.negate() {
            return Some(Number::ZERO);
        }
        narrow(widen(self)?.exp())
    }

    /// The natural logarithm; none at zero and below.
    pub fn ln(self) -> Option<Number> {
        if self.is_negative() || self.is_zero() { None } else { narrow(widen(self)?.ln()) }
    }
}

fn widen(number: Number) -> Option<D256> {
    let Parts { negative, coefficient, exponent } = number.parts();
    let sign = if negative { "-" } else { "" };
    let text = format!("{sign}{coefficient}E{exponent}");
    D256::from_str(&text, Context::default().without_traps()).ok()
}

fn narrow(wide: D256) -> Option<Number> {
    if wide.is_nan() || wide.is_infinite() {
        return None;
    }
    Number::parse_json(&format!("{wide:e}")).map(Number::normalized)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).expect("a number")
    }

    #[test]
    fn powers_and_roots_have_34_digits() {
        assert_eq!(number("2").power(number("10")), Some(number("1024")));
        assert_eq!(number("2").power(number("-2")), Some(number("0.25")));
        assert_eq!(number("4").power(number("0.5")), Some(number("2")));
        assert_eq!(number("2").sqrt(), Some(number("1.414213562373095048801688724209698")));
        assert_eq!(number("1").exp(), Some(number("2.718281828459045235360287471352662")));
        assert_eq!(number("10").ln(), Some(number("2.302585092994045684017991454684364")));
        assert_eq!(number("16").sqrt().map(|root| root.to_string()), Some("4".into()));
        assert_eq!(number("-1").sqrt(), None);
        assert_eq!(number("0").ln(), None);
        assert_eq!(number("10").power(number("7000")), None);
        assert_eq!(number("1.1").power(number("200")), Some(number("189905276.4604618242121820463954116")));
    }
}
