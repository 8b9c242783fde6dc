//! 256-bit unsigned integers, just enough for exact products and sums before they are rounded to 34 digits.

use super::{COEFFICIENT_END, DIGITS_MAX};
use std::cmp::Ordering;

/// Four 64-bit limbs, least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide([u64; 4]);

impl From<u128> for Wide {
    fn from(value: u128) -> Self {
        Wide([value as u64, (value >> 64) as u64, 0, 0])
    }
}

impl Wide {
    /// Decimal digits that always fit, with room for a carry.
    pub(super) const DIGITS: u32 = 76;

    pub(super) fn product(left: u128, right: u128) -> Wide {
        let left = [left as u64, (left >> 64) as u64];
        let right = [right as u64, (right >> 64) as u64];
        let mut limbs = [0u64; 4];
        for (i, a) in left.iter().enumerate() {
            let mut carry = 0u128;
            for (j, b) in right.iter().enumerate() {
                let sum = u128::from(*a) * u128::from(*b) + u128::from(limbs[i + j]) + carry;
                limbs[i + j] = sum as u64;
                carry = sum >> 64;
            }
            limbs[i + 2] = carry as u64;
        }
        Wide(limbs)
    }

    /// `coefficient * 10^power`; both together have at most `DIGITS` digits.
    pub(super) fn scaled(coefficient: u128, power: u32) -> Wide {
        let first = power.saturating_sub(38);
        Wide::product(coefficient * 10u128.pow(first), 10u128.pow(power - first))
    }

    pub(super) fn sum(self, other: Wide) -> Wide {
        let mut carry = 0u128;
        let mut limbs = [0u64; 4];
        for (i, limb) in limbs.iter_mut().enumerate() {
            let sum = u128::from(self.0[i]) + u128::from(other.0[i]) + carry;
            *limb = sum as u64;
            carry = sum >> 64;
        }
        debug_assert_eq!(carry, 0, "operands of at most 76 digits leave room for the carry");
        Wide(limbs)
    }

    /// `self - other`, which must not be greater than `self`.
    pub(super) fn difference(self, other: Wide) -> Wide {
        let mut borrow = false;
        let mut limbs = [0u64; 4];
        for (i, limb) in limbs.iter_mut().enumerate() {
            let (first, under_first) = self.0[i].overflowing_sub(other.0[i]);
            let (second, under_second) = first.overflowing_sub(u64::from(borrow));
            *limb = second;
            borrow = under_first || under_second;
        }
        debug_assert!(!borrow, "the greater number comes first");
        Wide(limbs)
    }

    pub(super) fn compare(&self, other: &Wide) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }

    fn narrow(&self) -> Option<u128> {
        (self.0[2] == 0 && self.0[3] == 0).then(|| u128::from(self.0[1]) << 64 | u128::from(self.0[0]))
    }

    fn divide_small(&mut self, divisor: u64) -> u64 {
        let mut remainder = 0u128;
        for limb in self.0.iter_mut().rev() {
            let current = remainder << 64 | u128::from(*limb);
            *limb = (current / u128::from(divisor)) as u64;
            remainder = current % u128::from(divisor);
        }
        remainder as u64
    }

    /// Rounds half to even until 34 digits are left. `sticky` says that something below was cut off already.
    pub(super) fn shorten(mut self, mut exponent: i32, mut sticky: bool) -> (u128, i32) {
        // Drop all but one of the excess digits in big bites, the last one by itself to see the half.
        loop {
            if let Some(value) = self.narrow() {
                if value < COEFFICIENT_END {
                    return (value, exponent);
                }
                if value / 10 < COEFFICIENT_END {
                    return round_last(value, exponent, sticky);
                }
            }
            let excess = self.digits() - DIGITS_MAX - 1;
            let bite = excess.clamp(1, 19);
            sticky |= self.divide_small(10u64.pow(bite)) != 0;
            exponent += bite as i32;
        }
    }

    fn digits(&self) -> u32 {
        let mut rest = *self;
        let mut digits = 0;
        loop {
            if let Some(value) = rest.narrow() {
                return digits + value.checked_ilog10().map_or(1, |log| log + 1);
            }
            rest.divide_small(10u64.pow(19));
            digits += 19;
        }
    }
}

fn round_last(value: u128, exponent: i32, sticky: bool) -> (u128, i32) {
    let (mut kept, last) = (value / 10, value % 10);
    if last > 5 || (last == 5 && (sticky || kept % 2 == 1)) {
        kept += 1;
    }
    if kept == COEFFICIENT_END { (kept / 10, exponent + 2) } else { (kept, exponent + 1) }
}
