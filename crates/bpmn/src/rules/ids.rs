//! Ids: every element has one, and nobody else has the same.

use crate::outline::Outline;
use crate::report::Report;
use crate::xml::Tag;
use std::collections::HashSet;

const ID_MAX_CHARACTERS: usize = 256;
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
                Some(id) if is_too_long(id) => {
                    let reason = format!(
                        "IDs must not be longer than the configured max-id-length of {ID_MAX_CHARACTERS} characters."
                    );
                    if id.len() > ID_MAX_BYTES {
                        report.refuse(tag, reason);
                    } else {
                        report.refuse_new(tag, reason, None);
                    }
                }
                Some(id) if !is_name(id) => {
                    let reason = format!(
                        "Expected an id of letters, digits, '-', '_' and '.' that begins with a letter or '_', but \
                         got '{}'",
                        id.escape_debug()
                    );
                    report.refuse(tag, reason);
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

/// Stores keep ids of up to 512 bytes. Camunda counts units of UTF-16.
fn is_too_long(id: &str) -> bool {
    id.len() > ID_MAX_CHARACTERS && (id.len() > ID_MAX_BYTES || id.encode_utf16().count() > ID_MAX_CHARACTERS)
}

/// An XML name without a colon, as the schema of BPMN has it for ids.
fn is_name(id: &str) -> bool {
    let is_start = |c: char| {
        matches!(c, 'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
            | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
            | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
            | '\u{10000}'..='\u{EFFFF}')
    };
    let is_later = |c: char| {
        is_start(c)
            || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
    };
    id.chars().next().is_some_and(is_start) && id.chars().all(is_later)
}
