//! Ids: every element has one, and nobody else has the same.

use crate::outline::Outline;
use crate::report::Report;
use crate::xml::Tag;
use std::collections::HashSet;

const ID_MAX_BYTES: usize = 512;

pub(super) fn check(outlines: &[Outline<'_>], report: &mut Report<'_>) {
    let mut seen = HashSet::new();
    for outline in outlines {
        let tags = outline.nodes.iter().map(|node| node.tag).chain(outline.flows.iter().map(|flow| flow.tag));
        let mut tags: Vec<Tag<'_>> = tags.collect();
        tags.sort_by_key(|tag| tag.offset());
        for tag in tags {
            match tag.id() {
                None => report.refuse(tag, "Element id must be present and not empty."),
                Some(id) if id.len() > ID_MAX_BYTES => {
                    report.refuse(tag, format!("IDs must not be longer than {ID_MAX_BYTES} bytes"));
                }
                Some(id) if !seen.insert(id) => {
                    report.refuse(
                        tag,
                        format!("Expected ids to be unique in the file, but '{id}' is used twice"),
                    );
                }
                Some(_) => {}
            }
        }
    }
}
