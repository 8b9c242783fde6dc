//! Link events: a name leads to one place. A throw without a catch is found when it is built.

use crate::outline::Outline;
use crate::report::Report;

pub(super) fn check(outline: &Outline<'_>, report: &mut Report<'_>) {
    for node in &outline.nodes {
        let Some(link) = outline.link(node) else { continue };
        if link.catches.binary_search(&node.index).is_ok_and(|position| position > 0) {
            let name = node.tag.event_definitions().find_map(|definition| definition.attribute("name"));
            let reason = format!(
                "Multiple intermediate catch link event definitions with the same name '{}' are not allowed.",
                name.unwrap_or_default()
            );
            report.refuse(node.tag, reason);
        }
    }
}
