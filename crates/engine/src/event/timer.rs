//! Timers of catch events, boundary events, event subprocesses and start events.

use crate::data::expression::wrong_type;
use crate::incident;
use crate::run::Run;
use crate::state::Definition;
use crate::stop::{Stepped, Stop};
use tidemill_bpmn::{Behavior, Catch, Element, Source, TimerDefinition, TimerKind};
use tidemill_calendar::{Cycle, Date, Duration, Repetitions, Schedule};
use tidemill_feel::{EmptyScope, Evaluation, Value};
use tidemill_model::command::{Command, TriggerTimer};
use tidemill_model::entity::{IncidentKind, Timer, TimerPurpose};
use tidemill_model::{ElementIndex, ElementInstanceKey, Event, Text, TimerKey, Timestamp};

/// A timer that can be created.
pub(crate) struct Plan {
    target: ElementIndex,
    target_id: Text,
    due: Due,
}

/// The times at which a timer fires.
#[derive(Clone, Copy)]
pub(crate) struct Due {
    at: Timestamp,
    repetitions: Option<i32>,
    waits_for_clock: bool,
}

impl Due {
    /// Once, after a duration.
    pub(crate) fn once(at: Timestamp) -> Due {
        Due { at, repetitions: None, waits_for_clock: false }
    }

    fn first(run: &Run<'_>, schedule: &Schedule) -> Option<Due> {
        let at = schedule.first_due(reference(run, schedule), &run.zone)?;
        let repetitions = schedule.repetitions().map(stored);
        Some(Due { at, repetitions, waits_for_clock: schedule.is_calendar_date(at, &run.zone) })
    }

    fn has_passed(self, run: &Run<'_>) -> bool {
        self.at <= if self.waits_for_clock { run.clock } else { run.now }
    }
}

/// The time from which due times are calculated. A cron schedule names times of the clock, which the partition's time may be
/// ahead of.
fn reference(run: &Run<'_>, schedule: &Schedule) -> Timestamp {
    match schedule {
        Schedule::Cycle(Cycle::Cron(_)) => run.clock,
        _ => run.now,
    }
}

pub(crate) fn plan(
    run: &Run<'_>,
    waiting: ElementInstanceKey,
    event: &Element,
    definition: &TimerDefinition,
) -> Stepped<Plan> {
    let schedule = evaluate(run, Some(waiting), definition)?;
    let due = Due::first(run, &schedule).ok_or_else(|| never(definition))?;
    Ok(Plan { target: event.index, target_id: event.id.clone(), due })
}

fn stored(repetitions: Repetitions) -> i32 {
    i32::try_from(repetitions.to_stored()).unwrap_or(i32::MAX)
}

pub(crate) fn open(run: &mut Run<'_>, waiting: ElementInstanceKey, plan: Plan) -> Stepped {
    let origin = run.origin(waiting)?;
    let purpose = TimerPurpose::Catch { origin, element_instance: waiting, target: plan.target };
    create(run, purpose, plan.target_id, plan.due);
    Ok(())
}

/// A timer that is due already fires with the batch that creates it and is never written. One that repeats is left to the due
/// queue: a cycle that is far behind would keep other commands waiting.
pub(crate) fn create(run: &mut Run<'_>, purpose: TimerPurpose, target_id: Text, due: Due) {
    let Due { at: due_at, repetitions, waits_for_clock } = due;
    let key = run.new_key();
    let instance = match &purpose {
        TimerPurpose::Catch { origin, .. } | TimerPurpose::JobBackoff { origin, .. } => Some(origin.instance),
        TimerPurpose::Start { .. } | TimerPurpose::MessageExpiry { .. } => None,
    };
    let timer = Timer { key, due_at, purpose, repetitions, waits_for_clock };
    if repetitions.is_none() && due.has_passed(run) {
        run.send_here(Command::TriggerTimer(TriggerTimer { timer: timer.clone(), was_put_aside: false }));
    }
    run.insert(timer);
    run.record(key, instance, || Event::TimerCreated { target_id, due_at, repetitions });
}

pub(crate) fn cancel(run: &mut Run<'_>, key: TimerKey) -> Stepped {
    let Some(timer) = run.remove::<Timer>(key) else { return Ok(()) };
    if run.records_wanted {
        let (target_id, instance) = describe(run, &timer)?;
        run.record(key, instance, || Event::TimerCanceled { target_id });
    }
    Ok(())
}

/// Goes on after a firing of what waits. A cycle that cannot go on leaves an incident: this firing still counts,
/// and resolving the incident comes here again.
pub(crate) fn go_on(run: &mut Run<'_>, waiting: ElementInstanceKey, fired: &Timer) -> Stepped {
    let TimerPurpose::Catch { target, .. } = fired.purpose else { return Ok(()) };
    let Some(info) = run.find_scope(waiting)?.filter(|info| info.state.is_open()) else { return Ok(()) };
    let definition = run.definition(info.definition)?;
    let starts_event_sub_process =
        matches!(definition.process.element(target).behavior, Behavior::Start { .. });
    let scope = run.scope(waiting)?;
    if starts_event_sub_process && (scope.interrupted || scope.interruption.is_some()) {
        return Ok(());
    }
    match repeat(run, &definition, target, fired) {
        Err(Stop::Fail(failure)) => incident::raise_for_timer(run, waiting, failure, fired),
        other => other,
    }
}

/// Makes the timer after this one, where it repeats.
pub(crate) fn repeat(
    run: &mut Run<'_>,
    definition: &Definition,
    target: ElementIndex,
    fired: &Timer,
) -> Stepped {
    let event = definition.process.element(target);
    let Some(Catch::Timer(model)) = event.catch() else { return Ok(()) };
    if let Some(next) = next(run, fired, model)? {
        create(run, fired.purpose.clone(), event.id.clone(), next);
    }
    Ok(())
}

/// When the next timer is due: the expression is asked again, the count is not.
fn next(run: &Run<'_>, fired: &Timer, definition: &TimerDefinition) -> Stepped<Option<Due>> {
    let left = fired.repetitions.and_then(|left| Repetitions::from_stored(left.into()));
    let Some(left) = left.and_then(Repetitions::after_firing) else { return Ok(None) };
    let waiting = match fired.purpose {
        TimerPurpose::Catch { element_instance, .. } => Some(element_instance),
        _ => None,
    };
    let schedule = evaluate(run, waiting, definition)?;
    let at = schedule.next_due(fired.due_at, reference(run, &schedule), &run.zone);
    // Rounds of an interval are counted from the firing before, which was a date or was not.
    let waits_for_clock = fired.waits_for_clock;
    Ok(at.map(|at| Due { at, repetitions: Some(stored(left)), waits_for_clock }))
}

pub(crate) fn first_start(run: &Run<'_>, definition: &TimerDefinition) -> Stepped<Due> {
    let schedule = evaluate(run, None, definition)?;
    Due::first(run, &schedule).ok_or_else(|| never(definition))
}

fn describe(run: &Run<'_>, timer: &Timer) -> Stepped<(Text, Option<tidemill_model::ProcessInstanceKey>)> {
    Ok(match &timer.purpose {
        TimerPurpose::Catch { origin, target, .. } => {
            let definition = run.definition(origin.definition)?;
            (definition.process.element(*target).id.clone(), Some(origin.instance))
        }
        TimerPurpose::Start { definition, target, .. } => {
            (run.definition(*definition)?.process.element(*target).id.clone(), None)
        }
        TimerPurpose::JobBackoff { origin, .. } => (Text::default(), Some(origin.instance)),
        TimerPurpose::MessageExpiry { .. } => (Text::default(), None),
    })
}

pub(crate) fn record_trigger(run: &mut Run<'_>, timer: &Timer) -> Stepped {
    if run.records_wanted {
        let (target_id, instance) = describe(run, timer)?;
        run.record(timer.key, instance, || Event::TimerTriggered { target_id });
    }
    Ok(())
}

fn evaluate(
    run: &Run<'_>,
    waiting: Option<ElementInstanceKey>,
    definition: &TimerDefinition,
) -> Stepped<Schedule> {
    let mut is_written = false;
    let text = match &definition.value {
        Source::Static { text, .. } => text.clone(),
        Source::Feel(expression) => {
            let outcome = match waiting {
                Some(waiting) => run.evaluate(waiting, expression, &[])?,
                None => without_variables(run, expression)?,
            };
            is_written = matches!(outcome.value, Value::String(_));
            as_text(definition.kind, &outcome)
                .ok_or_else(|| wrong_type(expression, &outcome, wanted(definition.kind)))?
        }
    };
    let invalid = |error: &dyn std::fmt::Display| {
        let expression = match &definition.value {
            Source::Static { text, .. } => text.as_str(),
            Source::Feel(expression) => expression.text(),
        };
        let kind = name(definition.kind);
        let message = format!("Invalid {kind} format '{text}' for expression '{expression}'. {error}");
        Stop::fail(IncidentKind::ExtractValueError, message)
    };
    match definition.kind {
        // Only a value of FEEL may leave its zone open; models that were deployed before this was refused go on.
        TimerKind::Date if is_written => {
            Date::parse_with_offset(&text).map(Schedule::Date).map_err(|error| invalid(&error))
        }
        TimerKind::Date => Date::parse(&text, &run.zone).map(Schedule::Date).map_err(|error| invalid(&error)),
        TimerKind::Duration => {
            Duration::parse(&text).map(Schedule::Duration).map_err(|error| invalid(&error))
        }
        TimerKind::Cycle => Cycle::parse(&text).map(Schedule::Cycle).map_err(|error| invalid(&error)),
    }
}

/// Start events of a process have no variables yet.
fn without_variables(run: &Run<'_>, expression: &tidemill_feel::Expression) -> Stepped<Evaluation> {
    run.evaluate_in(&EmptyScope, expression)
        .map_err(|error| Stop::fail(IncidentKind::ExtractValueError, error))
}

/// The text of a string, or of a value that this kind of timer takes.
fn as_text(kind: TimerKind, outcome: &Evaluation) -> Option<Text> {
    match (&outcome.value, kind) {
        (Value::String(text), _) => Some(text.clone()),
        (Value::DateTime(value), TimerKind::Date) => Some(Text::from(value.to_string())),
        (Value::DaysDuration(value), TimerKind::Duration) => Some(Text::from(value.to_string())),
        (Value::MonthsDuration(value), TimerKind::Duration) => Some(Text::from(value.to_string())),
        _ => None,
    }
}

fn wanted(kind: TimerKind) -> &'static str {
    match kind {
        TimerKind::Date => "[DATE_TIME, STRING]",
        TimerKind::Duration => "[DURATION, PERIOD, STRING]",
        TimerKind::Cycle => "STRING",
    }
}

fn name(kind: TimerKind) -> &'static str {
    match kind {
        TimerKind::Date => "date-time",
        TimerKind::Duration => "duration",
        TimerKind::Cycle => "cycle",
    }
}

fn never(definition: &TimerDefinition) -> Stop {
    let text = match &definition.value {
        Source::Static { text, .. } => text.to_string(),
        Source::Feel(expression) => expression.text().to_owned(),
    };
    Stop::fail(
        IncidentKind::ExtractValueError,
        format!("Expected the {} '{text}' to be due some time, but it never is", name(definition.kind)),
    )
}
