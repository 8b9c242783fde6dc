//! Input and output mappings.

use super::Builder;
use super::expression::{constant, static_source};
use super::path;
use crate::executable::{Mapping, Source};
use crate::xml::Tag;
use tidemill_feel::{Expression, Value};
use tidemill_model::{RawJson, Text};

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn mappings(&mut self, element: Tag<'a>) -> (Vec<Mapping>, Vec<Mapping>) {
        let Some(holder) = self.single_extension(element, "ioMapping") else { return Default::default() };
        let inputs = holder.zeebe_children("input").filter_map(|tag| self.input(tag)).collect();
        let outputs = holder.zeebe_children("output").filter_map(|tag| self.output(tag)).collect();
        (inputs, outputs)
    }

    fn input(&mut self, tag: Tag<'a>) -> Option<Mapping> {
        let source = match tag.attribute("source") {
            Some(text) => self.source(tag, text).map(literal),
            None => Some(Source::Static { text: Text::default(), value: RawJson::NULL }),
        };
        let target = self.target(tag);
        Some(Mapping { source: source?, target: target? })
    }

    fn output(&mut self, tag: Tag<'a>) -> Option<Mapping> {
        let source = self.feel(tag, tag.attribute("source").unwrap_or_default());
        let target = self.target(tag);
        Some(Mapping { source: Source::Feel(source?), target: target? })
    }

    fn target(&mut self, tag: Tag<'a>) -> Option<Vec<Text>> {
        let Some(target) = tag.attribute("target") else {
            self.report.refuse(tag, "Expected path expression but not found.");
            return None;
        };
        if path::RESERVED.contains(&target) {
            let reserved = path::RESERVED.join(", ");
            let reason =
                format!("Expected path expression '{target}' but is one of the reserved words ({reserved}).");
            self.report.refuse(tag, reason);
            return None;
        }
        let depth = target.split('.').count();
        if depth > path::NAMES_MAX {
            let reason = format!("Expected at most {} names in a path, but found {depth}", path::NAMES_MAX);
            self.report.refuse(tag, reason);
            return None;
        }
        let names = path::names(target);
        if names.is_none() {
            let pattern = path::PATTERN;
            let reason =
                format!("Expected path expression '{target}' but doesn't match the pattern '{pattern}'.");
            self.report.refuse(tag, reason);
        }
        names
    }

    /// An extension that may be there once.
    pub(super) fn single_extension(&mut self, element: Tag<'a>, name: &'static str) -> Option<Tag<'a>> {
        let mut found = element.extensions(name);
        let first = found.next();
        if let Some(second) = found.next() {
            let reason = format!(
                "Must have exactly one 'zeebe:{name}' extension element when exists. Please check process definition XML \
                 and retain only one extension element."
            );
            self.report.refuse_with(second, reason, "keep only one of them");
        }
        first
    }

    /// Without a value, or with an empty one, the default holds.
    pub(super) fn default_source(&mut self, at: Tag<'a>, attribute: &str, default: &str) -> Option<Source> {
        match at.attribute(attribute) {
            Some(_) => self.required_source(at, attribute),
            None => Some(static_source(default)),
        }
    }
}

/// The plain text of an input is read as what stands between the quotes of a FEEL string: always a string, with its escapes.
fn literal(source: Source) -> Source {
    let Source::Static { text, .. } = source else { return source };
    let quoted = format!("\"{}\"", text.replace('"', "\\\""));
    let value = Expression::compile(&quoted).ok().and_then(|literal| constant(&literal).ok());
    let value = match value {
        Some(Value::String(value)) => RawJson::string(&value),
        _ => RawJson::string(&text),
    };
    Source::Static { text, value }
}
