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
            Some(Ok(exponent @ 0..)) => narrow(widen(self)?.powi(exponent)),
            Some(Ok(exponent)) => self.inverse_power(exponent.unsigned_abs()),
            _ => self.real_power(other),
        }
    }

    /// `1 / self ** exponent`, for a base other than zero. The library would panic where the power is zero.
    fn inverse_power(self, exponent: u32) -> Option<Number> {
        let power = match i32::try_from(exponent) {
            Ok(exponent) => widen(self)?.powi(exponent),
            Err(_) => return self.real_power(Number::integer(-i64::from(exponent))),
        };
        if power.is_infinite() {
            return Some(Number::ZERO);
        }
        if power.is_zero() || power.is_nan() {
            return None;
        }
        narrow(widen(Number::ONE)? / power)
    }

    /// `exp(other * ln(self))`, for a base other than zero and exponents that are not small integers.
    fn real_power(self, other: Number) -> Option<Number> {
        let is_odd = other.modulo(Number::integer(2)) == Some(Number::ONE);
        if self.is_negative() && !other.is_integer() {
            return None;
        }
        let wide = widen(self.abs())?.ln() * widen(other)?;
        let power = bounded_exp(wide)?;
        Some(if self.is_negative() && is_odd { power.negate() } else { power })
    }

    /// None below zero.
    pub fn sqrt(self) -> Option<Number> {
        // The root is sought from the nearest double, so the number has to lie in the range of doubles.
        const EXPONENTS: std::ops::RangeInclusive<i32> = -250..=250;
        let parts = self.parts();
        if self.is_negative() {
            return None;
        }
        if EXPONENTS.contains(&parts.exponent) {
            return narrow(widen(self)?.sqrt());
        }
        let is_odd = parts.exponent.rem_euclid(2) == 1;
        let coefficient = if is_odd { parts.coefficient * 10 } else { parts.coefficient };
        let near = Number::from_parts(Parts { coefficient, exponent: 0, ..parts })?;
        let root = near.sqrt()?.parts();
        Number::from_parts(Parts { exponent: root.exponent + parts.exponent.div_euclid(2), ..root })
    }

    pub fn exp(self) -> Option<Number> {
        bounded_exp(widen(self)?)
    }

    /// The natural logarithm; none at zero and below.
    pub fn ln(self) -> Option<Number> {
        if self.is_negative() || self.is_zero() { None } else { narrow(widen(self)?.ln()) }
    }
}

/// The exponential, where it is in range. It must be bounded before: the library halves its argument by recursion.
fn bounded_exp(wide: D256) -> Option<Number> {
    // Beyond this the result is out of range on one side and zero on the other.
    const LIMIT: Number = Number::integer(15_000);
    let argument = narrow(wide)?;
    if argument > LIMIT {
        return None;
    }
    if argument < LIMIT.negate() {
        return Some(Number::ZERO);
    }
    narrow(wide.exp())
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
        assert_eq!(number("0").sqrt(), Some(number("0")));
        assert_eq!(number("1.1").power(number("200")), Some(number("189905276.4604618242121820463954116")));
    }

    #[test]
    fn extremes_have_a_result_or_none() {
        let json = |text| Number::parse_json(text).expect("a number");
        assert_eq!(number("2").power(json("1e2000")), None);
        assert_eq!(number("0.5").power(json("1e2000")), Some(Number::ZERO));
        assert_eq!(number("2").power(json("-1e6144")), Some(Number::ZERO));
        assert_eq!(number("1").power(json("1e6144")), Some(Number::ONE));
        assert_eq!(number("-1").power(json("1000000000000000000000000000000001")), Some(number("-1")));
        assert_eq!(number("-1").power(json("1e40")), Some(Number::ONE));
        assert_eq!(number("-2").power(number("0.5")), None);
        assert_eq!(number("2").power(json("1e-6176")), Some(Number::ONE));
        assert_eq!(json("1e6144").sqrt(), Some(json("1e3072")));
        assert_eq!(json("1e-6176").sqrt(), Some(json("1e-3088")));
        assert_eq!(json("1e6111").sqrt(), Some(json("3.162277660168379331998893544432719e3055")));
    }
}
