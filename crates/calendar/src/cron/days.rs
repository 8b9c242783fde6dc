//! Which days of a month a cron schedule names.

use jiff::civil::Date;

/// The two day fields; a day must satisfy both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Days {
    pub(super) of_month: DayField,
    pub(super) of_week: DayField,
}

/// Plain numbers as bits, and rules that need the month to be known. Weekdays are 1 (Monday) to 7.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct DayField {
    pub(super) numbers: u64,
    pub(super) rules: Vec<DayRule>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayRule {
    /// So many days before the last day of the month.
    BeforeLast(i64),
    LastWeekday,
    NearestWeekday(i64),
    LastOf {
        weekday: i64,
    },
    NthOf {
        weekday: i64,
        nth: i64,
    },
}

impl Days {
    /// The matching days of the month that begins on the given date: bit n stands for day n.
    pub(super) fn of(&self, first: Date) -> u64 {
        let month = Month {
            last: i64::from(first.days_in_month()),
            first_weekday: i64::from(first.weekday().to_monday_one_offset()),
        };
        let of_month = self.of_month.numbers | month.days_by_rules(&self.of_month.rules);
        let of_week = month.days_on(self.of_week.numbers) | month.days_by_rules(&self.of_week.rules);
        of_month & of_week & month.all_days()
    }
}

struct Month {
    last: i64,
    first_weekday: i64,
}

impl Month {
    fn all_days(&self) -> u64 {
        ((1 << self.last) - 1) << 1
    }

    fn weekday(&self, day: i64) -> i64 {
        (self.first_weekday + day - 2) % 7 + 1
    }

    fn days_on(&self, weekdays: u64) -> u64 {
        (1..=self.last)
            .filter(|&day| weekdays & (1 << self.weekday(day)) != 0)
            .fold(0, |days, day| days | 1 << day)
    }

    fn days_by_rules(&self, rules: &[DayRule]) -> u64 {
        rules.iter().filter_map(|rule| self.day_by_rule(*rule)).fold(0, |days, day| days | 1 << day)
    }

    fn day_by_rule(&self, rule: DayRule) -> Option<i64> {
        let day = match rule {
            DayRule::BeforeLast(days) => self.last - days,
            DayRule::LastWeekday => self.nearest_weekday(self.last),
            DayRule::NearestWeekday(day) if day > self.last => return None,
            DayRule::NearestWeekday(day) => self.nearest_weekday(day),
            DayRule::LastOf { weekday } => self.last - (self.weekday(self.last) - weekday).rem_euclid(7),
            DayRule::NthOf { weekday, nth } => {
                1 + (weekday - self.first_weekday).rem_euclid(7) + (nth - 1) * 7
            }
        };
        (1..=self.last).contains(&day).then_some(day)
    }

    /// Friday for a Saturday and Monday for a Sunday, unless that is in another month.
    fn nearest_weekday(&self, day: i64) -> i64 {
        match self.weekday(day) {
            6 if day == 1 => 3,
            6 => day - 1,
            7 if day == self.last => day - 2,
            7 => day + 1,
            _ => day,
        }
    }
}
