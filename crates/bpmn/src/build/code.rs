//! Codes of errors and escalations: fixed where they are caught, possibly computed where they are thrown.

use super::Builder;
use super::expression::feel_text;
use crate::executable::Source;
use crate::xml::Tag;
use tidemill_model::Text;

/// Errors and escalations are written alike.
#[derive(Clone, Copy)]
pub(super) struct CodeKind {
    reference: &'static str,
    tag: &'static str,
    attribute: &'static str,
    with_article: &'static str,
    title: &'static str,
}

pub(super) const ERROR: CodeKind = CodeKind {
    reference: "errorRef",
    tag: "error",
    attribute: "errorCode",
    with_article: "an error",
    title: "ErrorCode",
};
pub(super) const ESCALATION: CodeKind = CodeKind {
    reference: "escalationRef",
    tag: "escalation",
    attribute: "escalationCode",
    with_article: "an escalation",
    title: "EscalationCode",
};

impl<'a> Builder<'a, '_, '_> {
    /// None catches all.
    pub(super) fn caught_code(&mut self, definition: Tag<'a>, kind: CodeKind) -> Option<Text> {
        let CodeKind { tag, attribute, .. } = kind;
        let referenced = self.definitions.referenced(definition, kind.reference, tag);
        if let (None, Some(id)) = (referenced, definition.attribute(kind.reference)) {
            // Without a code it would catch everything, which nobody meant who wrote a reference.
            let reason = format!("Must reference {}, but '{id}' is none of the file", kind.with_article);
            self.report.refuse(definition, reason);
        }
        let code = referenced?.attribute(attribute)?;
        if feel_text(code).is_some() {
            let reason =
                format!("The {attribute} of the {tag} catch event is not allowed to be an expression");
            self.report.refuse(definition, reason);
        }
        self.indexed(definition, code)?;
        Some(code.into())
    }

    pub(super) fn thrown_code(&mut self, definition: Tag<'a>, kind: CodeKind) -> Option<Source> {
        let Some(referenced) = self.definitions.referenced(definition, kind.reference, kind.tag) else {
            self.report.refuse(definition, format!("Must reference {}", kind.with_article));
            return None;
        };
        let Some(code) = referenced.attribute(kind.attribute) else {
            self.report.refuse(referenced, format!("{} must be present and not empty", kind.title));
            return None;
        };
        self.indexed(referenced, code)
    }
}
