//! Small pieces that many pages use: times, keys, states, lists that go on, forms that change something.

use crate::query::Query;
use maud::{Markup, html};
use serde_json::Value;
use tidemill_model::Timestamp;
use tidemill_model::entity::InstanceState;
use tidemill_store::query::Results;

/// A time. The script shows it in the zone of the viewer, with the exact time as its title.
pub(crate) fn time(at: Timestamp) -> Markup {
    let end = if at.0 < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or(end);
    html! { time datetime=(at) { (at.strftime("%Y-%m-%d %H:%M:%S")) " UTC" } }
}

/// The same where there may be none.
pub(crate) fn optional_time(at: Option<Timestamp>) -> Markup {
    html! { @match at { Some(at) => (time(at)), None => span.quiet { "–" } } }
}

/// A key with a button that copies it.
pub(crate) fn key(key: i64) -> Markup {
    html! { code.key { (key) } button.copy.needs-script type="button" data-copy=(key) aria-label={ "Copy " (key) } { "Copy" } }
}

pub(crate) fn state(state: InstanceState, has_incident: bool) -> Markup {
    match (state, has_incident) {
        (InstanceState::Active, true) => badge("incident", "Incident"),
        (InstanceState::Active, false) => badge("active", "Active"),
        (InstanceState::Completed, _) => badge("completed", "Completed"),
        (InstanceState::Terminated, _) => badge("terminated", "Cancelled"),
    }
}

pub(crate) fn badge(kind: &str, text: &str) -> Markup {
    html! { span.badge.(kind) { (text) } }
}

/// How many there are of something.
pub(crate) fn total<V>(results: &Results<V>) -> String {
    if results.has_more_total { format!("more than {}", results.total) } else { results.total.to_string() }
}

/// Links to the pages before and behind this one.
pub(crate) fn pager<V>(path: &str, query: &Query, results: &Results<V>) -> Markup {
    let is_first = query.get("after").is_none() && query.get("before").is_none();
    let is_last = results.items.len() < crate::query::ROWS as usize && query.get("before").is_none();
    let before = results.start_cursor.as_deref().filter(|_| !is_first);
    let after = results.end_cursor.as_deref().filter(|_| !is_last);
    html! {
        @if before.is_some() || after.is_some() {
            nav.pager aria-label="Pages" {
                @if let Some(cursor) = before { a rel="prev" href=(query.at(path, "before", cursor)) { "← Previous" } }
                @if let Some(cursor) = after { a rel="next" href=(query.at(path, "after", cursor)) { "Next →" } }
            }
        }
    }
}

/// A list that shows the beginning only says so.
pub(crate) fn cut<V>(results: &Results<V>) -> Markup {
    let shown = results.items.len() as u64;
    html! { @if results.total > shown { p.quiet { "The first " (shown) " of " (total(results)) "." } } }
}

/// A request that a form sends to the REST API. In the body, the text `$name` stands for the field of that name, `$json:name` for the JSON
/// that the field contains.
pub(crate) struct Step {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: Value,
}

impl Step {
    pub(crate) fn post(path: impl Into<String>, body: Value) -> Step {
        Step { method: "POST", path: path.into(), body }
    }
}

/// A form that sends requests to the REST API, one after the other, and then shows the page again. It needs the script, so it is hidden where
/// scripts are off.
pub(crate) struct Action<'a> {
    pub(crate) steps: Vec<Step>,
    pub(crate) fields: Markup,
    pub(crate) button: &'a str,
    /// The script asks this before it sends anything that cannot be taken back.
    pub(crate) question: Option<&'a str>,
    /// The page that is shown afterwards; `$member` stands for a member of the last answer. None shows this one again.
    pub(crate) then: Option<&'a str>,
}

impl Action<'_> {
    pub(crate) fn form(&self) -> Markup {
        let steps: Vec<Value> = self
            .steps
            .iter()
            .map(|step| serde_json::json!({"method": step.method, "path": step.path, "body": step.body}))
            .collect();
        html! {
            form.action.needs-script data-steps=(Value::from(steps)) data-question=[self.question] data-then=[self.then] {
                (self.fields)
                button type="submit" class=[self.question.map(|_| "danger")] { (self.button) }
                output role="alert" {}
            }
        }
    }
}

/// A field for JSON.
pub(crate) fn json_field(name: &str, label: &str, value: &str) -> Markup {
    html! {
        label { span { (label) } textarea name=(name) data-type="json" spellcheck="false" rows="4" { (value) } }
    }
}

pub(crate) fn text_field(name: &str, label: &str, value: &str) -> Markup {
    html! { label { span { (label) } input name=(name) value=(value) autocomplete="off"; } }
}
