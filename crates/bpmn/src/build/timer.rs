//! Timers: exactly one of date, duration and cycle, and text that can be checked is checked.

use super::Builder;
use super::expression::constant;
use crate::executable::{Source, TimerDefinition, TimerKind};
use crate::xml::Tag;
use tidemill_calendar::{Cycle, Date, Duration, Timestamp, Zone};
use tidemill_feel::Value;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn timer(&mut self, definition: Tag<'a>, is_process_start: bool) -> Option<TimerDefinition> {
        let kinds = [
            ("timeDate", TimerKind::Date),
            ("timeDuration", TimerKind::Duration),
            ("timeCycle", TimerKind::Cycle),
        ];
        let mut found = kinds.into_iter().filter_map(|(name, kind)| Some((definition.child(name)?, kind)));
        let (Some((tag, kind)), None) = (found.next(), found.next()) else {
            let reason = "Must be exactly one type of timer: timeDuration, timeDate or timeCycle";
            self.report.refuse(definition, reason);
            return None;
        };
        let value = self.source(tag, &tag.text())?;
        if let Err(failure) = check(kind, &value, is_process_start) {
            let what = match kind {
                TimerKind::Date => "date",
                TimerKind::Duration => "duration",
                TimerKind::Cycle => "cycle",
            };
            self.report.refuse(tag, format!("Invalid timer {what} expression ({failure})"));
        } else if let Some(failure) = lacks_offset(kind, &value, is_process_start) {
            let remedy = "add an offset to the date, such as Z".to_owned();
            self.report.refuse_new(tag, format!("Invalid timer date expression ({failure})"), Some(remedy));
        } else if let Some(text) = never_due(kind, &value, is_process_start) {
            let reason = format!("Invalid timer cycle expression ('{text}' never matches a date)");
            let remedy = "name a day that the month has".to_owned();
            self.report.refuse_new(tag, reason, Some(remedy));
        }
        Some(TimerDefinition { kind, value })
    }
}

/// Text is checked as it stands; an expression only where there will be no variables.
fn check(kind: TimerKind, value: &Source, is_process_start: bool) -> Result<(), String> {
    match value {
        Source::Static { text, .. } => check_text(kind, text),
        Source::Feel(_) if !is_process_start => Ok(()),
        Source::Feel(expression) => match (constant(expression).map_err(|error| error.to_string())?, kind) {
            (Value::String(text), _) => check_text(kind, text.as_str()),
            (Value::Date(_) | Value::DateTime(_), TimerKind::Date) => Ok(()),
            (Value::DaysDuration(_) | Value::MonthsDuration(_), TimerKind::Duration) => Ok(()),
            (value, _) => Err(format!("'{}' gives {value}", expression.text())),
        },
    }
}

/// A date that does not say its offset. Those that were deployed before this was refused go on.
fn lacks_offset(kind: TimerKind, value: &Source, is_process_start: bool) -> Option<String> {
    let text = match value {
        Source::Static { text, .. } => text.to_string(),
        Source::Feel(expression) if is_process_start => match constant(expression).ok()? {
            Value::String(text) => text.to_string(),
            Value::Date(_) => return Some(format!("'{}' gives a date without time", expression.text())),
            _ => return None,
        },
        Source::Feel(_) => return None,
    };
    let error = (kind == TimerKind::Date).then(|| Date::parse_with_offset(&text).err()).flatten()?;
    Some(format!("'{text}': {error}"))
}

/// The text of a cycle that never comes, such as a cron schedule for 30 February.
fn never_due(kind: TimerKind, value: &Source, is_process_start: bool) -> Option<String> {
    let text = match value {
        Source::Static { text, .. } => text.to_string(),
        Source::Feel(expression) if is_process_start => match constant(expression).ok()? {
            Value::String(text) => text.to_string(),
            _ => return None,
        },
        Source::Feel(_) => return None,
    };
    let is_cycle = kind == TimerKind::Cycle;
    let cycle = is_cycle.then(|| Cycle::parse(&text).ok()).flatten()?;
    // The calendar repeats after 400 years, so that any moment serves.
    let is_never =
        matches!(&cycle, Cycle::Cron(cron) if cron.next_after(Timestamp(0), &Zone::utc()).is_none());
    is_never.then_some(text)
}

fn check_text(kind: TimerKind, text: &str) -> Result<(), String> {
    let parsed = match kind {
        TimerKind::Date => Date::parse(text, &Zone::utc()).err(),
        TimerKind::Duration => Duration::parse(text).err(),
        TimerKind::Cycle => Cycle::parse(text).err(),
    };
    parsed.map_or(Ok(()), |error| Err(format!("'{text}': {error}")))
}
