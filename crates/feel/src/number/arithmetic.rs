//! The four operations, remainder and order of numbers. Each result is the exact one, rounded once.

use super::wide::Wide;
use super::{COEFFICIENT_END, DIGITS_MAX, Number, Parts, Rounding};
use std::cmp::Ordering;

impl Number {
    #[inline]
    pub fn checked_add(self, other: Number) -> Option<Number> {
        if let (Some(left), Some(right)) = (self.small(), other.small())
            && let Some(sum) = left.checked_add(right)
        {
            return Some(Number::integer(sum));
        }
        Number::from_parts(sum(self.parts(), other.parts()))
    }

    #[inline]
    pub fn checked_sub(self, other: Number) -> Option<Number> {
        if let (Some(left), Some(right)) = (self.small(), other.small())
            && let Some(difference) = left.checked_sub(right)
        {
            return Some(Number::integer(difference));
        }
        let right = other.parts();
        Number::from_parts(sum(self.parts(), Parts { negative: !right.negative, ..right }))
    }

    #[inline]
    pub fn checked_mul(self, other: Number) -> Option<Number> {
        if let (Some(left), Some(right)) = (self.small(), other.small())
            && let Some(product) = left.checked_mul(right)
        {
            return Some(Number::integer(product));
        }
        let (left, right) = (self.parts(), other.parts());
        let exponent = left.exponent + right.exponent;
        let (coefficient, exponent) = match left.coefficient.checked_mul(right.coefficient) {
            Some(product) => (product, exponent),
            None => Wide::product(left.coefficient, right.coefficient).shorten(exponent, false),
        };
        Number::from_parts(Parts { negative: left.negative != right.negative, coefficient, exponent })
    }

    /// The quotient; none for a divisor of zero.
    pub fn checked_div(self, other: Number) -> Option<Number> {
        if let (Some(left), Some(right)) = (self.small(), other.small())
            && left.checked_rem(right)? == 0
        {
            return left.checked_div(right).map(Number::integer);
        }
        if other.is_zero() {
            return None;
        }
        Number::from_parts(quotient(self.parts(), other.parts()))
    }

    pub fn negate(self) -> Number {
        match self.small() {
            Some(value) if value != i64::MIN => Number::integer(-value),
            _ => {
                let parts = self.parts();
                Number::from_parts(Parts { negative: !parts.negative, ..parts })
                    .expect("the range is symmetric")
            }
        }
    }

    pub fn abs(self) -> Number {
        if self.is_negative() { self.negate() } else { self }
    }

    /// `self - other * floor(self / other)`: the remainder takes the sign of the divisor.
    pub fn modulo(self, other: Number) -> Option<Number> {
        if let (Some(left), Some(right)) = (self.small(), other.small()) {
            let remainder = left.checked_rem(right)?;
            let other_side = remainder != 0 && (remainder < 0) != (right < 0);
            return Some(Number::integer(if other_side { remainder + right } else { remainder }));
        }
        let whole = self.checked_div(other)?.rounded(0, Rounding::Floor)?;
        self.checked_sub(other.checked_mul(whole)?)
    }

    /// The same number without zeros at the end of its fraction.
    pub fn normalized(self) -> Number {
        if self.small().is_some() {
            return self;
        }
        let mut parts = self.parts();
        strip_zeros(&mut parts, 0);
        Number::from_parts(parts).expect("fewer digits of a number in range")
    }
}

/// Drops trailing zeros while the exponent is below `limit`.
fn strip_zeros(parts: &mut Parts, limit: i32) {
    while parts.exponent < limit && parts.coefficient.is_multiple_of(10) {
        if parts.coefficient == 0 {
            parts.exponent = limit;
            return;
        }
        parts.coefficient /= 10;
        parts.exponent += 1;
    }
}

fn sum(left: Parts, right: Parts) -> Parts {
    let (high, low) = if left.exponent >= right.exponent { (left, right) } else { (right, left) };
    if high.coefficient == 0 {
        return low;
    }
    let distance = (high.exponent - low.exponent) as u32;
    let digits = high.coefficient.ilog10() + 1;
    let (scaled, exponent, rest) = if digits + distance <= Wide::DIGITS {
        (Wide::scaled(high.coefficient, distance), low.exponent, Wide::from(low.coefficient))
    } else {
        tip(high, low)
    };
    combine(high.negative, scaled, low.negative, rest, exponent)
}

/// So far apart that the low operand can only tip the rounding of the high one.
/// The high operand with its digits filled up, and a low one that is zero or the smallest unit below.
fn tip(high: Parts, low: Parts) -> (Wide, i32, Wide) {
    let fill = DIGITS_MAX + 3;
    let scaled = Wide::scaled(high.coefficient, fill);
    (scaled, high.exponent - fill as i32, Wide::from(u128::from(low.coefficient != 0)))
}

fn combine(negative: bool, left: Wide, other_negative: bool, right: Wide, exponent: i32) -> Parts {
    let (negative, total) = if negative == other_negative {
        (negative, left.sum(right))
    } else if left.compare(&right) == Ordering::Less {
        (other_negative, right.difference(left))
    } else {
        (negative, left.difference(right))
    };
    let (coefficient, exponent) = total.shorten(exponent, false);
    Parts { negative, coefficient, exponent }
}

fn quotient(left: Parts, right: Parts) -> Parts {
    let negative = left.negative != right.negative;
    let ideal = left.exponent - right.exponent;
    let mut coefficient = left.coefficient / right.coefficient;
    let mut remainder = left.coefficient % right.coefficient;
    let mut exponent = ideal;
    // One digit more than needed, three at a time while there is room, so that the half can be seen.
    while remainder != 0 && coefficient < COEFFICIENT_END {
        let (factor, digits) = if coefficient < COEFFICIENT_END / 1000 { (1000, 3) } else { (10, 1) };
        let scaled = remainder * factor;
        coefficient = coefficient * factor + scaled / right.coefficient;
        remainder = scaled % right.coefficient;
        exponent -= digits;
    }
    let (coefficient, exponent) = Wide::from(coefficient).shorten(exponent, remainder != 0);
    let mut parts = Parts { negative, coefficient, exponent };
    strip_zeros(&mut parts, ideal.min(0));
    parts
}

pub(super) fn compare(left: Parts, right: Parts) -> Ordering {
    let sign = |parts: &Parts| match (parts.coefficient, parts.negative) {
        (0, _) => 0,
        (_, true) => -1,
        (_, false) => 1,
    };
    match sign(&left).cmp(&sign(&right)) {
        Ordering::Equal if left.negative => compare_magnitudes(right, left),
        Ordering::Equal => compare_magnitudes(left, right),
        unequal => unequal,
    }
}

fn compare_magnitudes(left: Parts, right: Parts) -> Ordering {
    if left.exponent == right.exponent || left.coefficient == 0 || right.coefficient == 0 {
        return left.coefficient.cmp(&right.coefficient);
    }
    let top = |parts: &Parts| parts.coefficient.ilog10() as i32 + parts.exponent;
    top(&left).cmp(&top(&right)).then_with(|| {
        // The same leading place: the exponents differ by at most 33.
        let distance = left.exponent.abs_diff(right.exponent);
        let scale = 10u128.pow(distance);
        if left.exponent > right.exponent {
            Wide::product(left.coefficient, scale).compare(&Wide::from(right.coefficient))
        } else {
            Wide::from(left.coefficient).compare(&Wide::product(right.coefficient, scale))
        }
    })
}
