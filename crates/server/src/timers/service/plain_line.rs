//! A line of a bulk that is like most: a few members, each written plainly. It is read without a tree of values; any other line is read
//! as a timer that comes alone.

use super::new_timer::{Circumstances, Common, PAYLOAD_BYTES_MAX};
use super::{LastLine, NewTimer};
use crate::gateway::parse_date;
use crate::timers::id::check_own;
use serde::Deserialize;
use serde_json::value::RawValue;
use tidemill_timers::shard::Mode;
use tidemill_timers::slot::DUE_MS_MAX;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct PlainLine<'a> {
    #[serde(borrow)]
    id: Option<&'a str>,
    delay: Option<i64>,
    #[serde(borrow)]
    execute_at: Option<&'a str>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(borrow)]
    target: Option<&'a RawValue>,
    #[serde(borrow)]
    retry: Option<&'a RawValue>,
    #[serde(borrow)]
    namespace: Option<&'a RawValue>,
    #[serde(borrow)]
    tenant_id: Option<&'a RawValue>,
}

impl PlainLine<'_> {
    /// None if there is anything to look at more closely, such as a mistake that is to be named.
    pub(super) fn read(text: &[u8], given: &Circumstances, last: &LastLine) -> Option<NewTimer> {
        let line: PlainLine<'_> = serde_json::from_slice(text).ok()?;
        let written = [line.target, line.retry, line.namespace, line.tenant_id];
        let written = written.map(|raw| raw.map(RawValue::get));
        line.timer(given, last.common(written)?)
    }

    fn timer(&self, given: &Circumstances, common: &Common) -> Option<NewTimer> {
        let due_ms = match (self.delay, self.execute_at) {
            (Some(delay_ms), None) if delay_ms >= 0 => given.now_ms.checked_add(delay_ms)?,
            (None, Some(date)) => parse_date(date)?.0,
            _ => return None,
        };
        let payload = self.payload.map(RawValue::get).unwrap_or_default();
        let is_fit = (0..=DUE_MS_MAX).contains(&due_ms)
            && payload.len() <= PAYLOAD_BYTES_MAX
            && (!common.needs_object || payload.is_empty() || payload.starts_with('{'))
            && self.id.is_none_or(|id| check_own(id).is_ok());
        if !is_fit {
            return None;
        }
        let own_id = self.id.map(str::to_owned);
        let (flags, payload) = match &own_id {
            None => common.envelope.wrap(payload.as_bytes()),
            Some(_) => {
                let mut envelope = common.envelope.clone();
                envelope.own_id.clone_from(&own_id);
                envelope.wrap(payload.as_bytes())
            }
        };
        let (scope, target) = (common.scope.clone(), common.target.clone());
        Some(NewTimer {
            scope,
            own_id,
            mode: Mode::Replace,
            due_ms,
            scheduled_ms: due_ms,
            target,
            flags,
            payload,
        })
    }
}
