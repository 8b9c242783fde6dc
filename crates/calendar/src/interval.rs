//! Repeating intervals: `Rn/` followed by a duration between optional dates of start and end.

use crate::cursor::{Cursor, read_all};
use crate::date::WrittenDate;
use crate::{Date, Duration, ParseError, Repetitions, Timestamp, Zone};

/// Java's largest `int`, the most that other engines take.
const REPETITIONS_MAX: i64 = 2_147_483_647;
/// How far the mean length of a duration may mislead about the number of rounds since the start.
const ROUNDS_MISJUDGED_MAX: i64 = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatingInterval {
    repetitions: Repetitions,
    start: Option<WrittenDate>,
    round: Round,
    /// Nothing is due after it.
    end: Option<WrittenDate>,
}

/// How long it takes from one firing to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Round {
    Lasts(Duration),
    /// From the start to this date, which may depend on the zone.
    Until(WrittenDate),
}

impl RepeatingInterval {
    pub fn parse(text: &str) -> Result<RepeatingInterval, ParseError> {
        read_all(text, RepeatingInterval::read)
    }

    pub fn repetitions(&self) -> Repetitions {
        self.repetitions
    }

    /// The date with which it begins, where one is given.
    pub fn start(&self, zone: &Zone) -> Option<Timestamp> {
        self.start.as_ref().map(|start| start.in_zone(zone).timestamp())
    }

    /// The first due time: the start, or now if that is past, or one duration from now if there is no start.
    pub fn first_due(&self, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
        let due = match self.start(zone) {
            Some(start) => start.max(now),
            None => self.duration(zone)?.after(now, zone),
        };
        (!self.is_over(due, zone)).then_some(due)
    }

    /// One duration after the previous due time, whether or not that is past. The caller counts repetitions.
    pub fn next_due(&self, previous_due: Timestamp, zone: &Zone) -> Option<Timestamp> {
        let duration = self.duration(zone)?;
        let due = match self.start.as_ref().map(|start| start.in_zone(zone)) {
            Some(start) => match rounds_until(previous_due, &duration, &start) {
                Some(rounds) => duration.times_after(rounds + 1, start.timestamp(), start.zone()),
                None => duration.after(previous_due, start.zone()),
            },
            None => duration.after(previous_due, zone),
        };
        (due > previous_due && !self.is_over(due, zone)).then_some(due)
    }

    /// See [`crate::Cycle::last_due`]. Rounds of an exact length are not walked through one by one.
    pub(crate) fn last_due(
        &self,
        previous_due: Timestamp,
        until: Timestamp,
        zone: &Zone,
    ) -> (Timestamp, u64) {
        let end = self.end.as_ref().map(|end| end.in_zone(zone).timestamp());
        let until = end.map_or(until, |end| end.min(until));
        if let Some(duration) = self.duration(zone).filter(|duration| !duration.follows_calendar()) {
            // Each due time is rounded up to a whole millisecond, and the next is counted from that.
            let round_ms = duration.after(Timestamp(0), zone).0.max(1);
            let rounds = (until - previous_due).max(0) / round_ms;
            return (previous_due + rounds * round_ms, rounds.unsigned_abs());
        }
        let (mut due, mut rounds) = (previous_due, 0);
        while let Some(next) = self.next_due(due, zone).filter(|next| *next <= until) {
            (due, rounds) = (next, rounds + 1);
        }
        (due, rounds)
    }

    fn is_over(&self, due: Timestamp, zone: &Zone) -> bool {
        self.end.as_ref().is_some_and(|end| due > end.in_zone(zone).timestamp())
    }

    /// `None` if the dates of `start/end` turn out to be in the wrong order in this zone.
    fn duration(&self, zone: &Zone) -> Option<Duration> {
        match (&self.round, &self.start) {
            (Round::Lasts(duration), _) => Some(*duration),
            (Round::Until(end), Some(start)) => time_between(start, end, zone),
            (Round::Until(_), None) => None,
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<RepeatingInterval, ParseError> {
        cursor.expect('R')?;
        let repetitions = read_repetitions(cursor)?;
        cursor.expect('/')?;
        let start = if date_is_next(cursor) {
            let start = WrittenDate::read(cursor)?;
            cursor.expect('/')?;
            Some(start)
        } else {
            None
        };
        let round = read_round(cursor, start.as_ref())?;
        let end = match round {
            Round::Lasts(_) if cursor.eat('/') => Some(WrittenDate::read(cursor)?),
            _ => None,
        };
        Ok(RepeatingInterval { repetitions, start, round, end })
    }
}

fn time_between(start: &WrittenDate, end: &WrittenDate, zone: &Zone) -> Option<Duration> {
    let millis = end.in_zone(zone).timestamp().0 - start.in_zone(zone).timestamp().0;
    (millis > 0).then(|| Duration::exact_millis(millis))
}

/// How many rounds after the start the due time lies, if it lies on one; so that shortened months and skipped
/// hours are forgotten again. Exact durations never leave their grid and need no counting.
fn rounds_until(due: Timestamp, duration: &Duration, start: &Date) -> Option<i64> {
    if !duration.follows_calendar() || due < start.timestamp() {
        return None;
    }
    let since_start = (i128::from(due.0) - i128::from(start.timestamp().0)) * 1_000_000;
    let estimate = i64::try_from(since_start / duration.mean_nanos()).ok()?;
    // The highest first: where a skipped day makes two rounds one, the next due time must lie beyond both.
    (estimate - ROUNDS_MISJUDGED_MAX..=estimate + ROUNDS_MISJUDGED_MAX)
        .rev()
        .filter(|rounds| *rounds >= 0)
        .find(|&rounds| duration.times_after(rounds, start.timestamp(), start.zone()) == due)
}

fn read_repetitions(cursor: &mut Cursor<'_>) -> Result<Repetitions, ParseError> {
    match cursor.peek() {
        Some('/') => Ok(Repetitions::Forever),
        Some('-') => {
            cursor.expect('-')?;
            if !cursor.eat('1') {
                return Err(cursor.error("`1`, as -1 means for ever"));
            }
            Ok(Repetitions::Forever)
        }
        Some(c) if c.is_ascii_digit() => {
            let times = cursor.number_in(0, REPETITIONS_MAX)?.max(1);
            Ok(Repetitions::Times(u32::try_from(times).expect("at most 31 bits")))
        }
        _ => Err(cursor.error("a number of repetitions, or `/`")),
    }
}

fn date_is_next(cursor: &Cursor<'_>) -> bool {
    cursor.peek().is_some_and(|c| c.is_ascii_digit())
}

fn read_round(cursor: &mut Cursor<'_>, start: Option<&WrittenDate>) -> Result<Round, ParseError> {
    let from = cursor.offset();
    if let Some(start) = start
        && date_is_next(cursor)
    {
        let end = WrittenDate::read(cursor)?;
        return match time_between(start, &end, &Zone::utc()) {
            Some(_) => Ok(Round::Until(end)),
            None => Err(cursor.error_at(from, "a date after the start")),
        };
    }
    if !matches!(cursor.peek(), Some('P' | 'p' | '-' | '+')) {
        return Err(cursor.error("a date or a duration"));
    }
    let duration = Duration::read(cursor)?;
    if !duration.only_moves_on() {
        return Err(cursor.error_at(from, "a duration longer than zero"));
    }
    // Due times are kept to the millisecond: nothing can be due more often.
    if !duration.follows_calendar() && duration.nanos < 1_000_000 {
        return Err(cursor.error_at(from, "a duration of a millisecond or more"));
    }
    Ok(Round::Lasts(duration))
}
