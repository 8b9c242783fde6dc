//! The proleptic Gregorian calendar date, with years far beyond four digits.

use std::fmt;

use super::scan::Scan;
use super::{DateTime, DaysDuration, MonthsDuration, NANOS_PER_DAY, Property, Time, Zone};

/// A calendar date, ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: i32,
    month: u8,
    day: u8,
}

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl Date {
    /// The largest year, and its negation the smallest.
    pub const YEAR_MAX: i32 = 999_999_999;

    pub fn new(year: i64, month: i64, day: i64) -> Option<Self> {
        let year = i32::try_from(year).ok()?;
        if !(-Self::YEAR_MAX..=Self::YEAR_MAX).contains(&year) || !(1..=12).contains(&month) {
            return None;
        }
        let month = month as u8;
        if day < 1 || day > i64::from(days_in_month(year, month)) {
            return None;
        }
        Some(Self { year, month, day: day as u8 })
    }

    /// Reads `[-]YYYY-MM-DD`; years of more than four digits have no leading zero.
    pub fn parse(text: &str) -> Option<Self> {
        let mut scan = Scan::new(text);
        let date = Self::scan(&mut scan)?;
        scan.is_done().then_some(date)
    }

    pub(super) fn scan(scan: &mut Scan<'_>) -> Option<Self> {
        let negative = scan.eat('-');
        let digits = scan.digits();
        if digits.len() < 4 || digits.len() > 9 || (digits.len() > 4 && digits.starts_with('0')) {
            return None;
        }
        let year: i64 = digits.parse().ok()?;
        if !scan.eat('-') {
            return None;
        }
        let month = scan.two_digits()?;
        if !scan.eat('-') {
            return None;
        }
        let day = scan.two_digits()?;
        Self::new(if negative { -year } else { year }, month.into(), day.into())
    }

    pub fn year(&self) -> i64 {
        self.year.into()
    }

    pub fn month(&self) -> i64 {
        self.month.into()
    }

    pub fn day(&self) -> i64 {
        self.day.into()
    }

    /// Days since 1970-01-01.
    pub fn epoch_days(&self) -> i64 {
        let month = i64::from(self.month);
        let year = i64::from(self.year) - i64::from(month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(self.day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * 146_097 + day_of_era - 719_468
    }

    pub fn from_epoch_days(days: i64) -> Option<Self> {
        let shifted = days.checked_add(719_468)?;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self::new(year, month, day)
    }

    /// 1 is Monday, 7 is Sunday.
    pub fn weekday(&self) -> i64 {
        (self.epoch_days() + 3).rem_euclid(7) + 1
    }

    pub fn weekday_name(&self) -> &'static str {
        WEEKDAYS[(self.weekday() - 1) as usize]
    }

    pub fn month_name(&self) -> &'static str {
        MONTHS[usize::from(self.month) - 1]
    }

    /// 1 is January 1.
    pub fn day_of_year(&self) -> i64 {
        let january_first = Self { year: self.year, month: 1, day: 1 };
        self.epoch_days() - january_first.epoch_days() + 1
    }

    /// The ISO 8601 week: weeks begin on Monday, the first one holds January 4.
    pub fn week_of_year(&self) -> i64 {
        let thursday_days = self.epoch_days() - self.weekday() + 4;
        match Self::from_epoch_days(thursday_days) {
            Some(thursday) => (thursday.day_of_year() - 1) / 7 + 1,
            None => (self.day_of_year() - 1) / 7 + 1,
        }
    }

    pub fn last_day_of_month(&self) -> Self {
        Self { day: days_in_month(self.year, self.month), ..*self }
    }

    /// Adds months; a day that the target month lacks becomes its last day.
    pub fn add_months(&self, duration: MonthsDuration) -> Option<Self> {
        let total = self.proleptic_month().checked_add(duration.total_months())?;
        let (year, month) = (total.div_euclid(12), total.rem_euclid(12) + 1);
        let first = Self::new(year, month, 1)?;
        let last = first.last_day_of_month();
        Some(Self { day: self.day.min(last.day), ..first })
    }

    /// Adds a duration to the midnight that begins this date and keeps the date of the result.
    pub fn add_days(&self, duration: DaysDuration) -> Option<Self> {
        let nanos = i128::from(self.epoch_days())
            .checked_mul(NANOS_PER_DAY.into())?
            .checked_add(duration.total_nanos())?;
        Self::from_epoch_days(i64::try_from(nanos.div_euclid(NANOS_PER_DAY.into())).ok()?)
    }

    /// Whole months from this date to `other`; a started month does not count.
    pub fn months_until(&self, other: &Self) -> MonthsDuration {
        let months = other.proleptic_month() - self.proleptic_month();
        let days = i64::from(other.day) - i64::from(self.day);
        MonthsDuration::from_months(if months > 0 && days < 0 {
            months - 1
        } else if months < 0 && days > 0 {
            months + 1
        } else {
            months
        })
    }

    pub fn days_since(&self, other: &Self) -> DaysDuration {
        let days = i128::from(self.epoch_days() - other.epoch_days());
        DaysDuration::from_nanos(days * i128::from(NANOS_PER_DAY))
            .expect("the distance of two dates is far below the range of durations")
    }

    /// The date seen as a date-time: midnight in UTC, as the standard coerces it.
    pub fn at_utc_midnight(&self) -> DateTime {
        DateTime::new(*self, Time::midnight(Zone::Offset(0)))
    }

    pub fn property(&self, name: &str) -> Option<Property> {
        Some(Property::Number(match name {
            "year" => self.year(),
            "month" => self.month(),
            "day" => self.day(),
            "weekday" => self.weekday(),
            _ => return None,
        }))
    }

    fn proleptic_month(&self) -> i64 {
        i64::from(self.year) * 12 + i64::from(self.month) - 1
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.year < 0 { "-" } else { "" };
        write!(f, "{sign}{:04}-{:02}-{:02}", self.year.unsigned_abs(), self.month, self.day)
    }
}

fn days_in_month(year: i32, month: u8) -> u8 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
