//! Rounding to a scale, in every direction that FEEL names.

use super::{DIGITS_MAX, Number, Parts};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Towards zero.
    Down,
    /// Away from zero.
    Up,
    Floor,
    Ceiling,
    HalfUp,
    HalfDown,
    HalfEven,
}

impl Number {
    /// Rounds to `scale` digits after the point (before it, if negative). A number that is already that short
    /// keeps its digits. None only when the result is out of range.
    pub fn rounded(self, scale: i32, mode: Rounding) -> Option<Number> {
        if scale >= 0 && self.small().is_some() {
            return Some(self);
        }
        let parts = self.parts();
        let drop = i64::from(-scale) - i64::from(parts.exponent);
        if drop <= 0 {
            return Some(self);
        }
        let (kept, half) = split(parts.coefficient, drop);
        let up = match (mode, half) {
            (_, Rest::Nothing) | (Rounding::Down, _) => false,
            (Rounding::Up, _) => true,
            (Rounding::Floor, _) => parts.negative,
            (Rounding::Ceiling, _) => !parts.negative,
            (_, Rest::Below) => false,
            (_, Rest::Above) => true,
            (Rounding::HalfUp, Rest::Half) => true,
            (Rounding::HalfDown, Rest::Half) => false,
            (Rounding::HalfEven, Rest::Half) => kept % 2 == 1,
        };
        let coefficient = kept + u128::from(up);
        let exponent = if coefficient == 0 { 0 } else { -scale };
        let rounded = Number::from_parts(Parts { coefficient, exponent, ..parts })?;
        // Whole numbers are written out, so that 1250 rounded to hundreds is 1300, not 13E2.
        Some(if scale < 0 { rounded.written_out() } else { rounded })
    }

    fn written_out(self) -> Number {
        let parts = self.parts();
        let scaled = u32::try_from(parts.exponent)
            .ok()
            .filter(|exponent| *exponent <= DIGITS_MAX)
            .and_then(|exponent| parts.coefficient.checked_mul(10u128.pow(exponent)));
        match scaled {
            Some(coefficient) if coefficient < super::COEFFICIENT_END => {
                Number::from_parts(Parts { coefficient, exponent: 0, ..parts }).unwrap_or(self)
            }
            _ => self,
        }
    }

    pub fn floor(self) -> Number {
        self.rounded(0, Rounding::Floor).expect("no larger than a number in range")
    }

    pub fn ceiling(self) -> Number {
        self.rounded(0, Rounding::Ceiling).expect("no larger than a number in range")
    }
}

/// How the digits that are cut off compare with half a unit of the last kept one.
enum Rest {
    Nothing,
    Below,
    Half,
    Above,
}

fn split(coefficient: u128, drop: i64) -> (u128, Rest) {
    if coefficient == 0 {
        return (0, Rest::Nothing);
    }
    if drop > i64::from(DIGITS_MAX) {
        return (0, Rest::Below);
    }
    let unit = 10u128.pow(drop as u32);
    let (kept, rest) = (coefficient / unit, coefficient % unit);
    let half = match (rest, rest.cmp(&(unit / 2))) {
        (0, _) => Rest::Nothing,
        (_, std::cmp::Ordering::Less) => Rest::Below,
        (_, std::cmp::Ordering::Equal) => Rest::Half,
        (_, std::cmp::Ordering::Greater) => Rest::Above,
    };
    (kept, half)
}
