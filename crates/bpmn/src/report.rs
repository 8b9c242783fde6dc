//! Collects findings while a file is read, so that all of them are told at once.

use crate::finding::{Finding, Findings};
use crate::outline::Family;
use crate::xml::{Lines, Tag};
use std::collections::HashSet;

/// More would help nobody.
const FINDINGS_MAX: usize = 1000;
const REASON_MAX_CHARACTERS: usize = 1000;

pub(crate) struct Report<'a> {
    lines: Lines<'a>,
    /// With the offset of the place, for the order.
    findings: Vec<(usize, Finding)>,
    told: HashSet<(usize, String)>,
    /// The file was deployed before: what only keeps new files out is not held against it.
    pub(crate) is_deployed: bool,
}

impl<'a> Report<'a> {
    pub(crate) fn new(text: &'a str) -> Report<'a> {
        Report { lines: Lines::new(text), findings: Vec::new(), told: HashSet::new(), is_deployed: false }
    }

    /// For what has no effect, or another than people expect: it cannot be deployed, but what was deployed by an older version
    /// goes on.
    pub(crate) fn refuse_new(&mut self, at: Tag<'_>, reason: impl Into<String>, remedy: Option<String>) {
        if !self.is_deployed {
            self.add(at, reason.into(), remedy);
        }
    }

    pub(crate) fn refuse(&mut self, at: Tag<'_>, reason: impl Into<String>) {
        self.add(at, reason.into(), None);
    }

    pub(crate) fn refuse_with(&mut self, at: Tag<'_>, reason: impl Into<String>, remedy: impl Into<String>) {
        self.add(at, reason.into(), Some(remedy.into()));
    }

    /// The same thing is said once per place, however many elements refer to it.
    fn add(&mut self, at: Tag<'_>, reason: String, remedy: Option<String>) {
        let offset = at.offset();
        let reason = shortened(reason);
        let is_full = self.findings.len() >= FINDINGS_MAX;
        if is_full || !self.told.insert((offset, reason.clone())) {
            return;
        }
        let owner = owner(at);
        let (line, column) = self.position(at);
        let element_id = owner.id().unwrap_or(owner.name()).into();
        let element_name = owner.attribute("name").map(Into::into);
        let path = path(at).into();
        let finding = Finding { element_id, element_name, path, line, column, reason, remedy };
        self.findings.push((offset, finding));
    }

    pub(crate) fn position(&self, tag: Tag<'_>) -> (u32, u32) {
        self.lines.position(tag.offset())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    pub(crate) fn into_result<T>(mut self, value: T) -> Result<T, Findings> {
        if self.findings.is_empty() {
            return Ok(value);
        }
        self.findings.sort_by_key(|(offset, _)| *offset);
        Err(Findings(self.findings.into_iter().map(|(_, finding)| finding).collect()))
    }
}

fn shortened(reason: String) -> String {
    match reason.char_indices().nth(REASON_MAX_CHARACTERS) {
        Some((end, _)) => format!("{}...", &reason[..end]),
        None => reason,
    }
}

/// The ids and names that lead to a place, as Camunda tells it.
fn path(at: Tag<'_>) -> String {
    let mut steps = Vec::new();
    let mut next = Some(at);
    while let Some(tag) = next {
        match tag.id().filter(|_| tag.is_bpmn()) {
            Some(id) => {
                steps.push(id);
                break;
            }
            None => steps.push(tag.name()),
        }
        next = tag.parent();
    }
    steps.reverse();
    steps.join(" > ")
}

/// The element that people know and can select in a modeler: not the timer definition, but the event.
fn owner(at: Tag<'_>) -> Tag<'_> {
    let mut tag = at;
    loop {
        let is_shared = matches!(tag.name(), "message" | "signal" | "error" | "escalation");
        let is_element = is_shared || tag.name() == "sequenceFlow" || Family::of(tag).is_some();
        match tag.parent() {
            Some(parent) if !(tag.is_bpmn() && is_element) => tag = parent,
            _ => return tag,
        }
    }
}
