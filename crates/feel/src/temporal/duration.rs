//! The two durations of FEEL: exact ones (days to nanoseconds) and calendar ones (years, months).
//! They never mix, because a month has no fixed length.

use std::fmt;

use super::scan::Scan;
use super::time::write_fraction;
use super::{NANOS_PER_SECOND, Property, SECONDS_PER_DAY};

/// An exact span of time, with nanoseconds. Split into seconds and nanoseconds (rounded down)
/// so that it stays two words small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DaysDuration {
    seconds: i64,
    nanos: u32,
}

/// A span of calendar months.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MonthsDuration {
    months: i64,
}

impl DaysDuration {
    pub const ZERO: Self = Self { seconds: 0, nanos: 0 };

    pub fn from_seconds(seconds: i64) -> Self {
        Self { seconds, nanos: 0 }
    }

    /// None beyond the range of 64-bit seconds.
    pub fn from_nanos(nanos: i128) -> Option<Self> {
        let per_second = i128::from(NANOS_PER_SECOND);
        let seconds = i64::try_from(nanos.div_euclid(per_second)).ok()?;
        Some(Self { seconds, nanos: nanos.rem_euclid(per_second) as u32 })
    }

    pub fn total_nanos(&self) -> i128 {
        i128::from(self.seconds) * i128::from(NANOS_PER_SECOND) + i128::from(self.nanos)
    }

    /// Seconds, rounded down.
    pub fn total_seconds(&self) -> i64 {
        self.seconds
    }

    /// Reads `[-]PnDTnHnMn.nS`, with at least one part.
    pub fn parse(text: &str) -> Option<Self> {
        let mut scan = Scan::new(text);
        let negative = scan.eat('-');
        if !scan.eat('P') {
            return None;
        }
        let mut nanos = 0;
        let mut days = Parts::new("D", &[SECONDS_PER_DAY]);
        if !scan.rest().starts_with('T') {
            nanos = days.scan(&mut scan)?;
        }
        if scan.eat('T') {
            let mut clock = Parts::new("HMS", &[3600, 60, 1]);
            nanos = clock.scan(&mut scan)?.checked_add(nanos)?;
        }
        if !scan.is_done() {
            return None;
        }
        Self::from_nanos(if negative { -nanos } else { nanos })
    }

    pub fn checked_add(self, other: Self) -> Option<Self> {
        Self::from_nanos(self.total_nanos().checked_add(other.total_nanos())?)
    }

    pub fn checked_sub(self, other: Self) -> Option<Self> {
        Self::from_nanos(self.total_nanos().checked_sub(other.total_nanos())?)
    }

    pub fn checked_neg(self) -> Option<Self> {
        Self::from_nanos(-self.total_nanos())
    }

    pub fn is_negative(&self) -> bool {
        self.seconds < 0
    }

    /// Whole seconds, rounded towards zero, so that parts of negative durations mirror positive ones.
    fn whole_seconds(&self) -> i64 {
        if self.seconds < 0 && self.nanos > 0 { self.seconds + 1 } else { self.seconds }
    }

    pub fn property(&self, name: &str) -> Option<Property> {
        let seconds = self.whole_seconds();
        Some(Property::Number(match name {
            "days" => seconds / SECONDS_PER_DAY,
            "hours" => seconds / 3600 % 24,
            "minutes" => seconds / 60 % 60,
            "seconds" => seconds % 60,
            _ => return None,
        }))
    }
}

impl fmt::Display for DaysDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total_nanos();
        if total == 0 {
            return f.write_str("P0D");
        }
        let sign = if total < 0 { "-" } else { "" };
        let total = total.unsigned_abs();
        let fraction = (total % NANOS_PER_SECOND as u128) as i64;
        let seconds = total / NANOS_PER_SECOND as u128;
        let (days, clock) = (seconds / SECONDS_PER_DAY as u128, seconds % SECONDS_PER_DAY as u128);
        write!(f, "{sign}P")?;
        write_part(f, days, 'D')?;
        if clock == 0 && fraction == 0 {
            return Ok(());
        }
        f.write_str("T")?;
        write_part(f, clock / 3600, 'H')?;
        write_part(f, clock / 60 % 60, 'M')?;
        if clock % 60 != 0 || fraction != 0 {
            write!(f, "{}", clock % 60)?;
            write_fraction(f, fraction)?;
            f.write_str("S")?;
        }
        Ok(())
    }
}

impl MonthsDuration {
    pub fn from_months(months: i64) -> Self {
        Self { months }
    }

    pub fn total_months(&self) -> i64 {
        self.months
    }

    /// Reads `[-]PnYnM`, with at least one part.
    pub fn parse(text: &str) -> Option<Self> {
        let mut scan = Scan::new(text);
        let negative = scan.eat('-');
        if !scan.eat('P') {
            return None;
        }
        let nanos = Parts::new("YM", &[12, 1]).scan(&mut scan)?;
        if !scan.is_done() {
            return None;
        }
        let months = i64::try_from(nanos / i128::from(NANOS_PER_SECOND)).ok()?;
        Some(Self { months: if negative { -months } else { months } })
    }

    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.months.checked_add(other.months).map(Self::from_months)
    }

    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.months.checked_sub(other.months).map(Self::from_months)
    }

    pub fn checked_neg(self) -> Option<Self> {
        self.months.checked_neg().map(Self::from_months)
    }

    pub fn is_negative(&self) -> bool {
        self.months < 0
    }

    pub fn property(&self, name: &str) -> Option<Property> {
        Some(Property::Number(match name {
            "years" => self.months / 12,
            "months" => self.months % 12,
            _ => return None,
        }))
    }
}

impl fmt::Display for MonthsDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.months == 0 {
            return f.write_str("P0Y");
        }
        let sign = if self.months < 0 { "-" } else { "" };
        let months = u128::from(self.months.unsigned_abs());
        write!(f, "{sign}P")?;
        write_part(f, months / 12, 'Y')?;
        write_part(f, months % 12, 'M')
    }
}

fn write_part(f: &mut fmt::Formatter<'_>, amount: u128, unit: char) -> fmt::Result {
    if amount == 0 {
        return Ok(());
    }
    write!(f, "{amount}{unit}")
}

/// The `number unit` parts of a duration: each unit at most once and in order.
struct Parts {
    units: &'static str,
    weights: &'static [i64],
}

impl Parts {
    fn new(units: &'static str, weights: &'static [i64]) -> Self {
        Self { units, weights }
    }

    /// The sum of the parts in billionths of the last unit; at least one part must be there.
    fn scan(&mut self, scan: &mut Scan<'_>) -> Option<i128> {
        let mut sum: i128 = 0;
        let mut parts = 0;
        while !scan.is_done() && !scan.rest().starts_with('T') {
            // The standard has one sign before the whole; Java, and so Camunda, also one before a part.
            let sign = if scan.eat('-') { -1 } else { 1 };
            let amount: i64 = scan.digits().parse().ok()?;
            let fraction = scan.eat('.').then(|| scan.fraction_nanos());
            let unit = scan.rest().chars().next()?;
            let index = self.units.find(unit)?;
            if fraction.is_some() && unit != 'S' {
                return None;
            }
            scan.eat(unit);
            let weight = i128::from(self.weights[index]);
            let whole = i128::from(amount) * weight * i128::from(NANOS_PER_SECOND);
            sum += sign * (whole + i128::from(fraction.unwrap_or(0)));
            self.units = &self.units[index + 1..];
            self.weights = &self.weights[index + 1..];
            parts += 1;
        }
        (parts > 0).then_some(sum)
    }
}
