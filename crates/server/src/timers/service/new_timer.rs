//! A timer that is to be made, read from its JSON. Each member that is wrong is named.

use super::plain_line::PlainLine;
use crate::gateway::parse_date;
use crate::timers::id::check_own;
use crate::timers::spec::{
    Envelope, FieldErrors, Fields, Repeat, RetryPolicy, Schedule, StoredTarget, TargetSpec, jitter_ms,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_timers::block::{Entry, Flags, Scope};
use tidemill_timers::shard::{Mode, Target};
use tidemill_timers::slot::DUE_MS_MAX;

/// Bytes of a payload.
pub const PAYLOAD_BYTES_MAX: usize = 100 << 10;
/// Bytes of a namespace's name.
pub const NAMESPACE_BYTES_MAX: usize = 256;
/// The namespace of timers that name none.
pub const DEFAULT_NAMESPACE: &str = "default";

const DAY_MS: i64 = 86_400_000;
const MODES: [(&str, Mode); 3] = [("replace", Mode::Replace), ("keep", Mode::Keep), ("fail", Mode::Fail)];

/// A timer that is to be made.
#[derive(Clone, PartialEq, Debug)]
pub struct NewTimer {
    pub scope: Arc<Scope>,
    pub own_id: Option<String>,
    pub mode: Mode,
    pub due_ms: i64,
    pub scheduled_ms: i64,
    pub target: Target,
    pub flags: Flags,
    pub payload: Box<[u8]>,
}

/// Facts that are the same for all timers of a request.
#[derive(Clone, Debug)]
pub struct Circumstances {
    /// Of timers that name neither tenant nor namespace.
    pub scope: Scope,
    /// The tenant that a timer names, or why it cannot be that one.
    pub tenant_of: fn(&str) -> Result<String, String>,
    /// The store's time.
    pub now_ms: i64,
    /// Decides about jitter.
    pub seed: i64,
}

/// The target of timers and their namespace: mostly the same for all lines of a request, and then read once.
#[derive(Clone, Debug)]
pub(super) struct Common {
    pub(super) scope: Arc<Scope>,
    pub(super) target: Target,
    pub(super) envelope: Envelope,
    pub(super) needs_object: bool,
}

/// The last line of a request, as far as the next one may be like it.
#[derive(Default)]
pub struct LastLine {
    /// Target, retry, namespace and tenant as they were written.
    written: [Option<String>; 4],
    common: Option<Common>,
}

impl LastLine {
    const MEMBERS: [&str; 4] = ["target", "retry", "namespace", "tenantId"];

    pub(super) fn common(&self, written: [Option<&str>; 4]) -> Option<&Common> {
        let is_alike = self.written.iter().zip(written).all(|(before, now)| before.as_deref() == now);
        self.common.as_ref().filter(|_| is_alike)
    }
}

impl NewTimer {
    /// Reads the text of one timer. Its payload is kept as it was written.
    pub fn from_text(text: &[u8], given: &Circumstances) -> Result<NewTimer, FieldErrors> {
        NewTimer::from_line(text, given, &mut LastLine::default())
    }

    /// The same for one of many lines.
    pub fn from_line(
        text: &[u8],
        given: &Circumstances,
        last: &mut LastLine,
    ) -> Result<NewTimer, FieldErrors> {
        if let Some(timer) = PlainLine::read(text, given, last) {
            return Ok(timer);
        }
        let mut errors = FieldErrors::default();
        let members: BTreeMap<Cow<'_, str>, &RawValue> = match serde_json::from_slice(text) {
            Ok(members) => members,
            Err(error) => {
                errors.add("", format!("Expected a timer as a JSON object, but it cannot be read: {error}"));
                return Err(errors);
            }
        };
        let written = LastLine::MEMBERS.map(|name| members.get(name).map(|raw| raw.get()));
        let common = last.common(written);
        let mut payload: Option<&str> = None;
        let mut others = Map::new();
        for (name, raw) in members {
            if name == "payload" {
                payload = Some(raw.get()).filter(|text| *text != "null");
            } else if common.is_some() && LastLine::MEMBERS.contains(&&*name) {
                continue;
            } else if let Ok(value) = serde_json::from_str(raw.get()) {
                others.insert(name.into_owned(), value);
            }
        }
        let read = read(&Value::Object(others), payload, given, common, &mut errors);
        let Some((timer, common)) = read.filter(|_| errors.is_empty()) else { return Err(errors) };
        if let Some(common) = common {
            let written = written.map(|text| text.map(str::to_owned));
            *last = LastLine { written, common: Some(common) };
        }
        Ok(timer)
    }
}

impl NewTimer {
    /// The same timer under an id that was made for it.
    pub fn named(mut self, id: String, mode: Mode) -> NewTimer {
        let entry = Entry {
            key: 0,
            due_ms: self.due_ms,
            scheduled_ms: self.scheduled_ms,
            generation: 0,
            attempt: 0,
            target: 0,
            flags: self.flags,
            scope: self.scope.clone(),
            place: None,
            payload: std::mem::take(&mut self.payload),
        };
        if let Ok((envelope, payload)) = Envelope::open(&entry) {
            let named = Envelope { own_id: Some(id.clone()), ..envelope };
            (self.flags, self.payload) = named.wrap(payload);
        }
        (self.own_id, self.mode) = (Some(id), mode);
        self
    }
}

/// Gives what it has in common with other lines, too, unless that is known.
fn read(
    value: &Value,
    payload: Option<&str>,
    given: &Circumstances,
    known: Option<&Common>,
    errors: &mut FieldErrors,
) -> Option<(NewTimer, Option<Common>)> {
    if payload.is_some_and(|payload| payload.len() > PAYLOAD_BYTES_MAX) {
        errors.add("payload", format!("Expected at most {PAYLOAD_BYTES_MAX} bytes, but it has more"));
    }
    let mut fields = Fields::of(value, "", errors)?;
    let own_id = fields.text("id", usize::MAX);
    if let Some(Err(error)) = own_id.as_deref().map(check_own) {
        fields.wrong("id", error.to_string());
    }
    let mode = fields.one_of("mode", &MODES).unwrap_or(Mode::Replace);
    let schedule = read_schedule(&mut fields);
    let moment = read_moment(&mut fields, schedule.as_ref(), given.now_ms);
    let jitter = fields.duration_ms("jitter", 0..=DAY_MS).unwrap_or(0);
    fields.knows(&LastLine::MEMBERS);
    fields.knows(&["payload"]);
    let fresh = match known {
        Some(_) => None,
        None => read_common(&mut fields, given),
    };
    let common = known.or(fresh.as_ref());
    let needs_object = common.is_some_and(|common| common.needs_object);
    if needs_object && payload.is_some_and(|payload| !payload.trim_start().starts_with('{')) {
        fields.wrong("payload", "Expected an object, because its members become variables of the process");
    }
    fields.finish();
    let (scheduled_ms, Common { scope, target, envelope, .. }) = (moment?, common?);
    let (scope, target, mut envelope) = (scope.clone(), target.clone(), envelope.clone());
    let jitter = schedule.as_ref().map_or(jitter, |schedule| schedule.jitter_ms);
    envelope.own_id = own_id.clone();
    envelope.repeat = schedule.map(|schedule| Repeat { left: schedule.repetitions(), schedule });
    let (flags, payload) = envelope.wrap(payload.unwrap_or_default().as_bytes());
    let due_ms = scheduled_ms.saturating_add(jitter_ms(jitter, given.seed, scheduled_ms)).min(DUE_MS_MAX);
    Some((NewTimer { scope, own_id, mode, due_ms, scheduled_ms, target, flags, payload }, fresh))
}

fn read_common(fields: &mut Fields<'_>, given: &Circumstances) -> Option<Common> {
    let namespace = fields.text("namespace", NAMESPACE_BYTES_MAX);
    let namespace = namespace.unwrap_or_else(|| given.scope.namespace.clone());
    let tenant = match fields.text("tenantId", usize::MAX) {
        Some(name) => (given.tenant_of)(&name).map_err(|reason| fields.wrong("tenantId", reason)).ok(),
        None => Some(given.scope.tenant.clone()),
    };
    let retry = match fields.value("retry") {
        Some(value) => RetryPolicy::from_json(value, "retry", fields.errors()),
        None => Some(RetryPolicy::default()),
    };
    let target = match fields.value("target") {
        Some(value) => TargetSpec::from_json(value, "target", fields.errors()),
        None => {
            fields.wrong("target", "Expected whom the timer tells, but there is nothing");
            None
        }
    };
    let (retry, target) = (retry?, target?);
    let scope = Arc::new(Scope { tenant: tenant?, namespace });
    let (stored, envelope) = StoredTarget::split(&scope, &target, retry);
    let needs_object = matches!(target, TargetSpec::Message(_) | TargetSpec::Process(_));
    Some(Common { scope, target: stored.to_target(), envelope, needs_object })
}

fn read_schedule(fields: &mut Fields<'_>) -> Option<Schedule> {
    let value = fields.value("schedule")?;
    Schedule::from_json(value, "schedule", fields.errors())
}

/// One of `executeAt`, `delay` and `schedule` says when it is due.
fn read_moment(fields: &mut Fields<'_>, schedule: Option<&Schedule>, now_ms: i64) -> Option<i64> {
    let given = ["executeAt", "delay", "schedule"].map(|name| fields.value(name).is_some());
    if given.iter().filter(|is_given| **is_given).count() != 1 {
        let found = if given.contains(&true) { "there is more than one" } else { "there is none" };
        fields.wrong("executeAt", format!("Expected one of executeAt, delay and schedule, but {found}"));
        return None;
    }
    match given {
        [true, ..] => execute_at(fields, "executeAt"),
        [_, true, _] => delayed(fields, "delay", now_ms),
        _ => {
            let first_ms = schedule?.first_ms(now_ms);
            if first_ms.is_none() {
                fields.wrong("schedule", "Expected a schedule that is due some time, but this one never is");
            }
            first_ms
        }
    }
}

/// A date with its offset, from 1970 to 9999.
pub(super) fn execute_at(fields: &mut Fields<'_>, name: &'static str) -> Option<i64> {
    let text = fields.text(name, 64)?;
    match parse_date(&text).map(|date| date.0) {
        Some(due_ms) if (0..=DUE_MS_MAX).contains(&due_ms) => Some(due_ms),
        Some(_) => {
            fields.wrong(name, format!("Expected a date from 1970 to 9999, but it is '{text}'"));
            None
        }
        None => {
            let reason =
                format!("Expected a date with its offset such as 2030-01-31T09:00:00Z, but it is '{text}'");
            fields.wrong(name, reason);
            None
        }
    }
}

/// A duration from now on.
pub(super) fn delayed(fields: &mut Fields<'_>, name: &'static str, now_ms: i64) -> Option<i64> {
    let delay_ms = fields.duration_ms(name, 0..=DUE_MS_MAX)?;
    let due_ms = now_ms.saturating_add(delay_ms);
    if due_ms > DUE_MS_MAX {
        fields.wrong(name, "Expected a date before the year 10000, but this is later");
        return None;
    }
    Some(due_ms)
}

/// The new time of a timer that is moved: `executeAt` or `delay`.
pub fn read_move(value: &Value, now_ms: i64) -> Result<i64, FieldErrors> {
    let mut errors = FieldErrors::default();
    let Some(mut fields) = Fields::of(value, "", &mut errors) else { return Err(errors) };
    let given = ["executeAt", "delay"].map(|name| fields.value(name).is_some());
    let moment = match given {
        [true, false] => execute_at(&mut fields, "executeAt"),
        [false, true] => delayed(&mut fields, "delay", now_ms),
        _ => {
            fields.wrong("executeAt", "Expected either executeAt or delay");
            None
        }
    };
    fields.finish();
    moment.filter(|_| errors.is_empty()).ok_or(errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn given() -> Circumstances {
        let scope = Scope { tenant: "<default>".to_owned(), namespace: DEFAULT_NAMESPACE.to_owned() };
        let tenant_of = |name: &str| match name {
            "unknown" => Err("it is not known".to_owned()),
            name => Ok(name.to_owned()),
        };
        Circumstances { scope, tenant_of, now_ms: 1_700_000_000_000, seed: 1 }
    }

    fn timer(value: &Value) -> Result<NewTimer, FieldErrors> {
        NewTimer::from_text(value.to_string().as_bytes(), &given())
    }

    fn wrong(value: &Value) -> Vec<String> {
        let errors = timer(value).expect_err("it is wrong");
        errors.0.into_iter().map(|error| error.field).collect()
    }

    #[test]
    fn lines_that_are_alike_are_read_like_lines_that_are_alone() {
        let hook = |n: u8| json!({"type": "http", "url": format!("https://example.com/{n}")});
        let message = json!({"type": "message", "name": "m", "correlationKey": "k"});
        let lines = [
            json!({"delay": 1, "target": hook(1)}),
            json!({"delay": 2, "target": hook(1), "id": "own", "payload": [1]}),
            json!({"delay": 2, "target": hook(1), "namespace": "other"}),
            json!({"delay": 2, "target": hook(1), "namespace": "other", "retry": {"attempts": 2}}),
            json!({"delay": 3, "target": hook(2), "retry": {"attempts": 2}}),
            json!({"delay": 3, "target": hook(2), "retry": {"attempts": 2}, "x": 1}),
            json!({"delay": -3, "target": hook(2), "retry": {"attempts": 2}}),
            json!({"delay": "PT3S", "target": hook(2), "retry": {"attempts": 2}, "payload": null}),
            json!({"delay": 3, "executeAt": "2030-01-01T00:00:00Z", "target": hook(2), "retry": {"attempts": 2}}),
            json!({"executeAt": "2030-01-01T00:00:00Z", "target": hook(2), "retry": {"attempts": 2}, "id": "a/b"}),
            json!({"executeAt": "2030-01-01T00:00:00Z", "target": hook(2), "retry": {"attempts": 2}, "id": "a\"b"}),
            json!({"executeAt": "2030-01-01T00:00:00+02:00", "target": hook(2), "retry": {"attempts": 2}, "id": "a"}),
            json!({"delay": i64::MAX, "target": hook(2), "retry": {"attempts": 2}}),
            json!({"delay": 3, "target": hook(2), "retry": {"attempts": 2}, "mode": "keep"}),
            json!({"delay": 3, "target": hook(2), "retry": null, "namespace": null}),
            json!({"delay": 3, "target": hook(2), "tenantId": "acme"}),
            json!({"delay": 3, "target": hook(2), "tenantId": "other"}),
            json!({"delay": 3, "target": hook(2), "tenantId": "unknown"}),
            json!({"delay": 3, "target": hook(2)}),
            json!({"delay": 3}),
            json!({"delay": 3, "target": message}),
            json!({"delay": 3, "target": message, "payload": 5}),
            json!({"delay": 4, "target": message, "payload": {"a": 1}}),
        ];
        let mut last = LastLine::default();
        for line in lines {
            let read = NewTimer::from_line(line.to_string().as_bytes(), &given(), &mut last);
            assert_eq!(
                read.map_err(|errors| errors.to_string()),
                timer(&line).map_err(|errors| errors.to_string()),
                "{line}"
            );
        }
    }

    #[test]
    fn a_timer_says_when_in_one_of_three_ways() {
        let stream = json!({"type": "stream"});
        let at = |value: Value| timer(&value).expect("valid").due_ms;
        assert_eq!(at(json!({"executeAt": "2023-11-14T22:13:25Z", "target": stream})), 1_700_000_005_000);
        assert_eq!(at(json!({"delay": "PT5S", "target": stream})), 1_700_000_005_000);
        assert_eq!(at(json!({"delay": 5, "target": stream})), 1_700_000_000_005);
        assert_eq!(at(json!({"schedule": "R/PT5S", "target": stream})), 1_700_000_005_000);
        assert_eq!(wrong(&json!({"target": stream})), ["executeAt"]);
        assert_eq!(wrong(&json!({"delay": 1, "schedule": "R/PT5S", "target": stream})), ["executeAt"]);
    }

    #[test]
    fn each_wrong_member_is_named() {
        let value = json!({
            "id": "tm_1", "namespace": "x".repeat(257), "mode": "twice", "executeAt": "1969-12-31T23:59:59Z",
            "jitter": -1, "target": {"type": "pigeon"}, "retry": {"attempts": 0}, "colour": "red",
            "tenantId": "unknown",
        });
        let mut named = wrong(&value);
        named.sort();
        let expected = [
            "colour",
            "executeAt",
            "id",
            "jitter",
            "mode",
            "namespace",
            "retry.attempts",
            "target.type",
            "tenantId",
        ];
        assert_eq!(named, expected);
        let of = |member: &str, value: Value| {
            let mut timer = json!({"target": {"type": "stream"}});
            timer[member] = value;
            wrong(&timer)
        };
        assert_eq!(of("executeAt", json!("+10000-01-01T00:00:00Z")), ["executeAt"]);
        assert_eq!(of("executeAt", json!("2030-01-01")), ["executeAt"]);
        assert_eq!(of("schedule", json!("R/PT0.0001S")), ["schedule"]);
        assert_eq!(of("schedule", json!({"expression": "R/PT1S", "zone": "Mars/Base"})), ["schedule.zone"]);
        assert_eq!(wrong(&json!({"delay": 1, "target": null})), ["target"]);
        let message = json!({"type": "message", "name": "m", "correlationKey": "k"});
        assert_eq!(wrong(&json!({"delay": 1, "payload": [1], "target": message})), ["payload"]);
        let long = "x".repeat(PAYLOAD_BYTES_MAX);
        assert_eq!(wrong(&json!({"delay": 1, "payload": long, "target": {"type": "stream"}})), ["payload"]);
        assert_eq!(NewTimer::from_text(b"[1]", &given()).expect_err("no object").0.len(), 1);
    }

    #[test]
    fn a_payload_stays_as_it_was_written() {
        let text =
            br#"{"delay":1,"payload":{"a": 1.50 ,"b":12345678901234567890123},"target":{"type":"stream"}}"#;
        let timer = NewTimer::from_text(text, &given()).expect("valid");
        assert_eq!(&*timer.payload, br#"{"a": 1.50 ,"b":12345678901234567890123}"#);
        assert_eq!((timer.mode, timer.own_id), (Mode::Replace, None));
    }

    #[test]
    fn jitter_makes_it_due_later_but_not_meant_for_later() {
        let timer =
            timer(&json!({"delay": 0, "jitter": "PT1H", "target": {"type": "stream"}})).expect("valid");
        assert_eq!(timer.scheduled_ms, 1_700_000_000_000);
        assert!((1_700_000_000_000..=1_700_003_600_000).contains(&timer.due_ms));
    }
}
