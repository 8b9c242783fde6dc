//! Reading XML: encoding, limits, well-formedness, and elements by namespace whatever their prefix.

mod encoding;
mod lines;
mod scan;
mod tag;

pub(crate) use encoding::{decode, in_utf8};
pub(crate) use lines::Lines;
pub(crate) use tag::{AttributeName, Tag};

use crate::finding::Finding;
use roxmltree::{Document, ParsingOptions};

const NODES_MAX: u32 = 500_000;

/// Why a file is not even XML that may be read, and where.
pub(crate) struct Fault {
    pub(crate) offset: usize,
    pub(crate) reason: String,
    pub(crate) remedy: Option<&'static str>,
}

impl Fault {
    fn new(offset: usize, reason: impl Into<String>) -> Fault {
        Fault { offset, reason: reason.into(), remedy: None }
    }

    /// A finding about the file as a whole.
    pub(crate) fn finding(self, text: &str) -> Finding {
        let (line, column) = Lines::new(text).position(self.offset);
        Finding {
            element_id: "definitions".into(),
            element_name: None,
            path: "definitions".into(),
            line,
            column,
            reason: self.reason,
            remedy: self.remedy.map(str::to_string),
        }
    }
}

/// Parses text that passed the limits. `roxmltree` reads nested elements in a loop, not by recursion; what
/// is linear per element in it (attributes, namespaces in scope) is bounded by the scan before.
pub(crate) fn parse(text: &str) -> Result<Document<'_>, Fault> {
    scan::check_limits(text)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let offset = Lines::new(text).offset(error.pos().row, error.pos().col);
        Fault::new(offset, format!("Expected well-formed XML, but {error}"))
    })
}
