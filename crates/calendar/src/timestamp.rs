//! The instant as the rest of the product stores it, and the way to and from the time library.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};

const NANOS_PER_MILLI: i128 = 1_000_000;

/// Milliseconds since 1970-01-01T00:00:00Z.
///
/// Any number may be stored; outside [`Timestamp::MIN`] to [`Timestamp::MAX`] it is treated, and written, as the
/// nearer of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The earliest instant that is calculated with, in the year -9999.
    pub const MIN: Timestamp = Timestamp(-377_705_023_201_000);
    /// The latest instant that is calculated with, in the year 9999.
    pub const MAX: Timestamp = Timestamp(253_402_207_200_000);

    pub(crate) fn to_jiff(self) -> jiff::Timestamp {
        let millis = self.0.clamp(Self::MIN.0, Self::MAX.0);
        jiff::Timestamp::from_millisecond(millis).expect("clamped to the supported range")
    }

    /// Rounds up to the next millisecond: nothing is due early.
    pub(crate) fn from_jiff(instant: jiff::Timestamp) -> Self {
        Self::from_nanos(instant.as_nanosecond())
    }

    fn from_nanos(nanos: i128) -> Self {
        let millis = ceil_millis(nanos).clamp(Self::MIN.0.into(), Self::MAX.0.into());
        Timestamp(i64::try_from(millis).expect("clamped to a range of 64 bits"))
    }

    /// Adds an exact length in nanoseconds, rounded up to the millisecond; stops at the ends of time.
    pub(crate) fn plus_nanos(self, nanos: i128) -> Self {
        let millis = self.0.clamp(Self::MIN.0, Self::MAX.0);
        Self::from_nanos((i128::from(millis) * NANOS_PER_MILLI).saturating_add(nanos))
    }
}

fn ceil_millis(nanos: i128) -> i128 {
    nanos.div_euclid(NANOS_PER_MILLI) + i128::from(nanos.rem_euclid(NANOS_PER_MILLI) > 0)
}

/// Plus milliseconds, held at the ends of the range.
impl Add<i64> for Timestamp {
    type Output = Timestamp;

    fn add(self, millis: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(millis))
    }
}

/// Milliseconds between two points.
impl Sub<Timestamp> for Timestamp {
    type Output = i64;

    fn sub(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// RFC 3339 in UTC with milliseconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.to_jiff())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_time_library() {
        for (bound, beyond) in
            [(Timestamp::MIN.0, Timestamp::MIN.0 - 1), (Timestamp::MAX.0, Timestamp::MAX.0 + 1)]
        {
            assert!(jiff::Timestamp::from_millisecond(bound).is_ok());
            assert!(jiff::Timestamp::from_millisecond(beyond).is_err());
        }
        assert_eq!(Timestamp(i64::MAX).plus_nanos(i128::MAX), Timestamp::MAX);
        assert_eq!(Timestamp(i64::MIN).plus_nanos(i128::MIN), Timestamp::MIN);
    }

    #[test]
    fn written_with_milliseconds_in_utc() {
        for (millis, written) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_767_225_600_007, "2026-01-01T00:00:00.007Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (i64::MAX, "9999-12-30T22:00:00.000Z"),
        ] {
            assert_eq!(Timestamp(millis).to_string(), written);
        }
    }

    #[test]
    fn fractions_of_a_millisecond_round_up() {
        assert_eq!(Timestamp(0).plus_nanos(1), Timestamp(1));
        assert_eq!(Timestamp(0).plus_nanos(-1), Timestamp(0));
        assert_eq!(Timestamp(0).plus_nanos(-1_000_001), Timestamp(-1));
    }
}
