//! Functions that ask for the present and for parts of dates.

use super::calendar::calendar_date;
use super::{Builtin, Call, CallResult, builtin, fixed};
use crate::temporal::{Date, DateTime, Zone};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("now", &[fixed(&[])], now),
    builtin("today", &[fixed(&[])], today),
    builtin("day of year", DATE, |call| of_date(call, |date| date.day_of_year().into())),
    builtin("day of week", DATE, |call| of_date(call, |date| date.weekday_name().into())),
    builtin("month of year", DATE, |call| of_date(call, |date| date.month_name().into())),
    builtin("week of year", DATE, |call| of_date(call, |date| date.week_of_year().into())),
    builtin("last day of month", DATE, |call| of_date(call, |date| date.last_day_of_month().into())),
];

const DATE: &[super::Signature] = &[fixed(&["date"])];

/// The moment of the evaluation, in the zone of the environment.
fn present(call: &Call<'_, '_>) -> DateTime {
    let environment = call.environment();
    let nanos = environment.now.as_nanosecond();
    let zone = Zone::of(&environment.zone, environment.now);
    DateTime::from_epoch_nanos(nanos, zone).expect("timestamps lie within the years that dates can have")
}

fn now(call: &mut Call<'_, '_>) -> CallResult {
    Ok(present(call).into())
}

fn today(call: &mut Call<'_, '_>) -> CallResult {
    Ok(present(call).date().into())
}

fn of_date(call: &mut Call<'_, '_>, part: fn(Date) -> Value) -> CallResult {
    match calendar_date(call.single(0)) {
        Some(date) => Ok(part(date)),
        None => call.refuse("a date or a date and time"),
    }
}
