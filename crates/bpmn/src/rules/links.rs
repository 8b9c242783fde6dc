//! Link events: a name leads to one place. A throw without a catch is found when it is built.

use crate::build::link_name;
use crate::outline::{Family, Outline};
use crate::report::Report;
use std::collections::HashSet;

pub(super) fn check(outline: &Outline<'_>, report: &mut Report<'_>) {
    let mut seen = HashSet::new();
    for catch in outline.nodes.iter().filter(|node| node.family == Family::IntermediateCatch) {
        let Some(name) = link_name(catch) else { continue };
        if !seen.insert((catch.scope, name)) {
            let reason = format!(
                "Multiple intermediate catch link event definitions with the same name '{name}' are not allowed."
            );
            report.refuse(catch.tag, reason);
        }
    }
}
