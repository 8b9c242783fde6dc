//! The instant as the rest of the product stores it, and the way to and from the time library.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};

const NANOS_PER_MILLI: i128 = 1_000_000;
const DAY_MS: i64 = 86_400_000;

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

    /// RFC 3339 in UTC with milliseconds, for dates from 1970 to 9999: far cheaper than by the time library, for those who write millions
    /// of dates.
    pub fn to_text(self) -> Option<[u8; 24]> {
        if !(0..=Self::MAX.0).contains(&self.0) {
            return None;
        }
        let (days, ms) = (self.0 / DAY_MS, self.0 % DAY_MS);
        let (year, month, day) = civil(days);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let numbers = [
            (0, 4, year),
            (5, 2, month),
            (8, 2, day),
            (11, 2, ms / 3_600_000),
            (14, 2, ms / 60_000 % 60),
            (17, 2, ms / 1_000 % 60),
            (20, 3, ms % 1_000),
        ];
        for (at, digits, number) in numbers {
            let mut rest = number;
            for place in (at..at + digits).rev() {
                text[place] = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
        }
        Some(text)
    }

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

/// Year, month and day of a day since 1970-01-01. Years are counted from March on, so that the day that some years have more is their
/// last.
fn civil(days: i64) -> (i64, i64, i64) {
    let since_0 = days + 719_468;
    let (era, of_era) = (since_0 / 146_097, since_0 % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
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
        match self.to_text() {
            Some(text) => f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?),
            None => write!(f, "{:.3}", self.to_jiff()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_the_time_library_writes_them() {
        let days = (0..Timestamp::MAX.0 / DAY_MS).step_by(13).map(|day| day * DAY_MS + day * 7_919 % DAY_MS);
        let ends = [0, 1, 951_782_399_999, 951_782_400_000, Timestamp::MAX.0];
        for ms in days.chain(ends) {
            let written = Timestamp(ms).to_text().expect("within the years");
            assert_eq!(String::from_utf8_lossy(&written), format!("{:.3}", Timestamp(ms).to_jiff()));
        }
        assert_eq!((Timestamp(-1).to_text(), Timestamp(Timestamp::MAX.0 + 1).to_text()), (None, None));
    }

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
