//! Messages, signals, errors and escalations by id: the processes of a file share them.

use crate::report::Report;
use crate::xml::Tag;
use std::collections::HashMap;

pub(crate) struct Definitions<'a> {
    root: Tag<'a>,
    shared: HashMap<&'a str, Tag<'a>>,
}

impl<'a> Definitions<'a> {
    /// None if the file is not BPMN.
    pub(crate) fn read(root: Tag<'a>, report: &mut Report<'_>) -> Option<Definitions<'a>> {
        if !root.is_bpmn() || root.name() != "definitions" {
            let reason =
                format!("Expected 'definitions' of BPMN 2.0 as root element, but found '{}'", root.name());
            report.refuse(root, reason);
            return None;
        }
        let shared = root.children().filter(|tag| is_shared(tag.name()));
        let shared = shared.filter_map(|tag| Some((tag.id()?, tag))).collect();
        Some(Definitions { root, shared })
    }

    pub(crate) fn executable_processes(&self) -> impl Iterator<Item = Tag<'a>> {
        let processes = self.root.children().filter(|tag| tag.name() == "process");
        processes.filter(|process| process.boolean("isExecutable", false))
    }

    pub(crate) fn root(&self) -> Tag<'a> {
        self.root
    }

    /// The element that an attribute such as `messageRef` refers to. References are qualified names: a prefix is allowed.
    pub(crate) fn referenced(&self, tag: Tag<'a>, attribute: &str, kind: &str) -> Option<Tag<'a>> {
        let reference = tag.attribute(attribute)?;
        let local = reference.rsplit(':').next().unwrap_or(reference);
        let found = self.shared.get(reference).or_else(|| self.shared.get(local)).copied();
        found.filter(|found| found.name() == kind)
    }
}

fn is_shared(name: &str) -> bool {
    matches!(name, "message" | "signal" | "error" | "escalation")
}
